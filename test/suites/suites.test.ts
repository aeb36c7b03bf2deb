/**
 * Every test of the built-in suites is solvable, is not passed by doing nothing, and fails where an agent goes wrong.
 * Run against the sources, or with DIORAMA_BINARY against the binary.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { clientFor } from "../../scripts/story";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, type TestDatabase } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";
import { CHAT } from "./chat";
import type { Proofs } from "./proofs";
import { TRACKER } from "./tracker";

let database: TestDatabase;
let server: ServerProcess;

beforeAll(async () => {
  const [cluster] = (await startClusters()).toReversed();
  if (!cluster) throw new Error("there is no Postgres");
  database = await createDatabase(cluster);
  server = await startProcess(database, {
    ENVIRONMENT_POOL_TARGETS: "chat_bench_default:4,tracker_expanded:4",
  });
});

afterAll(async () => {
  server.kill("SIGTERM");
  await server.exited;
  await dropDatabase(database);
});

/** The verdict on what `act` does in an environment of the test. */
async function verdict<Client>(
  testId: string,
  clientOf: (environment: Record<string, unknown>) => Client,
  act: (client: Client) => Promise<unknown>,
) {
  const { body: environment } = await server.post("/initEnv", { testId });
  const { body: run } = await server.post("/startRun", {
    envId: environment.environmentId,
    testId,
  });
  await act(clientOf(environment));
  const { status, body } = await server.post("/evaluateRun", { runId: run.runId });
  expect(status).toBe(200);
  await server.call("DELETE", `/env/${environment.environmentId}`);
  return body as { status: string; score: { percent: number }; failures: string[] };
}

function prove<Client>(
  suite: string,
  count: number,
  proofs: Proofs<Client>,
  clientOf: (environment: Record<string, unknown>) => Client,
): void {
  describe(suite, () => {
    const ids = new Map<string, string>();
    const run = (name: string, act: (client: Client) => Promise<unknown>) =>
      verdict(ids.get(name) ?? "", clientOf, act);

    beforeAll(async () => {
      const { body } = await server.get(`/testSuites?name=${encodeURIComponent(suite)}`);
      const [{ id, testCount }] = body.testSuites;
      expect(testCount).toBe(count);
      const expanded = await server.get(`/testSuites/${id}?expand=true`);
      for (const { name, id: testId } of expanded.body.tests) ids.set(name, testId);
    });

    test("has a proof for each of its tests", () => {
      expect([...ids.keys()].toSorted()).toEqual(Object.keys(proofs).toSorted());
    });

    describe.each(Object.entries(proofs))("%s", (name, { solution, mistakes }) => {
      test("is solved", async () => {
        const { status, score, failures } = await run(name, solution);
        expect({ status, failures, percent: score.percent }).toEqual({
          status: "passed",
          failures: [],
          percent: 100,
        });
      });

      test("is not passed by doing nothing", async () => {
        expect((await run(name, async () => {})).status).toBe("failed");
      });

      test("has two plausible mistakes", () => {
        expect(Object.keys(mistakes).length).toBeGreaterThanOrEqual(2);
      });

      test.each(Object.entries(mistakes))("is failed by: %s", async (_what, { act, failure }) => {
        const { status, failures } = await run(name, act);
        expect(status).toBe("failed");
        expect(failures.filter((line) => line.startsWith(failure))).not.toBeEmpty();
      });
    });
  });
}

prove("Chat benchmark", 20, CHAT, (environment) => clientFor(server.url, environment));
prove(
  "Tracker benchmark",
  40,
  TRACKER,
  ({ token, environmentUrl }) =>
    new LinearClient({ apiKey: String(token), apiUrl: `${server.url}${environmentUrl}/graphql` }),
);
