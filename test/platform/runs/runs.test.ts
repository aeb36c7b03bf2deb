import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import {
  expectRefusal,
  expectStatus,
  startTestProgram,
  type TestProgram,
  useProgram,
} from "../../support/program";

const database = useDatabase();
const program = useProgram(database);
let other: TestProgram;
beforeAll(async () => {
  other = await startTestProgram(database);
});
afterAll(() => other.program.stop());

const start = async (envId: string, on = program) => {
  const answer = await on.post("/startRun", { envId });
  expectStatus(answer, 201);
  return answer.body.runId as string;
};
const say = (environment: { environmentUrl: string }, text: string, on = program) =>
  on.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
const texts = (diff: { inserts: { text?: string }[] }) => diff.inserts.map(({ text }) => text);

/** Of the results of a run without a test. */
const NO_VERDICT = {
  ...{ success: null, reward: null, unsafe: null, undone: null, attack: null, stateVerdict: null },
  ...{ ending: null, exitCode: null },
};
const ORIGIN = {
  environmentId: expect.stringMatching(/^[0-9a-f]{32}$/),
  testId: null,
  testSuiteId: null,
  startedAt: expect.any(String),
  ...{ service: "chat", templateName: "chat_default", testName: null },
  ...{ suiteId: null, testSuiteName: null, note: null, bookmarked: false, costUsd: null },
  consoleUrl: expect.stringMatching(/^\/console\/runs\/[0-9a-f]{32}$/),
};

describe("a run", () => {
  test("contains what happened between its start and its end, and nothing else", async () => {
    const environment = await program.environment();
    await say(environment, "before");
    const runId = await start(environment.environmentId);
    await say(environment, "during");

    const answer = await program.post("/diffRun", { runId });
    await say(environment, "after");

    expectStatus(answer, 200);
    expect(answer.body).toMatchObject({ runId, status: "completed" });
    expect(texts(answer.body.diff)).toEqual(["during"]);
    const results = await program.get(`/results/${runId}`);
    expect(results.body).toEqual({
      runId,
      status: "completed",
      passed: null,
      score: null,
      failures: [],
      diff: answer.body.diff,
      execution_time: expect.any(Number),
      gradable: true,
      labels: {},
      ...NO_VERDICT,
      ...ORIGIN,
      environmentId: environment.environmentId,
    });
  });

  test("reads as running until it is ended", async () => {
    const { environmentId } = await program.environment();
    const started = await program.post("/startRun", { envId: environmentId });
    expect(started.body).toEqual({
      runId: expect.stringMatching(/^[0-9a-f]{32}$/),
      consoleUrl: `/console/runs/${started.body.runId}`,
      status: "running",
      beforeSnapshot: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect((await program.get(`/results/${started.body.runId}`)).body).toEqual({
      runId: started.body.runId,
      status: "running",
      passed: null,
      score: null,
      failures: [],
      diff: null,
      execution_time: null,
      gradable: null,
      labels: {},
      ...NO_VERDICT,
      ...ORIGIN,
      environmentId,
    });
  });

  test("can follow another in the same environment", async () => {
    const environment = await program.environment();
    for (const text of ["first", "second"]) {
      const runId = await start(environment.environmentId);
      await say(environment, text);
      expect(texts((await program.post("/diffRun", { runId })).body.diff)).toEqual([text]);
    }
  });

  test("starts on one server and ends on another", async () => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId, other);
    await say(environment, "on the first");
    await say(environment, "on the second", other);

    const { body } = await program.post("/diffRun", { runId });

    expect(texts(body.diff)).toEqual(["on the first", "on the second"]);
  });

  test("is started once by fifty callers on two servers", async () => {
    const { environmentId } = await program.environment();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        [program, other][index % 2]!.post("/startRun", { envId: environmentId }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 201) expectRefusal(answer, 400, "run_already_exists");
  });

  test("is ended once by fifty callers on two servers", async () => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    await say(environment, "once");

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        [program, other][index % 2]!.post("/diffRun", { runId }),
      ),
    );

    const [winner, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(texts(winner!.body.diff)).toEqual(["once"]);
    for (const answer of answers)
      if (answer !== winner) expectRefusal(answer, 400, "run_already_completed");
    expect((await other.get(`/results/${runId}`)).body.diff).toEqual(winner!.body.diff);
  });

  test.each([
    ["/startRun", { envId: "0".repeat(32) }, 404, "environment_not_found"],
    ["/startRun", { envId: "nonsense" }, 404, "environment_not_found"],
    ["/startRun", {}, 400, "invalid_request"],
    ["/startRun", { envId: 5 }, 400, "invalid_request"],
    ["/diffRun", { runId: "0".repeat(32) }, 404, "run_not_found"],
    ["/diffRun", { runId: "' OR 1=1" }, 404, "run_not_found"],
    ["/diffRun", {}, 400, "invalid_request"],
  ])("%s %p is rejected", async (path, body, status, code) => {
    expectRefusal(await program.post(path, body), status, code);
  });

  test("names a test or a suite that exists, or does not start", async () => {
    const { environmentId: envId } = await program.environment();
    expectRefusal(await program.post("/startRun", { envId, testId: "x" }), 404, "test_not_found");
    expectRefusal(
      await program.post("/startRun", { envId, testSuiteId: "x" }),
      404,
      "suite_not_found",
    );
    await start(envId);
  });
});

describe("a run whose environment", () => {
  const abandoned = (runId: string, why: "deleted" | "expired") => ({
    runId,
    status: "failed",
    passed: false,
    score: { passed: 0, total: 0, percent: 0 },
    failures: [`run abandoned: environment ${why}`],
    execution_time: expect.any(Number),
    cause: `environment_${why}`,
    labels: {},
    ...NO_VERDICT,
    ...ORIGIN,
  });
  const deleted = (runId: string) => ({
    ...abandoned(runId, "deleted"),
    diff: null,
    gradable: false,
  });

  test("is deleted is closed, and says so", async () => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    await say(environment, "lost");
    await program.call("DELETE", `/env/${environment.environmentId}`);

    expect((await program.get(`/results/${runId}`)).body).toEqual(deleted(runId));
    expectRefusal(await program.post("/diffRun", { runId }), 400, "run_already_completed");
    const { body: ended } = await program.get(`/env/${environment.environmentId}`);
    expect(ended.run).toMatchObject({ runId, status: "failed", gradable: false });
  });

  test("is deleted still waits for its result, if its end is marked", async () => {
    const { environmentId } = await program.environment();
    const runId = await start(environmentId);
    await database.sql`update diorama.runs set status = 'ending', ended_at = now() where run_id = ${runId}`;

    await program.call("DELETE", `/env/${environmentId}`);

    const [run] = await database.sql`select status from diorama.runs where run_id = ${runId}`;
    expect(run).toEqual({ status: "ending" });
    await database.sql`update diorama.runs set status = 'failed' where run_id = ${runId}`; // nothing is marked
  });

  const expire = async (environmentId: string) =>
    await database.sql`update diorama.environments set expires_at = now() where environment_id = ${environmentId}`;

  test.each([
    ["when its results are read", async () => {}],
    ["by maintenance", async () => await program.program.maintenance.cycle()],
    [
      "when runs are listed, on another server",
      async () => void (await other.get("/runs?status=running")),
    ],
  ])("expires is closed with its diff, and says so: %s", async (_, close) => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    await say(environment, "not lost");
    await expire(environment.environmentId);

    await close();

    const { body } = await program.get(`/results/${runId}`);
    expect(body).toEqual({
      ...abandoned(runId, "expired"),
      diff: { inserts: [expect.objectContaining({ text: "not lost" })], updates: [], deletes: [] },
      gradable: true,
    });
    expect((await program.get(`/runs/${runId}/events`)).body.total).toBe(1);
    expectRefusal(await program.post("/diffRun", { runId }), 400, "run_already_completed");
  });

  test("expires is not closed by that once its end is marked", async () => {
    const { environmentId } = await program.environment();
    const runId = await start(environmentId);
    await database.sql`update diorama.runs set status = 'ending', ended_at = now() where run_id = ${runId}`;
    await expire(environmentId);

    await program.program.maintenance.cycle();

    const [row] = await database.sql`
      select r.status, e.deleted_at is not null as ended
      from diorama.runs r join diorama.environments e using (environment_id) where run_id = ${runId}
    `;
    expect(row).toEqual({ status: "ending", ended: true });
  });
});

test("a run whose changes are lost is not gradable, and says why", async () => {
  const { environmentId, schemaName } = await program.environment();
  const runId = await start(environmentId);
  await database.sql.unsafe(`truncate "${schemaName}".reactions`);

  expectStatus(await program.post("/diffRun", { runId }), 503);

  const lost = { status: "failed", gradable: false, cause: "capture_lost" };
  expect((await program.get(`/results/${runId}`)).body).toMatchObject({ ...lost, diff: null });
  const { runs } = (await program.get(`/runs?environmentId=${environmentId}`)).body;
  expect(runs).toMatchObject([lost]);
});

describe("boundaries", () => {
  test("a call answered before the start is out, one answered before the end is in, one across a boundary is whole", async () => {
    const ROUNDS = 25;
    for (let round = 0; round < ROUNDS; round++) {
      const environment = await program.environment();
      const calls: { text: string; sent: number; answered: number }[] = [];
      let writing = true;
      const writers = [program, other, program].map(async (server, writer) => {
        for (let n = 0; writing; n++) {
          const text = `${writer}-${n}`;
          const sent = performance.now();
          await say(environment, text, server);
          calls.push({ text, sent, answered: performance.now() });
        }
      });
      await Bun.sleep(Math.random() * 20);
      const startSent = performance.now();
      const runId = await start(environment.environmentId, round % 2 ? program : other);
      const startAnswered = performance.now();
      await Bun.sleep(Math.random() * 20);
      const endSent = performance.now();
      const { body } = await [program, other][round % 2]!.post("/diffRun", { runId });
      const endAnswered = performance.now();
      writing = false;
      await Promise.all(writers);
      await program.call("DELETE", `/env/${environment.environmentId}`);

      const captured = new Set(texts(body.diff));
      for (const { text, sent, answered } of calls) {
        if (answered < startSent || sent > endAnswered) expect(captured.has(text)).toBe(false);
        else if (sent > startAnswered && answered < endSent) expect(captured.has(text)).toBe(true);
      }
      expect(captured.size).toBe(body.diff.inserts.length);
    }
  });
});

test("a rejected call leaves nothing in the diff", async () => {
  const environment = await program.environment();
  const runId = await start(environment.environmentId);
  for (const [method, args] of [
    ["chat.postMessage", { channel: "C01GENERAL" }],
    ["chat.postMessage", { channel: "C99", text: "x" }],
    ["chat.postMessage", { channel: "U02JOHNADOE", text: "x", thread_ts: "1767603600.731938" }],
    ["chat.update", { channel: "C01GENERAL", ts: "1767603600.731938", text: "not mine" }],
    ["reactions.add", { channel: "C01GENERAL", timestamp: "1767604200.989456", name: "eyes" }],
    ["conversations.create", { name: "general" }],
    ["conversations.invite", { channel: "C01GENERAL", users: "U02JOHNADOE,U99NOBODY" }],
  ] as const)
    expect(await program.chat(environment, method, args)).toMatchObject({ ok: false });

  const { body } = await program.post("/diffRun", { runId });

  expect(body.diff).toEqual({ inserts: [], updates: [], deletes: [] });
});

test("runs of ended environments do not hold the log back", async () => {
  const environment = await program.environment();
  await start(environment.environmentId);
  await program.call("DELETE", `/env/${environment.environmentId}`);
  await eventually(async () => {
    const [active] =
      await database.sql`select count(*)::int as count from diorama.runs where status in ('running', 'ending')
      and run_id in (select run_id from diorama.runs where environment_id = ${environment.environmentId})`;
    expect(active?.["count"]).toBe(0);
  });
});
