/** Ends environments: on request, when they expire, and when their schemas are lost. */
import { type Fragment, inTransaction, type Pool, type Sql } from "~/db/connect";

export type Ended = { readonly environmentId: string; readonly schemaName: string };

/** Notifies other servers of ended environments: the payload is an id. */
export const CHANNEL = "diorama_environments";

/**
 * Closes the runs of environments that end: fragments for the statement that ends those, which lists them as `ended`.
 * Supplied by the owner of runs.
 */
export type RunClosing = {
  /** Closes the runs; listed as `closed`. */
  closed(sql: Sql, reason: Reason): Fragment;
  /** Selected beside `closed`. */
  mark(sql: Sql, reason: Reason): Fragment;
  /** Whether the environment must not end yet, because a run still has to compare its state. */
  isCompared(sql: Sql): Fragment;
  /** Fails runs whose log is lost too. */
  lost(sql: Sql): Fragment;
};

/** How an environment ended; a reset only ends its runs. */
export type Reason = "deleted" | "expired" | "lost its schema" | "reset";

/**
 * Ends environments: frees their schemas for recycling, and closes their unfinished runs with a reason. The
 * environments are those that `which` selects and locks among the live ones. A run that is being started holds up the
 * lock, and only a statement after it sees that run.
 */
async function end(
  pool: Pool,
  which: Fragment,
  reason: Reason,
  runs: RunClosing,
): Promise<Ended[]> {
  return await inTransaction(pool, async (tx) => {
    const locked = await tx<Pick<Ended, "environmentId">[]>`
      select environment_id from diorama.environments where deleted_at is null and ${which}
    `;
    const ids = locked.map(({ environmentId }) => environmentId);
    return ids.length === 0 ? [] : await endLocked(tx, ids, reason, runs);
  });
}

async function endLocked(
  sql: Sql,
  ids: readonly string[],
  reason: Reason,
  runs: RunClosing,
): Promise<Ended[]> {
  return await sql<Ended[]>`
    with ended as (
      update diorama.environments set deleted_at = now()
      where environment_id = any(${[...ids]})
      returning environment_id, schema_name, least(now(), expires_at) as at
    ), freed as (
      update diorama.schemas s set state = 'used', changed_at = now()
      from ended where s.schema_name = ended.schema_name
    ), closed as (
      ${runs.closed(sql, reason)}
    )
    select ended.environment_id, ended.schema_name,
      ${runs.mark(sql, reason)} as mark,
      pg_notify(${CHANNEL}, ended.environment_id)
    from ended left join closed using (environment_id)
  `;
}

/** Ends an environment on request. Returns undefined if it was not live. */
export async function remove(
  pool: Pool,
  environmentId: string,
  runs: RunClosing,
): Promise<Ended | undefined> {
  const which = pool`environment_id = ${environmentId} and expires_at > now() for update`;
  const [ended] = await end(pool, which, "deleted", runs);
  return ended;
}

const EXPIRE_BATCH = 100;

/** Ends up to a hundred expired environments. */
export const removeExpired = async (pool: Pool, runs: RunClosing): Promise<Ended[]> =>
  await end(
    pool,
    pool`expires_at <= now() and not ${runs.isCompared(pool)} limit ${EXPIRE_BATCH} for update skip locked`,
    "expired",
    runs,
  );

const schemaIsMissing = (sql: Sql): Fragment =>
  sql`schema_name not in (select nspname from pg_namespace)`;

/**
 * Ends environments whose schema is missing, fails their runs and removes their schemas from the register: the database
 * was restored without them. Returns how many ended.
 */
export async function reconcileMissingSchemas(sql: Sql, runs: RunClosing): Promise<number> {
  const rows = await sql`
    with missing as (
      delete from diorama.schemas where ${schemaIsMissing(sql)}
    ), ended as (
      update diorama.environments set deleted_at = least(now(), expires_at)
      where deleted_at is null and ${schemaIsMissing(sql)}
      returning environment_id
    ), failed as (
      ${runs.lost(sql)}
    )
    select from ended
  `;
  return rows.count;
}

/** Ends environments of these schemas, which were dropped by hand. */
export const endWithoutSchema = async (
  pool: Pool,
  missing: readonly string[],
  runs: RunClosing,
): Promise<Ended[]> =>
  await end(
    pool,
    pool`schema_name = any(${[...missing]}) for update skip locked`,
    "lost its schema",
    runs,
  );

/** Returns those of the given environments that have ended. */
export async function listEnded(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select environment_id as id from diorama.environments
    where environment_id = any(${[...ids]}) and (deleted_at is not null or expires_at <= now())
  `;
  return rows.map(({ id }) => id);
}

/** Deletes environments that ended long ago, after their runs. */
export const deleteOld = async (sql: Sql, days: number) =>
  await sql`
    delete from diorama.environments e where deleted_at < now() - ${days} * interval '1 day'
      and created_at < now() - ${days} * interval '1 day'
      and not exists (select from diorama.runs r where r.environment_id = e.environment_id)
  `;
