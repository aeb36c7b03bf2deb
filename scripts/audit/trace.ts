/** Finds the trace of a write in the evidence of a grader. */
import type { Diff } from "~/capture/fold";
import { isObject } from "~/input/json";
import type { JsonObject, Tables, Trace } from "./model";

/** True if `row` has these values; of objects, the part that is given. */
export function has(row: unknown, values: unknown): boolean {
  if (!isObject(values)) return JSON.stringify(row ?? null) === JSON.stringify(values ?? null);
  return (
    isObject(row) &&
    Object.entries(values).every(([column, value]) => has((row as JsonObject)[column], value))
  );
}

const ofTable = (rows: readonly JsonObject[], { table, key }: Trace) =>
  rows.filter((row) => row["__table__"] === table && has(row["key"] ?? row, key));

/** In a net difference. A changed row may also be one that is new, with these values. */
export function isInDiff(diff: Diff, trace: Trace): boolean {
  const { kind, values, columns = [] } = trace;
  const inserted = ofTable(diff.inserts, trace);
  if (kind === "added") return inserted.some((row) => has(row, values));
  if (kind === "removed") return ofTable(diff.deletes, trace).length > 0;
  const changed = ofTable(diff.updates, trace).map((row) => row["after"] as JsonObject);
  return [...inserted, ...changed].some(
    (row) => has(row, values) && columns.every((column) => column in row),
  );
}

export type Event = {
  readonly operation: "insert" | "update" | "delete";
  readonly table: string;
  readonly key: JsonObject;
  readonly after: JsonObject | null;
};

/** In a log of single changes. */
export function isInLog(events: readonly Event[], trace: Trace): boolean {
  const { kind, table, key, values, columns = [] } = trace;
  return events.some((event) => {
    const row = { ...event.key, ...event.after };
    if (event.table !== table || !has(row, key)) return false;
    if (kind === "removed") return event.operation === "delete";
    if (kind === "added" && event.operation !== "insert") return false;
    return has(row, values) && columns.every((column) => column in row);
  });
}

/** In a state: the row is there with these values, or is not there any more. */
export function isInState(
  tables: Tables,
  { kind, table, key, values, columns = [] }: Trace,
): boolean {
  const rows = (tables.get(table) ?? []).filter((row) => has(row, key));
  if (kind === "removed") return rows.length === 0;
  return rows.some((row) => has(row, values) && columns.every((column) => column in row));
}
