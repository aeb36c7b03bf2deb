import { type Static, t } from "elysia";
import { Count, Id } from "~/http/model";

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

export const Results = t.Object({
  runId: t.String(),
  status: t.Union([
    t.Literal("running"),
    t.Literal("completed"),
    t.Literal("passed"),
    t.Literal("failed"),
  ]),
  passed: t.Nullable(t.Boolean()),
  score: t.Nullable(Score),
  failures: t.Array(t.String()),
  diff: t.Nullable(Diff),
  execution_time: t.Nullable(
    t.Number({ description: "Seconds from startRun to completion, by the database's clock" }),
  ),
});
