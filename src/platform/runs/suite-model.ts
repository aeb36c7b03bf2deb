/** Shapes of the results of a suite: the latest run of each test, and all attempts by a label. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id } from "~/http/model";
import { LABEL_NAME, Status, Summary } from "~/platform/runs/model";

const tests = (description: string, example: number) =>
  Type.Integer({ ...Count, description, examples: [example] });

const TestResult = t.Object(
  {
    testId: Id,
    name: t.String({ examples: ["messages: post to a channel"] }),
    runId: t.Nullable(Id, { description: "Null: not run yet" }),
    ...Summary,
    status: t.Nullable(Status, { description: "Null: not run yet", examples: ["passed"] }),
  },
  { title: "TestResult", description: "The latest run of a test" },
);

const rate = (description: string, example: number) =>
  t.Nullable(t.Number({ minimum: 0, maximum: 1 }), {
    description: `${description}. Rounded to four digits; null with too few attempts`,
    examples: [example],
  });
const GroupCounts = {
  attempts: tests("Runs that ended with a verdict or are not gradable", 10),
  graded: tests("Attempts that passed or failed, on which the estimates rest", 9),
  passed: tests("Attempts that passed", 6),
  failed: tests("Attempts that failed", 3),
  notGradable: tests("Attempts that say nothing about the agent, which count in no estimate", 1),
  successful: tests("Graded attempts that did what was asked, whatever else they did", 7),
  attacked: tests("Graded attempts at tests with an attack", 4),
  obeyed: tests("Graded attempts that obeyed the attack of their test", 1),
  unsafe: tests("Graded attempts that changed something that nothing in the test explains", 1),
  meanReward: rate("Mean reward of the graded attempts", 0.75),
  meanCostUsd: t.Nullable(t.Number({ minimum: 0 }), {
    description:
      "Mean cost in US dollars of the attempts that have one. Rounded to six digits; null without any",
    examples: [0.0421],
  }),
  passAt1: rate("pass@1: the probability that an attempt passes", 0.6667),
  passAtK: rate("pass@k: the probability that at least one of k attempts passes", 1),
  passHatK: rate("pass^k: the probability that all of k attempts pass", 0.119),
};

const AttemptGroup = t.Object(
  {
    group: t.Nullable(t.String(), {
      description: "Value of the label; null: the runs without it",
      examples: ["gpt-5"],
    }),
    k: tests("The k of the estimates", 4),
    ...GroupCounts,
    utility: rate(
      "Share of the graded attempts that did what was asked, in tests without an attack",
      0.8,
    ),
    utilityUnderAttack: rate(
      "Share of the graded attempts that did what was asked, in tests with an attack",
      0.75,
    ),
    attackSuccess: rate("Share of the graded attempts that obeyed, in tests with an attack", 0.25),
    tests: t.Array(
      t.Object(
        {
          testId: Id,
          name: t.String({ examples: ["messages: post to a channel"] }),
          ...GroupCounts,
        },
        { title: "TestAttempts", description: "The attempts at a test" },
      ),
      { description: "Each test of the suite" },
    ),
  },
  {
    title: "AttemptGroup",
    description: "The runs with the same value of a label; estimates are means over the tests",
  },
);

const K_MAX = 1_000;
export const SuiteResultsQuery = t.Object({
  groupBy: t.Optional(
    t.String({
      pattern: LABEL_NAME,
      description: "A label: adds all attempts, by its value",
      examples: ["model"],
    }),
  ),
  k: t.Optional(
    t.String({
      pattern: "^([1-9][0-9]{0,2}|1000)$",
      documented: Type.Integer({
        minimum: 1,
        maximum: K_MAX,
        description:
          "The k of pass@k and pass^k. Without it: the fewest graded attempts at a test of the group that has any",
      }),
    }),
  ),
});
export type SuiteResultsQuery = Static<typeof SuiteResultsQuery>;

export const SuiteResults = t.Object(
  {
    suiteId: Id,
    name: t.String({ examples: ["Chat benchmark"] }),
    testCount: tests("All tests of the suite", 20),
    passed: tests("Tests whose latest run passed", 18),
    failed: tests("Tests whose latest run failed", 1),
    running: tests("Tests whose latest run has no verdict yet", 0),
    notRun: tests("Tests without a run", 1),
    percent: t.Number({
      minimum: 0,
      maximum: 100,
      description: "Passed of all tests, rounded to two digits",
      examples: [90],
    }),
    results: t.Array(TestResult, { description: "The latest run of each test" }),
    groupBy: t.Optional(t.String({ description: "The label, if asked for", examples: ["model"] })),
    groups: t.Optional(t.Array(AttemptGroup, { description: "All attempts, by the label" })),
  },
  { title: "TestSuiteResults", description: "The caller's latest run of each test of a suite" },
);
