import type { CaptureKind } from "~/capture/capture";
import { failedColumns } from "~/capture/results";
import type { Fragment, Sql } from "~/db/connect";

export type NewRunRow = {
  readonly runId: string;
  readonly environmentId: string;
  readonly schemaName: string;
  readonly userId: string;
  readonly beforeSnapshot: string;
  readonly capture: CaptureKind;
  readonly testId: string | null;
  readonly suiteId: string | null;
  /** JSON text: the test's expectation as it is now. */
  readonly expected: string | null;
};

/**
 * Inserts a running run and, in the same statement, evaluates `mark`. Returns false when the environment has a
 * running run already.
 */
export async function insertRun(sql: Sql, run: NewRunRow, mark: Fragment): Promise<boolean> {
  const rows = await sql`
    with started as (
      insert into diorama.runs (
        run_id, environment_id, schema_name, user_id, before_snapshot, capture, status,
        test_id, suite_id, expected
      )
      values (
        ${run.runId}, ${run.environmentId}, ${run.schemaName}, ${run.userId}, ${run.beforeSnapshot},
        ${run.capture}, 'running', ${run.testId}, ${run.suiteId}, ${run.expected}::text::json
      )
      on conflict (environment_id) where status = 'running' do nothing
      returning run_id
    )
    select run_id, ${mark}::text from started
  `;
  return rows.count === 1;
}

export type RunRow = {
  readonly runId: string;
  readonly environmentId: string;
  readonly schemaName: string;
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
    select r.run_id, environment_id, r.schema_name, r.user_id, r.capture, r.status, r.passed,
      r.score::text, r.failures::text, r.diff::text, r.explanations::text, r.expected::text, e.deleted_at is null and e.expires_at > now() as live,
      extract(epoch from r.ended_at - r.started_at)::float8 as execution_seconds
    from diorama.runs r join diorama.environments e using (environment_id)
    where r.run_id = ${runId}
  `;
  return run;
}

/** Moves a running run to `ending` and evaluates `mark` with it. Returns false when it was not running. */
export async function beginEnd(sql: Sql, runId: string, mark: Fragment): Promise<boolean> {
  const rows = await sql`
    with ending as (
      update diorama.runs set status = 'ending', ended_at = now()
      where run_id = ${runId} and status = 'running'
      returning run_id
    )
    select run_id, ${mark}::text from ending
  `;
  return rows.count === 1;
}

/** Closes the run of an environment that has expired and was not swept yet. */
export const abandonExpired = async (sql: Sql, runId: string, closeMark: Fragment) =>
  await sql`
    with closed as (
      update diorama.runs set ${failedColumns(sql, "run abandoned: environment expired")}
      where run_id = ${runId} and status = 'running' returning run_id, capture
    )
    select case when capture = 'log' then ${closeMark}::text end from closed
  `;
