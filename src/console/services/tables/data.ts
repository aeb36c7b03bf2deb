/** The rows of an environment as far as its runs tell: those of its template, with the changes of the runs. */
import type { RunEvent } from "~/clients/typescript/schema";
import { keysOf, keyText, pick, type Row, type Rows } from "~/console/rows";

type Change = "new" | "changed" | "removed" | undefined;

export type TableRow = {
  /** Its `keyText`; undefined in a table without changes. */
  readonly key: string | undefined;
  readonly row: Row;
  /** Since the template. */
  readonly change: Change;
};

const isSame = (a: Row, b: Row) =>
  Object.keys(b).every((column) => JSON.stringify(a[column]) === JSON.stringify(b[column]));

/** Rows by table after the changes. Rows that were created and removed again are missing. */
export function tablesAfter(
  template: Rows,
  events: readonly RunEvent[],
): ReadonlyMap<string, readonly TableRow[]> {
  const keys = keysOf(events);
  const known = new Map<string, Row>();
  const tables = new Map<string, Map<string, TableRow>>();
  for (const [table, list] of Object.entries(template)) {
    const rows = new Map<string, TableRow>();
    tables.set(table, rows);
    for (const [index, row] of list.entries()) {
      const key = keys[table] && keyText(table, pick(row, keys[table]));
      if (key) known.set(key, row);
      rows.set(key ?? `${index}`, { key, row, change: undefined });
    }
  }
  for (const { table, key: columns, before, after, operation } of events) {
    const key = keyText(table, columns);
    const rows = tables.get(table) ?? new Map<string, TableRow>();
    tables.set(table, rows);
    const first = known.get(key);
    const row = { ...rows.get(key)?.row, ...columns, ...before, ...after };
    const isGone = operation === "delete";
    if (isGone && !first) rows.delete(key);
    else rows.set(key, { key, row, change: changeOf(first, row, isGone) });
  }
  return new Map([...tables].map(([table, rows]) => [table, [...rows.values()]]));
}

function changeOf(first: Row | undefined, row: Row, isGone: boolean): Change {
  if (!first) return "new";
  if (isGone) return "removed";
  return isSame(first, row) ? undefined : "changed";
}
