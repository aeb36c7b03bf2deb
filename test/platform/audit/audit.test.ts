/** The audit of a suite over the API and on the command line. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewTest } from "~/platform/suites/model";
import { useCommands } from "../../support/commands";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { useUsers } from "../../support/users";

const database = useDatabase();
const program = useProgram(database);
const { ann, bob } = useUsers(database, "ann", "bob");
const { run: command, path: pathOf } = useCommands(program);

const MESSAGE = {
  channel_id: "C02RANDOM",
  user_id: "U01AGENTONE",
  text: "Lunch is served",
  thread_ts: null,
};
const aTest = (expectedOutput: object, fields: object = {}) => ({
  name: "post",
  prompt: "Post exactly the text.",
  expectedOutput,
  ...fields,
});
const posts = (where: object = MESSAGE, more: object = {}) => ({
  assertions: [{ diff_type: "added", entity: "messages", where, expected_count: 1 }],
  closed_world: true,
  ...more,
});
const withoutChannel = posts({ ...MESSAGE, channel_id: { starts_with: "C" } });

async function create(name: string, tests: object[], as = ann): Promise<string> {
  const suite = { name, templateService: "chat", templateName: "chat_default" };
  const made = await program.post(
    "/testSuites",
    { ...suite, impersonateUserId: "U01AGENTONE", tests },
    as,
  );
  expectStatus(made, 201);
  return made.body.suiteId;
}
const auditOf = async (suite: string, query = "", as = ann) => {
  const answer = await program.get(`/testSuites/${suite}/audit${query}`, as);
  expectStatus(answer, 200);
  return answer.body;
};

async function callOf({ environmentUrl, token }: any, method: string, given: object) {
  const answer = await fetch(`${program.url}${environmentUrl}/${method}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(given),
  });
  return await answer.json();
}

/** A run of the first test of a suite that posts, and what else `more` does. */
async function solve(suiteId: string, more: readonly [string, object][] = []) {
  const { body: suite } = await program.get(`/testSuites/${suiteId}?expand=true`, ann);
  const testId = suite.tests[0].id;
  const environment = await program.environment({ impersonateUserId: "U01AGENTONE" }, ann);
  const { environmentId: envId } = environment;
  const { body: started } = await program.post("/startRun", { envId, testId }, ann);
  const args = { channel: "C02RANDOM", text: "Lunch is served" };
  for (const [method, given] of [["chat.postMessage", args] as const, ...more])
    expect(await callOf(environment, method, given)).toMatchObject({ ok: true });
  const { body } = await program.post("/evaluateRun", { runId: started.runId }, ann);
  expect([body.status, body.failures]).toEqual(["passed", []]);
  return started.runId as string;
}
const REACT: [string, object] = [
  "reactions.add",
  { channel: "C01GENERAL", timestamp: "1767604200.989456", name: "tada" },
];

describe("a suite without recorded solutions", () => {
  let suiteId: string;
  beforeAll(async () => {
    suiteId = await create("Weak", [aTest(withoutChannel), aTest(posts(), { name: "never run" })]);
  });

  test("is audited as far as that needs none", async () => {
    const { tests, s1, mutants } = await auditOf(suiteId);

    expect(tests.map(({ state }: any) => state)).toEqual(["no_solution", "no_solution"]);
    expect(tests[0]).toMatchObject({ solution: null, runs: null, unexplained: [], survivors: [] });
    expect(s1).toBe(0);
    expect(mutants).toBeGreaterThan(40);
  });

  test("gets the newest passing run as the solution", async () => {
    await solve(suiteId);
    const runId = await solve(suiteId);
    const { tests } = await auditOf(suiteId);

    expect(tests[0]).toMatchObject({ state: "audited", solution: { from: "run", runId } });
    const places = tests[0].survivors.filter((each: any) => each.class === "misplaced");
    expect(places[0]).toMatchObject({
      ...{ severity: "S1", passed: true, reward: 1, assertion: 1 },
      proposal: 'assertion 1, "channel_id": starts_with → eq, "C02RANDOM"',
    });
    expect(tests[1].state).toBe("no_solution");
  });

  test("has an audit of one of its tests", async () => {
    const whole = await auditOf(suiteId);
    const { tests, mutants } = await auditOf(suiteId, `?testId=${whole.tests[1].testId}`);

    expect(tests).toEqual([whole.tests[1]]);
    expect(mutants).toBe(whole.tests[1].mutants);
    const other = await create("Other", [aTest(posts())]);
    const foreign = await program.get(
      `/testSuites/${other}/audit?testId=${whole.tests[1].testId}`,
      ann,
    );
    expectRefusal(foreign, 404, "test_not_found");
  });

  test("is one that its owner alone sees", async () => {
    expectRefusal(await program.get(`/testSuites/${suiteId}/audit`, bob), 404, "suite_not_found");
  });
});

test("a spec that a passing run no longer fits is reported", async () => {
  const suiteId = await create("Changed", [aTest(posts())]);
  await solve(suiteId);
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`, ann);
  const changed = { expectedOutput: posts({ ...MESSAGE, text: "Dinner is served" }) };
  expectStatus(await program.call("PATCH", `/tests/${body.tests[0].id}`, changed, ann), 200);

  const { tests } = await auditOf(suiteId);

  expect(tests[0]).toMatchObject({ state: "solution_fails", mutants: 0 });
  expect(tests[0].failures[0]).toBe("assertion#1 messages expected count 1 but got 0");
});

test("a solution of several calls has a half", async () => {
  const reacts = { diff_type: "added", entity: "reactions", where: { name: "tada" } };
  const both = { ...posts(), assertions: [...posts().assertions, reacts] };
  const suiteId = await create("Two calls", [aTest(both)]);
  await solve(suiteId, [REACT]);

  const { tests } = await auditOf(suiteId);

  expect(tests[0].classes).toContainEqual({ class: "half", mutants: 1, killed: 1 });
});

test("a spec that counts calls is audited with the calls of the run", async () => {
  const called = { diff_type: "called", entity: "chat.postMessage", expected_count: 1 };
  const counted = { ...posts(), assertions: [...posts().assertions, called] };
  const suiteId = await create("Calls", [aTest(counted)]);
  await solve(suiteId);

  const { tests } = await auditOf(suiteId);

  expect(tests[0]).toMatchObject({ state: "audited", solution: { from: "run" } });
  expect(tests[0].killed).toBeGreaterThan(45);
});

describe("from passing runs", () => {
  test("changes that nothing explains are found, in every run or in some", async () => {
    const suiteId = await create("Open", [aTest(posts(MESSAGE, { closed_world: false }))]);
    const bookmark = {
      channel_id: "C02RANDOM",
      title: "Menu",
      type: "link",
      link: "https://a.test",
    };
    await solve(suiteId, [REACT]);
    const newest = await solve(suiteId, [REACT, ["bookmarks.add", bookmark]]);

    const { tests } = await auditOf(suiteId, "?runs=true");

    expect(tests[0].runs).toBe(2);
    const [reactions, bookmarks] = tests[0].unexplained;
    expect(reactions).toMatchObject({
      ...{ change: "added", table: "reactions", runs: 2, rows: 2, inEvery: true },
    });
    expect(bookmarks).toMatchObject({ table: "bookmarks", runs: 1, rows: 1, inEvery: false });
    expect(bookmarks.examples).toEqual([{ runId: newest, key: { id: expect.any(String) } }]);
    expect(tests[0].survivors.some((each: any) => each.class === "foreign_insert")).toBe(true);
  });

  test.each(["1", "yes", ""])("runs=%p is rejected", async (value) => {
    const answer = await program.get(`/testSuites/chat-benchmark/audit?runs=${value}`, ann);

    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain("runs");
  });
});

describe("what a test accepts", () => {
  const accept = [{ mutant: "misplaced messages+1.channel_id *", reason: "Any channel will do" }];
  const accepting = aTest(withoutChannel, { audit: { accept } });

  test("is exported, imported and used; names of nothing are stale", async () => {
    const suiteId = await create("Accepts", [accepting]);
    const { body } = await program.get(`/testSuites/${suiteId}?expand=true`, ann);
    expect(body.tests[0].audit).toEqual({ accept });
    const testId = body.tests[0].id;
    expect((await program.get(`/tests/${testId}`, ann)).body.audit).toEqual({ accept });
    await solve(suiteId);

    const { tests, s1, accepted } = await auditOf(suiteId);
    expect([s1, accepted, tests[0].stale]).toEqual([0, 1, []]);

    const { id: _, ...exported } = body.tests[0];
    const suite = { name: "Accepts", templateService: "chat", templateName: "chat_default" };
    const whole = { ...suite, impersonateUserId: "U01AGENTONE", tests: [exported] };
    const again = await program.post("/testSuites/import", whole, ann);
    expect(again.body.outcome).toBe("unchanged");
    const stale = { accept: [...accept, { mutant: "dropped messages+7", reason: "?" }] };
    await program.call("PATCH", `/tests/${testId}`, { audit: stale }, ann);
    expect((await auditOf(suiteId)).tests[0].stale).toEqual(["dropped messages+7"]);
    await program.call("PATCH", `/tests/${testId}`, { audit: null }, ann);
    expect((await program.get(`/tests/${testId}`, ann)).body.audit).toBeUndefined();
    expect((await auditOf(suiteId)).s1).toBe(1);
  });

  test.each([
    ["audit.accept", { accept: "all" }],
    ["audit.accept.0", { accept: ["misplaced"] }],
    ["audit.accept.0.reason", { accept: [{ mutant: "empty" }] }],
    ["audit.accept.0.mutant", { accept: [{ mutant: "", reason: "x" }] }],
    ["audit.acept", { acept: [], accept: [] }],
    ["audit.accept", { accept: Array(201).fill({ mutant: "empty", reason: "x" }) }],
  ])("that is wrong at %s is rejected, and nothing is stored", async (path, audit) => {
    const suite = { name: "Wrong", templateService: "chat", templateName: "chat_default" };
    const tests = [{ ...aTest(posts()), audit }] as unknown as NewTest[];
    const answer = await program.post("/testSuites", { ...suite, tests }, ann);

    expectRefusal(answer, 400, "invalid_request");
    const detail = answer.body.detail.replaceAll(/\[(\d+)\]/g, ".$1");
    expect(detail).toContain(`tests.0.${path}`);
    const { body } = await program.get("/testSuites?name=Wrong", ann);
    expect(body.testSuites).toEqual([]);
  });
});

test("a second audit at the same time is told to wait", async () => {
  const [one, two] = await Promise.all(
    ["chat-benchmark", "tracker-benchmark"].map((name) =>
      program.get(`/testSuites/${name}/audit`, ann),
    ),
  );
  const rejected = one?.status === 200 ? two : one;

  expect([one?.status, two?.status].toSorted()).toEqual([200, 503]);
  expect(rejected?.headers.get("retry-after")).toBe("5");
  expect((await auditOf("chat-benchmark")).tests.length).toBe(20);
});

describe("on the command line", () => {
  const as = {
    get DIORAMA_API_KEY() {
      return ann["X-API-Key"] ?? "";
    },
  };

  test("a suite without weaknesses ends with 0 and a table", async () => {
    const { code, out } = await command(["suites", "audit", "Chat benchmark"], as);

    expect(code).toBe(0);
    expect(out).toMatch(/^Test +Solution +Mutants +Killed +Accepted +S1 +S2\n/);
    expect(out).toMatch(/\nmessages: post to a channel +recorded +\d+ +\d+\n/);
    expect(out).toMatch(
      /\nChat benchmark: (\d+) of \1 mutants killed, 100.0 %; survivors: 0 of S1/,
    );
  });

  test("a weak one ends with 1, says what to write, and writes a JUnit report", async () => {
    const suiteId = await create("Weak on the line", [aTest(withoutChannel)]);
    await solve(suiteId);
    const file = pathOf("audit.xml");
    const args = ["suites", "audit", suiteId, "--junit", file, "--runs"];

    const { code, out } = await command(args, as);

    expect(code).toBe(1);
    expect(out).toContain(`
post:
  S1 misplaced messages+1.channel_id 1
    channel_id of messages+1 is "C01GENERAL", another row of channels
    expected: not passed, less reward than the solution; got: passed, reward 1
    assertion 1, "channel_id": starts_with → eq, "C02RANDOM"
`);
    const xml = await Bun.file(file).text();
    expect(xml).toContain('<testsuite name="Weak on the line" tests="1" failures="1" errors="0"');
    expect(xml).toContain('<failure type="audit" message="S1 misplaced messages+1.channel_id 1">');
  });

  test("it is JSON, or a report of OpenEnv", async () => {
    const weak = ["suites", "audit", "weak-on-the-line"];
    const json = await command([...weak, "--json"], as);
    const report = await command([...weak, "--format", "openenv"], as);

    expect(JSON.parse(json.out)).toMatchObject({ name: "Weak on the line", s1: 1 });
    expect([json.code, report.code]).toEqual([1, 1]);
    const { results, verdict, ...head } = JSON.parse(report.out);
    expect(verdict).toBe("fail");
    expect(head).toMatchObject({ report_schema_version: "1", target: "Weak on the line" });
    const statuses = Object.fromEntries(results.map((each: any) => [each.check_id, each.status]));
    expect(statuses).toMatchObject({
      ...{ "semantic.oracle_max": "pass", "semantic.floor_gap": "pass" },
      ...{ "suite_audit.misplaced": "fail", "suite_audit.doubled": "pass" },
    });
  });

  test("an unknown suite is a mistake of the command line", async () => {
    expect((await command(["suites", "audit", "no-such-suite"], as)).code).toBe(64);
  });
});
