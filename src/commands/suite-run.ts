/** Runs each test of a suite, with an environment, a run, the agent's command and the verdict; prints the results as a table. */
import { type Ending, runAgent } from "~/commands/agent";
import { CallFailed, type Client, type Environment } from "~/commands/client";
import { table } from "~/commands/table";

export type Suite = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly templateService: string;
  readonly templateName: string;
  readonly impersonateUserId: string | null;
  readonly tests: readonly {
    readonly id: string;
    readonly name: string;
    readonly prompt: string;
    readonly expectedOutput: object;
    readonly impersonateUserId?: string;
    readonly surfaces?: readonly Surface[];
  }[];
};

/** The way in which an agent reaches its environment. */
export const SURFACES = ["api", "mcp"] as const;
export type Surface = (typeof SURFACES)[number];

type Test = Suite["tests"][number];

/** A command that crashed, timed out or was interrupted gets no verdict on its work. */
export type Outcome = {
  readonly name: string;
  readonly testId: string;
  readonly verdict: "passed" | "failed" | "error" | Exclude<Ending["how"], "finished">;
  readonly runId?: string;
  readonly score?: { passed: number; total: number; percent: number };
  readonly failures: readonly string[];
  /** From the agent's start to its end. */
  readonly seconds?: number;
  readonly exitCode?: number | null;
  /** The end of the output of a command that did not finish. */
  readonly output?: string;
};

type Job = {
  readonly client: Client;
  readonly suite: Suite;
  readonly command: string;
  /** Passed to the agent, except for variables that give access to more than its environment. */
  readonly env: Environment;
  readonly surface: Surface;
  readonly parallel: number;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  readonly onProgress: (outcome: Outcome) => void;
};

/** How much longer than its agent an environment lives. */
const MARGIN_SECONDS = 120;
const WITHHELD = ["DIORAMA_API_KEY", "DATABASE_URL"];

/** Outcomes in the order of the tests. */
export async function runSuite(job: Job): Promise<Outcome[]> {
  const { suite, parallel, onProgress } = job;
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async () => {
    for (let place = next++; place < suite.tests.length; place = next++) {
      const test = suite.tests[place];
      if (!test) return;
      const outcome = await runTest(job, test);
      outcomes[place] = outcome;
      onProgress(outcome);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return outcomes;
}

async function runTest(job: Job, test: Test): Promise<Outcome> {
  const head = { name: test.name, testId: test.id, failures: [] };
  if (job.signal.aborted) return { ...head, verdict: "interrupted" };
  try {
    return await inEnvironment(job, test, head);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { ...head, verdict: "error", failures: [error.message] };
  }
}

async function inEnvironment(
  job: Job,
  test: Test,
  head: Pick<Outcome, "name" | "testId" | "failures">,
): Promise<Outcome> {
  const { client, suite, timeoutSeconds } = job;
  const environment = await client.call("POST", "/initEnv", {
    testId: test.id,
    ttlSeconds: timeoutSeconds + MARGIN_SECONDS,
  });
  const envId = environment["environmentId"];
  try {
    const { runId } = await client.call("POST", "/startRun", {
      envId,
      testId: test.id,
      testSuiteId: suite.id,
    });
    const started = performance.now();
    const agent = await runAgent(
      job.command,
      {
        ...job.env,
        ...Object.fromEntries(WITHHELD.map((name) => [name, undefined])),
        DIORAMA_PROMPT: test.prompt,
        DIORAMA_SERVICE: suite.templateService,
        ...(job.surface === "mcp"
          ? { DIORAMA_MCP_URL: `${client.url}${environment["mcpUrl"]}` }
          : { DIORAMA_SERVICE_URL: `${client.url}${environment["environmentUrl"]}` }),
        DIORAMA_TOKEN: `${environment["token"]}`,
        DIORAMA_USER_ID: test.impersonateUserId ?? suite.impersonateUserId ?? "",
      },
      timeoutSeconds,
      job.signal,
    );
    const seconds = Math.round(performance.now() - started) / 1000;
    const evaluation = (await client.call("POST", "/evaluateRun", { runId })) as {
      status: "passed" | "failed";
      score: NonNullable<Outcome["score"]>;
      failures: string[];
    };
    const { how, exitCode, output } = agent;
    const { status, score, failures } = evaluation;
    const outcome = { ...head, runId: `${runId}`, score, failures, seconds, exitCode };
    if (how === "finished") return { ...outcome, verdict: status };
    return { ...outcome, verdict: how, output };
  } finally {
    // It expires by itself if this fails.
    await client.call("DELETE", `/env/${envId}`).catch(() => undefined);
  }
}

/** As a table for people, and as JSON. */
export function report(suite: Suite, outcomes: readonly Outcome[]) {
  const count = (verdict: Outcome["verdict"]) =>
    outcomes.filter((outcome) => outcome.verdict === verdict).length;
  const passed = count("passed");
  const total = outcomes.length;
  const allPassed = passed === total;
  const rows = outcomes.map(({ name, verdict, score, seconds }) => [
    name,
    verdict,
    score ? `${score.passed}/${score.total}` : "",
    seconds === undefined ? "" : `${seconds.toFixed(1)} s`,
  ]);
  const others = (["failed", "crashed", "timed out", "interrupted", "error"] as const)
    .map((verdict) => [count(verdict), verdict] as const)
    .filter(([number]) => number > 0)
    .map(([number, verdict]) => `, ${number} ${verdict}`);
  const lines = [
    ...table(["Test", "Verdict", "Score", "Time"], rows),
    ...outcomes.flatMap(described),
    "",
    `${suite.name}: ${passed} of ${total} passed${others.join("")}`,
  ];
  return {
    text: lines.join("\n"),
    json: { suite: suite.name, suiteId: suite.id, passed, total, tests: outcomes },
    allPassed,
  };
}

/** Why a test did not pass. */
function described({ name, verdict, failures, exitCode, output }: Outcome): string[] {
  if (verdict === "passed") return [];
  const why = verdict === "crashed" ? [`the command ended with ${exitCode}`] : [];
  const printed = output?.trim() ? ["its last output:", ...output.trim().split("\n")] : [];
  return [
    "",
    `${name}: ${verdict}`,
    ...[...why, ...failures, ...printed].map((line) => `  ${line}`),
  ];
}
