/** New specs: what is rejected with its place, and what is stored with a warning. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectRefusal, startTestProgram, type TestProgram } from "../../support/program";

const database = useDatabase();
let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram(database);
});

const FRAME = { templateService: "chat", templateName: "chat_default" };
const ADDED = { diff_type: "added", entity: "messages" };
const create = async (name: string, expectedOutput: object) =>
  await program.post("/testSuites", {
    ...{ ...FRAME, name },
    tests: [{ name: "t", prompt: "p", expectedOutput }],
  });

const one = (fields: object) => ({ assertions: [{ ...ADDED, ...fields }] });
const allowing = (allow: unknown) => ({ assertions: [ADDED], allow });
const where = (condition: object) => one({ where: condition });

describe("a spec is rejected, and nothing is stored, with", () => {
  test.each([
    ["weight: text", one({ weight: "2" }), "assertion 1: weight: a number"],
    ["weight: null", one({ weight: null }), "assertion 1: weight: a number"],
    ["weight: 0", one({ weight: 0 }), "assertion 1: weight: 0 has no effect"],
    ["weight: too large", one({ weight: 1e6 }), "assertion 1: weight: a number between"],
    [
      "weight: of a guard",
      one({ weight: 2, expected_count: 0 }),
      "assertion 1: weight: the untouched",
    ],
    [
      "weight: a harm with a maximum",
      one({ weight: -1, expected_count: 2 }),
      "expected_count: of a harm",
    ],
    ["weight: misspelt", one({ wieght: 2 }), 'no field "wieght"; the nearest is "weight"'],
    ["blocker: text", one({ blocker: "yes" }), "assertion 1: blocker: true or false"],
    ["blocker: number", one({ blocker: 1 }), "assertion 1: blocker: true or false"],
    ["blocker: null", one({ blocker: null }), "assertion 1: blocker: true or false"],
    ["blocker: of a harm", one({ blocker: true, weight: -1 }), "assertion 1: blocker: a harm"],
    ["blocker: misspelt", one({ bloker: true }), 'no field "bloker"; the nearest is "blocker"'],
    ["allow: an object", allowing({}), "allow: a list"],
    ["allow: text in it", allowing(["messages"]), "allow[0]: an object is needed"],
    [
      "allow: no such table",
      allowing([{ entity: "message" }]),
      'allow[0].entity: there is no table "message"',
    ],
    [
      "allow: no such kind",
      allowing([{ entity: "messages", diff_type: "add" }]),
      "allow[0].diff_type: one of",
    ],
    [
      "allow: no such column",
      allowing([{ entity: "messages", where: { txt: "a" } }]),
      "allow[0].where",
    ],
    [
      "allow: columns of new rows",
      allowing([{ entity: "messages", diff_type: "added", columns: ["text"] }]),
      "allow[0].columns: only a diff_type of changed",
    ],
    [
      "allow: too many",
      allowing(Array(201).fill({ entity: "messages" })),
      "allow: a list of at most 200",
    ],
    ["expects: another word", { assertions: [], expects: "nothin" }, 'the nearest is "nothing"'],
    ["expects: true", { assertions: [], expects: true }, "expects: "],
    ["expects: null", { assertions: [], expects: null }, "expects: "],
    ["expects: a list", { assertions: [], expects: ["nothing"] }, "expects: "],
    [
      "expects: an open world",
      { assertions: [], expects: "nothing", closed_world: false },
      "closed_world",
    ],
    [
      "expects: a change",
      { ...one({}), expects: "nothing" },
      "assertion 1: expected_count: the test expects",
    ],
    ["a number in a text", where({ thread_ts: 5 }), "assertion 1: where.thread_ts: the column is"],
    [
      "a number in a list for a text",
      where({ text: { in: ["a", 5] } }),
      "where.text.in: the column is text",
    ],
    ["a list of a text", where({ text: { has_any: ["a"] } }), "where.text.has_any"],
    [
      "a change of which nothing is said",
      { assertions: [{ diff_type: "changed", entity: "channels", where: { id: "C01GENERAL" } }] },
      "assertion 1: expected_changes: any change",
    ],
  ])("%s", async (name, spec, detail) => {
    const answer = await create(name, spec);

    expectRefusal(answer, 400, "invalid_assertion");
    expect(answer.body.detail).toContain(detail);
    const { body } = await program.get(`/testSuites?name=${encodeURIComponent(name)}`);
    expect(body.testSuites).toEqual([]);
  });

  test.each([
    ["ending", "crash"],
    ["ending", "timed out"],
    ["ending", 1],
    ["ending", ["crashed"]],
    ["ending", {}],
    ["exitCode", "1"],
    ["exitCode", 1.5],
    ["exitCode", 2 ** 31],
    ["exitCode", [1]],
    ["exitCode", true],
  ])("%s: %j of evaluateRun, and the run goes on", async (field, value) => {
    const { environmentId: envId } = await program.environment();
    const { runId } = (await program.post("/startRun", { envId })).body;
    const body = { runId, expectedOutput: one({}), [field]: value };

    const answer = await program.post("/evaluateRun", body);

    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(field);
    expect((await program.get(`/results/${runId}`)).body.status).toBe("running");
  });
});

describe("a spec is stored with a warning", () => {
  const MISSING = {
    assertions: [
      {
        ...ADDED,
        where: { channel_id: "C99NOWHERE", user_id: { in: ["U01AGENTONE", "U99NOBODY"] } },
      },
    ],
  };
  const LINES = [
    'test "t": assertion 1: channel_id: the template has no row "C99NOWHERE"',
    'test "t": assertion 1: user_id: the template has no row "U99NOBODY"',
  ];

  test("about ids that the template does not have, in every way to store it", async () => {
    const created = await create("ids", MISSING);
    expect(created).toMatchObject({ status: 201, body: { warnings: LINES } });
    const tests = [{ name: "t", prompt: "p", expectedOutput: MISSING }];
    const { suiteId } = created.body;
    const added = await program.post(`/testSuites/${suiteId}/tests`, { tests });
    expect(added).toMatchObject({ status: 201, body: { warnings: LINES } });
    const file = { ...FRAME, name: "ids by import", tests };
    const imported = await program.post("/testSuites/import", file);
    expect(imported).toMatchObject({ status: 200, body: { warnings: LINES } });
    // It is not new the second time.
    expect((await program.post("/testSuites/import", file)).body.warnings).toBeUndefined();
  });

  test.each([
    [
      "a change without expected_changes",
      { assertions: [{ diff_type: "changed", entity: "channels", where: { name: "general" } }] },
      "any change of such a row counts",
    ],
    ["nothing to achieve", { closed_world: true, assertions: [] }, "every reward is 0"],
    ["only guards", { assertions: [{ ...ADDED, expected_count: 0 }] }, "every reward is 0"],
  ])("about %s", async (name, spec, warning) => {
    const { body } = await create(name, spec);
    expect(body.warnings).toEqual([expect.stringContaining(warning)]);
  });

  test.each([
    ["what is there", one({ where: { channel_id: "C01GENERAL", user_id: "U01AGENTONE" } })],
    [
      "the id of a new row",
      { assertions: [{ diff_type: "added", entity: "channels", where: { id: "C9" } }] },
    ],
    ["nothing expected, and said so", { assertions: [], expects: "nothing" }],
  ])("but not about %s", async (name, spec) => {
    expect((await create(name, spec)).body).toEqual({ suiteId: expect.any(String), name });
  });
});
