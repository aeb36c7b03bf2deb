/** The results of a suite, for people and for programs. */
import { asYaml } from "~/commands/client";
import { isGraded, type Labels, type Outcome, type Suite, type Verdict } from "~/commands/suite";
import { table } from "~/commands/table";
import { passAtK, passHatK } from "~/evaluation/attempts";

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
const SHOWN_MAX = 200;

/** As a table and the reasons for people, as JSON, and as an exit code. */
export function report(
  suite: Suite,
  outcomes: readonly Outcome[],
  { labels, repeat }: { labels: Labels; repeat: number },
) {
  const passed = count(outcomes, "passed");
  const total = outcomes.length;
  const ungraded = outcomes.filter((outcome) => !isGraded(outcome)).length;
  const lines = [
    ...(repeat === 1 ? resultTable(outcomes) : attemptTable(suite, outcomes)),
    ...outcomes.flatMap((outcome) => described(suite, outcome, repeat)),
    "",
    `${suite.name}: ${passed} of ${total} passed${others(outcomes)}`,
    ...(repeat === 1 ? [] : [estimates(suite, outcomes, repeat)]),
  ];
  return {
    text: lines.join("\n"),
    json: {
      suite: suite.name,
      suiteId: suite.id,
      labels,
      passed,
      failed: total - passed - ungraded,
      notGradable: ungraded,
      total,
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
    ["Test", "Verdict", "Score", "Time"],
    outcomes.map((outcome) => [outcome.name, outcome.verdict, scoreOf(outcome), timeOf(outcome)]),
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
      mean(made.flatMap(({ seconds }) => seconds ?? []))
        ?.toFixed(1)
        .concat(" s") ?? "",
    ];
  });
  return table(["Test", "Passed", "Others", "Mean time"], rows);
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Means over the tests that have enough graded attempts. */
function estimates(suite: Suite, outcomes: readonly Outcome[], k: number): string {
  const counts = suite.tests.map(({ id }) => {
    const graded = ofTest(outcomes, id).filter(isGraded);
    const passed = count(graded, "passed");
    return { passed, failed: graded.length - passed };
  });
  const rate = (name: string, of: typeof passAtK, draws: number) => {
    const known = counts.map((each) => of(each, draws)).filter((each) => each !== null);
    return `${name} ${mean(known)?.toFixed(3) ?? "unknown"}`;
  };
  return [
    rate("pass@1", passAtK, 1),
    rate(`pass@${k}`, passAtK, k),
    rate(`pass^${k}`, passHatK, k),
  ].join(", ");
}

/** `React to a colleague`, or `React to a colleague, attempt 2`. */
export const titleOf = ({ name, attempt }: Outcome, repeat: number) =>
  repeat === 1 ? name : `${name}, attempt ${attempt}`;

function described(suite: Suite, outcome: Outcome, repeat: number): string[] {
  if (outcome.verdict === "passed") return [];
  return [
    "",
    `${titleOf(outcome, repeat)}: ${outcome.verdict}`,
    ...reasons(suite, outcome).map((line) => `  ${line}`.trimEnd()),
  ];
}

/** Why an attempt did not pass: each failure with its assertion and the nearest rows. */
export function reasons(suite: Suite, outcome: Outcome): string[] {
  const { verdict, cause, failures, explanations = [], exitCode, output } = outcome;
  const assertions = suite.tests.find(({ id }) => id === outcome.testId)?.expectedOutput.assertions;
  const explained = new Map(explanations.map((each) => [each.assertion, each]));
  const printed = output?.trim() ? ["its last output:", ...output.trim().split("\n")] : [];
  return [
    ...(verdict === "crashed" ? [`the command ended with ${exitCode ?? "a signal"}`] : []),
    ...(cause === undefined ? [] : [`cause: ${cause}`]),
    ...failures.flatMap((failure) => {
      const number = Number(/^assertion#(\d+) /.exec(failure)?.[1]);
      const assertion = assertions?.[number - 1];
      const why = explained.get(number);
      return [
        failure,
        ...(assertion === undefined ? [] : asYaml(assertion).split("\n").map(indented)),
        ...(why === undefined ? [] : [indented(why.summary), ...why.nearest.flatMap(nearestRow)]),
      ];
    }),
    ...printed,
  ];
}

const indented = (line: string) => `  ${line}`;

function nearestRow({
  key,
  failed,
}: NonNullable<Outcome["explanations"]>[number]["nearest"][number]): string[] {
  const row = Object.entries(key).map(([column, value]) => `${column} ${shown(value)}`);
  return [`  row ${row.join(", ")}`, ...failed.map((line) => `    ${line}`)];
}

const shown = (value: unknown) =>
  (typeof value === "string" ? value : JSON.stringify(value)).slice(0, SHOWN_MAX);
