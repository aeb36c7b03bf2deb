/** Reads every row of an environment. */
import { TABLES } from "~/replicas/tracker/store/tables";
import type { TestDatabase } from "./database";

/** Rows by table, ordered by content only. */
export async function everyRow(
  { sql }: TestDatabase,
  schema: string,
): Promise<Record<string, unknown[]>> {
  const parts = [...TABLES.keys()].map(
    (table) =>
      `select '${table}' as name, coalesce(jsonb_agg(to_jsonb(r) order by to_jsonb(r)::text), '[]') as rows from "${schema}".${table} r`,
  );
  const tables = await sql.unsafe(parts.join(" union all "));
  return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
}
