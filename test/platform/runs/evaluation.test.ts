/** Runs that are evaluated, against a stored test or the expectation of the call. */
import { describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { claimVerdict } from "~/platform/runs/claims-store";
import { createDatabase, dropDatabase, eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, startTestProgram, useProgram } from "../../support/program";
import { type Link, startProxy } from "../../support/proxy";

const database = useDatabase();
// The tests prepare runs for a cycle: none comes but those that they ask for.
const program = useProgram(database, { MAINTENANCE_CYCLE_INTERVAL: "3600" });

const start = async (envId: string, fields = {}) => {
  const answer = await program.post("/startRun", { envId, ...fields });
  expectStatus(answer, 201);
  return answer.body.runId as string;
};
const say = (environment: { environmentUrl: string }, text: string, fields = {}) =>
  program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text, ...fields });
const added = (where: object, expected_count?: unknown) => ({
  diff_type: "added",
  entity: "messages",
  where,
  ...(expected_count === undefined ? {} : { expected_count }),
});
const suiteOf = async (...assertions: object[]) => {
  const created = await program.post("/testSuites", {
    name: "greetings",
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    tests: [{ name: "greet", prompt: "Greet everybody.", expectedOutput: { assertions } }],
  });
  expectStatus(created, 201);
  const { suiteId } = created.body;
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  return { suiteId, testId: body.tests[0].id as string };
};

describe("a run with a test", () => {
  test("passes when everything is as expected", async () => {
    const { testId } = await suiteOf(added({ text: { contains: "Hello" } }, 1));
    const environment = (await program.post("/initEnv", { testId })).body;
    const runId = await start(environment.environmentId, { testId });
    await say(environment, "Hello all");

    const answer = await program.post("/evaluateRun", { runId });

    expectStatus(answer, 200);
    const verdict = {
      runId,
      status: "passed",
      passed: true,
      score: { passed: 1, total: 1, percent: 100 },
      failures: [],
      explanations: [],
      success: true,
      reward: 1,
      unsafe: { count: 0, rows: [] },
      undone: 0,
      attack: null,
      ending: null,
      exitCode: null,
      gradable: true,
      consoleUrl: `/console/runs/${runId}`,
    };
    expect(answer.body).toEqual(verdict);
    const results = await program.get(`/results/${runId}`);
    expect(results.body).toEqual({
      ...verdict,
      stateVerdict: null,
      diff: { inserts: [expect.objectContaining({ text: "Hello all" })], updates: [], deletes: [] },
      execution_time: expect.any(Number),
      labels: {},
      environmentId: expect.any(String),
      testId: expect.any(String),
      testSuiteId: null,
      startedAt: expect.any(String),
      ...{
        service: "chat",
        templateName: "chat_default",
        note: null,
        bookmarked: false,
        costUsd: null,
      },
      testName: expect.any(String),
      testSuiteName: expect.any(String),
      suiteId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test("fails with a line for each assertion that does not hold, and the nearest rows", async () => {
    const { testId } = await suiteOf(
      added({ text: { contains: "Hello" } }, 2),
      added({ user_id: "U01AGENTONE" }),
      { diff_type: "removed", entity: "messages", expected_count: { max: 0 } },
    );
    const environment = (await program.post("/initEnv", { testId })).body;
    const runId = await start(environment.environmentId, { testId });
    const { ts } = await say(environment, "Goodbye");

    const { body } = await program.post("/evaluateRun", { runId });

    expect(body).toEqual({
      runId,
      status: "failed",
      passed: false,
      score: { passed: 2, total: 3, percent: 66.67 },
      failures: ["assertion#1 messages expected count 2 but got 0"],
      explanations: [
        {
          assertion: 1,
          summary: "too few rows added to messages are as expected",
          nearest: [
            {
              key: { channel_id: "C01GENERAL", ts },
              failed: ['text contains "Hello": it is "Goodbye"'],
            },
          ],
        },
      ],
      success: false,
      reward: 0.5, // the third one holds anyway
      // It has this user, as the second assertion wants.
      unsafe: { count: 0, rows: [] },
      undone: 0,
      attack: null,
      ending: null,
      exitCode: null,
      gradable: true,
      consoleUrl: `/console/runs/${runId}`,
    });
    expect((await program.get(`/results/${runId}`)).body).toMatchObject(body);
  });

  test("is checked against the test as it was when it started", async () => {
    const { testId } = await suiteOf(added({}, 0));
    const environment = (await program.post("/initEnv", { testId })).body;
    const runId = await start(environment.environmentId, { testId });
    await database.sql`update diorama.tests set expected_output = '{"assertions":[]}' where test_id = ${testId}`;
    await say(environment, "too much");

    expect((await program.post("/evaluateRun", { runId })).body.failures).toEqual([
      "assertion#1 messages expected count 0 but got 1",
    ]);
  });

  test("is ended once, by either call", async () => {
    const { testId } = await suiteOf(added({}, 1));
    const environment = (await program.post("/initEnv", { testId })).body;
    const runId = await start(environment.environmentId, { testId });
    await say(environment, "once");

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        program.post(index % 2 ? "/diffRun" : "/evaluateRun", { runId }),
      ),
    );

    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const answer of answers)
      if (answer !== winners[0]) expectRefusal(answer, 400, "run_already_completed");
    expect((await program.get(`/results/${runId}`)).body.status).toBe(winners[0]!.body.status);
  });
});

describe("an expectation in the call", () => {
  const judged = async (
    expectedOutput: object,
    work: (environment: any) => Promise<unknown> = async () => {},
  ) => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    await work(environment);
    return await program.post("/evaluateRun", { runId, expectedOutput });
  };

  test("replaces a test", async () => {
    const answer = await judged({ assertions: [added({}, 1)] }, (environment) =>
      say(environment, "hi"),
    );
    expect(answer.body).toMatchObject({ status: "passed", score: { percent: 100 } });
  });

  test("reads columns that an update did not change", async () => {
    const { body } = await judged(
      {
        assertions: [
          {
            diff_type: "changed",
            entity: "messages",
            where: { user_id: "U01AGENTONE", channel_id: "C02RANDOM" },
            expected_changes: { text: { from: { contains: "lunch" }, to: "Dinner" } },
            expected_count: 1,
          },
          { diff_type: "unchanged", entity: "messages", where: {}, expected_count: 2 },
        ],
      },
      (environment) =>
        program.chat(environment, "chat.update", {
          channel: "C02RANDOM",
          ts: "1767607800.990316",
          text: "Dinner",
        }),
    );
    expect(body.failures).toEqual([]);
  });

  test("treats rows that were changed back as unchanged, but not rows that were inserted and deleted", async () => {
    const eyes = { channel: "C01GENERAL", timestamp: "1767604200.989456", name: "eyes" };
    const unchanged = (entity: string, expected_count: number) => ({
      diff_type: "unchanged",
      entity,
      expected_count,
    });
    const { body } = await judged(
      { assertions: [unchanged("reactions", 2), unchanged("messages", 3)], closed_world: true },
      async (environment) => {
        await program.chat(environment, "reactions.remove", eyes);
        await program.chat(environment, "reactions.add", { ...eyes, name: "tada" });
        await program.chat(environment, "reactions.remove", { ...eyes, name: "tada" });
        const { ts, channel } = await say(environment, "oops");
        await program.chat(environment, "chat.delete", { channel, ts });
      },
    );
    expect(body.failures).toEqual([
      "assertion#1 reactions expected count 2 but got 1",
      expect.stringMatching(
        /^closed_world reactions has an unexpected removed row \{"channel_id":/,
      ),
    ]);
    expect(body.score).toEqual({ passed: 1, total: 2, percent: 50 });
  });

  test("does not count what a counterpart has added among the unchanged rows", async () => {
    const environment = await program.environment();
    const reply = {
      ...{ name: "reply", service: "chat", as: "U02JOHNADOE", say: { text: "answer" } },
      when: { diff_type: "added", entity: "messages" },
    };
    const path = `/env/${environment.environmentId}/counterparts`;
    expectStatus(await program.call("PUT", path, { counterparts: [reply] }), 200);
    const runId = await start(environment.environmentId);
    await say(environment, "question");

    const unchanged = { diff_type: "unchanged", entity: "messages", expected_count: 3 };
    const { body } = await program.post("/evaluateRun", {
      runId,
      expectedOutput: {
        assertions: [unchanged, { ...unchanged, where: { text: "answer" }, expected_count: 0 }],
      },
    });

    expect(body.failures).toEqual([]);
  });

  test("on unchanged rows is rejected if they do not fit in memory, and the run goes on", async () => {
    const environment = await program.environment();
    await database.sql.unsafe(
      `update "${environment.schemaName}".messages set text = repeat('x', ${12 * 2 ** 20})`,
    );
    const runId = await start(environment.environmentId);
    const unchanged = (entity: string) => ({ assertions: [{ diff_type: "unchanged", entity }] });

    expectRefusal(
      await program.post("/evaluateRun", { runId, expectedOutput: unchanged("messages") }),
      400,
      "invalid_assertion",
      expect.stringMatching(/^messages has too many rows for unchanged/) as never,
    );
    const { body } = await program.post("/evaluateRun", {
      runId,
      expectedOutput: unchanged("users"),
    });
    expect(body).toMatchObject({ status: "passed" });
  });

  test("in a closed world must cover every row", async () => {
    const { body } = await judged(
      { assertions: [added({ text: "wanted" }, 1)], closed_world: true },
      async (environment) => {
        await say(environment, "wanted");
        await say(environment, "not wanted");
      },
    );
    expect(body.passed).toBe(false);
    expect(body.failures).toEqual([
      expect.stringMatching(
        /^closed_world messages has an unexpected added row \{"channel_id":"C01GENERAL","ts":"\d+\.\d+"\}$/,
      ),
    ]);
    expect(body.score).toEqual({ passed: 1, total: 1, percent: 100 });
  });

  test.each([
    [{}, "assertions: a list of assertions is needed"],
    [
      { assertions: [{ diff_type: "added", entity: "mesages" }] },
      'assertion 1: entity: there is no table "mesages"; the nearest is "messages"',
    ],
    [
      { assertions: [added({}), added({ txet: "x" })] },
      'assertion 2: where: messages has no column "txet"; the nearest is "text"',
    ],
    [
      { assertions: [added({ text: { containz: "x" } })] },
      'assertion 1: where.text: there is no operator "containz"; the nearest is "contains"',
    ],
    [
      { assertions: [{ diff_type: "inserted", entity: "messages" }] },
      'assertion 1: diff_type: "inserted" is none of added, removed, changed, unchanged, called, delivered',
    ],
  ])("%p is rejected, and the run continues", async (expectedOutput, detail) => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);

    const answer = await program.post("/evaluateRun", { runId, expectedOutput });

    expectRefusal(answer, 400, "invalid_assertion", detail);
    expectStatus(await program.post("/diffRun", { runId }), 200);
  });
});

test("a run without a test is not evaluated, and continues", async () => {
  const { environmentId } = await program.environment();
  const runId = await start(environmentId);
  expectRefusal(await program.post("/evaluateRun", { runId }), 400, "no_test_defined");
  expect((await program.get(`/results/${runId}`)).body.status).toBe("running");
  expectStatus(await program.post("/diffRun", { runId }), 200);
  expectRefusal(await program.post("/evaluateRun", { runId }), 400, "run_already_completed");
});

test.each([
  ["/evaluateRun", { runId: "0".repeat(32) }, 404, "run_not_found"],
  ["/evaluateRun", {}, 400, "invalid_request"],
  ["/evaluateRun", { runId: 1 }, 400, "invalid_request"],
])("%s %p is rejected", async (path, body, status, code) => {
  expectRefusal(await program.post(path, body), status, code);
});

describe("of two servers", () => {
  const other = useProgram(database);

  test("either gives the verdict, whichever reads the log", async () => {
    for (const server of [program, other]) {
      const environment = await program.environment();
      const runId = await start(environment.environmentId);
      await say(environment, "hi");
      const expectedOutput = {
        assertions: [
          added({ text: "hi" }, 1),
          { diff_type: "unchanged", entity: "messages", expected_count: 3 },
        ],
      };

      const { body } = await server.post("/evaluateRun", { runId, expectedOutput });

      expect(body).toMatchObject({ status: "passed", failures: [] });
      expect((await program.get(`/results/${runId}`)).body).toMatchObject(body);
    }
  });

  test("one gives the verdict of its expectation, of twenty that differ", async () => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    await say(environment, "hi");

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        [program, other][n % 2]!.post("/evaluateRun", {
          runId,
          expectedOutput: { assertions: [added({}, n + 2)] },
        }),
      ),
    );

    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers[winner]?.body.failures).toEqual([
      `assertion#1 messages expected count ${winner + 2} but got 1`,
    ]);
    expect((await other.get(`/results/${runId}`)).body).toMatchObject(answers[winner]!.body);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

test("maintenance gives the verdict of a server that died", async () => {
  const { environmentId } = await program.environment();
  const runId = await start(environmentId);
  await program.post("/evaluateRun", {
    runId,
    expectedOutput: { assertions: [added({}, 1)] },
  });
  await database.sql`
    update diorama.runs set status = 'evaluating', passed = null, score = null, failures = '[]',
      explanations = null, evidence = '{"unchangedColumns":[],"revertedRows":[],"transientRows":[]}', standing = '{}',
      ended_at = now() - interval '2 minutes'
    where run_id = ${runId}
  `;
  expect((await program.get(`/results/${runId}`)).body).toMatchObject({
    status: "running",
    diff: null,
  });

  await program.program.maintenance.cycle();

  await eventually(async () =>
    expect((await program.get(`/results/${runId}`)).body).toMatchObject({
      status: "failed",
      failures: ["assertion#1 messages expected count 1 but got 0"],
    }),
  );
});

test("maintenance gives a verdict as soon as the server that owes it is gone, and not before", async () => {
  const ended = async () => {
    const runId = await start((await program.environment()).environmentId);
    await program.post("/evaluateRun", { runId, expectedOutput: { assertions: [added({}, 0)] } });
    return runId;
  };
  const statusOf = async (id: string) => (await program.get(`/results/${id}`)).body.status;
  const [owed, orphan] = [await ended(), await ended()];
  const alive = connect(database.url, { max: 1, name: "server" });
  expect(await claimVerdict(alive, owed)).toBe(true);
  await database.sql`
    update diorama.runs set status = 'evaluating', failures = '[]', standing = '{}',
      evidence = '{"unchangedColumns":[],"revertedRows":[],"transientRows":[]}',
      ended_at = now() - case when run_id = ${owed} then 5 else 4 end * interval '1 second'
    where run_id = any(${[owed, orphan]})
  `;

  await program.program.maintenance.cycle();
  await eventually(async () => expect(await statusOf(orphan)).toBe("passed"));
  expect(await statusOf(owed)).toBe("running");

  await alive.end();
  await program.program.maintenance.cycle();
  await eventually(async () => expect(await statusOf(owed)).toBe("passed"));
});

test("a run that cannot have a verdict fails by name, and the others get theirs", async () => {
  const hopeless = await start((await program.environment()).environmentId);
  const other = await start((await program.environment()).environmentId);
  await Promise.all(
    [hopeless, other].map((runId) =>
      program.post("/evaluateRun", { runId, expectedOutput: { assertions: [added({}, 0)] } }),
    ),
  );
  await database.sql`
    update diorama.runs set status = 'evaluating', failures = '[]', evidence = '{"unchangedColumns":[],"revertedRows":[],"transientRows":[]}',
      standing = '{}', ended_at = now() - interval '2 minutes'
    where run_id = any(${[hopeless, other]})
  `;
  await database.sql`
    update diorama.runs set expected = '{"assertions":[{"entity":"gone"}]}', ended_at = now() - interval '3 minutes'
    where run_id = ${hopeless}
  `;

  await program.program.maintenance.cycle();

  await eventually(async () =>
    expect((await program.get(`/results/${hopeless}`)).body).toMatchObject({
      status: "failed",
      failures: ["capture_lost: its verdict could not be given"],
      gradable: false,
      cause: "server_error",
    }),
  );
  await eventually(async () =>
    expect((await program.get(`/results/${other}`)).body.status).toBe("passed"),
  );
});

test("a verdict whose row is read before capture reports it is answered", async () => {
  const apart = await createDatabase(database.cluster);
  const storing: Link[] = [];
  const proxy = await startProxy(apart.url, (link, data) => {
    if (!data.includes("__table__")) return;
    link.hold();
    storing.push(link);
  });
  const server = await startTestProgram({ ...apart, url: proxy.url });
  const { environmentId, environmentUrl } = await server.environment();
  const { runId } = (await server.post("/startRun", { envId: environmentId })).body;
  await server.chat({ environmentUrl }, "chat.postMessage", { channel: "C01GENERAL", text: "hi" });

  const answer = await server.post("/evaluateRun", {
    runId,
    expectedOutput: { assertions: [added({ text: "hi" }, 1), added({ text: "ho" }, 1)] },
  });

  expect(storing).toHaveLength(1);
  expectStatus(answer, 200);
  expect(answer.body).toMatchObject({ status: "failed", score: { passed: 1, total: 2 } });
  expect((await server.get(`/results/${runId}`)).body).toMatchObject(answer.body);
  for (const link of storing) link.release();
  await dropDatabase(apart);
  proxy.stop();
});

describe("the events of a run", () => {
  test("are its individual changes in order, including those without a net effect", async () => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    const { ts, channel } = await say(environment, "first");
    await program.chat(environment, "chat.update", { channel, ts, text: "second" });
    await program.chat(environment, "chat.delete", { channel, ts });
    expect((await program.get(`/runs/${runId}/events`)).body).toEqual({
      runId,
      total: 0,
      complete: false,
      events: [],
    });
    await program.post("/diffRun", { runId });

    const { body } = await program.get(`/runs/${runId}/events`);

    expect(body).toMatchObject({ runId, complete: true });
    const messages = body.events.filter(({ table }: { table: string }) => table === "messages");
    expect(messages).toMatchObject([
      { operation: "insert", key: { channel_id: channel, ts }, before: null },
      { operation: "update", before: { text: "first" }, after: { text: "second" } },
      { operation: "delete", before: { text: "second" }, after: null },
    ]);
    const order = body.events.map(({ transaction }: { transaction: number }) => transaction);
    expect(order).toEqual(order.toSorted((a: number, b: number) => a - b));
    expect(order[0]).toBe(1);
  });

  test("name the call that caused them, of a single statement as of several", async () => {
    const environment = await program.environment();
    const runId = await start(environment.environmentId);
    const call = async (method: string, args: object, id: string) =>
      (
        await fetch(`${program.url}${environment.environmentUrl}/${method}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-Request-Id": id },
          body: JSON.stringify(args),
        })
      ).json();
    const greeting = { channel: "C01GENERAL", text: "hello" };
    const { ts, channel } = (await call("chat.postMessage", greeting, "the-first")) as any;
    await call("chat.delete", { channel, ts }, "the-second");
    const refused = { channel: "C01GENERAL", users: "U02JOHNADOE,U99NOBODY" };
    expect(await call("conversations.invite", refused, "refused")).toMatchObject({ ok: false });
    await program.post("/diffRun", { runId });

    const { body } = await program.get(`/runs/${runId}/events`);

    const causes = body.events.map((event: any) => [event.operation, event.request]);
    expect(causes).toContainEqual(["insert", "the-first"]);
    expect(causes).toContainEqual(["delete", "the-second"]);
    expect(JSON.stringify(body)).not.toContain("refused");
  });

  test("of an unknown run are rejected", async () => {
    expectRefusal(await program.get(`/runs/${"0".repeat(32)}/events`), 404, "run_not_found");
  });
});

describe("without the log, by snapshots", () => {
  const other = useProgram(database, { LOGICAL_REPLICATION_ENABLED: "false" });

  test("a run gets the same verdict", async () => {
    for (const server of [program, other]) {
      const environment = await server.environment();
      const { runId } = (await server.post("/startRun", { envId: environment.environmentId })).body;
      const at = { channel: "C02RANDOM", ts: "1767607800.990316" };
      await server.chat(environment, "chat.update", { ...at, text: "Dinner" });
      await server.chat(environment, "chat.postMessage", { channel: at.channel, text: "Hello" });

      const { body } = await server.post("/evaluateRun", {
        runId,
        expectedOutput: {
          closed_world: true,
          assertions: [
            added({ text: "Hello" }, 1),
            { diff_type: "unchanged", entity: "messages", expected_count: 2 },
            {
              diff_type: "changed",
              entity: "messages",
              where: { user_id: "U01AGENTONE" },
              expected_changes: { text: { to: "Lunch" } },
              expected_count: 1,
            },
          ],
        },
      });

      expect(body.failures).toEqual([
        "assertion#3 messages expected count 1 but got 0",
        expect.stringMatching(/^closed_world messages has an unexpected changed row .* in text/),
      ]);
      expect((await server.get(`/results/${runId}`)).body).toMatchObject(body);
      expectStatus(await server.get(`/runs/${runId}/events`), 200);
    }
  });

  test("a run started with one kind of capture ends on a server with the other", async () => {
    const environment = await other.environment();
    const { runId } = (await other.post("/startRun", { envId: environment.environmentId })).body;
    await say(environment, "here");
    const expectedOutput = { assertions: [added({ text: "here" }, 1)] };
    const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
    expect(body).toMatchObject({ passed: true });
  });
});
