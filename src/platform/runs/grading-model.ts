import { type Static, t } from "elysia";
import { Id, IdRef, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Explanations, Failures, Judgement, Score } from "~/platform/runs/verdict-model";
import { ExpectedOutput } from "~/platform/suites/model";

export const Grading = t.Object(
  {
    testId: t.Optional(t.String({ ...IdRef, description: "A test, as it is now" })),
    expectedOutput: t.Optional(ExpectedOutput),
  },
  {
    title: "Grading",
    description: "The test or the expectation to grade with; without either, the run's own test",
  },
);
export type Grading = Static<typeof Grading>;

export const GradedRun = t.Object(
  {
    evaluationId: Id,
    runId: Id,
    testId: t.Nullable(Id, { description: "The test; null for an expectation in the call" }),
    createdAt: Timestamp,
    status: t.Union([t.Literal("passed"), t.Literal("failed")]),
    passed: t.Boolean({ description: "True when all assertions hold" }),
    score: Score,
    failures: Failures,
    explanations: Explanations,
    ...Judgement,
  },
  { title: "Evaluation", description: "Another verdict on the stored diff of a run" },
);
export const GradingQuery = t.Object(PageQuery);
export type GradingQuery = Static<typeof GradingQuery>;

export const EvaluationList = t.Object(
  {
    runId: Id,
    evaluations: t.Array(GradedRun, { description: "One page, without the run's first verdict" }),
    nextCursor: NextCursor,
  },
  { title: "EvaluationList", description: "A page of verdicts, newest first" },
);
