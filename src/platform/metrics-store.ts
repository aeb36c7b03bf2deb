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

type OwnCounts = {
  readonly environments: number;
  readonly runs: number;
  /** Of runs that ended within the last day. */
  readonly verdicts: {
    readonly passed: number;
    readonly failed: number;
    readonly notGradable: number;
  };
};

/** Counts what belongs to a user. A run lasts seven days at most, as its environment. */
export async function countOwn(sql: Sql, userId: string): Promise<OwnCounts> {
  const [row] = await sql<OwnCounts[]>`
    select
      (
        select count(*)::int from diorama.environments
        where user_id = ${userId} and deleted_at is null and expires_at > now()
      ) as environments,
      count(*) filter (where status in ('running', 'ending', 'evaluating'))::int as runs,
      json_build_object(
        'passed', count(*) filter (where is_recent and status = 'passed'),
        'failed', count(*) filter (where is_recent and status = 'failed' and is_graded),
        'notGradable', count(*) filter (where is_recent and status = 'failed' and not is_graded)
      ) as verdicts
    from (
      select status, ended_at > now() - interval '1 day' as is_recent, explanations is not null as is_graded
      from diorama.runs where user_id = ${userId} and started_at > now() - interval '8 days'
    ) as recent
  `;
  if (!row) throw new Error("a query without a row");
  return row;
}
