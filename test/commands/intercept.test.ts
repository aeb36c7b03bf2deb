/** `diorama intercept`: unmodified clients with fixed hosts, with environments. */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { canReplaceHosts } from "~/commands/intercept/environment";
import { useIntercept } from "../support/intercept";
import { JOHN } from "../support/tracker";

const place = useIntercept();
const { intercept, lastMessage } = place;

const SLACK_SDK = `
  const { WebClient } = require("@slack/web-api");
  new WebClient("xoxb-1-made-up").chat
    .postMessage({ channel: "C02RANDOM", text: "from the SDK" })
    .then(({ message }) => console.log(message.text));`;
const LINEAR_SDK = `
  const { LinearClient } = require("@linear/sdk");
  new LinearClient({ apiKey: "lin_api_made_up" }).viewer.then(({ id }) => console.log(id));`;
const PYTHON = `
import json, urllib.request
request = urllib.request.Request("https://api.linear.app/graphql",
    json.dumps({"query": "{ viewer { id } }"}).encode(), {"Content-Type": "application/json"})
print(json.load(urllib.request.urlopen(request))["data"]["viewer"]["id"])`;
const GOOGLE_CLIENT = `
  const { auth, gmail } = require("@googleapis/gmail");
  const credentials = new auth.OAuth2("made-up", "secret");
  credentials.setCredentials({ refresh_token: "1//made-up" });
  const { users } = gmail({ version: "v1", auth: credentials });
  const userId = "me";
  (async () => {
    const { data: profile } = await users.getProfile({ userId });
    const body = "To: john@acme.test\\r\\nSubject: Uploaded\\r\\n\\r\\nHello";
    const { data: sent } = await users.messages.send({ userId, media: { mimeType: "message/rfc822", body } });
    const { email } = await credentials.getTokenInfo(credentials.credentials.access_token);
    console.log(profile.emailAddress, sent.labelIds[0], email);
  })();`;
describe("through the proxy", () => {
  const proxied = (command: readonly string[], env = {}) =>
    intercept([...place.to, "--via", "proxy"], command, env);

  test("curl reaches the chat with any token", async () => {
    const call = ["-H", "Authorization: Bearer xoxb-1-made-up", "https://slack.com/api/auth.test"];
    const { code, out } = await proxied(["curl", "-sS", ...call]);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ user_id: "U01AGENTONE" }),
    ]);
  });

  test("the host of a workspace is redirected too", async () => {
    const { out } = await proxied(["curl", "-sS", "https://acme.slack.com/api/auth.test"]);
    expect(JSON.parse(out)).toMatchObject({ ok: true });
  });

  test("Python reaches the tracker", async () => {
    expect(await proxied(["python3", "-c", PYTHON])).toMatchObject({ code: 0, out: JOHN });
  });

  test("Google's client gets a token, makes plain calls and uploads", async () => {
    expect(await proxied(["node", "-e", GOOGLE_CLIENT])).toMatchObject({
      code: 0,
      out: "agent@acme.test SENT agent@acme.test",
    });
  });

  test("Google's hosts lead to the mailbox, the account and the tools", async () => {
    const me = { emailAddress: "agent@acme.test" };
    const expected = {
      "gmail.googleapis.com/gmail/v1/users/me/profile": me,
      "www.googleapis.com/gmail/v1/users/me/profile": me,
      "www.googleapis.com/oauth2/v3/userinfo": {
        ...{ email: "agent@acme.test", name: "Agent Smith" },
        sub: expect.stringMatching(/^\d{21}$/),
      },
      "www.googleapis.com/oauth2/v2/userinfo": { verified_email: true, given_name: "Agent" },
      "openidconnect.googleapis.com/v1/userinfo": { email_verified: true },
      "oauth2.googleapis.com/tokeninfo": { scope: expect.stringContaining("mail.google.com") },
    };
    const urls = Object.keys(expected).map((address) => `https://${address}`);
    const { out } = await proxied(["curl", "-sS", "-w", "\\n====\\n", ...urls]);
    const answers = out.split("\n====").slice(0, -1);
    expect(answers.map((answer) => JSON.parse(answer))).toMatchObject(Object.values(expected));

    const documents = `
      curl -sS -D - -X POST 'https://gmail.googleapis.com/upload/gmail/v1/users/me/messages?uploadType=resumable' | grep -io 'location: [^?]*'
      curl -sS 'https://gmail.googleapis.com/$discovery/rest?version=v1' | grep -o '"rootUrl.*"'
      curl -sS https://www.googleapis.com/discovery/v1/apis/gmail/v1/rest | grep -o '"rootUrl.*"'
      curl -sS https://gmailmcp.googleapis.com/mcp/v1 -H 'Content-Type: application/json' \\
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | grep -o '"inputSchema"' | wc -l`;
    expect((await proxied(["sh", "-c", documents])).out.split("\n")).toEqual([
      "Location: https://gmail.googleapis.com/upload/gmail/v1/users/me/messages",
      '"rootUrl": "https://gmail.googleapis.com/"',
      '"rootUrl": "https://www.googleapis.com/"',
      "30",
    ]);
  });

  test("other hosts are reached directly", async () => {
    const script = `curl -sS --noproxy "" -p -x "$HTTPS_PROXY" ${place.program.url}/livez -o /dev/null -w "%{http_code}"`;
    expect(await proxied(["sh", "-c", script])).toMatchObject({ code: 0, out: "200" });
  });

  test("other hosts are reached through the proxy of this machine", async () => {
    const asked: unknown[] = [];
    const upstream = createServer().on("connect", (request, socket) => {
      asked.push([request.url, request.headers["proxy-authorization"]]);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const { port } = upstream.address() as AddressInfo;

    const env = { HTTPS_PROXY: `http://joe:secret@127.0.0.1:${port}` };
    const { out } = await proxied(
      [
        "sh",
        "-c",
        `curl -sS https://example.test https://storage.googleapis.com 2>&1; curl -sS https://slack.com/api/api.test`,
      ],
      env,
    );

    upstream.close();
    const credential = `Basic ${Buffer.from("joe:secret").toString("base64")}`;
    expect(asked).toEqual([
      ["example.test:443", credential],
      ["storage.googleapis.com:443", credential],
    ]);
    expect(out).toContain("403");
    expect(out).toContain('"ok":true');
  });
});

describe.skipIf(!canReplaceHosts())("by a file of hosts", () => {
  const hosted = (command: readonly string[]) =>
    intercept([...place.to, "--via", "hosts"], command);

  test("the official chat client needs no change", async () => {
    const { code, out } = await hosted(["node", "-e", SLACK_SDK]);
    expect([code, out]).toEqual([0, "from the SDK"]);
    expect(await lastMessage()).toBe("from the SDK");
  });

  test("the official tracker client needs no change", async () => {
    expect(await hosted(["node", "-e", LINEAR_SDK])).toMatchObject({ code: 0, out: JOHN });
  });

  test("Google's client needs no change", async () => {
    expect((await hosted(["node", "-e", GOOGLE_CLIENT])).out).toStartWith("agent@acme.test SENT");
  });

  test("other processes do not see the file", async () => {
    const before = await Bun.file("/etc/hosts").text();
    const { out } = await hosted(["cat", "/etc/hosts"]);
    expect(out).toMatch(/^127\.99\.\d+\.\d+ slack\.com$/m);
    expect(await Bun.file("/etc/hosts").text()).toBe(before);
  });
});

test("one address and token of a world lead the hosts of all its services to it", async () => {
  const world = await place.program.environment({
    ...{ templateService: "world", templateName: "acme" },
    ...{ impersonateUserId: undefined, impersonateEmail: "agent@acme.test" },
  });
  const to = ["--via", "proxy", "--service-url", place.program.url + world.environmentUrl];
  const env = { DIORAMA_TOKEN: world.token };
  const asking = `curl -sS https://slack.com/api/auth.test; echo; python3 -c '${PYTHON}'`;

  const tools = (
    host: string,
  ) => `curl -sS https://${host}/mcp/v1 -H 'Content-Type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | grep -o '"inputSchema"' | wc -l`;
  const google = `curl -sS https://www.googleapis.com/calendar/v3/calendars/primary | grep -o '"id".*'
    ${tools("gmailmcp.googleapis.com")}; ${tools("calendarmcp.googleapis.com")}`;

  const { code, out } = await intercept(to, ["sh", "-c", `${asking}; ${google}`], env);

  const [chat = "", tracker, ...rest] = out.split("\n");
  expect([code, JSON.parse(chat), tracker, rest]).toEqual([
    0,
    expect.objectContaining({ user_id: world.services.chat.userId }),
    world.services.tracker.userId,
    ['"id": "agent@acme.test",', "30", "9"],
  ]);
});

test("the command's exit code and arguments are unchanged, and no files remain", async () => {
  const command = ["sh", "-c", 'echo "$1"; exit 7', "sh", "--via hosts"];
  expect(await intercept(place.to, command)).toMatchObject({ code: 7, out: "--via hosts" });
  expect((await readdir(place.folder)).filter((name) => name.startsWith("diorama-"))).toEqual([]);
});

test.each([
  [[], {}, "DIORAMA_SERVICE_URL"],
  [
    ["--service-url", "http://127.0.0.1/api"],
    { DIORAMA_TOKEN: "x" },
    "is not the URL of a service",
  ],
  [["--service-url", "http://h/api/env/a/services/chat"], {}, "--token"],
  [
    [
      "--service-url",
      "http://h/api/env/a/services",
      "--service-url",
      "http://h/api/env/b/services/chat",
    ],
    { DIORAMA_TOKEN: "x" },
    "chat is given twice",
  ],
  [
    ["--service-url", "http://h/api/env/a/services/chat", "--host", "example.test"],
    { DIORAMA_TOKEN: "x" },
    "example.test is not below slack.com",
  ],
] as const)("%j is rejected with the reason", async (options, env, reason) => {
  expect(await intercept(options, ["true"], env)).toMatchObject({
    code: 64,
    err: expect.stringContaining(reason),
  });
});

test("a command that does not exist is rejected by name", async () => {
  expect(await intercept(place.to, ["no-such-command"])).toMatchObject({
    code: 64,
    err: expect.stringContaining("no-such-command"),
  });
});
