/** Attempts at the tests of a suite: each with an environment, a run, the agent's command and the verdict. */
import { runAgent } from "~/commands/agent";
import { readCost, withCostFile } from "~/commands/agent-cost";
import type { Artifacts } from "~/commands/artifacts";
import { CallFailed, type Client, type Environment, pause } from "~/commands/client";
import { recovered } from "~/commands/earlier-attempts";
import { explained } from "~/commands/reasons";
import {
  type Judgement,
  judged,
  type Labels,
  type Outcome,
  type Suite,
  type Surface,
  type Test,
} from "~/commands/suite";
import { type Home, type Homes, testOn } from "~/commands/suite-homes";
import { appVariables, eventsFor, type Serving, serve } from "~/commands/suite-serve";

export type Job = {
  readonly homes: Homes;
  /** As on the first of its servers. */
  readonly suite: Suite;
  readonly command: string;
  /** Passed to the agent, except for variables that give access to more than its environment. */
  readonly env: Environment;
  readonly surface: Surface;
  /** The agent stays up, and gets its prompt as a message; undefined: in its environment, once for each attempt. */
  readonly serving: Serving | undefined;
  readonly labels: Labels;
  /** Attempts at each test. */
  readonly repeat: number;
  /** Further tries of an attempt that is not gradable. */
  readonly retries: number;
  /** Attempts of an earlier command, which are not made again. */
  readonly earlier: readonly Outcome[];
  readonly parallel: number;
  readonly timeoutSeconds: number;
  readonly artifacts: Artifacts | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (outcome: Outcome) => void;
};

type Head = Pick<Outcome, "name" | "testId" | "attempt" | "failures">;

/** How much longer than its agent an environment lives. */
const MARGIN_SECONDS = 120;
/** How long the server may take to end the run of an interrupted attempt. */
const INTERRUPT_MS = 5_000;
const WITHHELD = ["DIORAMA_API_KEY", "DATABASE_URL"];
const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;

/** Outcomes in the order of the tests, and of the attempts at each. First attempts at all tests are made first. */
export async function runSuite(job: Job): Promise<Outcome[]> {
  const { suite, repeat, earlier, parallel, onProgress } = job;
  const numbers = Array.from({ length: repeat }, (_, index) => index + 1);
  const known = new Map(earlier.map((outcome) => [placeOf(outcome), outcome]));
  const planned = numbers
    .flatMap((attempt) => suite.tests.map((test) => ({ test, attempt, testId: test.id })))
    .filter((each) => !known.has(placeOf(each)));
  const failed = new AbortController();
  const signal = AbortSignal.any([job.signal, failed.signal]);
  const queue = planned.values();
  const work = async () => {
    for (const { test, attempt } of queue) {
      const outcome = await makeAttempt({ ...job, signal }, test, attempt);
      known.set(placeOf(outcome), outcome);
      onProgress(outcome);
    }
  };
  const workers = Array.from({ length: parallel }, () =>
    work().catch((error) => {
      failed.abort();
      throw error;
    }),
  );
  // All of them: each deletes its environment.
  for (const ended of await Promise.allSettled(workers))
    if (ended.status === "rejected") throw ended.reason;
  return suite.tests.flatMap(({ id: testId }) =>
    numbers.flatMap((attempt) => known.get(placeOf({ testId, attempt })) ?? []),
  );
}

const placeOf = ({ testId, attempt }: { testId: string; attempt: number }) =>
  `${testId} ${attempt}`;

/** Tries again while it is not gradable, on another server if there is one. */
async function makeAttempt(job: Job, test: Test, attempt: number): Promise<Outcome> {
  const { homes, suite } = job;
  const head = { name: test.name, testId: test.id, attempt, failures: [] };
  let last: Home | undefined;
  for (let tried = 0; ; ) {
    if (job.signal.aborted) return { ...head, verdict: "interrupted" };
    const outcome = await homes.use(last, async (home) => {
      last = home;
      const graded = await inEnvironment(job, home, testOn(home, suite, test), head);
      const made = await explained(home.client, graded);
      return homes.hasOthers ? { ...made, url: home.client.url } : made;
    });
    const isMoving = outcome.runId === undefined && homes.canMove(last);
    if (!isMoving) {
      await job.artifacts?.complete(outcome);
      if (outcome.verdict !== "not gradable" || tried >= job.retries) return outcome;
      tried++;
    }
    await pause(Math.min(RETRY_MS * 2 ** tried, RETRY_MS_MAX), job.signal);
  }
}

async function inEnvironment(job: Job, home: Home, test: Test, head: Head): Promise<Outcome> {
  const { client } = home;
  const { timeoutSeconds } = job;
  const made: { runId?: string } = {};
  const failed = (error: unknown): Outcome => {
    if (!(error instanceof CallFailed)) throw error;
    if (error.isUnavailable) job.homes.avoid(home);
    const verdict = job.signal.aborted ? "interrupted" : "not gradable";
    return { ...head, ...made, verdict, failures: [error.message] };
  };
  try {
    const environment = await client.call("POST", "/initEnv", {
      testId: test.id,
      ttlSeconds: timeoutSeconds + MARGIN_SECONDS,
      events: job.serving && eventsFor(job.serving, test),
    });
    try {
      return await withCostFile((costs) =>
        inRun(job, home, test, head, { environment, costs, made }),
      );
    } catch (error) {
      // The call may have had its effect.
      return await recovered(client, failed(error));
    } finally {
      // It expires by itself if this fails.
      await client.call("DELETE", `/env/${environment["environmentId"]}`).catch(() => undefined);
    }
  } catch (error) {
    return failed(error);
  }
}

async function inRun(
  job: Job,
  { client, suite }: Home,
  test: Test,
  head: Head,
  {
    environment,
    costs,
    made,
  }: {
    readonly environment: { readonly [field: string]: unknown };
    /** The path of the file for its cost. */
    readonly costs: string;
    readonly made: { runId?: string };
  },
): Promise<Outcome> {
  const { surface, serving, labels, timeoutSeconds, signal, artifacts } = job;
  const begin = async () => {
    const started = await client.call("POST", "/startRun", {
      envId: environment["environmentId"],
      testId: test.id,
      testSuiteId: suite.id,
      labels,
    });
    made.runId = `${started["runId"]}`;
  };
  if (!serving) await begin();
  const began = performance.now();
  const clock = environment["clock"] as { readonly now: string };
  const logs = await artifacts?.open(head);
  const start = (more: Environment, done?: Promise<unknown>) =>
    runAgent(
      job.command,
      {
        ...job.env,
        ...Object.fromEntries(WITHHELD.map((name) => [name, undefined])),
        DIORAMA_NOW: clock.now,
        DIORAMA_COST_FILE: costs,
        DIORAMA_SERVICE: suite.templateService,
        ...(surface === "mcp"
          ? { DIORAMA_MCP_URL: `${client.url}${environment["mcpUrl"]}` }
          : {
              DIORAMA_SERVICE_URL: `${client.url}${environment["environmentUrl"]}`,
              ...addressesOf(client.url, environment["services"] as Services),
            }),
        DIORAMA_TOKEN: `${environment["token"]}`,
        DIORAMA_USER_ID: test.impersonateUserId ?? suite.impersonateUserId ?? "",
        ...more,
      },
      timeoutSeconds,
      signal,
      { logs, ...(done && { done }) },
    );
  const agent = serving
    ? await serve(client, { environment, serving, signal, start, begin })
    : await start({ DIORAMA_PROMPT: `${environment["prompt"]}`, ...appVariables(environment) });
  await logs?.close();
  const runId = `${made.runId}`;
  const { ending, exitCode, output } = agent;
  const seconds = Math.round(performance.now() - began) / 1000;
  const outcome = { ...head, runId, seconds };
  const costUsd = await readCost(costs, test.name);
  const end = {
    ...{ runId, ending },
    ...(exitCode !== null && { exitCode }),
    ...(costUsd !== undefined && { costUsd }),
  };
  if (ending === "interrupted") {
    await interrupt(client, end);
    return { ...outcome, verdict: ending, output };
  }
  const judgement = (await client.call("POST", "/evaluateRun", end)) as Judgement;
  const whole = { ...outcome, ...judged(judgement) };
  return ending === "answered" ? whole : { ...whole, output };
}

type Services = { readonly [service: string]: { readonly url: string } };

/** A variable for each service: `DIORAMA_…_URL`, with its name. */
const addressesOf = (server: string, services: Services) =>
  Object.fromEntries(
    Object.entries(services).map(([service, { url }]) => [
      `DIORAMA_${service.toUpperCase()}_URL`,
      server + url,
    ]),
  );

/** Ends a run, so that its attempt counts nowhere. If that fails, its environment's deletion ends it. */
async function interrupt(client: Client, end: object): Promise<void> {
  try {
    await client.call("POST", "/evaluateRun", end, { timeoutMs: INTERRUPT_MS });
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
  }
}
