/**
 * Proves a suite: each test can be solved, fails if the agent does nothing, and fails for plausible mistakes, each with
 * its line. Solutions and mistakes are calls through the service's official client, with only the agent's token, against
 * a server in a separate process: from source, or the binary in DIORAMA_BINARY.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { writesOf } from "~/commands/export/solution";
import { MUTANT_CLASSES } from "~/evaluation/audit/mutant";
import type { NewSuite } from "~/platform/suites/model";
import { SOLUTIONS, type Solution } from "../../seeds/index";
import { useDatabase } from "../support/database";
import { callTool, endpointOf } from "../support/mcp";
import { type ServerProcess, startProcess } from "../support/process";
import { expectStatus } from "../support/program";
import { deliveriesOf, eventsOf } from "../support/recording";

export type Proof<Client> = {
  /** Calls that solve the task: the verdict is passed, 100 percent. */
  readonly solution: (client: Client) => Promise<unknown>;
  /** Calls of tools that solve the task, or the reason why none can. */
  readonly viaTools: ((tools: Tools) => Promise<unknown>) | `no tool ${string}`;
  /** Obeys the attack of the test, which has one if this is given. */
  readonly obey?: (client: Client) => Promise<unknown>;
  /** Plausible mistakes of agents: the verdict is failed, and a line of `failures` begins with `failure`. */
  readonly mistakes: {
    readonly [what: string]: {
      readonly act: (client: Client) => Promise<unknown>;
      readonly failure: string;
      /** Less than 1 if it is not given. */
      readonly reward?: number;
    };
  };
};

/** By the name of the test. */
export type Proofs<Client> = { readonly [test: string]: Proof<Client> };

/** Calls a tool of the vendor's MCP server, and returns its result. */
export type Tools = (name: string, args: object) => Promise<any>;

/** The agent's access. `appToken`: of the test's app, with which it opens connections for events. */
export type Given = {
  readonly token: string;
  readonly serviceUrl: string;
  readonly appToken?: string | undefined;
};

/** Without a delivery, before a run is ended. */
const QUIET_MS = 100;
const SETTLE_MS = 1_000;

/** Mutants of each test, on average. */
const KILLED_MIN = 50;
const classOf = (each: any): string => each.class;

type Options = {
  /** How many mutants of each test must be killed on average. */
  readonly killedMin?: number;
  /** The file of its solutions; that of its service by default. */
  readonly solutions?: string;
  /** The clock of the environments, in place of the template's, which the solutions have in any case. */
  readonly clock?: object;
};
/** Each call takes a second: nobody has to wait for what happens some seconds later. */
export const STEP = { mode: "step", stepMs: 1_000 };

/** Declares the proofs of a suite file. */
export function prove<Client>(
  file: unknown,
  count: number,
  clientOf: (given: Given) => Client,
  proofs: Proofs<Client>,
  { killedMin = KILLED_MIN, solutions: at, clock }: Options = {},
): void {
  const { name: suite, templateName, templateService } = file as NewSuite;
  const database = useDatabase();
  const ids = new Map<string, string>();
  const surfaces = new Map<string, readonly string[] | undefined>();
  /** The tests that count deliveries. */
  const counting = new Set<string>();
  const solutions: { [testId: string]: object } = {};
  let server: ServerProcess;
  let suiteId: string;

  beforeAll(async () => {
    server = await startProcess(database, { ENVIRONMENT_POOL_TARGETS: `${templateName}:4` });
    const { body } = await server.get(`/testSuites?name=${encodeURIComponent(suite)}`);
    const [{ id, testCount }] = body.testSuites;
    suiteId = id;
    expect(testCount).toBe(count);
    const expanded = await server.get(`/testSuites/${id}?expand=true`);
    for (const { name, id: testId, surfaces: stated, expectedOutput } of expanded.body.tests) {
      ids.set(name, testId);
      surfaces.set(name, stated);
      const isDelivered = ({ diff_type }: any) => diff_type === "delivered";
      if (expectedOutput.assertions.some(isDelivered)) counting.add(name);
    }
  });
  afterAll(async () => {
    server.kill("SIGTERM");
    await server.exited;
    const path = join(import.meta.dir, `../../seeds/solutions/${at ?? templateService}.json`);
    if (process.env["RENEW_SOLUTIONS"]) await Bun.write(path, JSON.stringify(solutions, null, 2));
  });

  /** The verdict on the effects of `act` in an environment of the test. */
  const run = (name: string, act: (client: Client) => Promise<unknown>, fields?: object) =>
    runAs(name, (environment) => act(clientOf(agentOf(environment))), fields);

  /** The same through the environment's tools. */
  const runTools = (name: string, act: (tools: Tools) => Promise<unknown>) =>
    runAs(name, (environment) => {
      const at = endpointOf(server, environment);
      return act(async (tool, args) => {
        const { text, isError } = await callTool(at, tool, args);
        if (isError) throw new Error(`${tool}: ${text}`);
        return JSON.parse(text);
      });
    });

  const REPEATABLE = { clock: STEP, seed: 7 };

  /** The account of a run in an environment with a seed, without the names and the times of the platform. */
  async function accountOf(name: string, act: (environment: any) => Promise<unknown>) {
    const testId = ids.get(name);
    const { body: environment } = await server.post("/initEnv", { testId, ...REPEATABLE });
    const { environmentId: envId } = environment;
    const { body: run } = await server.post("/startRun", { envId, testId, journal: "full" });
    await act(environment);
    await settle(name, environment);
    const { body } = await server.post("/diffRun", { runId: run.runId });
    const { body: page } = await server.get(`/runs/${run.runId}/calls?limit=1000`);
    await server.call("DELETE", `/env/${envId}`);
    expect([page.attribution, page.complete, page.next]).toEqual(["exact", true, null]);
    const { body: log } = await server.get(`/runs/${run.runId}/events`);
    expect(log.complete).toBe(true);
    const { body: sent } = await server.get(`/runs/${run.runId}/deliveries?limit=1000`);
    const solution = {
      ...{ test: name, calls: writesOf(page), events: eventsOf(log.events, envId) },
      ...(counting.has(name) && { deliveries: deliveriesOf(sent.events) }),
    };
    solutions[testId ?? ""] = solution;
    const calls = page.calls.map(({ at, ms, request, ...call }: any) => call);
    return {
      calls: calls.length,
      solution,
      text: JSON.stringify({ diff: body.diff, calls }).replaceAll(envId, "<environment>"),
    };
  }

  const agentOf = ({ token, environmentUrl, apps }: any): Given => ({
    token,
    serviceUrl: `${server.url}${environmentUrl}`,
    appToken: apps?.[0].token,
  });

  /** Waits until no event is under way that the test counts. */
  const settle = async (name: string, { environmentId }: any) => {
    if (!counting.has(name)) return;
    const wanted = { quietMs: QUIET_MS, timeoutMs: SETTLE_MS };
    expectStatus(await server.post(`/env/${environmentId}/wait`, wanted), 200);
  };

  async function runAs(
    name: string,
    act: (environment: any) => Promise<unknown>,
    fields: object = clock ? { clock } : {},
  ) {
    const testId = ids.get(name);
    const { body: environment } = await server.post("/initEnv", { testId, ...fields });
    const { environmentId: envId } = environment;
    const { body: started } = await server.post("/startRun", { envId, testId });
    await act(environment);
    await settle(name, environment);
    const answer = await server.post("/evaluateRun", { runId: started.runId });
    expectStatus(answer, 200);
    await server.call("DELETE", `/env/${envId}`);
    return answer.body as {
      status: string;
      success: boolean;
      attack: string | null;
      score: { percent: number };
      reward: number;
      failures: string[];
    };
  }

  describe(suite, () => {
    test("has a proof for each of its tests", () => {
      expect([...ids.keys()].toSorted()).toEqual(Object.keys(proofs).toSorted());
    });

    test("tells each solution from everything that is almost one", async () => {
      const { body } = await server.get(`/testSuites/${suiteId}/audit`);

      const wrong = body.tests.flatMap(({ name, state, survivors, stale, failures }: any) =>
        state === "audited" && survivors.length + stale.length + failures.length === 0
          ? []
          : [{ name, state, survivors, stale, failures }],
      );
      expect(wrong).toEqual([]);
      expect(body.tests.length).toBe(count);
      expect(body.killed + body.accepted).toBe(body.mutants);
      expect(body.killed).toBeGreaterThan(count * killedMin);
      const classes = new Set(body.tests.flatMap((each: any) => each.classes).map(classOf));
      expect([...classes].toSorted()).toEqual(MUTANT_CLASSES.toSorted());
    });

    describe.each(Object.entries(proofs))("%s", (name, proof) => {
      const { solution, viaTools, obey, mistakes } = proof;
      test("says through which surfaces it can be solved", () => {
        const proven = typeof viaTools === "string" ? ["api"] : ["api", "mcp"];

        expect(surfaces.get(name)).toEqual(proven);
      });

      if (typeof viaTools !== "string")
        test("is solved through tools", async () => {
          const { status, failures } = await runTools(name, viaTools);
          expect({ status, failures }).toEqual({ status: "passed", failures: [] });
        });

      test("is solved", async () => {
        const { status, attack, score, reward, failures } = await run(name, solution, {});
        expect({ status, attack, failures, reward, percent: score.percent }).toEqual({
          status: "passed",
          attack: obey ? "resisted" : null,
          failures: [],
          reward: 1,
          percent: 100,
        });
      });

      if (obey)
        test("has two verdicts: the task is done or not, the attack obeyed or not", async () => {
          const judged = async (act: (client: Client) => Promise<unknown>) => {
            const { status, success, attack, reward, failures } = await run(name, act);
            const line = failures.some((each) => each.startsWith("attack#"));
            return { status, success, attack, reward, line };
          };
          const obeyed = { status: "failed", attack: "obeyed", reward: 0, line: true };
          const beside = async (client: Client) => {
            await solution(client);
            await obey(client);
          };
          expect(await judged(beside)).toEqual({ ...obeyed, success: true });
          expect(await judged(obey)).toEqual({ ...obeyed, success: false });
        });

      test("leaves the same bytes with the same seed: answers, diff and journal", async () => {
        const act = (environment: any) => solution(clientOf(agentOf(environment)));
        const [one, two] = await Promise.all([accountOf(name, act), accountOf(name, act)]);

        expect(one.calls).toBeGreaterThan(0);
        expect(two.text).toBe(one.text);
        if (!process.env["RENEW_SOLUTIONS"])
          expect(SOLUTIONS[ids.get(name) ?? ""]).toEqual(one.solution as object as Solution);
      });

      test("fails if nothing is done, and earns nothing", async () => {
        const { status, reward } = await run(name, async () => {});
        expect({ status, reward }).toEqual({ status: "failed", reward: 0 });
      });

      test("has two plausible mistakes", () => {
        expect(Object.keys(mistakes).length).toBeGreaterThanOrEqual(2);
      });

      test.each(Object.entries(mistakes))("fails for: %s", async (_what, mistake) => {
        const { act, failure, reward: earned } = mistake;
        const { status, reward, failures } = await run(name, act);
        expect(status).toBe("failed");
        expect(reward).toBeLessThan(1);
        if (earned !== undefined) expect(reward).toBe(earned);
        expect(failures.filter((line) => line.startsWith(failure))).not.toBeEmpty();
      });
    });
  });
}
