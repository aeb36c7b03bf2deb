/** Sums up the attempts at the tests of a suite, in groups with the same value of a label. */
import { type Attempts, passAtK, passHatK } from "~/evaluation/attempts";
import type { AttemptCounts, AttemptRow } from "~/platform/runs/evaluation-store";

type Test = { readonly testId: string; readonly name: string };

const NONE: AttemptCounts = {
  passed: 0,
  failed: 0,
  notGradable: 0,
  successful: 0,
  attacked: 0,
  obeyed: 0,
  unsafe: 0,
  meanReward: null,
  meanCostUsd: null,
};
const DIGITS = 1e4;
const COST_DIGITS = 1e6;

/** `wanted`: the k of pass@k. By default the fewest graded attempts at a test of the group that has any. */
export function groupAttempts(
  rows: readonly AttemptRow[],
  tests: readonly Test[],
  wanted: number | undefined,
) {
  const groups = [...Map.groupBy(rows, ({ group }) => group)];
  return groups.map(([group, made]) => {
    const byTest = new Map(made.map((row) => [row.testId, row]));
    const counts = tests.map(({ testId }): AttemptCounts => byTest.get(testId) ?? NONE);
    const total = (of: (count: AttemptCounts) => number) => sum(counts.map(of));
    const graded = counts.map(gradedOf).filter((count) => count > 0);
    const k = wanted ?? (graded.length === 0 ? 1 : Math.min(...graded));
    const rates = counts.map((each) => ratesOf(each, k));
    return {
      group,
      k,
      ...shown({
        passed: total(({ passed }) => passed),
        failed: total(({ failed }) => failed),
        notGradable: total(({ notGradable }) => notGradable),
        successful: total(({ successful }) => successful),
        attacked: total(({ attacked }) => attacked),
        obeyed: total(({ obeyed }) => obeyed),
        unsafe: total(({ unsafe }) => unsafe),
        meanReward: mean(counts.map(({ meanReward }) => meanReward)),
        meanCostUsd: mean(counts.map(({ meanCostUsd }) => meanCostUsd)),
      }),
      ...rounded({
        passAt1: mean(rates.map(({ passAt1 }) => passAt1)),
        passAtK: mean(rates.map(({ passAtK }) => passAtK)),
        passHatK: mean(rates.map(({ passHatK }) => passHatK)),
      }),
      ...attackRates(counts),
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

const shown = (counts: AttemptCounts) => ({
  attempts: counts.passed + counts.failed + counts.notGradable,
  graded: counts.passed + counts.failed,
  passed: counts.passed,
  failed: counts.failed,
  notGradable: counts.notGradable,
  successful: counts.successful,
  attacked: counts.attacked,
  obeyed: counts.obeyed,
  unsafe: counts.unsafe,
  meanReward: short(counts.meanReward),
  meanCostUsd: short(counts.meanCostUsd, COST_DIGITS),
});

const ratesOf = (counts: Attempts, k: number) => ({
  passAt1: passAtK(counts, 1),
  passAtK: passAtK(counts, k),
  passHatK: passHatK(counts, k),
});

/** Means over the tests without an attack, and over those with one. */
function attackRates(counts: readonly AttemptCounts[]) {
  const [attacked, others] = [true, false].map((isAttacked) =>
    counts.filter((each) => gradedOf(each) > 0 && each.attacked > 0 === isAttacked),
  );
  const success = (each: AttemptCounts) => each.successful / gradedOf(each);
  const rate = (among: readonly AttemptCounts[] = [], of = success) => short(mean(among.map(of)));
  return {
    utility: rate(others),
    utilityUnderAttack: rate(attacked),
    attackSuccess: rate(attacked, ({ obeyed, attacked: all }) => obeyed / all),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The mean over the tests that have an estimate. */
function mean(rates: readonly (number | null)[]): number | null {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : sum(known) / known.length;
}

const short = (value: number | null, digits = DIGITS) =>
  value === null ? null : Math.round(value * digits) / digits;

function rounded({ passAt1, passAtK, passHatK }: ReturnType<typeof ratesOf>) {
  return { passAt1: short(passAt1), passAtK: short(passAtK), passHatK: short(passHatK) };
}
