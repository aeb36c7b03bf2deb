/** A test of a suite has the counterparts of the environments that are created for it. */
import { expect, test } from "bun:test";
import { YAML } from "bun";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const page = await Bun.file("src/docs/counterparts.md").text();
const [, yaml = ""] = /```yaml\n(tests:[^`]+)```/.exec(page) ?? [];
const [TEST] = (YAML.parse(yaml) as any).tests;

let number = 0;
const importSuite = (counterparts: unknown) =>
  program.post("/testSuites/import", {
    ...{ name: `Suite ${number++}`, templateService: "chat", templateName: "chat_default" },
    ...{ impersonateUserId: "U01AGENTONE", tests: [{ ...TEST, counterparts }] },
  });
const create = async () => {
  const { body } = await importSuite(TEST.counterparts);
  const suite = await program.get(`/testSuites/${body.suiteId}?expand=true`);
  return { suiteId: body.suiteId, test: suite.body.tests[0] };
};
const say = async (environment: any, text: string) => {
  const answer = await program.chat(environment, "chat.postMessage", {
    ...{ channel: "C01GENERAL", text },
  });
  expect(answer.ok).toBe(true);
};

test("which a run of the example on the page passes", async () => {
  const { suiteId, test } = await create();
  expect(test.counterparts).toEqual(TEST.counterparts);
  const created = await program.post("/initEnv", { testId: test.id });
  expectStatus(created, 201);
  const run = await program.post("/startRun", {
    ...{ envId: created.body.environmentId, testId: test.id, testSuiteId: suiteId },
  });
  await say(created.body, "John, may I announce the launch? Please approve.");
  await say(created.body, "Approved: the launch is tomorrow.");
  const { body } = await program.post("/evaluateRun", { runId: run.body.runId });

  expect(body).toMatchObject({ status: "passed", failures: [] });
  await program.call("DELETE", `/env/${created.body.environmentId}`);
});

test("unless initEnv names others; a change of the test changes them", async () => {
  const { test } = await create();
  const rulesIn = async (fields: object) => {
    const { body: environment } = await program.post("/initEnv", { testId: test.id, ...fields });
    const { body } = await program.get(`/env/${environment.environmentId}/counterparts`);
    await program.call("DELETE", `/env/${environment.environmentId}`);
    return body.counterparts.map(({ name }: { name: string }) => name);
  };
  expect(await rulesIn({})).toEqual(["john-approves"]);
  expect(await rulesIn({ counterparts: [] })).toEqual([]);
  const changed = await program.call("PATCH", `/tests/${test.id}`, {
    counterparts: [{ ...TEST.counterparts[0], name: "robin-approves", as: "U03ROBINRAY" }],
  });
  expectStatus(changed, 200);
  expect(await rulesIn({})).toEqual(["robin-approves"]);
  expectStatus(await program.call("PATCH", `/tests/${test.id}`, { counterparts: null }), 200);
  expect(await rulesIn({})).toEqual([]);
});

test("which are checked against its template, with their paths", async () => {
  const [rule] = TEST.counterparts;
  const answer = await importSuite([
    { ...rule, as: "U0NOBODY" },
    { ...rule, name: "other", when: { ...rule.when, entity: "mesages" } },
  ]);

  expectRefusal(answer, 400, "invalid_request");
  expect(answer.body.detail.split("\n")).toEqual([
    expect.stringContaining('test "Ask first": counterparts[0].as: chat has no user "U0NOBODY"'),
    expect.stringContaining('test "Ask first": counterparts[1].when.entity: there is no table'),
  ]);
});
