/** Attempts of earlier commands: found by their labels, so that an interrupted suite can be resumed. */
import { CallFailed, type Client, listAll } from "~/commands/client";
import { explained } from "~/commands/reasons";
import { type Judgement, judged, type Labels, type Outcome, type Suite } from "~/commands/suite";
import type { Home, Homes } from "~/commands/suite-homes";

type ListedRun = {
  readonly runId: string;
  readonly testId: string | null;
  readonly status: string;
  /** Null while it is running. */
  readonly gradable: boolean | null;
  readonly labels: Labels;
};
type Results = Judgement & { readonly execution_time: number | null };

/** The first `repeat` attempts at each test that are graded, as the server counts them, under exactly these labels. */
export async function findEarlier(
  { all, hasOthers }: Homes,
  suite: Suite,
  labels: Labels,
  repeat: number,
): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for (const home of all) {
    const url = hasOthers ? { url: home.client.url } : {};
    const outcomes = await findOn(home, labels, repeat);
    for (const outcome of outcomes) {
      const test = suite.tests[home.suite.tests.findIndex(({ id }) => id === outcome.testId)];
      if (test) found.push({ ...outcome, ...url, testId: test.id });
    }
  }
  const byTest = Map.groupBy(found, ({ testId }) => testId).values();
  return [...byTest].flatMap((outcomes) =>
    outcomes.slice(0, repeat).map((outcome, index) => ({ ...outcome, attempt: index + 1 })),
  );
}

async function findOn({ client, suite }: Home, labels: Labels, repeat: number): Promise<Outcome[]> {
  const graded = (await listRuns(client, suite, labels)).filter(
    (run) => isGraded(run) && sameLabels(run.labels, labels),
  );
  const byTest = Map.groupBy(graded.toReversed(), ({ testId }) => testId);
  const outcomes: Outcome[] = [];
  for (const { id: testId, name } of suite.tests)
    for (const [index, { runId }] of (byTest.get(testId) ?? []).slice(0, repeat).entries()) {
      const head = { name, testId, attempt: index + 1, failures: [] };
      const outcome = await explained(client, await readOutcome(client, head, runId));
      outcomes.push({ ...outcome, earlier: true });
    }
  return outcomes;
}

/** The outcome of a run whose verdict may be unknown here. */
async function readOutcome(
  client: Client,
  head: Pick<Outcome, "name" | "testId" | "attempt" | "failures">,
  runId: string,
): Promise<Outcome> {
  const results = (await client.call("GET", `/results/${runId}`)) as Results;
  const { execution_time: seconds } = results;
  return { ...head, runId, ...(seconds !== null && { seconds }), ...judged(results) };
}

const isGraded = ({ gradable, status }: ListedRun) =>
  gradable === true && (status === "passed" || status === "failed");

function sameLabels(found: Labels, wanted: Labels): boolean {
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
