/**
 * Replication origins: names for the sessions that build and recycle schemas.
 *
 * Most of what Diorama writes comes from these sessions, and none of it belongs to a run. The slot skips it by the
 * origin in each log record, before decoding: 300,000 rows of a template take 0.04 s instead of 0.43 s (Postgres 15,
 * wal2json). Before Postgres 16 only one session at a time can hold an origin, so there are several. A session without
 * one writes like any other.
 */
import { inSavepoint, inTransaction, type Pool, type Sql, type Tx } from "~/db/connect";

/** Postgres stores the state of at most max_replication_slots origins. */
const ORIGINS = 4;
const LOCK = "diorama origins";
/** First half of the keys of the locks that sessions hold with their origins. */
const HELD = 0x6f72_6967; // "orig"

const FUNCTIONS = [
  "pg_replication_origin_create",
  "pg_replication_origin_drop",
  "pg_replication_origin_session_setup",
  "pg_replication_origin_session_is_setup",
];

/** Grants for a role that is not a superuser. */
export const ORIGINS_GRANT = `GRANT EXECUTE ON FUNCTION ${FUNCTIONS.join(", ")} TO the role`;

/** Whether the role may use origins: by default only superusers may. */
export async function mayUseOrigins(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ allowed: boolean }[]>`
    select current_setting('max_replication_slots')::int > 0
      and bool_and(has_function_privilege(oid, 'execute')) as allowed
    from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname = any(${FUNCTIONS})
  `;
  return row?.allowed === true;
}

/** Names an origin. Origins belong to the cluster, but each Diorama to one database. */
const nameOf = (sql: Sql) =>
  sql`'diorama_' || (select oid from pg_database where datname = current_database()) || '_' || n`;

/** Returns the ids of this database's origins, and creates missing ones. Empty if the role may not use them. */
export async function ensureOrigins(pool: Pool): Promise<string[]> {
  if (!(await mayUseOrigins(pool))) return [];
  return await inTransaction(pool, async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext(${LOCK}))`;
    await tx.savepoint(dropForgotten).catch(() => undefined); // another database's server may do it at the same time
    await tx`
      select pg_replication_origin_create(${nameOf(tx)}) from generate_series(1, ${ORIGINS}) n
      where ${nameOf(tx)} not in (select roname from pg_replication_origin)
    `;
    const rows = await tx<{ id: string }[]>`
      select roident::text as id from pg_replication_origin, generate_series(1, ${ORIGINS}) n
      where roname = ${nameOf(tx)} order by n
    `;
    return rows.map(({ id }) => id);
  });
}

/** Drops the origins of databases that no longer exist: there is room for only a few. */
const dropForgotten = async (tx: Tx) =>
  await tx`
    select pg_replication_origin_drop(roname) from pg_replication_origin
    where roname ~ '^diorama_[0-9]+_[0-9]+$'
      and split_part(roname, '_', 2) not in (select oid::text from pg_database)
  `;

/** Gives the session of this transaction an unused origin until the session ends. */
async function setOrigin(tx: Tx): Promise<void> {
  const [row] = await tx`select pg_replication_origin_session_is_setup() as is_set`;
  if (row?.["is_set"] === true) return;
  // All may be held, or Postgres may have no room for their state: then the session works without.
  await inSavepoint(
    tx,
    (nested) => nested`
      select pg_replication_origin_session_setup(${nameOf(nested)})
      from (
        select n from generate_series(1, ${ORIGINS}) n where pg_try_advisory_lock(${HELD}, n) limit 1
      ) free
    `,
  ).catch(() => undefined);
}

/** The sessions that build schemas, whose writes belong to no run. */
export type Builders = ReturnType<typeof createBuilders>;

/** `withOrigins`: the log is decoded, so marking unneeded writes pays off. */
export function createBuilders(sql: Pool, withOrigins: boolean) {
  let usable: Promise<boolean> | undefined;
  const areUsable = async () => {
    usable ??= ensureOrigins(sql).then((origins) => origins.length > 0);
    return await usable.catch(() => {
      usable = undefined;
      return false;
    });
  };
  return {
    sql,

    /** Runs `work` in one transaction; a throw rolls it back. */
    async transaction<T>(work: (tx: Tx) => Promise<T>, mode = ""): Promise<T> {
      const marks = withOrigins && (await areUsable());
      return await inTransaction(
        sql,
        async (tx) => {
          if (marks) await setOrigin(tx);
          return await work(tx);
        },
        mode,
      );
    },
  };
}
