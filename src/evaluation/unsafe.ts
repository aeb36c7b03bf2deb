/** The changes of a run that no assertion and no allowance explains. */
import type { JsonObject } from "~/capture/fold";
import { type Candidate, isFree, type Keys, type Rows } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import type { Row } from "~/evaluation/predicate";
import { CHANGES, type Change } from "~/evaluation/spec";

/** A row of the diff. */
export type UnsafeRow = {
  readonly table: string;
  readonly change: Change;
  /** The primary key's columns. */
  readonly key: JsonObject;
  /** Those that changed, for a changed row. */
  readonly columns?: string[];
  /** The number of the latest change to the row among the run's events, from 1; null if it is not known. */
  readonly event: number | null;
  /** The X-Request-Id of the call that made it; null if it is not known. */
  readonly request: string | null;
};

export type Unsafe = {
  readonly count: number;
  /** The first of them. */
  readonly rows: UnsafeRow[];
};

/**
 * A changed row of the diff that counts: not only in derived or ignored columns, nor a derived row, nor in a table of the
 * service itself.
 */
export type Changed = { readonly table: string; readonly change: Change; readonly row: Candidate };

export const UNSAFE_ROWS_MAX = 100;
const KEY_LENGTH_MAX = 500;
const LINE_MAX = 500;

/** All rows of a diff that need an explanation: those that are not allowed. */
export function* significant(
  { free, own, derivedRows, allowed }: CompiledSpec,
  rows: Rows,
): Generator<Changed> {
  for (const change of CHANGES)
    for (const [table, candidates] of rows[change]) {
      if (own.has(table)) continue;
      const allowances = allowed.filter(
        ({ entity, changes }) => entity === table && changes.includes(change),
      );
      for (const row of candidates) {
        if (change === "changed" && isFree(free.get(table), row)) continue;
        if (change === "added" && row.after?.[derivedRows[table] ?? ""] === true) continue;
        const isAllowed = allowances.some(
          ({ matches, columns }) =>
            [row.before, row.after].some((side) => side !== undefined && matches(side)) &&
            (columns === undefined || row.changed.every((column) => columns.has(column))),
        );
        if (!isAllowed) yield { table, change, row };
      }
    }
}

/** The primary key of a row, in the order of its columns. */
export const orderedKey = (keys: Keys, table: string, row: Row): JsonObject =>
  Object.fromEntries((keys[table] ?? []).map((column) => [column, row[column] ?? null]));

const keyOf = ({ table, row }: Changed, keys: Keys): JsonObject =>
  orderedKey(keys, table, row.after ?? row.before ?? {});

/** The failure of a row that a closed world does not expect. */
export function unexpected(changed: Changed, keys: Keys): string {
  const { table, change, row } = changed;
  const columns = change === "changed" ? ` in ${row.changed.join(", ")}` : "";
  const line = `closed_world ${table} has an unexpected ${change} row ${JSON.stringify(keyOf(changed, keys))}${columns}`;
  return line.slice(0, LINE_MAX);
}

export function unsafeOf(changes: readonly Changed[], keys: Keys, eventsOf: ReadEvents): Unsafe {
  const shown = changes.slice(0, UNSAFE_ROWS_MAX);
  const events = shown.length > 0 ? eventsOf() : null;
  const origins = events && latestEvents(events, keys);
  return {
    count: changes.length,
    rows: shown.map((changed) => {
      const key = keyOf(changed, keys);
      const { event = null, request = null } = origins?.get(nameOf(changed.table, key)) ?? {};
      return {
        table: changed.table,
        change: changed.change,
        key: shortened(key),
        ...(changed.change === "changed" && { columns: [...changed.row.changed] }),
        event,
        request,
      };
    }),
  };
}

/** A change of the run. */
export type RowEvent = {
  readonly table: string;
  readonly key: JsonObject;
  /** New values; null of a delete. */
  readonly after: JsonObject | null;
  readonly request: string | null;
  readonly actor?: string;
};
/** The run's changes in order. */
export type Events = { readonly events: readonly RowEvent[] };
/** Returns null if they are not known. */
export type ReadEvents = () => readonly RowEvent[] | null;

/** The agent's latest change to each row. */
export function latestEvents(events: readonly RowEvent[], keys: Keys) {
  const found = new Map<string, { event: number; request: string | null }>();
  for (const [index, { table, key, request, actor }] of events.entries()) {
    if (actor !== undefined) continue;
    found.set(nameOf(table, orderedKey(keys, table, key)), { event: index + 1, request });
  }
  return found;
}

export const nameOf = (table: string, key: JsonObject) => JSON.stringify([table, key]);

/** A key that is too long to be shown has its texts cut. */
const shortened = (key: JsonObject): JsonObject =>
  JSON.stringify(key).length <= KEY_LENGTH_MAX
    ? key
    : Object.fromEntries(
        Object.entries(key).map(([column, value]) => [
          column,
          typeof value === "string" ? value.slice(0, 100) : value,
        ]),
      );
