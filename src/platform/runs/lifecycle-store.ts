/**
 * The life of a run: every statement that writes `diorama.runs`.
 *
 *     running ─→ ending ─→ completed            ended by diffRun
 *                       ─→ evaluating ─→ passed, failed
 *                       ─→ passed, failed       with its verdict
 *     running ─→ ending ─→ failed               its environment expired
 *     running ─→ failed                         its environment was deleted or reset
 *     running, ending ─→ failed                 lost
 *     evaluating ─→ failed                      no verdict is possible
 *
 * Each transition is one statement that names the states it leaves, so two of them never both succeed. A transition that
 * starts or ends a recording from the log writes its mark in the same statement.
 */
import type { CaptureKind, Start, Started } from "~/capture/capture";
import { closeMark } from "~/capture/change";
import type { Loss } from "~/capture/loss";
import type { Losing, Result, RunRecords, StoredVerdict } from "~/capture/records";
import { endMark } from "~/capture/relations";
import type { Fragment, Pool, Sql } from "~/db/connect";
import { together } from "~/db/session";
import { unflushed } from "~/db/unflushed";
import type { Ending } from "~/evaluation/ending";
import type { RunClosing } from "~/platform/environments/ending-store";
import type { JournalMode } from "~/platform/journal/store";
import {
  closedColumns,
  expiredColumns,
  lastChange,
  lostColumns,
  resultColumns,
  verdictColumns,
} from "~/platform/runs/outcome-store";

export type NewRunRow = {
  readonly runId: string;
  readonly environmentId: string;
  readonly userId: string;
  readonly beforeSnapshot: string;
  readonly capture: CaptureKind;
  readonly testId: string | null;
  readonly suiteId: string | null;
  readonly journal: JournalMode;
  /** JSON text: the test's expectation as it is now. */
  readonly expected: string | null;
  /** JSON text. */
  readonly labels: string;
};

/**
 * Inserts a running run if its user has such a live environment without one, and evaluates the mark with it. What changes
 * the environment's tables, such as a reset, ends first: only a statement after the lock sees them as they are then.
 */
export async function insertRun(tx: Sql, run: NewRunRow, start: Start): Promise<Started> {
  const locked = tx`
    select from diorama.environments
    where environment_id = ${run.environmentId} and user_id = ${run.userId} for share
  `;
  const [, [row]] = await together([locked, insertLocked(tx, run, start)]);
  if (row?.started) return "started";
  return row?.ready ? "not inserted" : "not ready";
}

const insertLocked = (sql: Sql, run: NewRunRow, { ready, markOf }: Start) =>
  sql<{ ready: boolean; started: boolean }[]>`
    with capture as materialized (
      select ${ready} as ready
    ), started as (
      insert into diorama.runs (
        run_id, environment_id, schema_name, user_id, before_snapshot, capture, status,
        test_id, suite_id, journal, expected, labels, changes_from
      )
      select ${run.runId}, environment_id, schema_name, user_id, ${run.beforeSnapshot}, ${run.capture}, 'running',
        ${run.testId}, ${run.suiteId}, ${run.journal}, ${run.expected}::text::json, ${run.labels}::text::jsonb, (
          select changes from diorama.outboxes o where o.environment_id = environments.environment_id and is_noting
        )
      from diorama.environments
      where environment_id = ${run.environmentId} and user_id = ${run.userId}
        and deleted_at is null and expires_at > now() and (select ready from capture)
      on conflict (environment_id) where status = 'running' do nothing
      returning schema_name
    ), marked as materialized (
      select ${markOf(run.runId)}::text from started
    )
    select ready, exists (select from marked) as started from capture
  `;

/** The expectation that a run is checked against, as JSON text; `expected` replaces the stored one. */
export type Expectation = Ending & {
  readonly expected?: string;
  readonly baselineRows: string;
  readonly costUsd: number | null;
};

/**
 * Moves a running run of a live environment to `ending` and evaluates `mark` with it. Returns the schema, and whether
 * the run has events; undefined if its user has no such run that is recorded in this way. A run whose environment has
 * changes that counterparts have not seen yet continues, unless `isSettled`.
 */
export async function beginEnd(
  sql: Sql,
  run: Pick<NewRunRow, "runId" | "userId" | "capture"> & { readonly isSettled: boolean },
  mark: Fragment,
  expectation?: Expectation,
): Promise<{ readonly schemaName: string; readonly hasEvents: boolean } | undefined> {
  const against = expectation
    ? sql`, expected = coalesce(${expectation.expected ?? null}::text::json, expected), standing = ${expectation.baselineRows}::text::json,
        ending = ${expectation.ending}, exit_code = ${expectation.exitCode}, cost_usd = coalesce(${expectation.costUsd}::float8, cost_usd)`
    : sql``;
  const [ending] = await sql<{ schemaName: string; hasEvents: boolean }[]>`
    with ending as (
      update diorama.runs r set status = 'ending', ended_at = now(), ${lastChange(sql)}${against}
      from diorama.environments e
      where r.run_id = ${run.runId} and r.user_id = ${run.userId} and r.capture = ${run.capture}
        and r.status = 'running' and e.environment_id = r.environment_id
        and e.deleted_at is null and e.expires_at > now() and (${run.isSettled} or not exists (
          select from diorama.counterpart_changes c where c.environment_id = r.environment_id
        ))
      returning r.schema_name, r.changes_from is not null as has_events
    )
    select schema_name, has_events, ${mark}::text from ending
  `;
  return ending;
}

/** Notifies other servers that a run's result is stored: payload `stored <runId>`. */
const CHANNEL = "diorama_runs";
const STORED = "stored ";

export const onStored = (pool: Pool, listener: (run: string) => void) =>
  pool.listen(CHANNEL, (payload) => listener(payload.slice(STORED.length)));

/**
 * The commit of a result that the log gives again waits for the disk only if a crash may lose the log too: with a limit
 * on what slots keep, or with a standby that takes over and has no slot.
 */
const withoutWaiting = (sql: Sql): Fragment => sql`
  case when current_setting('synchronous_standby_names') = '' and current_setting('max_slot_wal_keep_size') = '-1'
    then 'off' else current_setting('synchronous_commit') end
`;

/**
 * Locks the row first, in any state: the log shows the transaction that set it to `ending` a moment before other
 * sessions do, and the lock waits for that moment. The mark says in the log that the result is on disk.
 */
export const store: RunRecords["store"] = async (sql, epoch, run, outcome, how) => {
  const result = "diff" in outcome ? resultColumns(sql, outcome) : lostColumns(sql, outcome.lost);
  const commit = how.isRepeatable
    ? withoutWaiting(sql)
    : sql`current_setting('synchronous_commit')`;
  const rows = await sql`
    with quick as materialized (
      select set_config('synchronous_commit', ${commit}, true)
    ), locked as materialized (
      select run_id, status from diorama.runs, quick where run_id = ${run} for update of runs
    ), stored as (
      update diorama.runs r set ${result} from locked
      where r.run_id = locked.run_id and locked.status = 'ending'
        and exists (select from diorama.capture where epoch = ${epoch})
      returning r.run_id
    )
    select case when ${how.notify} then pg_notify(${CHANNEL}, ${STORED}::text || run_id) end, ${closeMark(sql)}::text
    from stored
  `;
  return rows.count > 0;
};

export const complete = async (sql: Sql, run: string, result: Result) =>
  await sql`
    update diorama.runs set ${resultColumns(sql, result)}
    where run_id = ${run} and status = 'ending'
  `;

/**
 * Stores a verdict, unless there is one. The same evidence gives the same verdict, so the commit does not wait for the
 * disk: a verdict that a crash loses is given again.
 */
export const finish = async (sql: Sql, runId: string, verdict: StoredVerdict) =>
  await sql`
    with quick as materialized (select ${unflushed(sql)})
    update diorama.runs r set ${verdictColumns(sql, verdict)}
    from quick where run_id = ${runId} and status = 'evaluating'
  `;

/** The journal has every call that the log names. */
export const forgetCallMarks = async (sql: Sql, runId: string) =>
  await sql`update diorama.runs set call_marks = null where run_id = ${runId}`;

/** Fails a run that cannot have a verdict. */
export const abandon = async (sql: Sql, runId: string, loss: Loss) =>
  await sql`
    update diorama.runs r set ${lostColumns(sql, loss)}, evidence = null, standing = null
    where run_id = ${runId} and status = 'evaluating'
  `;

export async function lose(sql: Sql, which: Losing, loss: Loss): Promise<number> {
  const rows = await sql`
    with lost as (
      update diorama.runs r set ${lostColumns(sql, loss)}
      where status in ('running', 'ending') and ${condition(sql, which)} returning run_id, capture
    )
    select pg_notify(${CHANNEL}, ${STORED}::text || run_id),
      case when capture = 'log' then ${closeMark(sql)}::text end as mark
    from lost
  `;
  return rows.count;
}

function condition(sql: Sql, which: Losing): Fragment {
  if (which === "all") return sql`capture = 'log'`;
  if ("run" in which) return sql`run_id = ${which.run}`;
  if ("running" in which) return sql`run_id = ${which.running} and status = 'running'`;
  if ("runs" in which) return sql`run_id = any(${[...which.runs]})`;
  return sql`capture = 'log' and schema_name = any(${[...which.schemas]})`;
}

/** Runs whose environments have expired: one, all of a user, or all. */
export type Expired = { readonly runId: string } | { readonly userId: string } | "all";

const among = (sql: Sql, which: Expired): Fragment => {
  if (which === "all") return sql`true`;
  return "runId" in which ? sql`r.run_id = ${which.runId}` : sql`r.user_id = ${which.userId}`;
};

/** Ends the recordings from the log of running runs whose environments have expired. Returns the runs. */
export async function endExpired(sql: Sql, which: Expired): Promise<string[]> {
  const rows = await sql<{ runId: string }[]>`
    with closed as (
      update diorama.runs r set ${expiredColumns(sql, sql`e.expires_at`)}
      from diorama.environments e
      where ${among(sql, which)} and r.status = 'running' and r.capture = 'log'
        and e.environment_id = r.environment_id and e.expires_at <= now()
      returning r.run_id, r.schema_name
    )
    select run_id, ${endMark(sql)}::text as mark from closed
  `;
  return rows.map(({ runId }) => runId);
}

/** Lists running runs that compare snapshots and whose environments have expired. */
export async function listExpiredComparisons(sql: Sql, which: Expired, limit: number) {
  const rows = await sql<{ runId: string }[]>`
    select r.run_id from diorama.runs r join diorama.environments e using (environment_id)
    where ${among(sql, which)} and r.status = 'running' and r.capture = 'snapshot'
      and e.deleted_at is null and e.expires_at <= now()
    order by r.started_at limit ${limit}
  `;
  return rows.map(({ runId }) => runId);
}

/** Moves a run that compares snapshots to `ending`, because its environment has expired. Returns the schema. */
export async function endExpiredComparison(sql: Sql, runId: string): Promise<string | undefined> {
  const [ending] = await sql<{ schemaName: string }[]>`
    update diorama.runs r set ${expiredColumns(sql, sql`e.expires_at`)}
    from diorama.environments e
    where r.run_id = ${runId} and r.status = 'running' and r.capture = 'snapshot'
      and e.environment_id = r.environment_id and e.deleted_at is null and e.expires_at <= now()
    returning r.schema_name
  `;
  return ending?.schemaName;
}

export const runClosing: RunClosing = {
  closed: (sql, reason) => sql`
    update diorama.runs r set ${closedColumns(sql, reason, sql`ended.at`)}
    from ended where r.environment_id = ended.environment_id
      and r.status in ('running', ${OUTLIVED.has(reason) ? "running" : "ending"})
    returning r.run_id, r.environment_id, r.capture
  `,
  mark: (sql, reason) => sql`
    case when closed.capture = 'log' then ${reason === "expired" ? endMark(sql) : closeMark(sql)}::text end
  `,
  lost: (sql) => sql`
    update diorama.runs r set ${lostColumns(sql, "database_changed")}
    from ended where r.environment_id = ended.environment_id and r.status in ('running', 'ending')
  `,
  isCompared: (sql) => sql`
    exists (
      select from diorama.runs r where r.environment_id = environments.environment_id
        and r.status = 'running' and r.capture = 'snapshot'
    )
  `,
};

/** A run that is `ending` completes: its result may have been answered, and be read from the log again after a crash. */
const OUTLIVED: ReadonlySet<string> = new Set(["deleted", "expired", "reset"]);

export const deleteOld = async (sql: Sql, days: number) =>
  await sql`
    delete from diorama.runs where status not in ('running', 'ending', 'evaluating')
      and ended_at < now() - ${days} * interval '1 day' and started_at < now() - ${days} * interval '1 day'
  `;
