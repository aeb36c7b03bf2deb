/** Copies of environments, for runs that compare snapshots. */
import type { SnapshotTable } from "~/capture/records";
import { literal, type Sql } from "~/db/connect";

export const insertTable = async (
  sql: Sql,
  run: string,
  { name, columns, types, key }: SnapshotTable,
) =>
  await sql`
    insert into diorama.snapshots (run_id, table_name, columns, types, key)
    values (${run}, ${name}, ${columns}, ${types}, ${key})
  `;

export const tablesOf = async (sql: Sql, run: string): Promise<SnapshotTable[]> =>
  await sql<SnapshotTable[]>`
    select table_name as name, columns, types, key from diorama.snapshots where run_id = ${run}
  `;

export const copyRows = (run: string, table: string, from: string, key: string, row: string) =>
  `insert into diorama.snapshot_rows (run_id, table_name, key, row)
   select ${literal(run)}, ${literal(table)}, ${key}, ${row}
   from ${from}`;

export const noteOrder = (run: string, key: readonly string[]) =>
  `diorama.note_order(${[run, ...key].map(literal).join(", ")})`;

export const rows = (run: string, table: string) =>
  `select key, row from diorama.snapshot_rows
   where run_id = ${literal(run)} and table_name = ${literal(table)}`;

export const order = (run: string, table: string) =>
  `select key, position from diorama.snapshot_order
   where run_id = ${literal(run)} and table_name = ${literal(table)}`;

export const copyForClock = (run: string, table: string, from: string, key: string, row: string) =>
  `insert into diorama.snapshot_clock (run_id, table_name, key, is_copy, before)
   select ${literal(run)}, ${literal(table)}, ${key}, true, ${row}
   from ${from}`;

export const keepClockChanges = (
  run: string,
  table: string,
  from: string,
  key: string,
  row: string,
) =>
  `insert into diorama.snapshot_clock (run_id, table_name, key, is_copy, before, after)
   select ${literal(run)}, ${literal(table)}, key, false, b.before, a.after
   from (
     select key, before from diorama.snapshot_clock
     where run_id = ${literal(run)} and table_name = ${literal(table)} and is_copy
   ) b
   full join (select ${key} as key, ${row} as after from ${from}) a using (key)
   where b.before is distinct from a.after
   on conflict (run_id, table_name, key, is_copy) do update set after = excluded.after`;

export const dropClockCopies = async (sql: Sql, run: string) =>
  await sql`delete from diorama.snapshot_clock where run_id = ${run} and is_copy`;

export const clockRows = (run: string, table: string) =>
  `select key, before as was, after as became from diorama.snapshot_clock
   where run_id = ${literal(run)} and table_name = ${literal(table)}`;

export async function drop(sql: Sql, run: string): Promise<void> {
  await sql`delete from diorama.snapshots where run_id = ${run}`;
  await sql`delete from diorama.snapshot_order where run_id = ${run}`;
  await sql`delete from diorama.snapshot_clock where run_id = ${run}`;
}
