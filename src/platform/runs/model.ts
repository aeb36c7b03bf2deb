import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, EnvironmentRef, Id, IdRef, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { Gradable } from "~/platform/environments/model";
import { Journal } from "~/platform/journal/model";
import { ExpectedOutput } from "~/platform/suites/model";

const Table = t.String({ description: "The table", examples: ["messages"] });
const Actor = t.Literal("clock", {
  title: "ChangeActor",
  description: "The environment's clock; absent of a change by the agent",
  examples: ["clock"],
});
/** A row of a diff: `__table__` and the table's columns. */
const Row = t.Object(
  { __table__: Table, __actor__: t.Optional(Actor) },
  {
    title: "DiffRow",
    additionalProperties: true,
    description: "A row: the name of its table, and its columns",
    examples: [{ __table__: "messages", channel_id: "C01GENERAL", ts: "1767603600.000100" }],
  },
);
const columns = (description: string, example: object) =>
  t.Record(t.String(), t.Unknown(), { description, examples: [example] });
const Key = columns("The primary key's columns", {
  channel_id: "C01GENERAL",
  ts: "1767603600.000100",
});
const Before = columns("Changed columns, old values", { text: "Welcome to Acme!" });
const After = columns("The same columns, new values", { text: "Welcome!" });

const Update = t.Object(
  { __table__: Table, __actor__: t.Optional(Actor), key: Key, before: Before, after: After },
  { title: "DiffUpdate", description: "A changed row, with its changed columns only" },
);

export const Diff = t.Object(
  {
    inserts: t.Array(Row, { description: "New rows, with all their columns" }),
    updates: t.Array(Update, { description: "Changed rows, with their changed columns only" }),
    deletes: t.Array(Row, { description: "Removed rows, as they were", examples: [[]] }),
  },
  { title: "Diff", description: "The net effect of every transaction of the run" },
);

export const Score = t.Object(
  {
    passed: Type.Integer({ ...Count, description: "Assertions that hold" }),
    total: Type.Integer({ ...Count, description: "All assertions" }),
    percent: t.Number({
      minimum: 0,
      maximum: 100,
      description: "Rounded to two digits",
      examples: [66.67],
    }),
  },
  { title: "Score", description: "How many assertions hold" },
);

export const LABELS_MAX = 16;
export const LABEL_NAME = "^[A-Za-z0-9][A-Za-z0-9_./-]{0,63}$";
const LABEL_LENGTH_MAX = 256;
const labels = (description: string) =>
  t.Record(t.String({ pattern: LABEL_NAME }), t.String({ maxLength: LABEL_LENGTH_MAX }), {
    additionalProperties: false,
    maxProperties: LABELS_MAX,
    description,
    examples: [{ agent: "my-agent", model: "gpt-5" }],
  });
const Labels = labels("Its labels");

export const RunChange = t.Object(
  {
    labels: t.Record(
      t.String({ pattern: LABEL_NAME }),
      t.Nullable(t.String({ maxLength: LABEL_LENGTH_MAX })),
      {
        additionalProperties: false,
        description: "Labels to set, and null for those to remove; the others stay",
        examples: [{ reviewed: "yes", draft: null }],
      },
    ),
  },
  { title: "RunChange", description: "New labels, at any time" },
);
export type RunChange = Static<typeof RunChange>;

export const ChangedRun = t.Object(
  { runId: Id, labels: Labels },
  { title: "ChangedRun", description: "A run and all its labels" },
);

export const NewRun = t.Object(
  {
    envId: EnvironmentRef,
    testId: t.Optional(
      t.String({ ...IdRef, description: "The test that evaluateRun checks the diff against" }),
    ),
    testSuiteId: t.Optional(
      t.String({ ...IdRef, description: "The suite whose results count this run" }),
    ),
    labels: t.Optional(
      labels(`Up to ${LABELS_MAX} texts by name, to find the run and to compare groups of runs`),
    ),
    journal: t.Optional(Journal),
  },
  {
    title: "NewRun",
    description: "The environment to watch, and what the run is for",
    examples: [{ envId: Id["examples"][0] }],
  },
);
export type NewRun = Static<typeof NewRun>;

export const StartedRun = t.Object(
  {
    runId: Id,
    status: t.Literal("running"),
    beforeSnapshot: t.String({ ...Id, description: "Identifies the state before the run" }),
  },
  { title: "StartedRun", description: "A run that has begun" },
);
export type StartedRun = Static<typeof StartedRun>;

export const RunRef = t.Object(
  {
    runId: IdRef,
    include: t.Optional(
      t.Array(t.Literal("clock"), {
        maxItems: 1,
        description:
          "`clock`: also changes by the environment's clock, as rows with `__actor__`. The stored diff leaves them out",
        examples: [["clock"]],
      }),
    ),
  },
  {
    title: "RunRef",
    description: "The run to end",
    examples: [{ runId: Id["examples"][0] }],
  },
);
export type RunRef = Static<typeof RunRef>;

export const CompletedRun = t.Object(
  { runId: Id, status: t.Literal("completed"), diff: Diff },
  { title: "CompletedRun", description: "A run that has ended, and what changed" },
);

export const EndedRun = t.Object(
  { runId: IdRef, expectedOutput: t.Optional(ExpectedOutput) },
  { title: "EndedRun", description: "The run to end, and an expectation that replaces its test" },
);
export type EndedRun = Static<typeof EndedRun>;

const Nearest = t.Object(
  {
    key: Key,
    failed: t.Array(t.String(), {
      description: "Conditions that do not hold",
      examples: [['text: contains "Welcome"']],
    }),
  },
  { title: "NearestRow", description: "A row, and the conditions it does not meet" },
);
const Explanation = t.Object(
  {
    assertion: Type.Integer({ ...Count, description: "Counted from 1; 0: the whole test" }),
    summary: t.String({ examples: ["1 row was added to messages, none fits"] }),
    nearest: t.Array(Nearest, {
      description: "The nearest rows, and the conditions that each does not meet",
    }),
  },
  { title: "Explanation", description: "Why an assertion failed" },
);
const Explanations = t.Array(Explanation, { description: "Of each failed assertion" });
const Failures = t.Array(t.String(), {
  description: "One entry per failed assertion",
  examples: [["assertion#1 messages expected count 1 but got 0"]],
});

/** Why a run has no verdict of its agent's, or ended in an unusual way. */
const CAUSES = {
  capture_lost: "its changes are not known completely",
  environment_expired: "its environment expired; its diff is complete unless `gradable` is false",
  environment_deleted: "its environment was deleted",
  server_error: "the server failed",
  reset: "its environment was reset",
} as const;
export type Cause = keyof typeof CAUSES;

/** Whether a result says something about the agent. */
const Graded = {
  gradable: Gradable,
  cause: t.Optional(
    t.String({
      title: "RunCause",
      enum: Object.keys(CAUSES),
      examples: ["environment_expired"],
      description: `Present if the run is not gradable or ended in an unusual way. ${Object.entries(
        CAUSES,
      )
        .map(([cause, says]) => `\`${cause}\`: ${says}`)
        .join("; ")}`,
    }),
  ),
};

export const EvaluatedRun = t.Object(
  {
    runId: Id,
    status: t.Union([t.Literal("passed"), t.Literal("failed")]),
    passed: t.Boolean({ description: "True when all assertions hold" }),
    score: Score,
    failures: Failures,
    explanations: Explanations,
    ...Graded,
  },
  {
    title: "EvaluatedRun",
    description: "A run that has ended, and its verdict",
    examples: [
      {
        runId: Id["examples"][0],
        status: "passed",
        passed: true,
        score: { passed: 1, total: 1, percent: 100 },
        failures: [],
        explanations: [],
        gradable: true,
      },
    ],
  },
);

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

export const Status = t.Union(
  [t.Literal("running"), t.Literal("completed"), t.Literal("passed"), t.Literal("failed")],
  {
    title: "RunStatus",
    description:
      "`completed`: ended without a verdict; `failed` also if its environment ended first",
    examples: ["completed"],
  },
);

/** Results of a run that may still be running or have no verdict. */
export const Summary = {
  status: Status,
  passed: t.Nullable(t.Boolean(), {
    description: "True when all assertions hold; null without a verdict",
    examples: [null],
  }),
  score: t.Nullable(Score, { description: "Null without a verdict", examples: [null] }),
  execution_time: t.Nullable(t.Number(), {
    description:
      "Seconds from startRun to completion, by the database's clock; null while it is running",
    examples: [1.25],
  }),
  ...Graded,
};

const Origin = {
  environmentId: Id,
  testId: t.Nullable(Id, { description: "Its test, if it has one" }),
  testSuiteId: t.Nullable(Id, { description: "The suite it counts for, if any" }),
  startedAt: Timestamp,
};

export const Results = t.Object(
  {
    runId: Id,
    ...Summary,
    failures: t.Array(t.String(), { ...Failures, examples: [[]] }),
    explanations: t.Optional(t.Array(Explanation, { ...Explanations, examples: [[]] })),
    diff: t.Nullable(Diff, {
      description: "Null while it is running, and when it is not gradable",
    }),
    labels: Labels,
    ...Origin,
  },
  { title: "Run", description: "A run, and its results once it has ended" },
);

export const RunQuery = t.Object({
  environmentId: t.Optional(EnvironmentRef),
  testId: t.Optional(IdRef),
  testSuiteId: t.Optional(IdRef),
  status: t.Optional(Status),
  labels: t.Optional(
    t.String({
      documented: labels("Runs that have these labels, each as `labels[name]=value`"),
    }),
  ),
  ...PageQuery,
});
export type RunQuery = Static<typeof RunQuery>;

export const ListedRun = t.Object(
  {
    runId: Id,
    ...Origin,
    labels: Labels,
    ...Summary,
  },
  { title: "ListedRun", description: "A run, without its diff" },
);

export const RunList = t.Object(
  { runs: t.Array(ListedRun, { description: "One page" }), nextCursor: NextCursor },
  { title: "RunList", description: "A page of runs, newest first" },
);

const RunEvent = t.Object(
  {
    transaction: Type.Integer({
      ...Count,
      description: "Counted from 1; changes of one transaction have the same number",
    }),
    operation: t.Union([t.Literal("insert"), t.Literal("update"), t.Literal("delete")], {
      examples: ["update"],
    }),
    table: Table,
    key: Key,
    before: t.Nullable(Before, { description: "Old values; null of an insert" }),
    after: t.Nullable(After, { description: "New values; null of a delete" }),
    request: t.Nullable(t.String(), {
      description: "X-Request-Id of the call that caused it; null of a change that no call made",
      examples: ["0b2f4c9e-6a1d-4f38-9c57-3d1e8a7b6c50"],
    }),
    actor: t.Optional(Actor),
  },
  { title: "RunEvent", description: "A single change" },
);

export const RunEvents = t.Object(
  {
    runId: Id,
    total: Type.Integer({ ...Count, description: "Number of changes; 0 while the run is running" }),
    complete: t.Boolean({
      description: "False when the list holds only the first of them: at most 10,000, and 8 MB",
    }),
    events: t.Array(RunEvent, { description: "In the order in which they were committed" }),
  },
  { title: "RunEvents", description: "The individual changes of a run" },
);
