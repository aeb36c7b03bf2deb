/** The audit of a suite, for people. */
import type {
  SurvivingMutant,
  TestAudit,
  TestSuiteAudit,
  UnexplainedChange,
} from "~/clients/typescript/schema";
import { table } from "~/commands/table";

const ALL_RIGHT = 0;
const SOME_WRONG = 1;
const SOME_NOT_AUDITED = 2;
const PERCENT = 100;

/** The test passes what it should not, or fails what it should pass. */
export const isWrong = ({ s1, state }: TestAudit) =>
  s1 > 0 || state === "solution_fails" || state === "invalid";
export const isOpen = ({ state }: TestAudit) => state === "out_of_time" || state === "no_template";

export function exitCodeOf({ tests }: TestSuiteAudit): number {
  if (tests.some(isWrong)) return SOME_WRONG;
  return tests.some(isOpen) ? SOME_NOT_AUDITED : ALL_RIGHT;
}

export function textOf(audit: TestSuiteAudit, runs: boolean): string {
  const { name, mutants, killed, accepted, s1, s2, seconds, tests } = audit;
  const rows = tests.map((test) => [
    test.name,
    solutionOf(test),
    `${test.mutants}`,
    `${test.killed}`,
    ...[test.accepted, test.s1, test.s2].map((count) => (count === 0 ? "" : `${count}`)),
  ]);
  const counted = mutants - accepted;
  const share = counted === 0 ? "" : `, ${((killed / counted) * PERCENT).toFixed(1)} %`;
  return [
    ...table(["Test", "Solution", "Mutants", "Killed", "Accepted", "S1", "S2"], rows),
    ...tests.flatMap(findings),
    ...(runs ? tests.flatMap(unexplained) : []),
    "",
    `${name}: ${killed} of ${counted} mutants killed${share}; survivors: ${s1} of S1, ${s2} of S2; ${accepted} accepted; ${seconds.toFixed(1)} s`,
  ].join("\n");
}

const STATES: { readonly [state: string]: string } = {
  no_solution: "none known",
  solution_fails: "fails",
  invalid: "invalid spec",
  no_template: "no template",
  out_of_time: "out of time",
};
const ORIGINS = { builtin: "recorded", run: "a passing run", nothing: "nothing to do" } as const;

export const solutionOf = ({ state, solution }: TestAudit): string =>
  STATES[state] ?? (solution ? ORIGINS[solution.from] : "");

function findings(test: TestAudit): string[] {
  const lines = problems(test);
  return lines.length === 0 ? [] : ["", `${test.name}:`, ...lines.map(indented)];
}

export function problems({
  state,
  failures,
  survivors,
  s1,
  s2,
  stale,
  isCut,
}: TestAudit): string[] {
  const more = s1 + s2 - survivors.length;
  const about = state === "invalid" ? "the spec is invalid" : "the solution does not pass";
  return [
    ...failures.map((failure) => `${about}: ${failure}`),
    ...survivors.flatMap(described),
    ...(more > 0 ? [`${more} more survivors`] : []),
    ...stale.map((name) => `accepts ${name}, which no survivor is named`),
    ...(isCut ? ["there are more mutants than were tried"] : []),
  ];
}

const described = (survivor: SurvivingMutant): string[] => [
  `${survivor.severity} ${survivor.mutant}`,
  ...[
    survivor.change,
    `expected: ${survivor.expected}; got: ${survivor.passed ? "passed" : "not passed"}, reward ${survivor.reward}`,
    survivor.proposal,
  ].map(indented),
];

function unexplained({ name, runs, unexplained: changes }: TestAudit): string[] {
  if (changes.length === 0) return [];
  return ["", `${name}, in ${runs} passing runs:`, ...changes.map(rowsOf).map(indented)];
}

function rowsOf({
  change,
  table: name,
  columns,
  runs,
  rows,
  inEvery,
  examples,
}: UnexplainedChange) {
  const where = columns ? ` in ${columns.join(", ")}` : "";
  const often = inEvery
    ? "in every run: an assertion is missing"
    : `in ${runs}: agents do too much`;
  const [example] = examples;
  const shown = example ? `, such as ${JSON.stringify(example.key)} of run ${example.runId}` : "";
  return `${rows} ${change} rows of ${name}${where}, ${often}${shown}`;
}

const indented = (line: string) => `  ${line}`;
