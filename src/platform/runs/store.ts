import type { CaptureKind, Start, Started } from "~/capture/capture";
import { failedColumns } from "~/capture/results";
import type { Fragment, Sql } from "~/db/connect";

export type NewRunRow = {
  readonly runId: string;
  readonly environmentId: string;
  readonly userId: string;
  readonly beforeSnapshot: string;
  readonly capture: CaptureKind;
  readonly testId: string | null;
  readonly suiteId: string | null;
  /** JSON text: the test's expectation as it is now. */
  readonly expected: string | null;
};

/** Inserts a running run where its user has such a live environment without one, and evaluates the mark with it. */
export async function insertRun(
  sql: Sql,
  run: NewRunRow,
  { ready, mark }: Start,
): Promise<Started> {
  const [row] = await sql<{ ready: boolean; started: boolean }[]>`
    with capture as materialized (
      select ${ready} as ready
    ), started as (
      insert into diorama.runs (
        run_id, environment_id, schema_name, user_id, before_snapshot, capture, status,
        test_id, suite_id, expected
      )
      select ${run.runId}, environment_id, schema_name, user_id, ${run.beforeSnapshot}, ${run.capture}, 'running',
        ${run.testId}, ${run.suiteId}, ${run.expected}::text::json
      from diorama.environments
      where environment_id = ${run.environmentId} and user_id = ${run.userId}
        and deleted_at is null and expires_at > now() and (select ready from capture)
      on conflict (environment_id) where status = 'running' do nothing
      returning schema_name
    ), marked as materialized (
      select ${mark}::text from started
    )
    select ready, exists (select from marked) as started from capture
  `;
  if (row?.started) return "started";
  return row?.ready ? "not inserted" : "not ready";
}

export type RunRow = {
  readonly runId: string;
  readonly environmentId: string;
  readonly userId: string;
  readonly capture: CaptureKind;
  readonly status: "running" | "ending" | "evaluating" | "completed" | "passed" | "failed";
  readonly passed: boolean | null;
  /** JSON text. */
  readonly score: string | null;
  /** JSON text. */
  readonly failures: string;
  /** JSON text: as it was stored, byte for byte. */
  readonly diff: string | null;
  /** JSON text; null where no test was evaluated. */
  readonly explanations: string | null;
  /** JSON text: what it is checked against. */
  readonly expected: string | null;
  /** Of its environment. */
  readonly live: boolean;
  readonly executionSeconds: number | null;
};

export async function findRun(sql: Sql, runId: string): Promise<RunRow | undefined> {
  const [run] = await sql<RunRow[]>`
    select r.run_id, environment_id, r.user_id, r.capture, r.status, r.passed, r.score::text,
      r.failures::text, r.diff::text, r.explanations::text, r.expected::text, e.deleted_at is null and e.expires_at > now() as live,
      extract(epoch from r.ended_at - r.started_at)::float8 as execution_seconds
    from diorama.runs r join diorama.environments e using (environment_id)
    where r.run_id = ${runId}
  `;
  return run;
}

/** What a run that ends will be checked against, as JSON text; `expected` in place of what is stored. */
export type Expectation = { readonly expected?: string; readonly baselineRows: string };

/**
 * Moves a running run of a live environment to `ending` and evaluates `mark` with it. Returns the schema; undefined
 * when its user has no such run that is recorded in this way.
 */
export async function beginEnd(
  sql: Sql,
  run: Pick<NewRunRow, "runId" | "userId" | "capture">,
  mark: Fragment,
  expectation?: Expectation,
): Promise<string | undefined> {
  const against = expectation
    ? sql`, expected = coalesce(${expectation.expected ?? null}::text::json, expected), standing = ${expectation.baselineRows}::text::json`
    : sql``;
  const [ending] = await sql<{ schemaName: string }[]>`
    with ending as (
      update diorama.runs r set status = 'ending', ended_at = now()${against}
      from diorama.environments e
      where r.run_id = ${run.runId} and r.user_id = ${run.userId} and r.capture = ${run.capture}
        and r.status = 'running' and e.environment_id = r.environment_id
        and e.deleted_at is null and e.expires_at > now()
      returning r.schema_name
    )
    select schema_name, ${mark}::text from ending
  `;
  return ending?.schemaName;
}

/** Runs whose end is marked in the log and whose result is not stored. */
export async function listEnding(sql: Sql): Promise<string[]> {
  const rows = await sql<{ runId: string }[]>`
    select run_id from diorama.runs where status = 'ending' and capture = 'log'
  `;
  return rows.map(({ runId }) => runId);
}

/** Closes one run, or all of a user, whose environment has expired and was not swept yet. */
export const abandonExpired = async (
  sql: Sql,
  which: { runId: string } | { userId: string },
  closeMark: Fragment,
) =>
  await sql`
    with closed as (
      update diorama.runs r
      set ${failedColumns(sql, "run abandoned: environment expired", sql`e.expires_at`)}
      from diorama.environments e
      where ${"runId" in which ? sql`r.run_id = ${which.runId}` : sql`r.user_id = ${which.userId}`}
        and r.status = 'running' and e.environment_id = r.environment_id and e.expires_at <= now()
      returning r.run_id, r.capture
    )
    select case when capture = 'log' then ${closeMark}::text end from closed
  `;
