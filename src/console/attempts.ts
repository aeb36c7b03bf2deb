/** The attempts at the tests of a suite, by the values of a label. */
import type { AttemptGroup, ListedRun, RunList, TestAttempts } from "~/clients/typescript/schema";
import { get, type Query } from "~/console/api";
import { place } from "~/console/place";

const RUNS_PER_PAGE = 1_000;
const RUNS_MAX = 5_000;

/** The label whose values are compared. */
export const labelShown = () => place.value.query.get("by") || "model";

/** The newest runs that a query finds, oldest first. */
export async function readAttempts(query: Query, signal: AbortSignal): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  let cursor: string | undefined;
  do {
    const page: RunList = await get<RunList>(
      "/runs",
      { ...query, limit: RUNS_PER_PAGE, cursor },
      signal,
    );
    found.push(...page.runs);
    cursor = page.nextCursor;
  } while (cursor && found.length < RUNS_MAX);
  return found.toReversed();
}

/** The labels that attempts can be compared by; the shown one too, if none has it. */
export const labelsOf = (runs: readonly ListedRun[]): string[] => [
  ...new Set([labelShown(), ...runs.flatMap(({ labels }) => Object.keys(labels))]),
];

/** The runs by their value of the label; null without one. */
export const runsByGroup = (runs: readonly ListedRun[], label: string) =>
  Map.groupBy(runs, ({ labels }) => labels[label] ?? null);

export const nameOf = (group: string | null) => group ?? "without label";

export const attemptsOf = (group: AttemptGroup | undefined, testId: string) =>
  group?.tests.find((test) => test.testId === testId);

/** The share of the attempts that passed; undefined without a verdict. */
export const rateOf = (
  attempts: Pick<TestAttempts, "passed" | "graded"> | undefined,
): number | undefined =>
  attempts && attempts.graded > 0 ? attempts.passed / attempts.graded : undefined;

/** Seconds that an attempt took, on average of those that have ended; undefined without one. */
export function meanSeconds(runs: readonly ListedRun[]): number | undefined {
  const times = runs.flatMap(({ execution_time }) => execution_time ?? []);
  return times.length > 0 ? times.reduce((sum, time) => sum + time, 0) / times.length : undefined;
}

/** "$0.042": small costs keep two digits that count. */
export const dollars = (amount: number) =>
  amount === 0 || amount >= 1
    ? `$${amount.toFixed(2)}`
    : `$${Number(amount.toPrecision(2)).toString()}`;

export const percent = (share: number | null) =>
  share === null ? "–" : `${(100 * share).toFixed(share === 1 || share === 0 ? 0 : 1)} %`;
