/** A test of a suite has the apps of the environments that are created for it. */
import { expect, test } from "bun:test";
import { YAML } from "bun";
import { useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { connectApp, openAddress } from "../../support/socket-mode";

const database = useSharedDatabase();
const program = useProgram(database);

const page = await Bun.file("src/docs/suites.md").text();
const [, yaml = ""] = /```yaml\n(tests:[^`]+event_duplicated[^`]+)```/.exec(page) ?? [];
const [TEST] = (YAML.parse(yaml) as any).tests;

let number = 0;
const importSuite = (fields: object) =>
  program.post("/testSuites/import", {
    ...{ name: `Suite ${number++}`, templateService: "chat", templateName: "chat_default" },
    ...{ impersonateUserId: "U01AGENTONE", tests: [{ ...TEST, ...fields }] },
  });
const create = async () => {
  const { body } = await importSuite({});
  const suite = await program.get(`/testSuites/${body.suiteId}?expand=true`);
  return suite.body.tests[0];
};

/** The verdict on a bot that answers each event, or each event once. */
async function verdictOf(isOnce: boolean) {
  const test = await create();
  const { body: environment } = await program.post("/initEnv", { testId: test.id });
  const { environmentId: envId, environmentUrl, apps } = environment;
  const run = await program.post("/startRun", { envId, testId: test.id });
  const say = (fields: object) =>
    program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", ...fields });
  const { url } = await openAddress(program.url, environmentUrl, apps[0].token);
  const bot = connectApp(url);
  await say({ text: "Ready." });
  await bot.has(2);
  const [first, second] = bot.envelopes().map(({ payload }) => payload);
  expect(second.event_id).toBe(first.event_id);
  for (const { event } of isOnce ? [first] : [first, second])
    await say({ text: "On it.", thread_ts: event.ts });
  await program.post(`/env/${envId}/wait`, { quietMs: 100, timeoutMs: 5_000 });
  bot.socket.close();
  const { body } = await program.post("/evaluateRun", { runId: run.body.runId });
  await program.call("DELETE", `/env/${envId}`);
  return body;
}

test("which a bot of the example on the page passes if it answers once", async () => {
  expect(await verdictOf(true)).toMatchObject({ status: "passed", failures: [] });
  const { status, failures } = await verdictOf(false);
  expect(status).toBe("failed");
  expect(failures).toContain("assertion#2 messages expected count 1 but got 2");
});

test("unless initEnv names others; a change of the test changes them", async () => {
  const test = await create();
  expect(test.events).toEqual(TEST.events);
  const appsIn = async (fields: object) => {
    const { body } = await program.post("/initEnv", { testId: test.id, ...fields });
    await program.call("DELETE", `/env/${body.environmentId}`);
    return (body.apps ?? []).map(({ app }: { app: string }) => app);
  };
  expect(await appsIn({})).toEqual(["A01AGENTBOT"]);
  const other = { apps: [{ app: "A02OTHERAPP", events: ["app_mention"] }] };
  expect(await appsIn({ events: other })).toEqual(["A02OTHERAPP"]);
  expect(await appsIn({ events: { apps: [] } })).toEqual([]);
  const changed = await program.call("PATCH", `/tests/${test.id}`, { events: other });
  expectStatus(changed, 200);
  expect(await appsIn({})).toEqual(["A02OTHERAPP"]);
  expectStatus(await program.call("PATCH", `/tests/${test.id}`, { events: null }), 200);
  expect(await appsIn({})).toEqual([]);
  expect((await program.get(`/tests/${test.id}`)).body.events).toBeUndefined();
});

test("and a mistake in them is named with its path when the suite is imported", async () => {
  const answer = await importSuite({
    events: { apps: [{ app: "A01AGENTBOT", events: ["app_mentioned"] }] },
  });
  expectRefusal(answer, 400, "invalid_request");
  expect(answer.body.detail).toContain(`test "Answer once": events.apps[0].events`);
});
