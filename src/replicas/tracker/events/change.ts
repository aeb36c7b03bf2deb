/** Changes of rows as JSON shows them, and those of an entity in a transaction as one. */
import type { EventApp, EventRow, RowChange } from "~/replicas/events";
import { TABLE_OF } from "~/replicas/tracker/store/entities";
import { TABLES, type TableName } from "~/replicas/tracker/store/tables";

export type Wire = { readonly [field: string]: unknown };
export type Change = RowChange<TableName>;

/** Why an app does not receive an event. Undefined: it does. */
export type Audience = (app: EventApp) => string | undefined;

/** The changes of a row in a transaction, as one. */
export type Transition = {
  readonly entity: string;
  readonly id: string;
  /** Before the transaction, and after it. Null: it was new, or is gone. Undefined: only lists of it have changed. */
  readonly before: EventRow | null | undefined;
  readonly after: EventRow | null | undefined;
  /** Tables of the lists that have changed. */
  readonly lists: readonly string[];
  /** The number of the first change. */
  readonly number: number;
  /** The numbers of the last change before the transaction, and of its last one. */
  readonly start: number;
  readonly end: number;
  readonly micros: number;
  readonly user?: string | undefined;
};

const ENTITIES = new Map(
  Object.entries(TABLE_OF).map(([entity, table]) => [table as string, entity]),
);

/** The entity of a row. Tables with several entities have one that others are views of. */
const AMBIGUOUS: { readonly [table: string]: string } = {
  documents: "Document",
  issue_history: "IssueHistory",
};

/** The entity of a record, beside its own fields, which can be named `type`. */
export const RECORD_TYPE = "recordType";

export const entityOf = (table: string, row: EventRow): string =>
  table === "records"
    ? String(row[RECORD_TYPE])
    : (AMBIGUOUS[table] ?? ENTITIES.get(table) ?? table);

const TIMES = new Map(
  [...TABLES].map(([table, columns]) => [
    table,
    [...columns].filter(([, { type }]) => type.startsWith("timestamptz")).map(([name]) => name),
  ]),
);

export const isoTime = (value: unknown): string => new Date(value as string).toISOString();

/** A row as the API shows its values: times as ISO 8601 texts, the fields of a record beside its own columns. */
export function shownRow(table: string, row: EventRow): EventRow {
  const times = (TIMES.get(table) ?? []).filter((name) => row[name] != null);
  const shown = { ...row, ...Object.fromEntries(times.map((name) => [name, isoTime(row[name])])) };
  if (table !== "records") return shown;
  const { data, type, ...own } = shown as { data?: object; type?: string };
  return { ...data, ...own, [RECORD_TYPE]: type };
}

export const shownChange = (change: Change): Change => ({
  ...change,
  before: change.before && shownRow(change.table, change.before),
  after: change.after && shownRow(change.table, change.after),
});

export const rowOf = ({ before, after }: Pick<Change, "before" | "after">): EventRow =>
  (after ?? before) as EventRow;

/** Fields with their values, without those that are null. */
export const present = (fields: Wire): Wire =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));

/** Only the app of this user. */
export const onlyOf =
  (id: unknown): Audience =>
  ({ user }) =>
    user === id ? undefined : "it is about another user";

/** An event of a transition, before it is known who receives it. */
export type Derived = {
  /** The number of its change. */
  readonly change: number;
  readonly type: string;
  readonly fields: Wire;
  readonly audience: Audience;
};
