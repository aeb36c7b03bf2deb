/** Calls on the wire: encodings, tokens, other clients, unknown methods. */
import { describe, expect, test } from "bun:test";
import { WebClient as WebClient7 } from "slack7";
import { AGENT, clientAs, GENERAL, JOHN, outcome, ROBIN, refused, useScenes } from "./scene";

const newScene = useScenes();

const FORM = "application/x-www-form-urlencoded";
const post = (type: string | undefined, body: string | Uint8Array<ArrayBuffer>): RequestInit => ({
  method: "POST",
  body,
  ...(type ? { headers: { "Content-Type": type } } : {}),
});

async function send(url: string, init: RequestInit = {}): Promise<any> {
  const response = await fetch(url, init);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return await response.json();
}

function multipart(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

describe("a call", () => {
  const fields = {
    channel: GENERAL,
    text: "Grüße",
    mrkdwn: "false",
    blocks: JSON.stringify([{ type: "divider", block_id: "d" }]),
  };
  const native = { ...fields, mrkdwn: false, blocks: [{ type: "divider", block_id: "d" }] };

  test("means the same in every encoding", async () => {
    const { url } = await newScene();
    const to = `${url}/chat.postMessage`;
    const query = new URLSearchParams(fields).toString();

    const answers = [
      await send(to, post(FORM, query)),
      await send(to, post(`${FORM}; charset=utf-8`, query)),
      await send(to, post("application/json", JSON.stringify(native))),
      await send(to, post("application/json;charset=utf-8", JSON.stringify(fields))),
      await send(to, { method: "POST", body: multipart(fields) }),
      await send(`${to}?${query}`),
      await send(`${to}?${query}`, { method: "POST" }),
      await send(`${url}/api/chat.postMessage`, post(FORM, query)),
    ];

    const same = answers.map(({ message: { ts: _, client_msg_id: __, ...message } }) => message);
    expect(new Set(same.map((message) => JSON.stringify(message))).size).toBe(1);
    expect(same[0]).toMatchObject({ text: "Grüße", mrkdwn: false, blocks: native.blocks });
    expect(answers.map(({ warning }) => warning)).toEqual([
      undefined,
      "superfluous_charset",
      "missing_charset",
      ...Array.from({ length: 5 }),
    ] as never);
  });

  test.each([
    ["invalid_json", "application/json", "{"],
    ["invalid_json", "application/json", new Uint8Array([0x22, 0xff, 0x22])],
    ["json_not_object", "application/json", "[1]"],
    ["invalid_charset", "application/json; charset=latin1", "{}"],
    ["invalid_post_type", "text/plain", "channel=C1"],
    ["invalid_form_data", "multipart/form-data; boundary=x", "nothing of the kind"],
    ["missing_post_type", undefined, new Uint8Array([1])],
  ])("is rejected with %s as %s", async (code, type, body) => {
    const { url, state } = await newScene();
    const before = await state();

    expect(await send(`${url}/chat.postMessage`, post(type, body))).toMatchObject({
      ok: false,
      error: code,
    });
    expect(await state()).toEqual(before);
  });

  test.each([["true"], ["1"], [true], [1]])("accepts %p as true", async (count) => {
    const { agent } = await newScene();

    const { channel }: any = await agent.apiCall("conversations.info", {
      channel: GENERAL,
      include_num_members: count,
    });

    expect(channel.num_members).toBe(5);
  });

  test.each([["false"], ["0"], [false], [0]])("accepts %p as false", async (count) => {
    const { agent } = await newScene();

    const { channel }: any = await agent.apiCall("conversations.info", {
      channel: GENERAL,
      include_num_members: count,
    });

    expect(channel).not.toHaveProperty("num_members");
  });

  test("accepts lists as text with commas, as JSON text, and as JSON", async () => {
    const { url } = await newScene();
    const json = (users: unknown) =>
      post("application/json; charset=utf-8", JSON.stringify({ users, return_im: true }));

    for (const users of [`${JOHN}, ${ROBIN}`, `["${JOHN}","${ROBIN}"]`, [JOHN, ROBIN]])
      expect((await send(`${url}/conversations.open`, json(users))).channel.name).toBe(
        "mpdm-agent--john--robin-1",
      );
  });

  test("reports every missing or malformed argument, and ignores unknown ones", async () => {
    const { agent } = await newScene();

    const wrong = await refused(
      agent.apiCall("conversations.members", { limit: "many", color: "red" }),
    );

    expect(wrong).toMatchObject({
      error: "invalid_arguments",
      response_metadata: {
        messages: [
          "[ERROR] missing required field: channel",
          "[ERROR] must be a valid integer [json-pointer:/limit]",
        ],
      },
    });
  });

  test("cannot contain text that Postgres cannot store", async () => {
    const { url, state } = await newScene();
    const before = await state();

    const answer = await send(
      `${url}/chat.postMessage`,
      post("application/json; charset=utf-8", JSON.stringify({ channel: GENERAL, text: "a\0b" })),
    );

    expect(answer.error).toBe("invalid_arguments");
    expect(await state()).toEqual(before);
  });
});

describe("a name", () => {
  test.each(["chat.postmessage", "no.such.method", "", "toString"])(
    "%p is unknown",
    async (name) => {
      const { url } = await newScene();

      expect(await send(`${url}/${name}`)).toEqual({
        ok: false,
        error: "unknown_method",
        req_method: name,
      });
    },
  );

  test.each([
    ["admin.users.list", "not_allowed_token_type"],
    ["files.upload", "method_deprecated"],
    ["channels.list", "method_deprecated"],
    ["im.open", "method_deprecated"],
    ["rtm.start", "method_deprecated"],
    ["apps.connections.open", "not_allowed_token_type"],
    ["apps.manifest.create", "not_allowed_token_type"],
    ["tooling.tokens.rotate", "invalid_refresh_token"],
  ])("%p is rejected: %s", async (name, error) => {
    const { url } = await newScene();

    expect(await send(`${url}/${name}`)).toEqual({ ok: false, error });
  });
});

describe("a sign-in", () => {
  test("of an app that does not exist is rejected as the service does, however the app identifies", async () => {
    const { url, agent } = await newScene();
    const rejected = { ok: false, error: "invalid_client_id" };
    const app = { client_id: "1.2", client_secret: "made-up" };
    const basic = `Basic ${Buffer.from("1.2:made-up").toString("base64")}`;

    const oauth = agent.oauth.v2.access({ ...app, code: "made-up" });
    expect(await outcome(oauth)).toBe(rejected.error);
    for (const name of ["oauth.access", "oauth.v2.access", "openid.connect.token"])
      expect(
        await send(`${url}/${name}?code=made-up`, { headers: { Authorization: basic } }),
      ).toEqual(rejected);
    expect(await outcome(agent.openid.connect.userInfo())).toBe("missing_scope");
  });
});

describe("a token", () => {
  const whoCalls = async (url: string, init: RequestInit) =>
    (await send(`${url}/auth.test`, { method: "POST", ...init })).user_id;
  const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

  test("of a user calls as that user, without one the environment's user does", async () => {
    const { url } = await newScene();

    expect(await whoCalls(url, bearer(`xoxp-${JOHN}`))).toBe(JOHN);
    expect(await whoCalls(url, bearer(`xoxb-${ROBIN}`))).toBe(ROBIN);
    expect(await whoCalls(url, post(FORM, `token=xoxp-${ROBIN}`))).toBe(ROBIN);
    expect(await whoCalls(url, {})).toBe(AGENT);
  });

  test.each(["xoxp-U99NOBODY", "xoxb-wrong", "xoxe.xoxp-1-2", "xapp-1-A0-1"])(
    "%s is rejected, in a header and as an argument",
    async (token) => {
      const { url } = await newScene();
      const rejected = { ok: false, error: "invalid_auth" };

      expect(await send(`${url}/auth.test`, bearer(token))).toEqual(rejected);
      expect(await send(`${url}/auth.test`, post(FORM, `token=${token}`))).toEqual(rejected);
    },
  );
});

test.each(["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])(
  "a method called by %s is rejected without side effects",
  async (method) => {
    const { url, state } = await newScene();
    const before = await state();

    const response = await fetch(`${url}/chat.postMessage?channel=${GENERAL}&text=x`, { method });

    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
    expect(await state()).toEqual(before);
  },
);

describe("other clients", () => {
  test("the older official client reads and writes", async () => {
    const { url } = await newScene();
    const client = new WebClient7(`xoxp-${JOHN}`, {
      slackApiUrl: `${url}/`,
      retryConfig: { retries: 0 },
    });

    const { ts } = await client.chat.postMessage({ channel: GENERAL, text: "from 7" });
    const uploaded: any = await client.files.uploadV2({
      channel_id: GENERAL,
      filename: "a.txt",
      content: "seven",
    } as never);
    const { messages } = await client.conversations.history({ channel: GENERAL });

    expect(messages?.[1]).toMatchObject({ ts, user: JOHN, text: "from 7" });
    expect(messages?.[0]?.files?.[0]?.id).toBe(uploaded.files[0].files[0].id);
  });

  test("the Python client reads with GET and a query, and writes JSON with a charset", async () => {
    const { url } = await newScene();
    const base = `${url}/`;
    const headers = {
      Authorization: `Bearer xoxb-${ROBIN}`,
      "User-Agent": "Python/3.12.3 slackclient/3.33.0 Linux/6.8.0",
    };

    const info = await send(`${base}users.info?${new URLSearchParams({ user: JOHN })}`, {
      headers,
    });
    const history = await send(`${base}conversations.history?channel=${GENERAL}&limit=1`, {
      headers,
    });
    const posted = await send(`${base}chat.postMessage`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json;charset=utf-8" },
      body: JSON.stringify({ channel: GENERAL, text: "from Python" }),
    });
    const empty = await send(`${base}auth.test`, {
      method: "POST",
      headers: { ...headers, "Content-Type": FORM },
    });

    expect(info.user.id).toBe(JOHN);
    expect(history).toMatchObject({ ok: true, has_more: true });
    expect(posted.message).toMatchObject({ user: ROBIN, text: "from Python" });
    expect(posted.warning).toBeUndefined();
    expect(empty.user_id).toBe(ROBIN);
  });

  test("plain fetch with JSON needs nothing else", async () => {
    const { url } = await newScene();

    const { ok, ts } = await send(
      `${url}/chat.postMessage`,
      post("application/json", JSON.stringify({ channel: "#general", text: "hi" })),
    );
    const { messages } = await send(
      `${url}/conversations.history`,
      post("application/json", JSON.stringify({ channel: GENERAL, limit: 1 })),
    );

    expect(ok).toBe(true);
    expect(messages[0].ts).toBe(ts);
  });

  test("a base URL works without a trailing slash", async () => {
    const { url } = await newScene();

    expect((await clientAs(url.replace(/\/$/, ""), AGENT).auth.test()).user_id).toBe(AGENT);
  });
});
