/** The user that a call to an environment acts as, by its credential. */
import { describe, expect, test } from "bun:test";
import { DEVELOPMENT_KEY } from "~/platform/keys/format";
import { useDatabase } from "../support/database";
import { expectRefusal, type TestProgram, useProgram } from "../support/program";
import { JOHN as TRACKER_JOHN, ROBIN as TRACKER_ROBIN } from "../support/tracker";

const database = useDatabase();
const program = useProgram(database);
/** Knows the environments of `program` from the database only. */
const other = useProgram(database);

const OWN_USER_ONLY = expect.stringContaining("acts as the environment's own user");
const REFUSED = {
  ok: false,
  error: "invalid_auth",
  response_metadata: { messages: [OWN_USER_ONLY] },
};

type Environment = { readonly environmentUrl: string; readonly token: string };
type Call = { headers?: Record<string, string>; query?: string; body?: string };

async function chatCall(
  { environmentUrl }: Environment,
  { headers = {}, query = "", body }: Call,
  { path = "auth.test", server = program }: { path?: string; server?: TestProgram } = {},
) {
  const init = body === undefined ? {} : { method: "POST", body };
  return await fetch(`${server.url}${environmentUrl}/${path}${query}`, { headers, ...init });
}

const whoCalls = async (...call: Parameters<typeof chatCall>) => {
  const answer: any = await (await chatCall(...call)).json();
  return answer.ok ? answer.user_id : answer;
};

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

/** Every way of naming a chat user beside a credential. */
const naming = (credential: string, user: string): [string, Call][] => {
  const [key, bearer] = [{ "X-API-Key": credential }, { Authorization: `Bearer ${credential}` }];
  const token = `xoxp-${user}`;
  return [
    ["Authorization", { headers: { ...key, Authorization: `Bearer ${token}` } }],
    ["Authorization of a bot", { headers: { ...key, Authorization: `xoxb-${user}` } }],
    [
      "Authorization beside token",
      {
        headers: { Authorization: token },
        query: `?token=${credential}`,
      },
    ],
    ["the query's token", { headers: bearer, query: `?token=${token}` }],
    ["the form's token", { headers: { ...key, ...FORM_TYPE }, body: `token=${token}` }],
    ["the body's token", { headers: { ...bearer, ...JSON_TYPE }, body: JSON.stringify({ token }) }],
  ];
};
const WAYS = naming("", "").map(([way], index) => [way, index] as const);
const nth = (index: number, credential: string, user: string): Call =>
  naming(credential, user)[index]?.[1] ?? {};

describe("an environment's token in chat", () => {
  test.each(WAYS)("names no other user by %s", async (_way, index) => {
    const environment = await program.environment();
    const { token } = environment;

    for (const server of [program, other]) {
      expect(await whoCalls(environment, nth(index, token, "U02JOHNADOE"), { server })).toEqual(
        REFUSED,
      );
      expect(await whoCalls(environment, nth(index, token, "U99NOBODY"))).toEqual(REFUSED);
      expect(await whoCalls(environment, nth(index, token, "U01AGENTONE"))).toBe("U01AGENTONE");
    }
  });

  test("reads no private file of another user", async () => {
    const environment = await program.environment();
    const headers = { "X-API-Key": environment.token, Authorization: "Bearer xoxp-U02JOHNADOE" };

    const answer = await chatCall(environment, { headers }, { path: "files-pri/T0-F0/secret.txt" });

    expect(await answer.json()).toEqual(REFUSED);
  });

  test("acts as the environment's user beside a token of no user", async () => {
    const environment = await program.environment();
    const headers = { "X-API-Key": environment.token, Authorization: "Bearer xoxb-1234-5678-abc" };

    expect(await whoCalls(environment, { headers })).toBe("U01AGENTONE");
  });

  test.each(WAYS)("names another user by %s where initEnv allowed it", async (_way, index) => {
    const environment = await program.environment({ allowImpersonation: true });
    const { token } = environment;

    for (const server of [program, other])
      expect(await whoCalls(environment, nth(index, token, "U02JOHNADOE"), { server })).toBe(
        "U02JOHNADOE",
      );
    expect(await whoCalls(environment, nth(index, token, "U99NOBODY"))).toEqual({
      ok: false,
      error: "invalid_auth",
    });
  });
});

test.each(WAYS)("an API key names another chat user by %s", async (_way, index) => {
  const environment = await program.environment();

  expect(await whoCalls(environment, nth(index, DEVELOPMENT_KEY, "U02JOHNADOE"))).toBe(
    "U02JOHNADOE",
  );
});

describe("a credential with the prefix of a chat token", () => {
  const ways = (credential: string): Call[] => [
    { headers: { "X-API-Key": credential } },
    { headers: { Authorization: `Bearer ${credential}` } },
    { query: `?token=${credential}` },
    { headers: FORM_TYPE, body: `token=${credential}` },
    { headers: JSON_TYPE, body: JSON.stringify({ token: credential }) },
  ];

  test.each(["xoxp-", "xoxb-"])(
    "%s opens the environment as one without it does",
    async (style) => {
      const environment = await program.environment();
      for (const credential of [environment.token, DEVELOPMENT_KEY])
        for (const call of ways(style + credential))
          expect(await whoCalls(environment, call)).toBe("U01AGENTONE");
    },
  );

  test("names no other user, and opens nothing if it is wrong", async () => {
    const environment = await program.environment();
    const wrong = `xoxb-${environment.token.slice(0, -1)}_`;
    for (const call of ways(wrong)) expect((await chatCall(environment, call)).status).toBe(401);
    const other = await chatCall(environment, ways(`xoxe-${environment.token}`)[0] as Call);
    expect(other.status).toBe(401);
  });
});

describe("a token of the service that opens nothing", () => {
  const places = [
    ["chat", "xoxb-wrong"],
    ["tracker", "lin_api_wrong"],
  ] as const;
  const post = async (url: string, headers: Record<string, string>, body: object) =>
    await fetch(url, {
      method: "POST",
      headers: { ...JSON_TYPE, Accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
    });
  const INITIALIZE = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  };
  const create = (service: string) =>
    program.environment({
      templateService: service,
      templateName: `${service}_default`,
      impersonateUserId: service === "tracker" ? TRACKER_JOHN : "U01AGENTONE",
    });

  test.each(places)("is rejected over MCP: %s", async (service, token) => {
    const environment = await create(service);
    const url = `${program.url}${environment.environmentUrl}/mcp`;
    const statusOf = async (headers: Record<string, string>) => {
      const { status, headers: sent } = await post(url, headers, INITIALIZE);
      return [status, sent.get("www-authenticate")];
    };
    const Authorization = `Bearer ${token}`;

    expect(await statusOf({ Authorization })).toEqual([401, 'Bearer error="invalid_token"']);
    for (const headers of [
      { Authorization: "Bearer dummy" },
      { Authorization, "X-API-Key": environment.token },
      { Authorization: `Bearer ${environment.token}` },
    ])
      expect(await statusOf(headers)).toEqual([200, null]);
  });

  test("gets the tracker's own error, for its files too", async () => {
    const environment = await create("tracker");
    const Authorization = "lin_api_wrong";
    const url = `${program.url}${environment.environmentUrl}`;
    const ask = async (headers: Record<string, string>) => {
      const response = await post(`${url}/graphql`, headers, { query: "{ viewer { id } }" });
      const { errors, data }: any = await response.json();
      return data?.viewer.id ?? [response.status, errors[0].extensions.type];
    };

    expect(await ask({ Authorization })).toEqual([401, "authentication error"]);
    expect(await ask({ Authorization: `Bearer lin_oauth_wrong` })).toEqual([
      401,
      "authentication error",
    ]);
    expect(await ask({ Authorization, "X-API-Key": environment.token })).toBe(TRACKER_JOHN);
    const file = `${url}/uploads/${crypto.randomUUID()}`;
    expect((await fetch(file, { headers: { Authorization } })).status).toBe(401);
    expect((await fetch(file)).status).toBe(404);
  });
});

describe("in the tracker", () => {
  const NOBODY = "b0000000-0000-4000-8000-0000000000ff";
  const create = (fields = {}) =>
    program.environment({
      templateService: "tracker",
      templateName: "tracker_default",
      impersonateUserId: TRACKER_JOHN,
      ...fields,
    });
  const viewer = async ({ environmentUrl }: Environment, credential: string, user: string) => {
    const response = await fetch(`${program.url}${environmentUrl}/graphql`, {
      method: "POST",
      headers: { ...JSON_TYPE, "X-API-Key": credential, Authorization: user },
      body: JSON.stringify({ query: "{ viewer { id } }" }),
    });
    const { data, errors }: any = await response.json();
    const { type, userPresentableMessage } = errors?.[0].extensions ?? {};
    return data?.viewer.id ?? [response.status, type, userPresentableMessage];
  };

  test("an environment's token names no other user", async () => {
    const environment = await create();
    const { token } = environment;

    for (const user of [TRACKER_ROBIN, `Bearer ${TRACKER_ROBIN}`, NOBODY])
      expect(await viewer(environment, token, user)).toEqual([
        401,
        "authentication error",
        OWN_USER_ONLY,
      ]);
    for (const user of [TRACKER_JOHN, TRACKER_JOHN.toUpperCase(), "lin_api_any"])
      expect(await viewer(environment, token, user)).toBe(TRACKER_JOHN);
  });

  test("an API key does, and a token where initEnv allowed it", async () => {
    const [plain, open] = [await create(), await create({ allowImpersonation: true })];

    for (const [environment, credential] of [
      [plain, DEVELOPMENT_KEY],
      [open, open.token],
    ] as const) {
      expect(await viewer(environment, credential, TRACKER_ROBIN)).toBe(TRACKER_ROBIN);
      expect(await viewer(environment, credential, NOBODY)).toEqual([
        401,
        "authentication error",
        "There is no user with this id to act as.",
      ]);
    }
  });
});

test("allowImpersonation is a boolean", async () => {
  const wanted = {
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    allowImpersonation: "yes",
  };
  expectRefusal(
    await program.post("/initEnv", wanted),
    400,
    "invalid_request",
    expect.stringContaining("allowImpersonation") as unknown as string,
  );
});
