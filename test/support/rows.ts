/** Every row of an environment, as it is. */
import { TABLES } from "~/replicas/tracker/store/tables";
import type { TestDatabase } from "./database";

/** By table: its rows, in an order that only their content gives. */
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
