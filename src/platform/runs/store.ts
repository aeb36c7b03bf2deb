import type { CaptureKind } from "~/capture/capture";
import type { OtherChanges } from "~/capture/records";
import type { Fragment, Sql } from "~/db/connect";
import { isGradable } from "~/platform/environments/store";
import { namesOf, type RunNames } from "~/platform/runs/names-store";
import type { Cause } from "~/platform/runs/verdict-model";

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
  /** Whether it has a verdict of its test. */
  readonly isEvaluated: boolean;
  /** JSON text: the expectation it is checked against. */
  readonly expected: string | null;
  readonly cause: Cause | null;
  /** JSON text. */
  readonly labels: string;
  /** Whether its environment is live. */
  readonly live: boolean;
  readonly executionSeconds: number | null;
  /** As the columns of a verdict, as JSON text; null where the row has none. */
  readonly verdict: string;
  readonly gradable: boolean;
  readonly testId: string | null;
  readonly suiteId: string | null;
  readonly startedAt: Date;
};

/** A run with what may have megabytes. */
type ResultRow = RunRow & {
  /** JSON text, as stored. */
  readonly diff: string | null;
  /** JSON text; null where no test was evaluated. */
  readonly explanations: string | null;
  /** JSON text; null where its events are not known completely, or none were noted. */
  readonly deliveries: string | null;
  readonly actedByHand: number;
  readonly note: string | null;
  readonly bookmarked: boolean;
  readonly costUsd: number | null;
  readonly names: RunNames;
};

export const findRun = async (sql: Sql, runId: string): Promise<RunRow | undefined> =>
  await find(sql, runId, sql``);

export const findResult = async (sql: Sql, runId: string): Promise<ResultRow | undefined> =>
  await find<ResultRow>(
    sql,
    runId,
    sql`r.diff::text, r.explanations::text, case when events_kept = 'whole' then r.deliveries end::text as deliveries, r.acted_by_hand, r.note, r.bookmarked, r.cost_usd, ${namesOf(sql)} as names,`,
  );

async function find<Row extends RunRow>(
  sql: Sql,
  runId: string,
  more: Fragment,
): Promise<Row | undefined> {
  const [run] = await sql<Row[]>`
    select ${more} r.run_id, environment_id, r.user_id, r.capture, r.status, r.passed, r.score::text,
      r.failures::text, r.explanations is not null as is_evaluated, r.expected::text, r.cause, r.labels::text, r.test_id, r.suite_id,
      r.started_at, e.deleted_at is null and e.expires_at > now() as live,
      extract(epoch from r.ended_at - r.started_at)::float8 as execution_seconds, ${isGradable(sql)} as gradable,
      json_build_object(
        'success', case when ${isGradable(sql)} then success end, 'reward', case when ${isGradable(sql)} then reward end,
        'unsafe', unsafe, 'undone', undone, 'attack', attack, 'ending', ending, 'exitCode', exit_code, 'stateVerdict', state_verdict
      )::text as verdict
    from diorama.runs r join diorama.environments e using (environment_id)
    where r.run_id = ${runId}
  `;
  return run;
}

/** Null: nobody but the agent has changed anything. */
export async function findOtherChanges(sql: Sql, runId: string): Promise<OtherChanges | null> {
  const [run] = await sql<{ changes: OtherChanges | null }[]>`
    select clock_changes as changes from diorama.runs where run_id = ${runId}
  `;
  return run?.changes ?? null;
}

/** Whether the journal of a run keeps its calls. */
export async function isJournaled(sql: Sql, runId: string): Promise<boolean> {
  const rows = await sql`select from diorama.runs where run_id = ${runId} and journal <> 'off'`;
  return rows.count === 1;
}
