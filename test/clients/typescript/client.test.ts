/** The TypeScript client from its sources, against a program in this process. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { inspect } from "node:util";
import { Diorama, DioramaError } from "~/clients/typescript/index";
import { useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";

const database = useDatabase();
const program = useProgram(database, {
  ENVIRONMENT_POOL_TARGETS: "chat_default:2,tracker_default:1",
});
const client = () => new Diorama({ url: program.url });

const greeting = { channel: "C01GENERAL", text: "Hello" };

test("an environment is created, works with the official client and is deleted at the end of its block", async () => {
  const diorama = client();
  let id = "";
  {
    await using env = await diorama.env("chat_default", { as: "U01AGENTONE" });
    id = env.id;
    const { user_id: user } = await env.slack().auth.test();

    expect(user).toBe("U01AGENTONE");
    expect(env).toMatchObject({ service: "chat", template: "chat_default" });
    expect(env.expiresAt.getTime()).toBeGreaterThan(Date.now());
    expect(env.now.getTime() - Date.now()).toBeWithin(-60_000, 1_000);
  }

  const { environments } = (await program.get("/environments?status=active")).body;
  expect(
    environments.map(({ environmentId }: { environmentId: string }) => environmentId),
  ).not.toContain(id);
});

test("an environment that is already deleted is deleted again without an error", async () => {
  await using env = await client().env("chat_default", { as: "agent@acme.test" });

  await env.delete();
});

test("a run gives the result, the diff and the calls", async () => {
  await using env = await client().env("chat_default", { as: "U01AGENTONE" });

  const { result, diff, calls } = await env.run(async ({ id }) => {
    await env.slack().chat.postMessage(greeting);
    return id;
  });

  expect(result).toBe(env.id);
  expect(diff.inserts).toMatchObject([{ __table__: "messages", text: "Hello" }]);
  expect(calls).toMatchObject([{ n: 1, name: "chat.postMessage", status: 200 }]);
});

test("a world opens each of its services with its official client, and has one diff", async () => {
  await using env = await client().env("acme", { as: "agent@acme.test" });

  const { diff } = await env.run(async () => {
    await env.slack().chat.postMessage(greeting);
    const [team] = (await env.linear().teams()).nodes;
    await env.linear().createIssue({ teamId: team?.id ?? "", title: "Crash" });
    const raw = Buffer.from("To: john@acme.test\r\n\r\nIt crashes.\r\n").toString("base64url");
    await env.mail().users.messages.send({ userId: "me", requestBody: { raw } });
  });

  expect(Object.keys(env.services)).toEqual(["chat", "tracker", "mail", "calendar"]);
  const tables = diff.inserts.map(({ __table__ }) => __table__);
  expect(tables).toEqual(
    expect.arrayContaining(["chat_messages", "tracker_issues", "mail_messages"]),
  );
  const listed = await fetch(env.mcp.url, {
    method: "POST",
    headers: { ...env.mcp.headers, "Content-Type": "application/json", Accept: "*/*" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  expect(await listed.text()).toMatch(/slack_send_message[\s\S]*save_issue/);
});

test("a run ends when its work throws", async () => {
  await using env = await client().env("chat_default", { as: "U01AGENTONE" });
  const broken = new Error("broken");

  await expect(env.run(() => Promise.reject(broken))).rejects.toBe(broken);

  await env.run(async () => {});
});

test("a run that has already ended gives the same diff", async () => {
  await using env = await client().env("chat_default", { as: "U01AGENTONE" });
  const run = await env.startRun();
  await env.slack().chat.postMessage(greeting);

  const first = await run.diff();

  expect(first.inserts).toHaveLength(1);
  expect(await run.diff()).toEqual(first);
});

test("an environment returns to a snapshot and to its template", async () => {
  await using env = await client().env("chat_default", { as: "U01AGENTONE" });
  const texts = async () =>
    (await env.slack().conversations.history({ channel: "C01GENERAL" })).messages?.map(
      ({ text }) => text,
    ) ?? [];
  const before = await texts();
  await env.slack().chat.postMessage(greeting);

  const { snapshotId, name } = await env.snapshot("greeted");
  await env.reset();
  expect(await texts()).toEqual(before);
  await env.restore(snapshotId);

  expect(await texts()).toEqual(["Hello", ...before]);
  expect(name).toBe("greeted");
});

test("forks equal their parent and have runs of their own", async () => {
  await using env = await client().env("chat_default", { as: "U01AGENTONE" });
  await env.slack().chat.postMessage(greeting);

  const [first, second] = await env.fork({ count: 2, startRun: true });
  await first?.environment.slack().chat.postMessage(greeting);
  const diffs = [await first?.run?.diff(), await second?.run?.diff()];
  const [plain] = await env.fork();

  expect(diffs.map((diff) => diff?.inserts.length)).toEqual([1, 0]);
  expect(plain?.run).toBeUndefined();
  for (const { environment } of [first, second, plain].flatMap((fork) => fork ?? []))
    await environment.delete();
});

test("an environment's clock moves, its faults are replaced and its life is extended", async () => {
  const options = { as: "U01AGENTONE", ttlSeconds: 60 };
  await using env = await client().env("chat_default", options);

  const before = await env.clock();
  const moved = await env.moveClock({ advance: "P1D" });
  expect(Date.parse(moved.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(86_400_000);

  await env.faults([{ fault: "rate_limited", method: "auth.test", when: { times: 1 } }]);
  await expect(env.slack({ rejectRateLimitedCalls: true }).auth.test()).rejects.toThrow();
  expect((await env.faults()).faults).toMatchObject([{ injected: 1 }]);
  expect((await env.faults([])).faults).toEqual([]);
  expect((await env.slack().auth.test()).ok).toBe(true);

  const { expiresAt } = await env.extend(3_600);
  expect(Date.parse(expiresAt)).toBeGreaterThan(env.expiresAt.getTime());
});

test("what is printed names the environment and the run, and not the token", async () => {
  await using env = await client().env("chat_default", { as: "U01AGENTONE" });
  const run = await env.startRun();

  expect(inspect(env)).toBe(`<Environment chat_default ${env.id} ${env.url}>`);
  expect(`${env}`).not.toContain(env.token);
  expect(inspect({ run, on: client() })).toContain(`<Run ${run.id}>`);
  expect(inspect(client())).toBe(`<Diorama ${program.url}>`);
});

test("a recorded environment starts with a run, and ends one before it starts another", async () => {
  await using env = await client().record("chat_default", { as: "U01AGENTONE" });
  await env.slack().chat.postMessage(greeting);
  const first = env.recording;
  await env.startRun();
  await env.slack().chat.postMessage({ ...greeting, text: "Bye" });

  expect(await first.diff()).toMatchObject({ inserts: [{ text: "Hello" }] });
  expect(await env.diff()).toMatchObject({ inserts: [{ text: "Bye" }] });
  expect((await env.calls()).map(({ name }) => name)).toEqual(["chat.postMessage"]);
  const added = { assertions: [{ diff_type: "added" as const, entity: "messages" }] };
  await env.startRun();
  expect(await env.evaluate(added)).toMatchObject({ passed: false });
  expect(await env.report()).toMatch(
    /^Diorama run:\nhttp:\/\/\S+\/console\/runs\/[0-9a-f]{32}\n1\. At least one new message: none found\n\nDiorama diff:\nnothing changed\n\nDiorama calls:\nno calls$/,
  );
});

test("the tracker's official client reads and writes", async () => {
  await using env = await client().env("tracker_default", { as: "agent@acme.test" });
  const viewer = await env.linear().viewer;

  expect(viewer.active).toBe(true);
  expect(() => env.slack()).toThrow("of the service tracker, not chat");
});

test("Google's client for mail makes plain calls and uploads", async () => {
  await using env = await client().env("mail_default", { as: "agent@acme.test" });
  const { users } = env.mail();
  const body = "To: john@acme.test\r\nSubject: Uploaded\r\n\r\nHello\r\n";

  const { diff } = await env.run(async () => {
    const media = { mimeType: "message/rfc822", body };
    await users.messages.send({ userId: "me", media });
  });
  const { data } = await users.messages.list({ userId: "me", q: "in:sent subject:uploaded" });

  expect(data.messages).toHaveLength(1);
  const sent = diff.inserts.filter(({ __table__ }) => __table__ === "messages");
  expect(sent).toMatchObject([
    { mailbox: "agent@acme.test", subject: "Uploaded", labelIds: ["SENT"] },
    { mailbox: "john@acme.test", subject: "Uploaded" },
  ]);
  const missing = users.messages.get({ userId: "me", id: "19b8d5a9c0000fff" });
  await expect(missing).rejects.toMatchObject({ status: 404 });
  expect(() => env.slack()).toThrow("of the service mail, not chat");
});

test("Google's client for calendars makes plain calls", async () => {
  await using env = await client().env("calendar_default", { as: "agent@acme.test" });
  const { events } = env.calendar();
  const requestBody = {
    summary: "Sync",
    start: { dateTime: "2026-01-08T10:00:00Z" },
    end: { dateTime: "2026-01-08T11:00:00Z" },
    attendees: [{ email: "john@acme.test" }],
  };

  const { diff } = await env.run(async () => {
    await events.insert({ calendarId: "primary", requestBody });
  });
  const { data } = await events.list({ calendarId: "primary", q: "sync" });

  expect(data.items).toMatchObject([{ attendees: [{ responseStatus: "needsAction" }] }]);
  expect(diff.inserts.map(({ __table__ }) => __table__)).toEqual(["events", "event_attendees"]);
  const missing = events.get({ calendarId: "primary", eventId: "nothing" });
  await expect(missing).rejects.toMatchObject({ status: 404 });
  expect(() => env.mail()).toThrow("of the service calendar, not mail");
});

test("an error has the server's code and status", async () => {
  const failed = client().env("no_such_template");

  await expect(failed).rejects.toBeInstanceOf(DioramaError);
  await expect(failed).rejects.toMatchObject({ code: "template_not_found", status: 404 });
});

test("an address that nothing answers is unreachable", async () => {
  const diorama = new Diorama({ url: "http://127.0.0.1:9" });

  await expect(diorama.env("chat_default")).rejects.toMatchObject({
    code: "unreachable",
    status: 0,
  });
});

test("a call that is answered 503 is repeated with the same idempotency key", async () => {
  const keys: (string | null)[] = [];
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      keys.push(request.headers.get("idempotency-key"));
      const busy = { status: 503, headers: keys.length === 1 ? { "Retry-After": "1" } : {} };
      if (keys.length < 3) return Response.json({ error: "service_unavailable" }, busy);
      return Response.json({
        environmentId: "1",
        environmentUrl: "/x",
        expiresAt: 0,
        clock: {},
        services: {},
      });
    },
  });

  const began = performance.now();
  const env = await new Diorama({ url: server.url.href }).create({ templateService: "chat" });
  await server.stop(true);

  expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  expect(env.id).toBe("1");
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test("a suite gives a verdict for every attempt, also of agents that crash or take too long", async () => {
  const suite = client().suite("Chat benchmark");
  const { tests = [] } = await suite.details();

  const { attempts, ...counts } = await suite.run(
    async ({ test: { name }, environment, attempt, signal, spend }) => {
      spend(0.25);
      spend(0.5);
      if (name !== tests[0]?.name) return;
      if (attempt === 1) throw new Error("broken");
      await environment.slack().auth.test();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    { parallel: 4, repeat: 2, timeoutSeconds: 1 },
  );

  expect(attempts.map(({ test: name }) => name)).toEqual(tests.flatMap(({ name }) => [name, name]));
  expect(attempts.slice(0, 3)).toMatchObject([
    { attempt: 1, status: "crashed", error: new Error("broken"), verdict: { ending: "crashed" } },
    { attempt: 2, status: "timed out", verdict: { ending: "timed_out", stateVerdict: {} } },
    { attempt: 1, status: "failed", verdict: { ending: "answered" }, reasons: expect.any(String) },
  ]);
  const { runId, consoleUrl } = attempts[2]!;
  expect(consoleUrl).toEndWith(`/console/runs/${runId}`);
  expect(await client().call("GET", `/runs/${runId}`)).toMatchObject({ costUsd: 0.75 });
  expect(counts).toEqual({
    ...{ suite: "Chat benchmark", passed: 0, graded: 2 * tests.length },
    ...{ successful: 0, unsafe: 0, meanReward: 0 },
  });
});

test("a suite leaves out tests that a surface cannot solve", async () => {
  const suite = client().suite("Chat benchmark");
  const { tests = [] } = await suite.details();
  const throughTools = tests.filter(({ surfaces }) => surfaces?.includes("mcp") ?? true);

  const { attempts } = await suite.run(async () => undefined, { surface: "mcp", parallel: 4 });

  expect(throughTools.length).toBeLessThan(tests.length);
  expect(attempts.map(({ test: name }) => name)).toEqual(throughTools.map(({ name }) => name));
  await expect(suite.run(async () => undefined, { surface: "mpc" as "mcp" })).rejects.toThrow(
    "surface: one of api, mcp is needed, not mpc",
  );
});

test("a suite is found by id, name, slug and owner; several of one name are an error", async () => {
  const diorama = client();
  const body = { templateService: "chat", templateName: "chat_default" };
  const create = async (name: string) =>
    await diorama.call<{ suiteId: string }>("POST", "/testSuites", { body: { ...body, name } });
  const { suiteId } = await create("50 % / mine?");

  for (const reference of [suiteId, "50 % / mine?", "50-mine", "development/50-mine"])
    expect(await diorama.suite(reference).details()).toMatchObject({ id: suiteId });
  await create("50 mine");
  await expect(diorama.suite("50-mine").details()).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining(suiteId),
  });
});

test.each(["No such suite", "", "..", "stranger/Chat benchmark"])(
  "the suite %p, which does not exist, is reported by its name",
  async (reference) => {
    await expect(client().suite(reference).details()).rejects.toMatchObject({
      code: "suite_not_found",
      message: expect.stringContaining(`no suite "${reference}"`),
    });
  },
);

test("a local server starts, works and stops", async () => {
  let url = "";
  {
    await using local = await Diorama.local({
      command: ["bun", join(import.meta.dir, "../../../src/main.ts")],
      env: { DATABASE_URL: database.url, SHUTDOWN_DELAY: "0" },
    });
    url = local.url;
    await using env = await local.env("chat_default", { as: "U01AGENTONE" });

    expect(env.url).toStartWith(url);
  }

  await expect(fetch(url)).rejects.toThrow();
});

test("a local server that does not start is reported with its output", async () => {
  const command = ["sh", "-c", "echo no database >&2; exit 3"];

  await expect(Diorama.local({ command })).rejects.toThrow("sh did not start: no database");
  await expect(Diorama.local({ command: ["/no/such/program"] })).rejects.toThrow("ENOENT");
});
