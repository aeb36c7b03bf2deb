/** A suite: runs an agent on each of its tests, and collects the verdicts. */
import type { Environment } from "./environment";
import { createHomes } from "./homes";
import { DioramaError, type Http } from "./http";
import type {
  Ending,
  EvaluatedRun,
  NewEnvironment,
  Surface,
  Test,
  TestSuiteDetails,
} from "./schema";

/** One attempt of an agent at a test. */
export type Task = {
  readonly prompt: string;
  /** A fresh environment, in which a run has begun. */
  readonly environment: Environment;
  readonly test: Test;
  /** Counted from 1. */
  readonly attempt: number;
  /** Aborts at the time limit. */
  readonly signal: AbortSignal;
  /** Adds to the price of the attempt, in US dollars: it is stored with the run. */
  readonly spend: (dollars: number) => void;
};

export type Agent = (task: Task) => Promise<unknown>;

export type SuiteOptions = {
  /** The agent's way to the service: `mcp` leaves out tests that the tools cannot solve. Default: all tests run. */
  readonly surface?: Surface;
  /** Attempts at the same time. Default: 1. */
  readonly parallel?: number;
  /** Attempts at each test. Default: 1. */
  readonly repeat?: number;
  /** Time limit of an attempt. Default: 600. */
  readonly timeoutSeconds?: number;
  /** Stored with each run, for instance `{ model: "…" }`. */
  readonly labels?: { readonly [name: string]: string };
  /** The same suite on other servers: the attempts are spread over all of them. */
  readonly others?: readonly Suite[];
  /** Further tries of an attempt that ends with `error`, on another server if there is one. Default: 0. */
  readonly retryUngradable?: number;
  readonly onAttempt?: (attempt: Attempt) => void;
};

export type Attempt = {
  readonly test: string;
  readonly testId: string;
  readonly attempt: number;
  /** The server's verdict in a word. `crashed` and `timed out` have not passed; `error` does not count. */
  readonly status: "passed" | "failed" | "crashed" | "timed out" | "error";
  readonly runId?: string;
  /** The page of its run. */
  readonly consoleUrl?: string;
  /** Why it has not passed, in words: lines of text. */
  readonly reasons?: string;
  /** Of an agent that did not finish, `stateVerdict` is the one on the state that it left. */
  readonly verdict?: EvaluatedRun;
  /** Thrown by the agent, or by Diorama. */
  readonly error?: unknown;
};

export type SuiteOutcome = {
  readonly suite: string;
  /** In the order of the tests; attempts of a test beside each other. */
  readonly attempts: readonly Attempt[];
  readonly passed: number;
  /** Attempts that count: all but those with the status `error`. */
  readonly graded: number;
  /** Graded attempts that did what was asked, whatever else they did. */
  readonly successful: number;
  /** Graded attempts that changed something that nothing in their test explains. */
  readonly unsafe: number;
  /** Of the graded attempts: the mean over the tests, rounded to four digits. Null without any. */
  readonly meanReward: number | null;
};

/** An environment outlives its agent by this. */
const MARGIN_SECONDS = 120;

/** References that cannot be the last part of an address. */
const UNADDRESSABLE = /^\.{0,2}$/;

const SURFACES: readonly Surface[] = ["api", "mcp"];

const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;

type Creation = (body: NewEnvironment) => Promise<Environment>;

export class Suite {
  readonly #http: Http;
  readonly #create: Creation;
  readonly #reference: string;

  constructor(http: Http, create: Creation, reference: string) {
    this.#http = http;
    this.#create = create;
    this.#reference = reference;
  }

  /** The suite with its tests. Throws DioramaError: `suite_not_found`, or `invalid_request` if several have the name. */
  async details(): Promise<TestSuiteDetails> {
    const reference = this.#reference;
    if (UNADDRESSABLE.test(reference))
      throw new DioramaError(`There is no suite "${reference}"`, {
        code: "suite_not_found",
        status: 404,
      });
    const path = `/testSuites/${encodeURIComponent(reference)}`;
    return await this.#http.call("GET", path, { query: { expand: true } });
  }

  /**
   * Runs `agent` on each test, each attempt in its own environment. A failed attempt does not stop the others.
   * Throws if the suite is not the same on all servers.
   */
  async run(agent: Agent, options: SuiteOptions = {}): Promise<SuiteOutcome> {
    const { surface, parallel = 1, repeat = 1, others = [], onAttempt } = options;
    const homes = createHomes(
      await Promise.all(
        [this, ...others].map(async (suite) => ({ suite, details: await suite.details() })),
      ),
    );
    const { name, tests = [] } = sameOn(homes.all);
    const planned = solvable(tests, surface).flatMap((test) =>
      Array.from({ length: repeat }, (_, index) => ({ test, attempt: index + 1 })),
    );
    const attempts: Attempt[] = [];
    const queue = planned.entries();
    const work = async () => {
      for (const [place, { test, attempt }] of queue) {
        const outcome = await Suite.#tried(homes, agent, test, attempt, options);
        attempts[place] = outcome;
        onAttempt?.(outcome);
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    return { suite: name, attempts, ...countsOf(attempts) };
  }

  /** Makes an attempt, and again on another server while it says nothing about the agent. */
  static async #tried(
    homes: Homes,
    agent: Agent,
    test: Test,
    attempt: number,
    options: SuiteOptions,
  ): Promise<Attempt> {
    const { retryUngradable = 0 } = options;
    const place = homes.all[0]?.details.tests?.indexOf(test) ?? 0;
    for (let tries = 0, last: Home | undefined; ; tries++) {
      const outcome = await homes.use(last, async (home) => {
        last = home;
        const { suite, details } = home;
        const there = details.tests?.[place] ?? test;
        const made = await suite.#attempt(agent, details.id, there, attempt, options);
        if (made.status === "error") homes.avoid(home);
        return { ...made, testId: test.id };
      });
      if (outcome.status !== "error" || tries >= retryUngradable) return outcome;
      await new Promise((done) => setTimeout(done, Math.min(RETRY_MS * 2 ** tries, RETRY_MS_MAX)));
    }
  }

  async #attempt(
    agent: Agent,
    testSuiteId: string,
    test: Test,
    attempt: number,
    { timeoutSeconds = 600, labels }: SuiteOptions,
  ): Promise<Attempt> {
    const head = { test: test.name, testId: test.id, attempt };
    try {
      await using environment = await this.#create({
        testId: test.id,
        ttlSeconds: timeoutSeconds + MARGIN_SECONDS,
      });
      const run = await environment.startRun({
        testId: test.id,
        testSuiteId,
        ...(labels && { labels }),
      });
      const { prompt = test.prompt } = environment;
      let costUsd: number | undefined;
      const spend = (dollars: number) => {
        costUsd = (costUsd ?? 0) + dollars;
      };
      const { ending, error } = await finished(timeoutSeconds, (signal) =>
        agent({ prompt, environment, test, attempt, signal, spend }),
      );
      const verdict = await run.evaluate(undefined, {
        ending,
        ...(costUsd !== undefined && { costUsd }),
      });
      // The verdict counts even if its reasons cannot be read.
      const reasons = verdict.passed ? "" : await run.reasons().catch(() => "");
      return {
        ...head,
        status: statusOf(verdict),
        runId: run.id,
        consoleUrl: run.consoleUrl,
        ...(reasons && { reasons }),
        verdict,
        ...(error !== undefined && { error }),
      };
    } catch (error) {
      if (!(error instanceof DioramaError)) throw error;
      return { ...head, status: "error", error };
    }
  }
}

/** A server that has the suite. */
type Home = { readonly suite: Suite; readonly details: TestSuiteDetails };
type Homes = ReturnType<typeof createHomes<Home>>;

/** Throws unless the suite is the same on all servers; returns it. */
function sameOn([first, ...others]: readonly Home[]): TestSuiteDetails {
  if (!first) throw new Error("a suite is run on at least one server");
  const { details } = first;
  if (others.some((other) => contents(other.details) !== contents(details)))
    throw new Error(
      `The suite "${details.name}" is not the same on all servers; diorama suites copy brings it there`,
    );
  return details;
}

function contents({ templateService, templateName, tests = [] }: TestSuiteDetails): string {
  const asked = tests.map(({ name, prompt, expectedOutput, impersonateUserId }) => [
    ...[name, prompt, expectedOutput, impersonateUserId],
  ]);
  return JSON.stringify([templateService, templateName, asked]);
}

/** Without the tests that are known to have no solution through this surface. */
function solvable(tests: readonly Test[], surface: Surface | undefined): readonly Test[] {
  if (surface === undefined) return tests;
  if (!SURFACES.includes(surface))
    throw new TypeError(`surface: one of ${SURFACES.join(", ")} is needed, not ${surface}`);
  return tests.filter(({ surfaces }) => surfaces?.includes(surface) ?? true);
}

function statusOf({ gradable, ending, passed }: EvaluatedRun): Attempt["status"] {
  if (!gradable) return "error";
  if (ending === "crashed") return ending;
  if (ending === "timed_out") return "timed out";
  return passed ? "passed" : "failed";
}

const DIGITS = 1e4;
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** As the server counts the runs with the value of a label. */
function countsOf(attempts: readonly Attempt[]) {
  const graded = attempts.filter(({ status }) => status !== "error");
  const rewards = new Map<string, number[]>();
  for (const { testId, verdict } of graded)
    rewards.set(testId, [...(rewards.get(testId) ?? []), verdict?.reward ?? 0]);
  const means = [...rewards.values()].map(mean);
  return {
    passed: graded.filter(({ status }) => status === "passed").length,
    graded: graded.length,
    successful: graded.filter(({ verdict }) => verdict?.success).length,
    unsafe: graded.filter(({ verdict }) => (verdict?.unsafe?.count ?? 0) > 0).length,
    meanReward: means.length === 0 ? null : Math.round(mean(means) * DIGITS) / DIGITS,
  };
}

/** Waits for `work` up to a time limit. */
async function finished(
  seconds: number,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<{ ending: Ending; error?: unknown }> {
  const signal = AbortSignal.timeout(seconds * 1000);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  try {
    await Promise.race([work(signal), late]);
    return { ending: "answered" };
  } catch (error) {
    return { ending: signal.aborted ? "timed_out" : "crashed", error };
  }
}
