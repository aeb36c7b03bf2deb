/** The tables of the environment, as `tables.sql` declares them. */
import type { Session } from "~/db/session";
import { parseTables, tablesWithoutKey } from "~/replicas/ddl";
import type { Rows } from "~/replicas/tracker/store/rows";
import ddl from "~/replicas/tracker/tables.sql" with { type: "text" };

/** Columns by table, in the order of the DDL. */
export const TABLES = parseTables(ddl);
export const WITHOUT_KEY = tablesWithoutKey(ddl);

/** Throws on a name that is not a column of the table: a misspelt one would lose the write silently. */
export function requireColumns(table: keyof Rows, row: object): void {
  const columns = TABLES.get(table);
  const unknown = Object.keys(row).find((name) => !columns?.has(name));
  if (unknown !== undefined) throw new Error(`${table} has no column ${unknown}`);
}

export type TableName = keyof Rows;
export type TrackerSession = Session<TableName>;
