/** Queries that capacity is computed from. */
import type { Sql } from "~/db/connect";

/**
 * Counts the environments that have a schema, and returns those of `ids` that are stored, in one statement: the others are
 * still being created.
 */
export async function countHeld(
  sql: Sql,
  ids: readonly string[],
): Promise<{ readonly held: number; readonly stored: readonly string[] }> {
  const [row] = await sql<{ held: number; stored: string[] }[]>`
    select (select count(*)::int from diorama.environments where deleted_at is null) as held,
      array(select environment_id from diorama.environments where environment_id = any(${ids})) as stored
  `;
  return row ?? { held: 0, stored: [] };
}

/** Settings of Postgres that limit the number of its tables. */
export type PostgresSettings = {
  readonly autovacuum: boolean;
  /** Entries in its table of locks: so many for each possible session. */
  readonly locks: number;
  readonly sessions: number;
  /** Size of the log at which a checkpoint is due. */
  readonly walBytes: number;
};

export async function readSettings(sql: Sql): Promise<PostgresSettings> {
  const [row] = await sql<PostgresSettings[]>`
    select current_setting('autovacuum')::bool as autovacuum,
      current_setting('max_locks_per_transaction')::int * sessions as locks, sessions,
      pg_size_bytes(current_setting('max_wal_size'))::float8 as "walBytes"
    from (
      select current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int as sessions
    ) as known
  `;
  if (!row) throw new Error("a query without a row");
  return row;
}
