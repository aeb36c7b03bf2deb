/** The same calls give the same verdict, to the byte, whatever happens to the server meanwhile. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { useDatabase } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";

const REPETITIONS = 100;
const KILLED_EVERY = 20;
/** Fails in several ways, so that a verdict has explanations and unsafe rows. */
const EXPECTED = {
  closed_world: true,
  assertions: [
    { diff_type: "added", entity: "messages", where: { text: "one" }, expected_count: 1 },
    { diff_type: "added", entity: "messages", where: { text: "four" }, weight: 2 },
    { diff_type: "unchanged", entity: "channels", expected_count: { min: 1 } },
  ],
};

const database = useDatabase({ empty: true });
let server: ServerProcess;
beforeAll(async () => {
  server = await startProcess(database);
});
afterAll(async () => {
  server.kill("SIGTERM");
  await server.exited;
});

async function post(path: string, body: object) {
  const { status, body: answer } = await server.call("POST", path, body);
  expect([path, status, answer]).toEqual([path, status < 300 ? status : 200, answer]);
  return answer;
}

/** The verdict of a run and a later one on the same evidence, as text, without the ids of this run. */
async function play(isKilled: boolean): Promise<string[]> {
  const environment = await post("/initEnv", {
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
    clock: { now: "2026-03-02T09:00:00Z", mode: "frozen" },
    seed: 7,
  });
  const { runId } = await post("/startRun", { envId: environment.environmentId });
  for (const [index, text] of ["one", "two", "two"].entries()) {
    if (index === 1 && isKilled) {
      server.kill("SIGKILL");
      await server.exited;
      server = await startProcess(database);
    }
    const response = await fetch(`${server.url}${environment.environmentUrl}/chat.postMessage`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${environment.token}`,
        "Content-Type": "application/json",
        "X-Request-Id": `call-${index}`,
      },
      body: JSON.stringify({ channel: "C01GENERAL", text }),
    });
    expect(await response.json()).toMatchObject({ ok: true });
  }
  const {
    runId: _,
    consoleUrl: ___,
    ...verdict
  } = await post("/evaluateRun", { runId, expectedOutput: EXPECTED });
  const again = await post(`/runs/${runId}/evaluate`, {});
  const { evaluationId, runId: __, testId, createdAt, ...graded } = again;
  await server.call("DELETE", `/env/${environment.environmentId}`);
  const { ending, exitCode, gradable, ...judged } = verdict;
  expect(graded).toEqual(judged);
  return [JSON.stringify(verdict), JSON.stringify(graded)];
}

test(`${REPETITIONS} repetitions of the same calls, some with kill -9 in the middle, have one verdict`, async () => {
  const verdicts = new Set<string>();
  for (let n = 0; n < REPETITIONS; n++)
    verdicts.add(JSON.stringify(await play(n % KILLED_EVERY === 1)));

  expect([...verdicts]).toHaveLength(1);
  const [[verdict = ""] = []] = [...verdicts].map((each) => JSON.parse(each) as string[]);
  expect(JSON.parse(verdict)).toMatchObject({
    ...{ passed: false, success: false, reward: 0 },
    unsafe: { count: 2, rows: [{ request: "call-1" }, { request: "call-2" }] },
  });
});
