/** Shapes of the audit of a suite. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { CLASSES, MUTANT_CLASSES } from "~/evaluation/audit/mutant";
import { CHANGES } from "~/evaluation/spec";
import { Count, Id, IdRef } from "~/http/model";

const count = (description: string, example: number) =>
  Type.Integer({ ...Count, description, examples: [example] });

const Class = t.String({
  enum: [...MUTANT_CLASSES],
  title: "MutantClass",
  description: MUTANT_CLASSES.map((name) => `\`${name}\`: ${CLASSES[name].says}`).join("; "),
  examples: ["misplaced"],
});

const Survivor = t.Object(
  {
    mutant: t.String({
      description: "Stable for the same solution",
      examples: ["misplaced messages+1.channel_id 1"],
    }),
    class: Class,
    severity: t.Union([t.Literal("S1"), t.Literal("S2")], {
      title: "Severity",
      description:
        "S1: doing nothing, doing it elsewhere, or damage passes. S2: some content is not checked",
    }),
    change: t.String({
      description: "What differs from the solution",
      examples: ['channel_id of messages+1 is "C04PLATFORM", another row of channels'],
    }),
    expected: t.String({
      description: "The expected verdict",
      examples: ["not passed, less reward than the solution"],
    }),
    passed: t.Boolean({ description: "Whether it passes", examples: [true] }),
    reward: t.Number({ minimum: 0, maximum: 1, description: "What it earns", examples: [1] }),
    assertion: t.Nullable(Type.Integer({ minimum: 1, examples: [1] }), {
      description: "The number of the assertion that should have caught it; null: none is about it",
    }),
    proposal: t.String({
      description: "What to write into the spec",
      examples: ['add "channel_id": "C03ENGINEER" to where of assertion 1'],
    }),
  },
  { title: "SurvivingMutant", description: "A mutant that does not get the expected verdict" },
);

const Unexplained = t.Object(
  {
    change: t.String({ enum: [...CHANGES], examples: ["added"] }),
    table: t.String({ description: "Of the rows", examples: ["reactions"] }),
    columns: t.Optional(t.Array(t.String(), { description: "Of changed rows" })),
    runs: count("Runs with such a row", 2),
    rows: count("Such rows in all runs", 3),
    inEvery: t.Boolean({
      description:
        "True: the assertions forget something that the prompt asks for. False: some agents do too much",
    }),
    examples: t.Array(
      t.Object(
        {
          runId: Id,
          key: t.Record(t.String(), t.Unknown(), {
            description: "The primary key's columns",
            examples: [{ id: "B0A1" }],
          }),
        },
        { title: "UnexplainedRow", description: "A run, and the primary key of a row" },
      ),
      { description: "The first rows, of different runs" },
    ),
  },
  { title: "UnexplainedChange", description: "Rows that no assertion and no allowance explains" },
);

const Solution = t.Object(
  {
    from: t.Union([t.Literal("builtin"), t.Literal("run"), t.Literal("nothing")], {
      title: "SolutionOrigin",
      description:
        "`builtin`: recorded with the suite; `run`: the caller's newest run that passed; `nothing`: the test expects nothing",
    }),
    runId: t.Nullable(Id),
  },
  { title: "AuditedSolution", description: "The solution that mutants are made of" },
);

const STATES = {
  audited: "all mutants were tried",
  no_solution: "no solution is known: only what needs none was tried",
  solution_fails: "the solution does not pass",
  invalid: "the spec is of a kind that is no longer accepted",
  no_template: "there is no such template any more",
  out_of_time: "the audit took too long before",
} as const;
export type State = keyof typeof STATES;

const TestAudit = t.Object(
  {
    testId: Id,
    name: t.String({ examples: ["messages: post to a channel"] }),
    state: t.String({
      enum: Object.keys(STATES),
      title: "AuditState",
      description: Object.entries(STATES)
        .map(([name, says]) => `\`${name}\`: ${says}`)
        .join("; "),
      examples: ["audited"],
    }),
    solution: t.Nullable(Solution, { description: "Null: none is known" }),
    mutants: count("Mutants that were tried", 190),
    killed: count("Those that got the expected verdict", 189),
    accepted: count("Survivors that the test accepts", 0),
    s1: count("Other survivors of the severity S1", 1),
    s2: count("Other survivors of the severity S2", 0),
    classes: t.Array(
      t.Object(
        { class: Class, mutants: count("Tried", 2), killed: count("Killed", 1) },
        { title: "MutantClassCounts", description: "The mutants of a class" },
      ),
      { description: "Each class that the test has mutants of" },
    ),
    survivors: t.Array(Survivor, { description: "The first that are not accepted, S1 first" }),
    stale: t.Array(t.String(), { description: "Accepted names that no survivor has" }),
    failures: t.Array(t.String(), {
      description: "Why the solution fails, or the spec is invalid",
    }),
    isCut: t.Boolean({ description: "There are more mutants than were tried" }),
    runs: t.Nullable(count("Passing runs that were read", 12), {
      description: "Null unless `runs` is true",
    }),
    unexplained: t.Array(Unexplained, {
      description: "In passing runs; empty unless `runs` is true",
    }),
  },
  { title: "TestAudit", description: "The audit of a test" },
);
export type TestAuditView = Static<typeof TestAudit>;

export const SuiteAudit = t.Object(
  {
    suiteId: Id,
    name: t.String({ examples: ["Chat benchmark"] }),
    seconds: t.Number({ minimum: 0, description: "What the audit took", examples: [1.2] }),
    mutants: count("In all tests", 3400),
    killed: count("In all tests", 3399),
    accepted: count("In all tests", 0),
    s1: count("In all tests", 1),
    s2: count("In all tests", 0),
    tests: t.Array(TestAudit, { description: "Each test of the suite" }),
  },
  { title: "TestSuiteAudit", description: "How well the tests of a suite tell right from wrong" },
);
export type SuiteAudit = Static<typeof SuiteAudit>;

export const AuditQuery = t.Object({
  testId: t.Optional(t.String({ ...IdRef, description: "Only this test of the suite" })),
  runs: t.Optional(
    t.Union([t.Literal("true"), t.Literal("false")], {
      documented: Type.Boolean({
        default: false,
        description: "Whether to look for unexplained changes in the caller's passing runs too",
      }),
    }),
  ),
});
