/** Sums up the attempts at the tests of a suite, in groups with the same value of a label. */
import { type Attempts, passAtK, passHatK } from "~/evaluation/attempts";
import type { AttemptRow } from "~/platform/runs/evaluation-store";

type Test = { readonly testId: string; readonly name: string };
type Counts = Attempts & { readonly notGradable: number };

const NONE: Counts = { passed: 0, failed: 0, notGradable: 0 };
const DIGITS = 1e4;

/** `wanted`: the k of pass@k. By default the fewest graded attempts at a test of the group that has any. */
export function groupAttempts(
  rows: readonly AttemptRow[],
  tests: readonly Test[],
  wanted: number | undefined,
) {
  const groups = [...Map.groupBy(rows, ({ group }) => group)];
  return groups.map(([group, made]) => {
    const byTest = new Map(made.map((row) => [row.testId, row]));
    const counts = tests.map(({ testId }): Counts => byTest.get(testId) ?? NONE);
    const graded = counts.map(gradedOf).filter((count) => count > 0);
    const k = wanted ?? (graded.length === 0 ? 1 : Math.min(...graded));
    const rates = counts.map((each) => ratesOf(each, k));
    return {
      group,
      k,
      ...shown({
        passed: sum(counts.map(({ passed }) => passed)),
        failed: sum(counts.map(({ failed }) => failed)),
        notGradable: sum(counts.map(({ notGradable }) => notGradable)),
      }),
      ...rounded({
        passAt1: mean(rates.map(({ passAt1 }) => passAt1)),
        passAtK: mean(rates.map(({ passAtK }) => passAtK)),
        passHatK: mean(rates.map(({ passHatK }) => passHatK)),
      }),
      tests: tests.map(({ testId, name }, place) => ({
        testId,
        name,
        ...shown(counts[place] ?? NONE),
        ...rounded(rates[place] ?? ratesOf(NONE, k)),
      })),
    };
  });
}

const gradedOf = ({ passed, failed }: Attempts) => passed + failed;

const shown = ({ passed, failed, notGradable }: Counts) => ({
  attempts: passed + failed + notGradable,
  graded: passed + failed,
  passed,
  failed,
  notGradable,
});

const ratesOf = (counts: Attempts, k: number) => ({
  passAt1: passAtK(counts, 1),
  passAtK: passAtK(counts, k),
  passHatK: passHatK(counts, k),
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The mean over the tests that have an estimate. */
function mean(rates: readonly (number | null)[]): number | null {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : sum(known) / known.length;
}

function rounded({ passAt1, passAtK, passHatK }: ReturnType<typeof ratesOf>) {
  const short = (rate: number | null) =>
    rate === null ? null : Math.round(rate * DIGITS) / DIGITS;
  return { passAt1: short(passAt1), passAtK: short(passAtK), passHatK: short(passHatK) };
}
