/** Shapes of diffs. */
import { t } from "elysia";
import { Service } from "~/http/model";

export const Table = t.String({ description: "The table", examples: ["messages"] });
export const Actor = t.Union([t.Literal("clock"), t.Literal("counterpart")], {
  title: "ChangeActor",
  description:
    "The environment's clock, or one of its counterparts; absent of a change by the agent",
  examples: ["clock"],
});
const InService = t.String({
  description: "In a world: the service of the table",
  examples: Service["enum"].slice(0, 1),
});
/** A row of a diff: `__table__` and the table's columns. */
const Row = t.Object(
  { __table__: Table, __service__: t.Optional(InService), __actor__: t.Optional(Actor) },
  {
    title: "DiffRow",
    additionalProperties: true,
    description: "A row: the name of its table, and its columns",
    examples: [{ __table__: "messages", channel_id: "C01GENERAL", ts: "1767603600.731938" }],
  },
);
const columns = (description: string, example: object) =>
  t.Record(t.String(), t.Unknown(), { description, examples: [example] });
export const Key = columns("The primary key's columns", {
  channel_id: "C01GENERAL",
  ts: "1767603600.731938",
});
export const Before = columns("Changed columns, old values", { text: "Welcome to Acme!" });
export const After = columns("The same columns, new values", { text: "Welcome!" });

const Update = t.Object(
  {
    __table__: Table,
    __service__: t.Optional(InService),
    __actor__: t.Optional(Actor),
    key: Key,
    before: Before,
    after: After,
  },
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
