/**
 * Proves a suite: each of its tests can be solved, is not passed by doing nothing, and is failed by plausible mistakes,
 * with the right line. Solutions and mistakes are calls through the services' official clients, with the agent's token
 * and nothing else, against a server in a process of its own: the sources, or the binary that DIORAMA_BINARY names.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { WebClient } from "@slack/web-api";
import { readSuite } from "~/platform/suites/builtin";
import { useDatabase } from "../support/database";
import { type ServerProcess, startProcess } from "../support/process";
import { expectStatus } from "../support/program";

/** What an agent has: the official client of the environment's service. */
export type Agent = {
  readonly chat: WebClient;
  readonly tracker: LinearClient;
  /** The user that it acts as. */
  readonly userId: string;
};
type Act = (agent: Agent) => Promise<unknown>;

export type Proof = {
  /** One correct way, or several. */
  readonly solution: Act | readonly Act[];
  /** At least two: what a hasty agent would do, and the lines that it fails with. */
  readonly mistakes: {
    readonly [what: string]: { readonly act: Act; readonly failures: readonly (string | RegExp)[] };
  };
};

type Verdict = { passed: boolean; score: { percent: number }; failures: string[] };

const nothing: Act = async () => {};

/** Declares the proofs of a suite file, by the names of its tests. */
export function proveSuite(file: unknown, proofs: { readonly [test: string]: Proof }): void {
  const suite = readSuite(file);
  const database = useDatabase();
  let server: ServerProcess;
  let ids: Map<string, string>;
  let suiteId: string;

  beforeAll(async () => {
    server = await startProcess(database, {
      ENVIRONMENT_POOL_TARGETS: `${suite.templateName}:4`,
      MAINTENANCE_CYCLE_INTERVAL: "1",
    });
    suiteId = await stored();
    const expanded = await server.get(`/testSuites/${suiteId}?expand=true`);
    ids = new Map(
      expanded.body.tests.map(({ name, id }: { name: string; id: string }) => [name, id]),
    );
  });
  afterAll(async () => {
    server.kill("SIGTERM");
    await server.exited;
  });

  /** The id of the suite: a built-in one is there, any other is created. */
  async function stored(): Promise<string> {
    const query = `name=${encodeURIComponent(suite.name)}&visibility=public`;
    const { body } = await server.get(`/testSuites?${query}`);
    const found = body.testSuites.find(({ name }: { name: string }) => name === suite.name);
    if (found) return found.id;
    const created = await server.post("/testSuites", suite);
    expectStatus(created, 201);
    return created.body.suiteId;
  }

  /** The verdict on what `act` does in an environment of its own. */
  async function judge(name: string, act: Act): Promise<Verdict> {
    const testId = ids.get(name);
    const environment = await server.post("/initEnv", { testId });
    expectStatus(environment, 201);
    const { environmentId: envId, environmentUrl, token } = environment.body;
    const started = await server.post("/startRun", { envId, testId, testSuiteId: suiteId });
    expectStatus(started, 201);
    await act(agentOf(`${server.url}${environmentUrl}`, token, userOf(name)));
    const answer = await server.post("/evaluateRun", { runId: started.body.runId });
    expectStatus(answer, 200);
    expectStatus(await server.call("DELETE", `/env/${envId}`), 200);
    return answer.body;
  }

  const userOf = (name: string) =>
    suite.tests?.find((each) => each.name === name)?.impersonateUserId ??
    suite.impersonateUserId ??
    "";

  describe(suite.name, () => {
    test("has a proof for each test, and no other", () => {
      expect(Object.keys(proofs).toSorted()).toEqual(
        (suite.tests ?? []).map(({ name }) => name).toSorted(),
      );
    });

    for (const [name, { solution, mistakes }] of Object.entries(proofs))
      describe(name, () => {
        for (const [index, solve] of [solution].flat().entries())
          test(`is solved${index > 0 ? `, another way (${index + 1})` : ""}`, async () => {
            const verdict = await judge(name, solve);
            expect(verdict).toMatchObject({
              failures: [],
              passed: true,
              score: { percent: 100 },
            });
          });

        test("is not passed by doing nothing", async () => {
          const verdict = await judge(name, nothing);
          expect(verdict.passed).toBe(false);
          expect(verdict.failures).not.toEqual([]);
        });

        test("has mistakes that an agent could make", () => {
          expect(Object.keys(mistakes).length).toBeGreaterThanOrEqual(2);
        });

        for (const [what, { act, failures }] of Object.entries(mistakes))
          test(`is failed by: ${what}`, async () => {
            const verdict = await judge(name, act);
            expect(verdict.passed).toBe(false);
            expect(verdict.failures).toEqual(
              failures.map((line) =>
                typeof line === "string" ? line : expect.stringMatching(line),
              ),
            );
          });
      });
  });
}

function agentOf(serviceUrl: string, token: string, userId: string): Agent {
  return {
    get chat() {
      return new WebClient(token, {
        slackApiUrl: `${serviceUrl}/`,
        retryConfig: { retries: 0 },
      });
    },
    get tracker() {
      return new LinearClient({ apiKey: token, apiUrl: `${serviceUrl}/graphql` });
    },
    userId,
  };
}
