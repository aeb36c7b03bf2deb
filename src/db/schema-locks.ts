/** The locks of schemas, as the transactions of others see them: see `session-pool.ts`. */
import type { Fragment, Sql } from "~/db/connect";

/** Locks a schema for the caller's transaction. Returns false while any server leases it for an environment. */
export async function tryLockSchema(tx: Sql, schema: string): Promise<boolean> {
  const [row] = await tx<
    { schemaIdle: boolean }[]
  >`select ${schemaIdle(tx, tx`${schema}::text`)} as "schemaIdle"`;
  return row?.schemaIdle === true;
}

/** Prevents a schema from being given to another environment until the caller's transaction ends. */
export const lockAgainstRecycling = async (tx: Sql, schema: string) =>
  await tx`select pg_advisory_xact_lock_shared(hashtextextended(${schema}, 0))`;

/** The same lock as part of a statement. */
export const schemaIdle = (sql: Sql, schema: Fragment): Fragment =>
  sql`pg_try_advisory_xact_lock(hashtextextended(${schema}, 0))`;
