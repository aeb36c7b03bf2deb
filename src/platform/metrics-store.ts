/** Queries for a scrape: counts over all servers, none of them by id. */
import type { Sql } from "~/db/connect";

/** Measures the time of a trivial statement. */
export const ping = async (sql: Sql) => await sql`select 1`;

export type Counted = { readonly name: string; readonly state: string; readonly count: number };

/** Counts the environments that have not ended, by service. */
export async function countEnvironments(sql: Sql): Promise<Counted[]> {
  return await sql<Counted[]>`
    select service as name, case when expires_at > now() then 'live' else 'expired' end as state,
      count(*)::int as count
    from diorama.environments where deleted_at is null group by 1, 2
  `;
}

export type ActiveRuns = {
  readonly running: number;
  readonly ending: number;
  /** Their diff is stored and their verdict is not. */
  readonly evaluating: number;
  /** Age of the oldest one that is recorded from the log. */
  readonly holdSeconds: number;
};

export async function countRuns(sql: Sql): Promise<ActiveRuns> {
  const [row] = await sql<ActiveRuns[]>`
    select count(*) filter (where status = 'running')::int as running,
      count(*) filter (where status = 'ending')::int as ending,
      coalesce(extract(epoch from now() - min(started_at) filter (where capture = 'log')), 0)::float8 as hold_seconds,
      (select count(*)::int from diorama.runs where status = 'evaluating') as evaluating
    from diorama.runs where status in ('running', 'ending')
  `;
  return row ?? { running: 0, ending: 0, evaluating: 0, holdSeconds: 0 };
}

export type LogState = {
  readonly epoch: number;
  /** Null without a slot. */
  readonly walStatus: string | null;
  readonly lag: number;
  readonly retained: number;
  readonly spilled: number;
  readonly postgres: string;
};

export async function readLogState(sql: Sql): Promise<LogState | undefined> {
  const [row] = await sql<LogState[]>`
    select c.epoch::float8 as epoch, s.wal_status,
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), s.confirmed_flush_lsn), 0)::float8 as lag,
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn), 0)::float8 as retained,
      coalesce(t.spill_bytes, 0)::float8 as spilled, current_setting('server_version') as postgres
    from diorama.capture c
    left join pg_replication_slots s on s.slot_name = c.slot_name
    left join pg_stat_replication_slots t on t.slot_name = s.slot_name
  `;
  return row;
}

/** Counts the connections of all servers, by state. */
export async function countConnections(sql: Sql): Promise<Omit<Counted, "name">[]> {
  return await sql<Omit<Counted, "name">[]>`
    select coalesce(replace(state, ' ', '_'), 'unknown') as state, count(*)::int as count
    from pg_stat_activity
    where datname = current_database() and application_name like 'diorama %' group by 1
  `;
}

/** Returns the newest applied migration. */
export async function schemaVersion(sql: Sql): Promise<number> {
  const [row] = await sql`select max(version)::int as version from diorama.schema_migrations`;
  return row?.["version"] ?? 0;
}
