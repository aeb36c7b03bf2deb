/** Bad inputs to suites and to the language of assertions. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../support/database";
import { expectRefusal, expectStatus, useProgram } from "../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

let suiteId: string;
beforeAll(async () => {
  const created = await program.post("/testSuites", {
    name: "inputs",
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
  });
  expectStatus(created, 201);
  suiteId = created.body.suiteId;
});

const ASSERTION = { diff_type: "added", entity: "messages" };
const aTest = (expectedOutput: unknown) => ({ name: "one", prompt: "Do it.", expectedOutput });
const add = (tests: unknown) => program.post(`/testSuites/${suiteId}/tests`, { tests });
const adding = (fields: object) => add([aTest({ assertions: [{ ...ASSERTION, ...fields }] })]);
const say = (environment: { environmentUrl: string }, text: string) =>
  program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });

/** A run in which `texts` were posted, ready to be evaluated. */
async function runWith(...texts: string[]) {
  const environment = await program.environment();
  const { body } = await program.post("/startRun", { envId: environment.environmentId });
  for (const text of texts) expect(await say(environment, text)).toMatchObject({ ok: true });
  return body.runId as string;
}
const evaluate = async (runId: string, ...assertions: object[]) => {
  const answer = await program.post("/evaluateRun", { runId, expectedOutput: { assertions } });
  expectStatus(answer, 200);
  return answer.body;
};

describe("an assertion is rejected when its test is added", () => {
  const LONG = "x".repeat(10_000);
  const rows: [object, string][] = [
    [{ where: { text: { like: "x" } } }, "S120"],
    [{ where: { text: {} } }, "S120"],
    [{ where: [] }, "S120"],
    [{ where: "text" }, "S120"],
    [{ diff_type: "inserted" }, "S121"],
    [{ diff_type: "Added" }, "S121"],
    [{ diff_type: null }, "S121"],
    [{ diff_type: 1 }, "S121"],
    [{ diff_type: "__proto__" }, "S121"],
    [{ expected_count: -1 }, "S122"],
    [{ expected_count: 1.5 }, "S122"],
    [{ expected_count: "2" }, "S122"],
    [{ expected_count: null }, "S122"],
    [{ expected_count: 2 ** 53 }, "S122"],
    [{ expected_count: { min: 2, max: 1 } }, "S122"],
    [{ where: { constructor: "x" } }, "S123"],
    [{ where: { toString: "x" } }, "S123"],
    [{ where: { hasOwnProperty: "x" } }, "S123"],
    [{ where: { __table__: "messages" } }, "S123"],
    [{ where: JSON.parse('{"__proto__":"x"}') }, "S123"],
    [{ where: { [LONG]: "x" } }, "S123"],
    [{ entity: "messages; drop" }, "S124"],
    [{ entity: "messages\nassertion#9" }, "S124"],
    [{ entity: "nothing" }, "S124"],
    [{ entity: LONG }, "S124"],
    [{ entity: "__proto__" }, "S124"],
    [{ where: { text: { regex: "(a" } } }, "S126"],
    [{ where: { text: { regex: "x".repeat(2_000) } } }, "S126"],
  ];
  test.each(rows)("%j (%s)", async (fields) => {
    const answer = await adding(fields);
    expectRefusal(answer, 400, "invalid_assertion");
    expect(answer.body.detail.length).toBeLessThan(1_000);
    expect(answer.body.detail).not.toContain("\n");
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("with a number that JSON cannot represent (S122)", async () => {
    const body = JSON.stringify({
      tests: [aTest({ assertions: [{ ...ASSERTION, expected_count: 0 }] })],
    });
    expectRefusal(
      await program.post(
        `/testSuites/${suiteId}/tests`,
        body.replace('"expected_count":0', '"expected_count":1e309'),
      ),
      400,
      "invalid_assertion",
    );
  });
});

test("two operators of one column must both hold (S120)", async () => {
  expectStatus(await adding({ where: { text: { contains: "a", starts_with: "b" } } }), 201);
  const where = { text: { contains: "a", starts_with: "b" } };
  const { failures } = await evaluate(await runWith("ab"), { ...ASSERTION, where });
  expect(failures).toHaveLength(1);
});

describe("edge cases of operators", () => {
  const rows: [object, number][] = [
    [{ text: { contains: "" } }, 2],
    [{ text: { eq: "" } }, 0],
    [{ thread_ts: { contains: "1" } }, 0],
    [{ thread_ts: { eq: null } }, 2],
    [{ thread_ts: { neq: null } }, 0],
    [{ text: { eq: null } }, 0],
    [{ text: { not_contains: "x" } }, 2],
    [{}, 2],
  ];
  test.each(rows)("%j finds %d of two messages (S125)", async (where, count) => {
    const runId = await runWith("one", "two");
    const { failures } = await evaluate(runId, { ...ASSERTION, where, expected_count: count });
    expect(failures).toEqual([]);
  });

  test.each([[{ eq: {} }], [{ eq: [] }], [{ contains: {} }]])(
    "%j matches no text, or is rejected (S125)",
    async (condition) => {
      const runId = await runWith("one");
      const answer = await program.post("/evaluateRun", {
        runId,
        expectedOutput: { assertions: [{ ...ASSERTION, where: { text: condition } }] },
      });
      if (answer.status === 200) expect(answer.body.passed).toBe(false);
      else expectRefusal(answer, 400, "invalid_assertion");
    },
  );
});

test.each(["(a+)+$", "(a|a)*$", "^(a?){30}a{30}$", "(.*a){20}"])(
  "the pattern %p does not stall the server (S126)",
  async (regex) => {
    const runId = await runWith(`${"a".repeat(39_000)}!`);
    const started = performance.now();
    const evaluated = evaluate(runId, { ...ASSERTION, where: { text: { regex } } });
    const health = await program.get("/health");
    expect(health.status).toBe(200);
    await evaluated;
    expect(performance.now() - started).toBeLessThan(2_000);
  },
);

describe("too many or no tests", () => {
  const many = Array.from({ length: 10_000 }, () => ASSERTION);
  const rows: [string, unknown, number, string][] = [
    ["10,000 assertions (S127)", [aTest({ assertions: many })], 400, "invalid_assertion"],
    [
      "10 MB (S127)",
      [aTest({ assertions: [{ ...ASSERTION, description: "x".repeat(10_000_000) }] })],
      413,
      "request_too_large",
    ],
    ["an empty list (S127)", [], 400, "invalid_request"],
    ["an object (S127)", {}, 400, "invalid_request"],
    ["a list of null (S127)", [null], 400, "invalid_request"],
    ["a list of lists (S127)", [[]], 400, "invalid_request"],
  ];
  test.each(rows)("%s", async (_what, tests, status, code) => {
    const before = (await program.get(`/testSuites/${suiteId}`)).body.testCount;
    expectRefusal(await add(tests), status, code);
    expect((await program.get(`/testSuites/${suiteId}`)).body.testCount).toBe(before);
  });
});

test("assertions on a run of tens of thousands of changes are evaluated quickly, and do not block other calls (S128)", async () => {
  const environment = await program.environment();
  const { body } = await program.post("/startRun", { envId: environment.environmentId });
  await database.sql.unsafe(
    `insert into "${environment.schemaName}".reactions (channel_id, ts, name, user_id, created_at)
     select 'C01GENERAL', '1767603600.731938', 'n' || n, 'U01AGENTONE', n from generate_series(1, 50000) n`,
  );
  const started = performance.now();
  const evaluated = evaluate(
    body.runId,
    ...Array.from({ length: 50 }, (_, n) => ({
      diff_type: "added",
      entity: "reactions",
      where: { name: { eq: `n${n + 1}` } },
      expected_count: 1,
    })),
  );
  await Bun.sleep(20);
  const asked = performance.now();
  expect((await program.get("/health")).status).toBe(200);
  const waited = performance.now() - asked;
  expect(await evaluated).toMatchObject({ passed: true, score: { passed: 50, total: 50 } });
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(waited).toBeLessThan(2_000);
});

describe("failures are reported exactly", () => {
  const rows: [unknown, string[], string][] = [
    [undefined, [], "at least 1 but got 0"],
    [0, ["a"], "0 but got 1"],
    [1, [], "1 but got 0"],
    [1, ["a", "b"], "1 but got 2"],
    [{ min: 1 }, [], "at least 1 but got 0"],
    [{ max: 1 }, ["a", "b"], "at most 1 but got 2"],
    [{ min: 1, max: 2 }, ["a", "b", "c"], "between 1 and 2 but got 3"],
  ];
  test.each(rows)(
    "a count of %j with %j: expected count %s (S129)",
    async (count, texts, counted) => {
      const { failures } = await evaluate(await runWith(...texts), {
        ...ASSERTION,
        ...(count === undefined ? {} : { expected_count: count }),
      });
      expect(failures).toEqual([`assertion#1 messages expected count ${counted}`]);
    },
  );
});

test("a spec without assertions is rejected, and one that was stored passes, and says so (S130)", async () => {
  const runId = await runWith("a");
  const empty = { runId, expectedOutput: { assertions: [] } };
  expectRefusal(
    await program.post("/evaluateRun", empty),
    400,
    "invalid_assertion",
    "assertions: without an assertion every run passes; closed_world: true expects no change at all",
  );
  await database.sql`update diorama.runs set expected = '{"assertions":[]}' where run_id = ${runId}`;

  const { body } = await program.post("/evaluateRun", { runId });

  expect(body).toMatchObject({
    passed: true,
    score: { passed: 0, total: 0, percent: 100 },
    explanations: [
      { assertion: 0, summary: "the test has no assertions, so every run passes it", nearest: [] },
    ],
  });
});

test("a spec without assertions in a closed world expects no change", async () => {
  const runId = await runWith("a");
  const expectedOutput = { assertions: [], closed_world: true };
  const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
  expect(body).toMatchObject({
    passed: false,
    failures: [expect.stringMatching(/^closed_world /)],
  });
});

test.each([
  [
    { where: { thread_ts: { exists: false } } },
    "assertion 1: where.thread_ts.exists: a column always exists, also where it is null; use is_null or not_null",
  ],
  [
    { where: { or: [{ text: { exists: true } }] } },
    "assertion 1: where.or[0].text.exists: a column always exists, also where it is null; use is_null or not_null",
  ],
  [
    { diff_type: "changed", expected_changes: { text: { to: { exists: true } } } },
    "assertion 1: expected_changes.text.to.exists: a column always exists, also where it is null; use is_null or not_null",
  ],
])("exists is rejected where it says nothing: %j", async (fields, detail) => {
  const runId = await runWith("a");
  const expectedOutput = { assertions: [{ ...ASSERTION, ...fields }] };
  expectRefusal(
    await program.post("/evaluateRun", { runId, expectedOutput }),
    400,
    "invalid_assertion",
    detail,
  );
});

test("exists is accepted on a path into a column, and where it was stored", async () => {
  const path = await runWith("a");
  const expectedOutput = {
    assertions: [{ ...ASSERTION, where: { "edited.ts": { exists: false } } }],
  };
  expect((await program.post("/evaluateRun", { runId: path, expectedOutput })).body.passed).toBe(
    true,
  );
  const runId = await runWith("a");
  const stored = { assertions: [{ ...ASSERTION, where: { text: { exists: true } } }] };
  await database.sql`update diorama.runs set expected = ${JSON.stringify(stored)}::text::json where run_id = ${runId}`;
  expect((await program.post("/evaluateRun", { runId })).body.passed).toBe(true);
});

test("ignore_fields.global takes a column that some table has", async () => {
  const runId = await runWith("a");
  const ignoring = (global: string[]) => ({
    runId,
    expectedOutput: { assertions: [ASSERTION], ignore_fields: { global } },
  });
  expectRefusal(
    await program.post("/evaluateRun", ignoring(["edted"])),
    400,
    "invalid_assertion",
    'ignore_fields.global: there is no column "edted"; the nearest is "edited"',
  );
  expect((await program.post("/evaluateRun", ignoring(["edited"]))).body.passed).toBe(true);
});

test("a run is evaluated against the test as of its start (S131)", async () => {
  expectStatus(await adding({ expected_count: 1 }), 201);
  const { body: suite } = await program.get(`/testSuites/${suiteId}?expand=true`);
  const testId = suite.tests.at(-1).id;
  const { body: environment } = await program.post("/initEnv", { testId });
  const { body: run } = await program.post("/startRun", {
    envId: environment.environmentId,
    testId,
  });
  await say(environment, "once");
  await database.sql`update diorama.tests set expected_output = '{"assertions":[]}' where test_id = ${testId}`;
  const { body } = await program.post("/evaluateRun", { runId: run.runId });
  expect(body.score).toEqual({ passed: 1, total: 1, percent: 100 });
});
