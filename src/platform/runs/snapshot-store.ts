/** Copies of environments, for runs that compare snapshots. */
import type { Actor } from "~/capture/actor";
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

export const copyForStep = (run: string, table: string, from: string, key: string, row: string) =>
  `insert into diorama.snapshot_clock (run_id, table_name, key, is_copy, before)
   select ${literal(run)}, ${literal(table)}, ${key}, true, ${row}
   from ${from}`;

export const keepStep = (
  run: string,
  table: string,
  from: string,
  key: string,
  row: string,
  by: Actor,
) =>
  `insert into diorama.snapshot_steps (run_id, table_name, key, step, actor, before, after)
   select ${literal(run)}, ${literal(table)}, key, (
     select coalesce(max(step), 0) + 1 from diorama.snapshot_steps
     where run_id = ${literal(run)} and table_name = ${literal(table)}
   ), ${literal(by)}, b.before, a.after
   from (
     select key, before from diorama.snapshot_clock
     where run_id = ${literal(run)} and table_name = ${literal(table)} and is_copy
   ) b
   full join (select ${key} as key, ${row} as after from ${from}) a using (key)
   where b.before is distinct from a.after`;

export const dropCopies = async (sql: Sql, run: string) =>
  await sql`delete from diorama.snapshot_clock where run_id = ${run} and is_copy`;

/** With those that servers of earlier versions keep, whose only actor is the clock. */
export const steps = (run: string, table: string) =>
  `select key, json_agg(json_build_object('actor', actor, 'was', before, 'became', after) order by step) as steps
   from (
     select run_id, table_name, key, step, actor, before, after from diorama.snapshot_steps
     union all
     select run_id, table_name, key, 0, 'clock', before, after from diorama.snapshot_clock where not is_copy
   ) kept
   where run_id = ${literal(run)} and table_name = ${literal(table)} group by key`;

export async function drop(sql: Sql, run: string): Promise<void> {
  await sql`delete from diorama.snapshots where run_id = ${run}`;
  await sql`delete from diorama.snapshot_order where run_id = ${run}`;
  await sql`delete from diorama.snapshot_clock where run_id = ${run}`;
  await sql`delete from diorama.snapshot_steps where run_id = ${run}`;
}
