/** Rows as the database has them. */

import type { Diff, RunEvent } from "~/clients/typescript/schema";
import { shortName } from "~/console/names";

/** A row by its columns. */
export type Row = Readonly<Record<string, unknown>>;
/** Rows by table. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** Calls of the server. `ask` answers JSON, or throws. */
export type Ask = <Answer>(path: string, body?: object) => Promise<Answer>;

/** Reads rows of a template, of all tables for `*`; empty tables are missing. Throws if there is no such template. */
export async function readRows(
  ask: Ask,
  template: string,
  tables: readonly string[],
): Promise<Rows> {
  const path = `/api/platform/templates/${encodeURIComponent(template)}/seed`;
  const { rows } = await ask<{ rows: Rows }>(`${path}?tables=${tables.join(",")}`);
  return rows;
}

/** A column that holds text; empty for any other value. */
export const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** Some columns of a row. */
export const pick = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));

/** Some columns of rows. */
export const columnsOf = (rows: readonly Row[] = [], columns: readonly string[]): Row[] =>
  rows.map((row) => pick(row, columns));

/** The text that identifies a row among those of a service. `key`: the columns of its key, in their order. */
export const keyText = (table: string, key: Row) =>
  `${table} ${JSON.stringify(Object.values(key).map(String))}`;

/** The text that names a row for readers; empty if it has none. */
export function nameOf(row: Row): string {
  const names = ["identifier", "real_name", "name", "title", "member_key"].map((name) => row[name]);
  return shortName(String(names.find(Boolean) ?? ""));
}

/** Columns that identify a row of a table without `id`: references, timestamps of messages, and names. */
const KEY = /^(ts|name)$|(_id|Id)$/;

/** The columns of the keys of tables that have neither `id` nor only such columns that identify a row. */
export type Keys = Readonly<Record<string, readonly string[]>>;

/** The keys of the tables that have changed: exactly the database's. */
export const keysOf = (events: readonly RunEvent[]): Keys =>
  Object.fromEntries(events.map(({ table, key }) => [table, Object.keys(key)]));

function keyOf(keys: Keys, table: string, row: Row): Row {
  const known = keys[table] ?? ("id" in row ? ["id"] : undefined);
  return Object.fromEntries(
    Object.entries(row).filter(([column]) => known?.includes(column) ?? KEY.test(column)),
  );
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The difference of two states of a service, in the form of a run's diff. */
export function diffOf(from: Rows, to: Rows, keys: Keys): Diff {
  const inserts: Diff["inserts"][number][] = [];
  const updates: Diff["updates"][number][] = [];
  const deletes: Diff["deletes"][number][] = [];
  for (const table of Object.keys({ ...from, ...to })) {
    const named = { __table__: table };
    const gone = new Map(
      (from[table] ?? []).map((row) => [JSON.stringify(keyOf(keys, table, row)), row]),
    );
    for (const row of to[table] ?? []) {
      const key = keyOf(keys, table, row);
      const id = JSON.stringify(key);
      const known = gone.get(id);
      gone.delete(id);
      if (!known) inserts.push({ ...row, ...named });
      else if (!isSame(known, row)) {
        const columns = Object.keys(row).filter((column) => !isSame(known[column], row[column]));
        const [before, after] = [pick(known, columns), pick(row, columns)];
        updates.push({ ...named, key, before, after });
      }
    }
    for (const row of gone.values()) deletes.push({ ...row, ...named });
  }
  return { inserts, updates, deletes };
}
