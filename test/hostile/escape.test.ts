/** An agent that has failed its test cannot leave the statistics: with its token alone, every run is graded as failed. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { RUN_BYTES_MAX } from "~/capture/limits";
import { LOSSES } from "~/capture/loss";
import { clientOf, expectStatus, type TestProgram } from "../support/program";
import { createStage } from "../support/stage";

setDefaultTimeout(240_000);

const AT_ONCE = 8;
const CALLED = { diff_type: "called", entity: "*", expected_count: { max: 10 } };
const ADDED = { diff_type: "added", entity: "messages", where: { text: "done" } };

const stage = createStage();
let program: TestProgram;
let suiteId: string;
const tests: Record<string, string> = {};
beforeAll(async () => {
  const database = await stage.database();
  const server = await stage.server(database, { ENVIRONMENT_POOL_TARGETS: "chat_default:3" });
  program = clientOf(server.url);
  const create = (name: string, assertion: object) => ({
    ...{ name, prompt: "Say that you are done, once." },
    expectedOutput: { assertions: [assertion] },
  });
  const suite = await program.post("/testSuites", {
    ...{ name: "Escape", templateService: "chat", templateName: "chat_default" },
    impersonateUserId: "U01AGENTONE",
    tests: [create("called", CALLED), create("added", ADDED)],
  });
  expectStatus(suite, 201);
  suiteId = suite.body.suiteId;
  const { body } = await program.get(`/testSuites/${suiteId}?expand=true`);
  for (const { id, name } of body.tests) tests[name] = id;
});
afterAll(() => stage.end());

/** Runs a test; the agent makes these calls, and no other. Returns the verdict. */
async function attempt(
  name: string,
  count: number,
  method: string,
  args: object,
  ending: object = {},
) {
  const testId = tests[name];
  const { body: environment } = await program.post("/initEnv", { testId });
  const { environmentId: envId, environmentUrl, token } = environment;
  const { body: run } = await program.post("/startRun", { envId, testId, testSuiteId: suiteId });
  const body = JSON.stringify(args);
  let left = count;
  const call = async () => {
    while (left-- > 0) {
      const response = await fetch(`${program.url}${environmentUrl}/${method}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body,
      });
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, call));
  const verdict = await program.post("/evaluateRun", { runId: run.runId, ...ending });
  expectStatus(verdict, 200);
  const { status, passed, gradable, cause, failures, reward } = verdict.body;
  const results = await program.get(`/results/${run.runId}`);
  expect(results.body).toMatchObject({ status, passed, gradable, failures });
  expect(results.body.cause).toBe(cause);
  if (gradable) expect(results.body.reward).toBe(reward);
  return verdict.body;
}

const countsOf = async () =>
  (await program.get(`/testSuites/${suiteId}/results?groupBy=model`)).body.groups?.[0];

test("by calls with large bodies", async () => {
  const channel = "C01GENERAL";
  const verdict = await attempt("called", 48, "api.test", { channel, x: "x".repeat(4_000_000) });

  expect(verdict).toMatchObject({
    ...{ status: "failed", passed: false, gradable: true },
    failures: ["assertion#1 * expected count at most 10 but got 48"],
  });
});

test("by more calls than fit in memory", async () => {
  const verdict = await attempt("called", 10_400, "api.test", {});

  expect(verdict).toMatchObject({
    ...{ status: "failed", passed: false, gradable: true },
    failures: ["assertion#1 * expected count at most 10 but got 10400"],
  });
});

const text = "long ".repeat(39_000 / 5);
const message = { channel: "C01GENERAL", text };
const MESSAGES = Math.ceil((1.1 * RUN_BYTES_MAX) / text.length);

test("by more changes than a run may have", async () => {
  const verdict = await attempt("added", MESSAGES, "chat.postMessage", message);

  expect(verdict).toMatchObject({
    ...{ status: "failed", passed: false, gradable: true, cause: "agent_limit", reward: 0 },
    failures: [`agent_limit: ${LOSSES.too_many_bytes}`],
  });
});

test("each of them counts as failed, unless it was stopped from outside", async () => {
  expect(await countsOf()).toMatchObject({ attempts: 3, graded: 3, failed: 3, notGradable: 0 });

  const ending = { ending: "interrupted" };
  const stopped = await attempt("added", MESSAGES, "chat.postMessage", message, ending);

  expect(stopped).toMatchObject({ passed: false, gradable: false, cause: "interrupted" });
  expect(await countsOf()).toMatchObject({ attempts: 4, graded: 3, failed: 3, notGradable: 1 });
});
