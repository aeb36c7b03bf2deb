/** Faults, as the official clients of the services meet them. */
import { beforeAll, describe, expect, test } from "bun:test";
import {
  AuthenticationLinearError,
  InternalLinearError,
  LinearClient,
  NetworkLinearError,
  RatelimitedLinearError,
} from "@linear/sdk";
import { WebClient, WebClientEvent } from "@slack/web-api";
import { METHODS } from "~/replicas/chat/api/index";
import { isReading } from "~/replicas/chat/faults";
import { useSharedDatabase } from "../support/database";
import { endpointOf, send } from "../support/mcp";
import { expectRefusal, expectStatus, useProgram } from "../support/program";
import { ENG, JOHN } from "../support/tracker";

const database = useSharedDatabase();
const program = useProgram(database);

type Environment = { environmentId: string; environmentUrl: string; token: string };
const put = async ({ environmentId }: Environment, ...faults: object[]) => {
  const answer = await program.call("PUT", `/env/${environmentId}/faults`, { faults });
  expectStatus(answer, 200);
  return answer.body;
};
const countsOf = async ({ environmentId }: Environment) => {
  const answer = await program.get(`/env/${environmentId}/faults`);
  expectStatus(answer, 200);
  return answer.body.faults.map(({ matched, injected }: Record<string, number>) => [
    matched,
    injected,
  ]);
};
const tracker = (fields: object = {}) =>
  program.environment({
    templateService: "tracker",
    templateName: "tracker_default",
    impersonateUserId: JOHN,
    ...fields,
  });

/** Runs `work` in a run of the environment. Returns its calls, and the rows that it added. */
async function inRun({ environmentId: envId }: Environment, work: () => Promise<unknown>) {
  const started = await program.post("/startRun", { envId });
  expectStatus(started, 201);
  const { runId } = started.body;
  await work();
  const { body } = await program.post("/diffRun", { runId });
  const { body: page } = await program.get(`/runs/${runId}/calls`);
  const calls = page.calls.map(
    ({ name, status, error, fault, changes }: Record<string, unknown>) => ({
      ...{ name, status, error, fault },
      changes: (changes as number[] | null)?.length,
    }),
  );
  return { calls, inserts: body.diff.inserts };
}

const call = (environment: Environment, name: string, args: object, path = "") =>
  send(endpointOf(program, environment, path), {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });

const RETRIES = { retries: 3, factor: 1, minTimeout: 1, maxTimeout: 2 };
const say = { channel: "C01GENERAL", text: "hello" };
const POST = "chat.postMessage";

describe("@slack/web-api", () => {
  let environment: Environment;
  const client = (options: object = {}) =>
    new WebClient(environment.token, {
      slackApiUrl: `${program.url}${environment.environmentUrl}/`,
      retryConfig: RETRIES,
      logger: { ...console, warn() {}, info() {}, error() {}, debug() {} } as never,
      ...options,
    });
  beforeAll(async () => {
    environment = await program.environment();
  });

  test("rate_limited: waits as long as Retry-After says, and repeats the call", async () => {
    await put(environment, {
      fault: "rate_limited",
      method: POST,
      retryAfter: 1,
      when: { after: 1, times: 1 },
    });
    const waits: number[] = [];
    const chat = client();
    chat.on(WebClientEvent.RATE_LIMITED, (seconds) => waits.push(seconds));
    const { calls, inserts } = await inRun(environment, async () => {
      await chat.chat.postMessage(say);
      const began = performance.now();
      expect((await chat.chat.postMessage(say)).ok).toBe(true);
      expect(performance.now() - began).toBeGreaterThan(1_000);
    });

    expect(waits).toEqual([1]);
    expect(calls).toEqual([
      { name: POST, status: 200, error: null, fault: null, changes: 1 },
      { name: POST, status: 429, error: "ratelimited", fault: "rate_limited", changes: 0 },
      { name: POST, status: 200, error: null, fault: null, changes: 1 },
    ]);
    expect(inserts).toHaveLength(2);
    expect(await countsOf(environment)).toEqual([[3, 1]]);
  });

  test("rate_limited with rejectRateLimitedCalls: throws what the service asks for", async () => {
    await put(environment, { fault: "rate_limited", retryAfter: 7 });
    const rejected = client({ rejectRateLimitedCalls: true }).auth.test();
    expect(await rejected.catch((error) => error)).toMatchObject({
      code: "slack_webapi_rate_limited_error",
      retryAfter: 7,
    });
  });

  test("server_error: repeats the call", async () => {
    await put(environment, { fault: "server_error", method: "chat.*", when: { times: 2 } });
    const { inserts } = await inRun(environment, () => client().chat.postMessage(say));
    expect(inserts).toHaveLength(1);
    expect(await countsOf(environment)).toEqual([[3, 2]]);
  });

  test("stale_read: what was just written is missing, until the next read", async () => {
    await put(environment, { fault: "stale_read" });
    const chat = client();
    const texts = async () =>
      (await chat.conversations.history({ channel: say.channel, limit: 2 })).messages?.map(
        ({ text }) => text,
      );
    await chat.chat.postMessage({ ...say, text: "first" });
    const { calls } = await inRun(environment, async () => {
      await chat.chat.postMessage({ ...say, text: "second" });
      expect((await texts())?.[0]).toBe("first");
      expect(await texts()).toEqual(["second", "first"]);
    });
    expect(calls).toEqual([
      { name: POST, status: 200, error: null, fault: null, changes: 1 },
      ...Array(2).fill({
        ...{ name: "conversations.history", status: 200, error: null },
        ...{ fault: "stale_read", changes: 0 },
      }),
    ]);
    expect(await countsOf(environment)).toEqual([[2, 2]]);
  });

  test("server_error for longer than it repeats: throws an HTTP error", async () => {
    await put(environment, { fault: "server_error" });
    const error = await client()
      .chat.postMessage(say)
      .catch((error) => error);
    expect(error).toMatchObject({ code: "slack_webapi_http_error", statusCode: 500 });
    expect(await countsOf(environment)).toEqual([[4, 4]]);
  });

  test("token_expired: throws the service's code, without another attempt", async () => {
    await put(environment, { fault: "token_expired", when: { times: 1 } });
    const error = await client()
      .auth.test()
      .catch((error) => error);
    expect(error).toMatchObject({
      code: "slack_webapi_platform_error",
      data: { ok: false, error: "token_expired" },
    });
    expect(await countsOf(environment)).toEqual([[1, 1]]);
  });

  test("latency: waits for the answer", async () => {
    await put(environment, { fault: "latency", ms: 300, method: POST, when: { times: 1 } });
    const began = performance.now();
    const { calls } = await inRun(environment, () => client().chat.postMessage(say));
    expect(performance.now() - began).toBeGreaterThan(300);
    expect(calls).toEqual([{ name: POST, status: 200, error: null, fault: "latency", changes: 1 }]);
  });

  test("no_answer: repeats the call after its own time limit", async () => {
    await put(environment, { fault: "no_answer", ms: 900, method: POST, when: { times: 1 } });
    const { calls, inserts } = await inRun(environment, async () => {
      expect((await client({ timeout: 200 }).chat.postMessage(say)).ok).toBe(true);
      await Bun.sleep(1_200);
    });
    expect(inserts).toHaveLength(1);
    expect(calls).toContainEqual({
      name: POST,
      status: 504,
      error: "service_unavailable",
      fault: "no_answer",
      changes: 0,
    });
  });

  test("lost_answer: repeats the call by itself, and so writes twice", async () => {
    await put(environment, { fault: "lost_answer", method: POST, when: { times: 1 } });
    const { calls, inserts } = await inRun(environment, () => client().chat.postMessage(say));
    expect(calls).toEqual([
      {
        ...{ name: POST, status: 503, error: "service_unavailable" },
        ...{ fault: "lost_answer", changes: 1 },
      },
      { name: POST, status: 200, error: null, fault: null, changes: 1 },
    ]);
    expect(inserts).toHaveLength(2);
  });

  test("lost_answer with retries off: throws an HTTP error, although the message is written", async () => {
    await put(environment, { fault: "lost_answer", method: POST, when: { times: 1 } });
    const { inserts } = await inRun(environment, async () => {
      const error = await client({ retryConfig: { retries: 0 } })
        .chat.postMessage(say)
        .catch((error) => error);
      expect(error).toMatchObject({ code: "slack_webapi_http_error", statusCode: 503 });
    });
    expect(inserts).toHaveLength(1);
  });
});

describe("@linear/sdk", () => {
  let environment: Environment;
  const issue = { teamId: ENG, title: "Faulty" };
  const linear = () =>
    new LinearClient({
      apiKey: environment.token,
      apiUrl: `${program.url}${environment.environmentUrl}/graphql`,
    });
  const rejection = (call: PromiseLike<unknown>) =>
    Promise.resolve(call).then(
      () => undefined,
      (error) => error,
    );
  beforeAll(async () => {
    environment = await tracker();
  });

  test("rate_limited: throws its class with the numbers of the headers, and never repeats", async () => {
    await put(environment, {
      fault: "rate_limited",
      operation: "issueCreate",
      retryAfter: 9,
      when: { times: 1 },
    });
    const error = await rejection(linear().createIssue(issue));
    expect(error).toBeInstanceOf(RatelimitedLinearError);
    expect(error).toMatchObject({ retryAfter: 9, requestsLimit: 5_000, requestsRemaining: 0 });
    expect(error.requestsResetAt - Date.now()).toBeWithin(5_000, 9_001);
    expect(await countsOf(environment)).toEqual([[1, 1]]);
    expect((await linear().createIssue(issue)).success).toBe(true);
  });

  test.each([
    ["server_error", InternalLinearError, 500],
    ["token_expired", AuthenticationLinearError, 401],
    ["lost_answer", NetworkLinearError, 503],
    ["no_answer", NetworkLinearError, 504],
  ] as const)("%s: throws its class, and never repeats", async (fault, type, status) => {
    await put(environment, {
      fault,
      operation: "issueCreate",
      when: { times: 1 },
      ...(fault === "no_answer" && { ms: 100 }),
    });
    let error: any;
    const { calls, inserts } = await inRun(environment, async () => {
      error = await rejection(linear().createIssue(issue));
    });
    expect(error).toBeInstanceOf(type);
    expect(error.status).toBe(status);
    expect(calls).toMatchObject([{ name: "issueCreate", status, fault }]);
    const issues = inserts.filter((row: { __table__: string }) => row.__table__ === "issues");
    expect(issues).toHaveLength(fault === "lost_answer" ? 1 : 0);
  });

  test("latency: waits for the answer", async () => {
    await put(environment, { fault: "latency", ms: 300, operation: "viewer" });
    const began = performance.now();
    expect((await linear().viewer).id).toBe(JOHN);
    expect(performance.now() - began).toBeGreaterThan(300);
  });
});

describe("tools", () => {
  const message = { channel_id: "C01GENERAL", message: "hello" };
  const SEND = "slack_send_message";

  test("of chat: each fault as the vendor's server reports it", async () => {
    const environment = await program.environment();
    const times = { tool: SEND, when: { times: 1 } };
    await put(
      environment,
      { fault: "rate_limited", ...times },
      { fault: "server_error", ...times },
      { fault: "token_expired", ...times },
      { fault: "lost_answer", ...times },
      { fault: "no_answer", ms: 1, ...times },
    );
    const { calls, inserts } = await inRun(environment, async () => {
      expect((await call(environment, SEND, message)).body.error).toEqual({
        code: -32_005,
        message: "Too Many Requests",
      });
      expect((await call(environment, SEND, message)).body.result).toEqual({
        content: [{ type: "text", text: "internal_error" }],
        isError: true,
      });
      const expired = await call(environment, SEND, message);
      expect(expired.status).toBe(401);
      expect(expired.headers.get("WWW-Authenticate")).toBe('Bearer error="invalid_token"');
    });
    expect(calls.map(({ fault }: { fault: string }) => fault)).toEqual([
      "rate_limited",
      "server_error",
      "token_expired",
    ]);
    expect(inserts).toEqual([]);
  });

  test("of the archived server: the body of the method's answer", async () => {
    const environment = await program.environment();
    await put(environment, { fault: "rate_limited", tool: "slack_post_message" });
    const args = { channel_id: "C01GENERAL", text: "hello" };
    const { body } = await call(environment, "slack_post_message", args, "/archived");
    expect(body.result.content[0].text).toBe('{"ok":false,"error":"ratelimited"}');
  });

  test("of the tracker: each fault as the vendor's server reports it", async () => {
    const environment = await tracker();
    await put(
      environment,
      { fault: "rate_limited", tool: "save_*", when: { times: 1 } },
      { fault: "server_error", tool: "save_*", when: { times: 1 } },
      { fault: "latency", ms: 200, tool: "list_teams" },
    );
    const save = async () =>
      (await call(environment, "save_issue", { title: "A", team: "Engineering" })).body.result;
    expect(await save()).toEqual({
      content: [
        {
          type: "text",
          text: '{"error":"ratelimited","message":"Too many requests","status":429}',
        },
      ],
      isError: true,
    });
    expect(JSON.parse((await save()).content[0].text)).toMatchObject({ status: 500 });
    expect((await save()).isError).toBeUndefined();
    const began = performance.now();
    expect((await call(environment, "list_teams", {})).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(200);
  });

  test("lost_answer and no_answer: no message of the protocol", async () => {
    const environment = await program.environment();
    await put(
      environment,
      { fault: "lost_answer", tool: SEND, when: { times: 1 } },
      { fault: "no_answer", ms: 50, tool: SEND, when: { times: 1 } },
    );
    const { url, headers } = endpointOf(program, environment);
    const statuses: number[] = [];
    const { calls, inserts } = await inRun(environment, async () => {
      for (const id of [1, 2]) {
        const response = await fetch(url, {
          method: "POST",
          headers: {
            ...headers,
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
          },
          body: JSON.stringify({
            ...{ jsonrpc: "2.0", id, method: "tools/call" },
            params: { name: SEND, arguments: message },
          }),
        });
        statuses.push(response.status);
      }
    });
    expect(statuses).toEqual([503, 504]);
    expect(inserts).toHaveLength(1);
    expect(calls).toMatchObject([
      { status: 503, fault: "lost_answer", changes: 1 },
      { status: 504, fault: "no_answer", changes: 0 },
    ]);
  });
});

describe("a test with faults", () => {
  const lost = { fault: "lost_answer", method: POST, when: { times: 1 } };
  const called = (where: object, count: unknown, entity = POST) => ({
    diff_type: "called",
    entity,
    where,
    expected_count: count,
  });
  const create = async (...assertions: object[]) => {
    const { body: suite } = await program.post("/testSuites", {
      ...{ name: "Faults", templateService: "chat", templateName: "chat_default" },
      impersonateUserId: "U01AGENTONE",
      tests: [
        { name: "once", prompt: "Say hello.", expectedOutput: { assertions }, faults: [lost] },
      ],
    });
    const { body } = await program.get(`/testSuites/${suite.suiteId}?expand=true`);
    return { testId: body.tests[0].id as string, test: body.tests[0] };
  };
  const attempt = async (testId: string, retries: number, fields: object = {}) => {
    const { body: environment } = await program.post("/initEnv", { testId });
    const run = { envId: environment.environmentId, testId, ...fields };
    const { runId } = (await program.post("/startRun", run)).body;
    const chat = new WebClient(environment.token, {
      slackApiUrl: `${program.url}${environment.environmentUrl}/`,
      retryConfig: { ...RETRIES, retries },
      logger: { ...console, warn() {}, info() {}, error() {}, debug() {} } as never,
    });
    await chat.chat.postMessage(say).catch(() => undefined);
    return { runId, verdict: await program.post("/evaluateRun", { runId }) };
  };

  test("gives them to each environment, and counts calls and retries", async () => {
    const { testId, test: stored } = await create(
      { diff_type: "added", entity: "messages", expected_count: 1 },
      called({ fault: "lost_answer", status: 503 }, 1),
      called({ retry: { gte: 1 } }, 0),
      called({}, { max: 1 }, "*"),
    );
    expect(stored.faults).toEqual([lost]);
    const careful = await attempt(testId, 0);
    const blind = await attempt(testId, 1);

    expect(careful.verdict.body).toMatchObject({ passed: true, score: { passed: 4, total: 4 } });
    expect(blind.verdict.body).toMatchObject({
      passed: false,
      failures: [
        "assertion#1 messages expected count 1 but got 2",
        "assertion#3 chat.postMessage expected count 0 but got 1",
        "assertion#4 * expected count at most 1 but got 2",
      ],
    });
    const again = await program.post(`/runs/${blind.runId}/evaluate`, {
      expectedOutput: { assertions: [called({ retry: 1 }, 1)] },
    });
    expect(again.body).toMatchObject({ passed: true });
    const { body: other } = await program.post("/initEnv", { testId, faults: [] });
    expect(await countsOf(other)).toEqual([]);
  });

  test("is rejected if its service cannot have them, and a run without a journal goes on", async () => {
    const suite = {
      ...{ name: "Wrong", templateService: "tracker", templateName: "tracker_default" },
      tests: [{ name: "a", prompt: "b", expectedOutput: { assertions: [] }, faults: [lost] }],
    };
    expectRefusal(
      await program.post("/testSuites", suite),
      400,
      "invalid_request",
      [
        'test "a": faults[0].method: tracker has operations instead',
        'test "a": assertions: without an assertion every run passes; closed_world: true expects no change at all',
      ].join("\n"),
    );
    const { testId } = await create(called({}, 1));
    const { runId, verdict } = await attempt(testId, 0, { journal: "off" });
    expectRefusal(verdict, 400, "invalid_request");
    expect((await program.get(`/results/${runId}`)).body.status).toBe("running");
  });
});

describe("stale_read", () => {
  const post = (environment: Environment, text: string) =>
    program.chat(environment, POST, { ...say, text });
  const newest = async (environment: Environment) =>
    (await program.chat(environment, "conversations.history", { channel: say.channel, limit: 1 }))
      .messages[0]?.text;

  test("sees the state before so many calls, but none before the faults were set", async () => {
    const environment = await program.environment({
      seed: 7,
      clock: { now: "2026-02-02T09:00:00Z", mode: "step" },
    });
    await post(environment, "before");
    await put(environment, { fault: "stale_read", calls: 3, method: "conversations.history" });
    const seen: string[] = [];
    for (const text of ["one", "two", "three"]) {
      await post(environment, text);
      seen.push(await newest(environment));
    }
    // Calls: one, read, two, read, three, read. The second read is behind by read, two and itself.
    expect(seen).toEqual(["before", "before", "one"]);
    expect(await countsOf(environment)).toEqual([[3, 3]]);
    await put(environment);
    expect(await newest(environment)).toBe("three");
  });

  test("shows deleted and changed rows as they were, also over MCP, and writes pass", async () => {
    const environment = await tracker();
    const linear = new LinearClient({
      apiKey: environment.token,
      apiUrl: `${program.url}${environment.environmentUrl}/graphql`,
    });
    await put(environment, { fault: "stale_read" });
    const issue = await linear.issue("ENG-1");
    const old = issue.title;
    await linear.updateIssue(issue.id, { title: "changed" });
    expect((await linear.issue("ENG-1")).title).toBe(old);
    expect((await linear.issue("ENG-1")).title).toBe("changed");
    await linear.updateIssue(issue.id, { title: "changed again" });
    const { body } = await call(environment, "get_issue", { id: "ENG-1" });
    expect(JSON.parse(body.result.content[0].text).title).toBe("changed");
    expect(await countsOf(environment)).toEqual([[4, 4]]);
  });

  test("is for methods that write nothing", () => {
    const reading = [...METHODS.keys()].filter(isReading);
    expect(reading).toHaveLength(56);
    expect(
      reading.filter((name) => /(add|set|create|delete|remove|update|edit|post)/i.test(name)),
    ).toEqual([]);
    const others = [...METHODS.keys()].filter((name) => !isReading(name));
    expect(others.filter((name) => /\.(list|info|get|history|search)/.test(name))).toEqual([
      "files.getUploadURLExternal",
    ]);
  });

  test("begins anew after a reset, and is exact for calls at the same time", async () => {
    const environment = await program.environment({ faults: [{ fault: "stale_read" }] });
    await post(environment, "one");
    expectStatus(await program.post(`/env/${environment.environmentId}/reset`, {}), 200);
    const before = await newest(environment);
    expect(before).not.toBe("one");
    await Promise.all(Array.from({ length: 8 }, (_, n) => post(environment, `${n}`)));
    await newest(environment);
    expect(["0", "1", "2", "3", "4", "5", "6", "7"]).toContain(await newest(environment));
  });
});

describe("the set of faults", () => {
  const ask = async (environment: Environment, method = POST) =>
    (await program.chat(environment, method, say)).error ?? "ok";

  test("is given with the environment, shown with counts, replaced, and cleared", async () => {
    const fault = { fault: "server_error", method: POST, when: { after: 1, times: 1 } };
    const environment = await program.environment({ faults: [fault] });
    expect([await ask(environment), await ask(environment), await ask(environment)]).toEqual([
      "ok",
      "internal_error",
      "ok",
    ]);
    expect((await program.get(`/env/${environment.environmentId}/faults`)).body).toEqual({
      environmentId: environment.environmentId,
      faults: [{ ...fault, matched: 3, injected: 1 }],
    });
    expect((await put(environment, fault)).faults).toEqual([{ ...fault, matched: 0, injected: 0 }]);
    expect([await ask(environment), await ask(environment)]).toEqual(["ok", "internal_error"]);
    expect((await put(environment)).faults).toEqual([]);
    expect(await ask(environment)).toBe("ok");
  });

  test("is a list: a call gets the first fault that is due, and those after it do not count it", async () => {
    const environment = await program.environment();
    await put(
      environment,
      { fault: "server_error", when: { times: 1 } },
      { fault: "token_expired", when: { times: 1 } },
    );
    expect([await ask(environment), await ask(environment), await ask(environment)]).toEqual([
      "internal_error",
      "token_expired",
      "ok",
    ]);
    expect(await countsOf(environment)).toEqual([
      [3, 1],
      [2, 1],
    ]);
  });

  test("counts each of many calls once, and gives exactly so many the fault", async () => {
    const environment = await program.environment();
    await put(environment, { fault: "server_error", method: POST, when: { after: 5, times: 7 } });
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(environment)));
    expect(answers.filter((answer) => answer === "internal_error")).toHaveLength(7);
    expect(await countsOf(environment)).toEqual([[40, 7]]);
  });

  test("with a rate: the same seed decides the same", async () => {
    const rate = { fault: "server_error", when: { rate: 0.3, seed: 7 } };
    const once = async () => {
      const environment = await program.environment({ faults: [rate] });
      const answers: string[] = [];
      for (let n = 0; n < 30; n++) answers.push(await ask(environment, "auth.test"));
      return answers;
    };
    const first = await once();
    expect(await once()).toEqual(first);
    expect(first.filter((answer) => answer !== "ok").length).toBeWithin(3, 17);
  });

  test("is not for uploads, reads of somebody who looks on, and calls that do not exist there", async () => {
    const environment = await program.environment();
    await put(environment, { fault: "server_error" });
    const response = await fetch(`${program.url}${environment.environmentUrl}/auth.test`, {
      method: "POST",
      headers: { "X-Diorama-View": "1" },
    });
    expect(await response.json()).toMatchObject({ ok: true });
    expect(await countsOf(environment)).toEqual([[0, 0]]);
  });

  test("goes on in a fork, and begins anew in a fork of a snapshot and after a reset", async () => {
    const environment = await program.environment({
      faults: [{ fault: "server_error", method: POST, when: { after: 2, times: 1 } }],
    });
    const path = `/env/${environment.environmentId}`;
    await ask(environment);
    const { snapshotId } = (await program.post(`${path}/snapshots`, {})).body;
    const fork = async (fields: object) =>
      (await program.post(`${path}/fork`, fields)).body.environments[0];
    const current = await fork({});
    const old = await fork({ snapshotId });
    expect(await countsOf(current)).toEqual([[1, 0]]);
    expect(await countsOf(old)).toEqual([[0, 0]]);
    expect([await ask(current), await ask(current)]).toEqual(["ok", "internal_error"]);
    expect(await countsOf(environment)).toEqual([[1, 0]]);
    expectStatus(await program.post(`${path}/reset`, {}), 200);
    expect(await countsOf(environment)).toEqual([[0, 0]]);
  });

  test.each([
    [{ fault: "latency" }, "invalid_request", "faults[0].ms: latency needs it"],
    [{ fault: "latency", ms: 60_001 }, "invalid_request", "faults[0].ms: at most 60000"],
    [{ fault: "server_error", ms: 1 }, "invalid_request", undefined],
    [{ fault: "server_error", retryAfter: 1 }, "invalid_request", undefined],
    [{ fault: "server_error", perUser: true }, "invalid_request", undefined],
    [
      { fault: "rate_limited", perUser: true },
      ...(["invalid_request", "faults[0].perUser: chat has one limit"] as const),
    ],
    [{ fault: "server_error", method: "auth.test", tool: "x" }, "invalid_request", undefined],
    [
      { fault: "server_error", method: "chat.postMesage" },
      "invalid_request",
      'faults[0].method: chat has no such method; the nearest is "chat.postMessage"',
    ],
    [
      { fault: "server_error", operation: "issueCreate" },
      "invalid_request",
      "faults[0].operation: chat has methods instead",
    ],
    [
      { fault: "server_error", tool: "slack_send" },
      "invalid_request",
      'faults[0].tool: chat has no such tool; the nearest is "slack_send_message"',
    ],
    [{ fault: "server_error", when: { rate: 0.5, times: 1 } }, "invalid_request", undefined],
    [{ fault: "server_error", when: { seed: 1 } }, "invalid_request", undefined],
    [{ fault: "server_error", service: "tracker" }, "invalid_service", undefined],
  ])("cannot hold %j", async (fault, code, detail) => {
    const wanted = { templateService: "chat", templateName: "chat_default" };
    const user = { impersonateUserId: "U01AGENTONE" };
    expectRefusal(
      await program.post("/initEnv", { ...wanted, ...user, faults: [fault] }),
      400,
      code,
      detail,
    );
  });
});
