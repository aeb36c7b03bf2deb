/** The results of a suite, for people and for programs. */
import { paintVerdict } from "~/commands/paint";
import { isGraded, type Labels, type Outcome, type Suite, type Verdict } from "~/commands/suite";
import { table } from "~/commands/table";
import { groupAttempts } from "~/platform/runs/attempts";

/** The exit codes of `suites run`. */
const ALL_PASSED = 0;
const SOME_FAILED = 1;
const SOME_NOT_GRADABLE = 2;

const VERDICTS: readonly Verdict[] = [
  "passed",
  "failed",
  "crashed",
  "timed out",
  "not gradable",
  "interrupted",
];

/** As a table and the reasons for people, as JSON, and as an exit code. */
export function report(
  suite: Suite,
  outcomes: readonly Outcome[],
  { labels, repeat, page }: { labels: Labels; repeat: number; page: string },
) {
  const passed = count(outcomes, "passed");
  const total = outcomes.length;
  const ungraded = outcomes.filter((outcome) => !isGraded(outcome)).length;
  const counts = countsOf(suite, outcomes, repeat);
  const lines = [
    ...(repeat === 1 ? resultTable(outcomes) : attemptTable(suite, outcomes)),
    ...described(outcomes, repeat),
    "",
    `${suite.name}: ${passed} of ${total} passed${others(outcomes)}`,
    `mean reward ${shownRate(counts.meanReward)}, ${counts.successful} successful, ${counts.unsafe} unsafe`,
    ...(counts.attacked === 0 ? [] : [underAttack(counts)]),
    ...(repeat === 1 ? [] : [estimates(counts)]),
    page,
  ];
  return {
    text: lines.join("\n"),
    json: {
      suite: suite.name,
      suiteId: suite.id,
      consoleUrl: page,
      labels,
      passed,
      failed: total - passed - ungraded,
      notGradable: ungraded,
      total,
      ...counts,
      tests: outcomes,
    },
    exitCode: exitCodeOf(passed, ungraded, total),
  };
}

function exitCodeOf(passed: number, ungraded: number, total: number): number {
  if (ungraded > 0) return SOME_NOT_GRADABLE;
  return passed === total ? ALL_PASSED : SOME_FAILED;
}

const count = (outcomes: readonly Outcome[], verdict: Verdict) =>
  outcomes.filter((outcome) => outcome.verdict === verdict).length;

/** `, 2 failed, 1 crashed`. */
export const others = (outcomes: readonly Outcome[]) =>
  VERDICTS.slice(1)
    .map((verdict) => [count(outcomes, verdict), verdict] as const)
    .filter(([number]) => number > 0)
    .map(([number, verdict]) => `, ${number} ${verdict}`)
    .join("");

export const scoreOf = ({ score }: Outcome) => (score ? `${score.passed}/${score.total}` : "");
export const timeOf = ({ seconds }: Outcome) =>
  seconds === undefined ? "" : `${seconds.toFixed(1)} s`;

const resultTable = (outcomes: readonly Outcome[]) =>
  table(
    ["Test", "Verdict", "Score", "Reward", "Unsafe", "Time"],
    outcomes.map((outcome) => [
      ...[outcome.name, paintVerdict(outcome.verdict), scoreOf(outcome)],
      outcome.reward?.toFixed(2) ?? "",
      `${outcome.unsafe?.count ?? ""}`,
      timeOf(outcome),
    ]),
  );

const ofTest = (outcomes: readonly Outcome[], testId: string) =>
  outcomes.filter((outcome) => outcome.testId === testId);

function attemptTable(suite: Suite, outcomes: readonly Outcome[]): string[] {
  const rows = suite.tests.map(({ id, name }) => {
    const made = ofTest(outcomes, id);
    return [
      name,
      `${count(made, "passed")} of ${made.length}`,
      others(made).slice(2),
      mean(made.filter(isGraded).map(rewardOf))?.toFixed(2) ?? "",
      `${made.filter(isUnsafe).length}`,
      mean(made.flatMap(({ seconds }) => seconds ?? []))
        ?.toFixed(1)
        .concat(" s") ?? "",
    ];
  });
  return table(["Test", "Passed", "Others", "Mean reward", "Unsafe", "Mean time"], rows);
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The attempts, counted as the server does for the runs with the value of a label. */
function countsOf(suite: Suite, outcomes: readonly Outcome[], k: number) {
  const rows = suite.tests.map(({ id: testId }) => {
    const made = ofTest(outcomes, testId);
    const graded = made.filter(isGraded);
    const passed = count(graded, "passed");
    return {
      group: null,
      testId,
      passed,
      failed: graded.length - passed,
      notGradable: made.length - graded.length,
      successful: graded.filter(({ success }) => success).length,
      attacked: graded.filter(({ attack }) => attack).length,
      obeyed: graded.filter(({ attack }) => attack === "obeyed").length,
      unsafe: graded.filter(isUnsafe).length,
      meanReward: mean(graded.map(rewardOf)) ?? null,
      meanCostUsd: null,
    };
  });
  const tests = suite.tests.map(({ id: testId, name }) => ({ testId, name }));
  const [group] = groupAttempts(rows, tests, k);
  const { successful = 0, attacked = 0, obeyed = 0, unsafe = 0, meanReward = null } = group ?? {};
  const { utility = null, utilityUnderAttack = null, attackSuccess = null } = group ?? {};
  const { passAt1 = null, passAtK = null, passHatK = null } = group ?? {};
  return {
    ...{ successful, attacked, obeyed, unsafe, meanReward, k, passAt1, passAtK, passHatK },
    ...{ utility, utilityUnderAttack, attackSuccess },
  };
}

/** Of a graded attempt. One that ended with its environment may have none. */
const rewardOf = ({ reward }: Outcome) => reward ?? 0;
const isUnsafe = ({ unsafe }: Outcome) => (unsafe?.count ?? 0) > 0;

const shownRate = (rate: number | null) => rate?.toFixed(3) ?? "unknown";

const estimates = ({ k, passAt1, passAtK, passHatK }: ReturnType<typeof countsOf>) =>
  [
    `pass@1 ${shownRate(passAt1)}`,
    `pass@${k} ${shownRate(passAtK)}`,
    `pass^${k} ${shownRate(passHatK)}`,
  ].join(", ");

const underAttack = (counts: ReturnType<typeof countsOf>) =>
  [
    `utility ${shownRate(counts.utility)}`,
    `under attack ${shownRate(counts.utilityUnderAttack)}`,
    `attack success ${shownRate(counts.attackSuccess)}`,
  ].join(", ");

/** `React to a colleague`, or `React to a colleague, attempt 2`. */
export const titleOf = ({ name, attempt }: Outcome, repeat: number) =>
  repeat === 1 ? name : `${name}, attempt ${attempt}`;

/** Parts of a reason that differ from attempt to attempt: times, and generated ids. */
const VOLATILE = /\b\d{9,}(?:\.\d+)?\b|\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b/g;

/** Pages of attempts that ended alike. */
const PAGES_MAX = 5;

/** The attempts that need words. Those of one test that ended in the same way, for the same reasons, have them once. */
function described(outcomes: readonly Outcome[], repeat: number): string[] {
  const told = outcomes.flatMap((outcome) => {
    const lines = reasons(outcome);
    if (outcome.verdict === "passed" && lines.length === 0) return [];
    const key = JSON.stringify([outcome.testId, outcome.verdict, lines]).replace(VOLATILE, "");
    return [{ outcome, lines, key }];
  });
  return [...Map.groupBy(told, ({ key }) => key).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const { outcome, lines } = first;
    const numbers = alike.map((each) => each.outcome.attempt);
    const title =
      alike.length === 1
        ? titleOf(outcome, repeat)
        : `${outcome.name}, attempts ${numbers.join(", ")}`;
    const pages = alike.flatMap((each) => each.outcome.consoleUrl ?? []).slice(0, PAGES_MAX);
    return [
      "",
      `${title}: ${paintVerdict(outcome.verdict)}`,
      ...[...lines, ...pages].map((line) => `  ${line}`.trimEnd()),
    ];
  });
}

/**
 * Why an attempt did not pass, in words if the server has them. And what it changed that nothing in its test explains,
 * even if it passed.
 */
export function reasons({ cause, failures, reasons, output }: Outcome): string[] {
  const printed = output?.trim() ? ["its last output:", ...output.trim().split("\n")] : [];
  return [
    ...(cause === undefined ? [] : [`cause: ${cause}`]),
    ...(reasons?.split("\n") ?? failures),
    ...printed,
  ];
}
