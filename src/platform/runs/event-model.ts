/** Shapes of the individual changes of a run. */
import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { Count, Id } from "~/http/model";
import { Actor, After, Before, Key, Table } from "~/platform/runs/diff-model";

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
