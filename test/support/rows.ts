/** Reads every row of an environment. */
import { TABLES } from "~/replicas/tracker/store/tables";
import { LOG_PLANS, type TestDatabase } from "./database";

/** Rows by table, ordered by content only. None while plans are logged: there are too many, and plans are the subject. */
export async function everyRow(
  { sql }: TestDatabase,
  schema: string,
): Promise<Record<string, unknown[]>> {
  if (LOG_PLANS) return {};
  const parts = [...TABLES.keys()].map(
    (table) =>
      `select '${table}' as name, coalesce(jsonb_agg(to_jsonb(r) order by to_jsonb(r)::text), '[]') as rows from "${schema}".${table} r`,
  );
  const tables = await sql.unsafe(parts.join(" union all "));
  return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
}

/** Rows of every table by content only, and the state of every sequence, of an environment of any service. */
export async function everyRowOf(
  { sql }: TestDatabase,
  schema: string,
): Promise<Record<string, unknown[]>> {
  const relations = await sql<{ name: string; kind: string }[]>`
    select relname as name, relkind::text as kind from pg_class
    where relnamespace = ${schema}::regnamespace and relkind in ('r', 'S') order by 1
  `;
  const parts = relations.map(({ name, kind }) =>
    kind === "r"
      ? `select '${name}' as name, coalesce(json_agg(r::text order by r::text), '[]') as rows from "${schema}"."${name}" r`
      : `select '${name}', json_build_array(last_value, is_called) from "${schema}"."${name}"`,
  );
  const found = await sql.unsafe(parts.join(" union all "));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}
