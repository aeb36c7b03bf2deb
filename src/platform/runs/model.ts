import { type Static, t } from "elysia";
import { Count, Id, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";
import { ExpectedOutput } from "~/platform/suites/model";

/** A row as the diff shows it: `__table__` and the table's columns. */
const Row = t.Object({ __table__: t.String() }, { additionalProperties: true });
const Columns = t.Record(t.String(), t.Unknown());

export const Diff = t.Object({
  inserts: t.Array(Row, { description: "New rows, with all their columns" }),
  updates: t.Array(
    t.Object({
      __table__: t.String(),
      key: t.Record(t.String(), t.Unknown(), { description: "The primary key's columns" }),
      before: t.Record(t.String(), t.Unknown(), { description: "Changed columns, old values" }),
      after: Columns,
    }),
    { description: "Changed rows, with their changed columns only" },
  ),
  deletes: t.Array(Row, { description: "Removed rows, as they were" }),
});

export const Score = t.Object({
  passed: Count,
  total: Count,
  percent: t.Number({ minimum: 0, maximum: 100 }),
});

export const NewRun = t.Object({
  envId: Id,
  testId: t.Optional(Id),
  testSuiteId: t.Optional(Id),
});
export type NewRun = Static<typeof NewRun>;

export const StartedRun = t.Object({
  runId: t.String(),
  status: t.Literal("running"),
  beforeSnapshot: t.String({ description: "Identifies the state before the run" }),
});
export type StartedRun = Static<typeof StartedRun>;

export const RunRef = t.Object({ runId: Id });

export const CompletedRun = t.Object({
  runId: t.String(),
  status: t.Literal("completed"),
  diff: Diff,
});

export const EndedRun = t.Object({
  runId: Id,
  expectedOutput: t.Optional(ExpectedOutput),
});
export type EndedRun = Static<typeof EndedRun>;

const Explanations = t.Array(
  t.Object({
    assertion: t.Number({ ...Count, description: "Counted from 1" }),
    summary: t.String(),
    nearest: t.Array(t.Object({ key: Columns, failed: t.Array(t.String()) }), {
      description: "The rows that came nearest, and what each of them lacked",
    }),
  }),
  { description: "Of each failed assertion" },
);

export const EvaluatedRun = t.Object({
  runId: t.String(),
  status: t.Union([t.Literal("passed"), t.Literal("failed")]),
  passed: t.Boolean(),
  score: Score,
  failures: t.Array(t.String()),
  explanations: Explanations,
});

const Status = t.Union([
  t.Literal("running"),
  t.Literal("completed"),
  t.Literal("passed"),
  t.Literal("failed"),
]);

export const Results = t.Object({
  runId: t.String(),
  status: Status,
  passed: t.Nullable(t.Boolean()),
  score: t.Nullable(Score),
  failures: t.Array(t.String()),
  explanations: t.Optional(Explanations),
  diff: t.Nullable(Diff),
  execution_time: t.Nullable(
    t.Number({ description: "Seconds from startRun to completion, by the database's clock" }),
  ),
});

export const RunQuery = t.Object({
  environmentId: t.Optional(Id),
  testId: t.Optional(Id),
  testSuiteId: t.Optional(Id),
  status: t.Optional(Status),
  ...PageQuery,
});
export type RunQuery = Static<typeof RunQuery>;

const Summary = {
  status: Status,
  passed: t.Nullable(t.Boolean()),
  score: t.Nullable(Score),
  execution_time: t.Nullable(t.Number()),
};

export const RunList = t.Object({
  runs: t.Array(
    t.Object({
      runId: t.String(),
      environmentId: t.String(),
      testId: t.Nullable(t.String()),
      testSuiteId: t.Nullable(t.String()),
      startedAt: Timestamp,
      ...Summary,
    }),
  ),
  nextCursor: NextCursor,
});

export const RunEvents = t.Object({
  runId: t.String(),
  total: t.Number({ ...Count, description: "Changes of the run; 0 while it is running" }),
  complete: t.Boolean({
    description: "False when the list holds only the first of them: at most 10,000, and 8 MB",
  }),
  events: t.Array(
    t.Object({
      transaction: t.Number({ ...Count, description: "Counted from 1: what happened at once" }),
      operation: t.Union([t.Literal("insert"), t.Literal("update"), t.Literal("delete")]),
      table: t.String(),
      key: Columns,
      before: t.Nullable(Columns),
      after: t.Nullable(Columns),
      request: t.Nullable(
        t.String({
          description:
            "X-Request-Id of the call that caused it; null where the call was a single statement",
        }),
      ),
    }),
  ),
});

export const SuiteResults = t.Object({
  suiteId: t.String(),
  name: t.String(),
  testCount: Count,
  passed: Count,
  failed: Count,
  running: Count,
  notRun: Count,
  percent: t.Number({ minimum: 0, maximum: 100, description: "Passed of all tests" }),
  results: t.Array(
    t.Object({
      testId: t.String(),
      name: t.String(),
      runId: t.Nullable(t.String({ description: "Null: not run yet" })),
      ...Summary,
      status: t.Nullable(Status),
    }),
    { description: "The latest run of each test" },
  ),
});
