/** The leader and its read position: the single row of `diorama.capture`. */
import { type Lsn, parseLsn } from "~/capture/change";
import type { Leader, LeadershipRecords } from "~/capture/records";
import type { Sql } from "~/db/connect";

export async function leader(sql: Sql): Promise<Leader> {
  const [row] = await sql<
    Leader[]
  >`select epoch, state, instance, plugin, slot_name, system_id, timeline from diorama.capture`;
  if (!row) throw new Error("diorama.capture has no row");
  return row;
}

export const beginEpoch: LeadershipRecords["beginEpoch"] = async (sql, by) => {
  const [row] = await sql<{ epoch: string }[]>`
    update diorama.capture set epoch = epoch + 1, state = 'streaming', instance = ${by.instance},
      slot_name = ${by.slot.name}, plugin = ${by.slot.plugin}, read_to = ${by.slot.confirmed},
      system_id = ${by.system.id}, timeline = ${by.system.timeline}, changed_at = now()
    returning epoch
  `;
  if (!row) throw new Error("diorama.capture has no row");
  return row.epoch;
};

export const endEpoch = async (sql: Sql, epoch: string) =>
  await sql`update diorama.capture set state = 'idle', changed_at = now() where epoch = ${epoch}`;

export const setReadTo = async (sql: Sql, epoch: string, lsn: string | null) =>
  await sql`update diorama.capture set read_to = ${lsn}::pg_lsn where epoch = ${epoch}`;

/** The read position of the log. */
export type Reader = {
  /** Backend of the reading server; undefined while no server reads. */
  readonly connection: number | undefined;
  /** Everything before it has been read on this connection, as the reader reports it every other second. */
  readonly position: Lsn;
  readonly end: Lsn;
};

export async function reader(sql: Sql): Promise<Reader> {
  const [row] = await sql<{ connection: number | null; position: string; end: string }[]>`
    select s.active_pid as connection, coalesce(c.read_to, pg_current_wal_lsn())::text as position,
      pg_current_wal_lsn()::text as end
    from diorama.capture c left join pg_replication_slots s on s.slot_name = c.slot_name
  `;
  return {
    connection: row?.connection ?? undefined,
    position: parseLsn(row?.position ?? "0/0"),
    end: parseLsn(row?.end ?? "0/0"),
  };
}

/** Returns the bytes of unread log. Without a reader: everything that the slot has to deliver again. */
export async function unreadBytes(sql: Sql): Promise<number> {
  const [row] = await sql<{ unread: number }[]>`
    select greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(),
      case when s.active then c.read_to else s.confirmed_flush_lsn end))::float8 as unread
    from diorama.capture c join pg_replication_slots s on s.slot_name = c.slot_name
  `;
  return row?.unread ?? 0;
}
