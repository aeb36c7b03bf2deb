/** A second implementation of the diff: compares two states of a schema, read from its tables. */
import type { Diff } from "~/capture/fold";
import { type JsonValue, toJson } from "~/capture/value";
import { keyOf } from "~/db/catalog";
import type { Pool } from "~/db/connect";

export type Keys = Record<string, string[]>;
type Row = Record<string, JsonValue>;
export type State = Map<
  string,
  { table: string; texts: (string | null)[]; columns: { name: string; type: string }[] }
>;

/** The columns of each table of a schema that identify its rows. */
export async function keysOf(sql: Pool, schema: string): Promise<Keys> {
  const rows = await sql<{ table: string; key: string[] }[]>`
    select c.relname as table, ${keyOf(sql)} as key from pg_class c
    where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r' order by c.oid
  `;
  return Object.fromEntries(rows.map(({ table, key }) => [table, key]));
}

/** Every row of a schema by table and key, with each column as Postgres prints it. */
export async function stateOf(sql: Pool, schema: string, keys: Keys): Promise<State> {
  const state: State = new Map();
  for (const [table, key] of Object.entries(keys)) {
    const columns = await sql<{ name: string; type: string }[]>`
      select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = ${`${schema}.${table}`}::regclass and attnum > 0 and not attisdropped order by attnum
    `;
    const list = columns
      .map(({ name }) => `case when "${name}" is not null then format('%s', "${name}") end`)
      .join(", ");
    const rows = await sql.unsafe<{ texts: (string | null)[] }[]>(
      `select json_build_array(${list}) as texts from ${schema}.${table}`,
    );
    for (const { texts } of rows) {
      const at = JSON.stringify([
        table,
        ...key.map((name) => texts[columns.findIndex((column) => column.name === name)]),
      ]);
      state.set(at, { table, texts, columns: [...columns] });
    }
  }
  return state;
}

export function difference(before: State, after: State, keys: Keys): Diff {
  const diff: Diff = { inserts: [], updates: [], deletes: [] };
  const whole = ({ table, texts, columns }: NonNullable<ReturnType<State["get"]>>) => ({
    __table__: table,
    ...Object.fromEntries(
      columns.map(({ name, type }, index) => [name, toJson(texts[index] ?? null, type)]),
    ),
  });
  for (const [at, row] of after) {
    const old = before.get(at);
    if (!old) {
      diff.inserts.push(whole(row));
      continue;
    }
    const changed = row.columns
      .filter((_, index) => old.texts[index] !== row.texts[index])
      .map(({ name }) => name);
    if (changed.length === 0) continue;
    const was: Row = whole(old);
    const is: Row = whole(row);
    const pick = (from: Row, names: readonly string[]): Row =>
      Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
    diff.updates.push({
      __table__: row.table,
      key: pick(is, keys[row.table] ?? []),
      before: pick(was, changed),
      after: pick(is, changed),
    });
  }
  for (const [at, row] of before) if (!after.has(at)) diff.deletes.push(whole(row));
  return diff;
}

/** A diff whose lists are sorted, to compare it with a diff in another order. */
export function sorted(diff: Diff | null): string {
  if (!diff) return "null";
  const lists = Object.entries(diff).map(([name, rows]) => [
    name,
    rows.map((row) => JSON.stringify(row)).toSorted(),
  ]);
  return JSON.stringify(lists);
}
