/** Moves the rows of an environment: no answer may depend on their physical order. */
import type { Pool } from "~/db/connect";

const quoted = (schema: string, table: string) => `"${schema}"."${table}"`;

/** The tables of a schema, with the names and types of their columns. */
export async function tablesIn(
  sql: Pool,
  schema: string,
): Promise<Map<string, [string, string][]>> {
  const columns = await sql<{ table: string; name: string; type: string }[]>`
    select c.table_name as table, c.column_name as name, c.data_type as type
    from information_schema.columns c where c.table_schema = ${schema}
    order by c.table_name, c.ordinal_position
  `;
  const tables = new Map<string, [string, string][]>();
  for (const { table, name, type } of columns)
    tables.set(table, [...(tables.get(table) ?? []), [name, type]]);
  return tables;
}

/** Makes later sessions read the rows of a table in physical order. */
export async function preferHeapOrder(sql: Pool): Promise<void> {
  const [row] = await sql`select current_database() as name`;
  for (const setting of ["enable_indexscan", "enable_indexonlyscan"])
    await sql.unsafe(`alter database "${row?.["name"]}" set ${setting} = off`);
}

/** Rewrites every table in reverse order. */
export async function reverseRows(sql: Pool, schema: string): Promise<void> {
  for (const table of (await tablesIn(sql, schema)).keys())
    await sql.begin(async (tx) => {
      const name = quoted(schema, table);
      await tx.unsafe(
        `create temp table reversed on commit drop as select * from ${name} order by ctid desc`,
      );
      await tx.unsafe(`delete from ${name}`);
      await tx.unsafe(`insert into ${name} select * from reversed`);
    });
}

/** Sets each column in `level` to the same value in every row where it is not null. */
export async function levelRows(
  sql: Pool,
  schema: string,
  level: (table: string, column: string, type: string) => string | undefined,
): Promise<void> {
  for (const [table, columns] of await tablesIn(sql, schema)) {
    const set = columns.flatMap(([name, type]) => {
      const value = level(table, name, type);
      return value === undefined
        ? []
        : [`"${name}" = case when "${name}" is null then null else ${value} end`];
    });
    if (set.length > 0) await sql.unsafe(`update ${quoted(schema, table)} set ${set.join(", ")}`);
  }
}
