/**
 * Proves a suite: each test can be solved, fails if the agent does nothing, and fails for plausible mistakes, each with
 * its line. Solutions and mistakes are calls through the service's official client.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { writesOf } from "~/commands/export/solution";
import { MUTANT_CLASSES } from "~/evaluation/audit/mutant";
import type { NewSuite } from "~/platform/suites/model";
import { SOLUTIONS, type Solution } from "../../seeds/index";
import { deliveriesOf, eventsOf } from "../support/recording";
import { type Given, type Tools, useSuite } from "./server";

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

/** Mutants of each test, on average. */
const KILLED_MIN = 50;
const classOf = (each: any): string => each.class;

type Options = {
  /** How many mutants of each test must be killed on average. */
  readonly killedMin?: number;
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
  { killedMin = KILLED_MIN, clock }: Options = {},
): void {
  const on = useSuite(file);
  const fields = clock ? { clock } : {};

  /** The verdict on the effects of `act`, which has the service's client. */
  const run = (name: string, act: (client: Client) => Promise<unknown>, given: object = fields) =>
    on.run(name, (agent) => act(clientOf(agent)), given);

  describe((file as NewSuite).name, () => {
    test("has a proof for each of its tests", () => {
      expect(on.testCount).toBe(count);
      expect([...on.tests.keys()].toSorted()).toEqual(Object.keys(proofs).toSorted());
    });

    test("tells each solution from everything that is almost one", async () => {
      const { body } = await on.server.get(`/testSuites/${on.suiteId}/audit`);

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

        expect(on.tests.get(name)?.surfaces).toEqual(proven);
      });

      if (typeof viaTools !== "string")
        test("is solved through tools", async () => {
          const { status, failures } = await on.runTools(name, viaTools, fields);
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

const REPEATABLE = { clock: STEP, seed: 7 };

/**
 * Declares that the solutions of a suite file leave the same bytes with the same seed, and that `seeds/solutions` has them,
 * in the file of this name. `RENEW_SOLUTIONS=1` writes it.
 */
export function proveRepeatable<Client>(
  file: unknown,
  clientOf: (given: Given) => Client,
  proofs: Proofs<Client>,
  name: string,
): void {
  const renewed: { [testId: string]: object } = {};

  describe((file as NewSuite).name, () => {
    const on = useSuite(file);
    afterAll(async () => {
      const path = join(import.meta.dir, `../../seeds/solutions/${name}.json`);
      if (Object.keys(renewed).length > 0 && process.env["RENEW_SOLUTIONS"])
        await Bun.write(path, JSON.stringify(renewed, null, 2));
    });

    /** The account of a run in an environment with a seed, without the names and the times of the platform. */
    async function accountOf(test: string, act: (client: Client) => Promise<unknown>) {
      const known = on.tests.get(test);
      const { envId, given } = await on.open(test, REPEATABLE);
      const { body: run } = await on.server.post("/startRun", {
        ...{ envId, testId: known?.id, journal: "full" },
      });
      await act(clientOf(given));
      await on.settle(test, envId);
      const { body } = await on.server.post("/diffRun", { runId: run.runId });
      const { body: page } = await on.server.get(`/runs/${run.runId}/calls?limit=1000`);
      await on.server.call("DELETE", `/env/${envId}`);
      expect([page.attribution, page.complete, page.next]).toEqual(["exact", true, null]);
      const { body: log } = await on.server.get(`/runs/${run.runId}/events`);
      expect(log.complete).toBe(true);
      const { body: sent } = await on.server.get(`/runs/${run.runId}/deliveries?limit=1000`);
      const calls = page.calls.map(({ at, ms, request, ...call }: any) => call);
      return {
        calls: calls.length,
        solution: {
          ...{ test, calls: writesOf(page), events: eventsOf(log.events, envId) },
          ...(known?.counting && { deliveries: deliveriesOf(sent.events) }),
        },
        text: JSON.stringify({ diff: body.diff, calls }).replaceAll(envId, "<environment>"),
      };
    }

    test.each(Object.entries(proofs))("%s", async (test, { solution }) => {
      const [one, two] = await Promise.all([accountOf(test, solution), accountOf(test, solution)]);

      expect(one.calls).toBeGreaterThan(0);
      expect(two.text).toBe(one.text);
      const testId = on.tests.get(test)?.id ?? "";
      renewed[testId] = one.solution;
      if (!process.env["RENEW_SOLUTIONS"])
        expect(SOLUTIONS[testId]).toEqual(one.solution as object as Solution);
    });
  });
}
