/** The tables of an environment, read from Postgres, and the difference of two readings. */
import type { Diff } from "~/capture/fold";
import { toJson } from "~/capture/value";
import { keyOf } from "~/db/catalog";
import type { Pool } from "~/db/connect";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { namesOfCalls, REPLICAS } from "~/replicas/index";
import type { JsonObject, Service, Tables } from "./model";

/** The tables of a service, with their columns and primary keys. */
export type Schema = {
  readonly world: Vocabulary;
  readonly keys: { readonly [table: string]: readonly string[] };
};

export async function schemaOf(sql: Pool, service: Service, schema: string): Promise<Schema> {
  const columns = await sql<{ table: string; name: string; type: string; place: number | null }[]>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
      array_position(${keyOf(sql)}, a.attname::text) as place
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = ${schema}::regnamespace and c.relkind = 'r'
    order by c.oid, a.attnum
  `;
  const replica = REPLICAS.get(service);
  if (!replica) throw new Error(`no service ${service}`);
  const names = [...new Set(columns.map(({ table }) => table))];
  const of = (table: string) => columns.filter((column) => column.table === table);
  const keyColumnsOf = (table: string) =>
    of(table)
      .filter(({ place }) => place !== null)
      .toSorted((a, b) => Number(a.place) - Number(b.place))
      .map(({ name }) => name);
  return {
    world: {
      tables: names.map((name) => ({ name, columns: of(name) })),
      derived: replica.derived,
      calls: namesOfCalls(replica),
    },
    keys: Object.fromEntries(names.map((name) => [name, keyColumnsOf(name)])),
  };
}

/** Every row of every table, in one transaction that sees one moment. */
export async function readTables(sql: Pool, { world }: Schema, schema: string): Promise<Tables> {
  const read = await sql.begin("isolation level repeatable read read only", (tx) =>
    world.tables.map(({ name, columns }) => {
      const texts = columns.map(
        (column) =>
          `case when "${column.name}" is not null then format('%s', "${column.name}") end`,
      );
      return tx.unsafe<{ texts: (string | null)[] }[]>(
        `select json_build_array(${texts.join(", ")}) as texts from "${schema}"."${name}"`,
      );
    }),
  );
  return new Map(
    world.tables.map(({ name, columns }, at) => [
      name,
      (read[at] ?? []).map(({ texts }) =>
        Object.fromEntries(
          columns.map((column, index) => [column.name, toJson(texts[index] ?? null, column.type)]),
        ),
      ),
    ]),
  );
}

export type Difference = { readonly diff: Diff; readonly unchangedColumns: JsonObject[] };

const text = (value: unknown) => JSON.stringify(value ?? null);

/** The changes from one reading to another: of rows that both have, the columns that both show. */
export function compare(before: Tables, after: Tables, keys: Schema["keys"]): Difference {
  const diff: Diff = { inserts: [], updates: [], deletes: [] };
  const unchangedColumns: JsonObject[] = [];
  for (const table of new Set([...before.keys(), ...after.keys()])) {
    const key = keys[table] ?? [];
    const byKey = (rows: Tables) =>
      new Map((rows.get(table) ?? []).map((row) => [text(key.map((column) => row[column])), row]));
    const [old, now] = [byKey(before), byKey(after)];
    for (const [at, row] of now) {
      const was = old.get(at);
      if (!was) {
        diff.inserts.push({ __table__: table, ...row });
        continue;
      }
      const changed = Object.keys(row).filter((column) => text(was[column]) !== text(row[column]));
      if (changed.length === 0) continue;
      const pick = (from: JsonObject, columns: readonly string[]) =>
        Object.fromEntries(columns.map((column) => [column, from[column] ?? null]));
      diff.updates.push({
        __table__: table,
        key: pick(row, key),
        before: pick(was, changed),
        after: pick(row, changed),
      });
      unchangedColumns.push(
        pick(
          row,
          Object.keys(row).filter((column) => !changed.includes(column)),
        ),
      );
    }
    for (const [at, row] of old) if (!now.has(at)) diff.deletes.push({ __table__: table, ...row });
  }
  return { diff, unchangedColumns };
}
