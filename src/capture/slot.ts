/** The replication slot: one for the database, read by one server. */
import { formatLsn, type Lsn } from "~/capture/change";
import { PGOUTPUT_OPTIONS, PUBLICATION } from "~/capture/pgoutput";
import { WAL2JSON_OPTIONS } from "~/capture/wal2json";
import { relationsOf } from "~/db/catalog";
import {
  errorCode,
  type Fragment,
  inTransaction,
  literal,
  type Pool,
  QUERY_CANCELED,
  quote,
  type Sql,
  type Tx,
} from "~/db/connect";
import { ensureOrigins } from "~/db/origins";

export type Plugin = "wal2json" | "pgoutput";

export type Slot = {
  readonly name: string;
  readonly plugin: Plugin;
  /** A server is reading it. */
  readonly active: boolean;
  /** Postgres has removed log that the slot still needed. */
  readonly lost: boolean;
  /** Postgres copied it from the primary of a standby that has been promoted. */
  readonly synced: boolean;
  /** Where reading resumes. */
  readonly confirmed: string;
};

/** First half of the keys of our advisory locks, which are per database. */
export const LOCK_CLASS = 0x6469_6f72; // "dior"
/** Shared by transactions that start a run, exclusive for one that drops the slot. */
const SLOT_LOCK = 2;

/** A walsender releases its slot shortly after its connection ends; on a busy machine it takes longer. */
export const RELEASE_MS = 100;
export const RELEASE_ATTEMPTS = 20;

const UNDEFINED_OBJECT = "42704";
const OBJECT_IN_USE = "55006";
const PLUGIN_MISSING = "58P01";
const PLUGIN_FORBIDDEN = "42501";

/**
 * Creating a slot waits for every open transaction with an id, in any database. Shorter than callers wait and than the
 * driver trusts a silent connection, so callers learn the reason.
 */
const CREATE_TIMEOUT = "8s";
const PROBE_TIMEOUT = "5s";

/** Returns the slot's name. Slots belong to the cluster, but each Diorama to one database. */
export async function slotName(sql: Sql): Promise<string> {
  const [row] =
    await sql`select oid::text as oid from pg_database where datname = current_database()`;
  return `diorama_${row?.["oid"]}`;
}

export async function findSlot(sql: Sql, name: string): Promise<Slot | undefined> {
  const [slot] = await sql<Slot[]>`
    select slot_name as name, plugin, active,
      coalesce(wal_status = 'lost', false) as lost, confirmed_flush_lsn::text as confirmed,
      coalesce((to_jsonb(s) ->> 'synced')::bool, false) as synced -- since Postgres 17
    from pg_replication_slots s where slot_name = ${name}
  `;
  return slot;
}

/** Unread log counts as a backlog from this size on. */
export const BEHIND_BYTES = 16 * 2 ** 20;

/** Bytes of log between each position and the end of the log: `received` was read, `safe` is no longer needed. */
export async function distances(
  sql: Sql,
  { received, safe }: { received: string; safe: string },
): Promise<{ unread: number; retained: number }> {
  const [row] = await sql<{ unread: number; retained: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), ${received})::float8 as unread,
      pg_wal_lsn_diff(pg_current_wal_lsn(), ${safe})::float8 as retained
  `;
  return row ?? { unread: 0, retained: 0 };
}

/** Thrown when the slot could not be created in time; the message says what it waits for. */
export class SlotBusy extends Error {
  override readonly name = "SlotBusy";
}

/** Whether standbys with `sync_replication_slots` keep copies of slots: since Postgres 17. */
async function copiesSlots(sql: Sql): Promise<boolean> {
  const [row] = await sql`select current_setting('server_version_num')::int >= 170000 as copies`;
  return row?.["copies"] === true;
}

export async function createSlot(pool: Pool, name: string, plugin: Plugin): Promise<void> {
  if (plugin === "pgoutput") await inTransaction(pool, ensurePublication);
  try {
    await inTransaction(pool, async (tx) => {
      await tx`select set_config('statement_timeout', ${CREATE_TIMEOUT}, true)`;
      await ((await copiesSlots(tx))
        ? tx`select pg_create_logical_replication_slot(${name}, ${plugin}, failover => true)`
        : tx`select pg_create_logical_replication_slot(${name}, ${plugin})`);
    });
  } catch (error) {
    if (errorCode(error) === QUERY_CANCELED)
      throw new SlotBusy("waiting for open transactions to end before capture can start");
    throw error;
  }
}

/**
 * True in a statement whose transaction may start a run: the slot exists, is read with `plugin`, and stays until that
 * transaction ends, so it delivers everything that commits from now on. False while the slot is missing, invalid, or
 * being dropped.
 */
export const slotIsReady = (sql: Sql, plugin: Plugin): Fragment => sql`
  case when pg_try_advisory_xact_lock_shared(${LOCK_CLASS}, ${SLOT_LOCK}) then exists (
    select from pg_replication_slots
    where slot_name = 'diorama_' || (select oid from pg_database where datname = current_database())
      and plugin = ${plugin} and confirmed_flush_lsn is not null and wal_status is distinct from 'lost'
  ) else false end
`;

/**
 * Waits until everything that was committed so far is on disk. Results may be answered before that, because the log
 * gives them again: call it before the log is given up.
 */
export const flushLog = async (pool: Pool) =>
  await pool`select pg_logical_emit_message(true, 'diorama_flush', '')`;

/**
 * Drops the slot if `allowed` returns true. No run starts between the call of `allowed` and the drop. Returns true when
 * the slot no longer exists, false while a server reads it or `allowed` objects. Uses two connections of the pool.
 */
export async function dropSlot(
  pool: Pool,
  name: string,
  allowed: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  try {
    await inTransaction(pool, async (tx) => {
      await tx`select pg_advisory_xact_lock(${LOCK_CLASS}, ${SLOT_LOCK})`;
      if (!(await allowed(tx))) return;
      await flushLog(pool);
      await tx`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${name} and not active`;
    });
  } catch (error) {
    const code = errorCode(error);
    if (code !== UNDEFINED_OBJECT && code !== OBJECT_IN_USE) throw error;
  }
  return (await findSlot(pool, name)) === undefined;
}

/**
 * Chooses the plugin to decode with: `wanted`, or with `auto` wal2json if this server can use it. Tests it with a
 * temporary slot. Throws Postgres' own error if a plugin that was requested by name cannot be used.
 */
export async function choosePlugin(pool: Pool, wanted: Plugin | "auto"): Promise<Plugin> {
  const plugin = wanted === "auto" ? "wal2json" : wanted;
  const probe = `diorama_probe_${crypto.randomUUID().slice(0, 8)}`;
  try {
    await inTransaction(pool, async (tx) => {
      await tx`select set_config('statement_timeout', ${PROBE_TIMEOUT}, true)`;
      await tx`select pg_create_logical_replication_slot(${probe}, ${plugin}, true)`;
      await tx`select pg_drop_replication_slot(${probe})`;
    });
    return plugin;
  } catch (error) {
    const code = errorCode(error);
    if (code === QUERY_CANCELED) return plugin; // the plugin exists; other transactions delay the slot
    if (wanted === "auto" && (code === PLUGIN_MISSING || code === PLUGIN_FORBIDDEN))
      return "pgoutput";
    throw error;
  }
}

const PUBLICATION_LOCK = "diorama publication";

/** Locks the publication until the transaction ends: two transactions that add the same table would fail. */
async function ensurePublication(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext(${PUBLICATION_LOCK}))`;
  const [known] = await tx`select 1 from pg_publication where pubname = ${PUBLICATION}`;
  if (!known) await tx.unsafe(`create publication ${quote(PUBLICATION)}`);
}

/**
 * Adds a schema's tables to the publication, inside the caller's transaction. Lists them individually, because
 * publications of whole schemas need a superuser. Earlier writes are not sent, so it waits for sessions that are
 * writing.
 */
export async function publish(tx: Tx, schema: string): Promise<void> {
  await ensurePublication(tx);
  const missing = await tx<{ name: string }[]>`
    select c.relname as name from ${relationsOf(tx, schema)}
    where c.relkind = 'r'
      and not exists (
        select from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
        where r.prrelid = c.oid and p.pubname = ${PUBLICATION}
      )
  `;
  if (missing.length === 0) return;
  const tables = missing.map(({ name }) => `${quote(schema)}.${quote(name)}`).join(", ");
  await tx.unsafe(
    `lock table ${tables} in share row exclusive mode; alter publication ${quote(PUBLICATION)} add table ${tables}`,
  );
}

/** Maximum number of foreign schemas in the filter, which the plugin checks for each change. */
const FOREIGN_MAX = 20;

/**
 * Options that keep the plugin from decoding changes that no run needs: writes of the builders' sessions, and tables
 * outside environments. Wal2json takes the origins' ids; pgoutput skips all origins from Postgres 16 on, and its
 * publication contains only environments' tables.
 */
export async function skippingOptions(
  pool: Pool,
  plugin: Plugin,
): Promise<{ readonly [option: string]: string }> {
  const origins = await ensureOrigins(pool);
  if (plugin === "pgoutput") {
    const [row] = await pool`select current_setting('server_version_num')::int >= 160000 as knows`;
    return row?.["knows"] === true && origins.length > 0 ? { origin: "none" } : {};
  }
  const foreign = await pool<{ tables: string }[]>`
    select nspname || '.*' as tables from pg_namespace
    where nspname ~ '^[a-z_][a-z0-9_]*$' and nspname !~ '^(pg_|env_|tpl_|information_schema$)'
    order by nspname <> 'diorama', oid limit ${FOREIGN_MAX}
  `;
  return {
    "filter-tables": foreign.map(({ tables }) => tables).join(","),
    ...(origins.length > 0 && { "filter-origins": origins.join(",") }),
  };
}

/** Builds the command that starts the stream at the slot's confirmed position, or later. */
export function startReplication(
  { name, plugin }: Pick<Slot, "name" | "plugin">,
  skipping: { readonly [option: string]: string } = {},
  from: Lsn = 0n,
): string {
  const known = plugin === "wal2json" ? WAL2JSON_OPTIONS : PGOUTPUT_OPTIONS;
  const options = { ...known, ...skipping };
  const list = Object.entries(options).map(([key, value]) => `${quote(key)} ${literal(value)}`);
  return `START_REPLICATION SLOT ${quote(name)} LOGICAL ${formatLsn(from)} (${list.join(", ")})`;
}
