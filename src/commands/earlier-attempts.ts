/** Attempts of earlier commands: found by their labels, so that an interrupted suite can be resumed. */
import { CallFailed, type Client, listAll } from "~/commands/client";
import type { Judgement, Labels, Outcome, Suite } from "~/commands/suite";

/** The label of a run whose command crashed or timed out: its verdict does not say so. */
const ENDING = "agent.ending";
const CRASHED = /^crashed with (\d+)$/;

type ListedRun = {
  readonly runId: string;
  readonly testId: string | null;
  readonly status: string;
  readonly gradable: boolean | null;
  readonly cause?: string;
  readonly labels: Labels;
};
type Results = Omit<Judgement, "status"> &
  Pick<ListedRun, "status" | "gradable" | "cause" | "labels"> & {
    readonly execution_time: number | null;
  };

/** Notes that the agent of a run did not finish. */
export const noteEnding = async (
  client: Client,
  runId: string,
  how: "crashed" | "timed out",
  exitCode: number | null,
) =>
  await client.call("PATCH", `/runs/${runId}`, {
    labels: { [ENDING]: how === "crashed" ? `crashed with ${exitCode}` : how },
  });

/** The first `repeat` attempts at each test that have a verdict, under exactly these labels. */
export async function findEarlier(
  client: Client,
  suite: Suite,
  labels: Labels,
  repeat: number,
): Promise<Outcome[]> {
  const graded = (await listRuns(client, suite, labels)).filter(
    (run) => isJudged(run) && sameLabels(run.labels, labels),
  );
  const byTest = Map.groupBy(graded.toReversed(), ({ testId }) => testId);
  const outcomes: Outcome[] = [];
  for (const { id: testId, name } of suite.tests)
    for (const [index, { runId }] of (byTest.get(testId) ?? []).slice(0, repeat).entries()) {
      const head = { name, testId, attempt: index + 1, failures: [] };
      outcomes.push({ ...(await readOutcome(client, head, runId)), earlier: true });
    }
  return outcomes;
}

/** The outcome of a run whose verdict may be unknown here. */
export async function readOutcome(
  client: Client,
  head: Pick<Outcome, "name" | "testId" | "attempt" | "failures">,
  runId: string,
): Promise<Outcome> {
  const results = (await client.call("GET", `/results/${runId}`)) as Results;
  const { cause } = results;
  if (!isJudged(results))
    return { ...head, runId, verdict: "not gradable", ...(cause !== undefined && { cause }) };
  const { score, failures, explanations, status, execution_time: seconds } = results;
  return {
    ...{ ...head, runId, score, failures, explanations },
    ...(seconds !== null && { seconds }),
    ...endingOf(results.labels[ENDING], status),
  };
}

function endingOf(
  noted: string | undefined,
  status: "passed" | "failed",
): Pick<Outcome, "verdict" | "exitCode"> {
  if (noted === undefined) return { verdict: status, exitCode: 0 };
  if (noted === "timed out") return { verdict: noted, exitCode: null };
  const [, code] = CRASHED.exec(noted) ?? [];
  return { verdict: "crashed", exitCode: code === undefined ? null : Number(code) };
}

/** Whether it has a verdict on its agent's work. A run whose command was killed ends with its environment. */
const isJudged = <Run extends Pick<ListedRun, "status" | "gradable" | "cause">>(
  run: Run,
): run is Run & { readonly status: "passed" | "failed" } =>
  run.gradable === true &&
  run.cause === undefined &&
  (run.status === "passed" || run.status === "failed");

function sameLabels({ [ENDING]: _, ...found }: Labels, wanted: Labels): boolean {
  const names = Object.keys(found);
  return (
    names.length === Object.keys(wanted).length &&
    names.every((name) => found[name] === wanted[name])
  );
}

/** Newest first. */
const listRuns = async (client: Client, suite: Suite, labels: Labels): Promise<ListedRun[]> =>
  await listAll<ListedRun>(client, "/runs", "runs", {
    testSuiteId: suite.id,
    ...Object.fromEntries(
      Object.entries(labels).map(([name, value]) => [`labels[${name}]`, value]),
    ),
  });

/** Adds what the server knows of a run to an outcome without a verdict. */
export async function recovered(client: Client, outcome: Outcome): Promise<Outcome> {
  const { runId, ...head } = outcome;
  if (runId === undefined) return outcome;
  try {
    const known = await readOutcome(client, head, runId);
    if (known.verdict !== "not gradable") return known;
    return { ...outcome, ...(known.cause !== undefined && { cause: known.cause }) };
  } catch (error) {
    if (error instanceof CallFailed) return outcome;
    throw error;
  }
}
