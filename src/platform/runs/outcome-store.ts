/** The columns that a run gets with its outcome: a result, a verdict, or the reason why it has failed. */
import { failureOf, isByAgent, type Loss } from "~/capture/loss";
import type { Result, StoredVerdict } from "~/capture/records";
import type { Fragment, Sql } from "~/db/connect";
import type { Reason } from "~/platform/environments/ending-store";
import { jsonText } from "~/platform/runs/evaluation-store";
import type { Cause } from "~/platform/runs/verdict-model";

export const resultColumns = (
  sql: Sql,
  { diff, evidence, others, events, calls, verdict, isPending }: Result,
): Fragment => {
  const result = sql`
    diff = ${diff}::text::json, events = ${events ?? null}::text::json,
    evidence = ${evidence ?? null}::text::json, clock_changes = ${others ?? null}::text::json,
    call_changes = ${calls?.changes ?? null}::text::json, call_marks = ${calls?.marks ?? null}::text::json
  `;
  if (verdict) return sql`${result}, ${verdictColumns(sql, verdict)}`;
  return sql`
    ${result}, status = case when cause is null then ${isPending ? "evaluating" : "completed"} else 'failed' end
  `;
};

export const verdictColumns = (sql: Sql, verdict: StoredVerdict): Fragment => sql`
  status = ${verdict.passed ? "passed" : "failed"}, passed = ${verdict.passed}, success = ${verdict.success},
  attack = ${verdict.attack}, reward = ${verdict.reward}, unsafe = ${jsonText(verdict.unsafe)}::text::json, undone = ${verdict.undone},
  state_verdict = ${jsonText(verdict.stateVerdict)}::text::json, cause = ${verdict.cause ?? null},
  score = ${JSON.stringify(verdict.score)}::text::json,
  failures = ${JSON.stringify(verdict.failures)}::text::json,
  explanations = ${JSON.stringify(verdict.explanations)}::text::json
`;

const SCORE_OF_FAILED = { passed: 0, total: 0, percent: 0 };

/** Notes how far the changes of the environment of a run `r` go at its end. */
export const lastChange = (sql: Sql): Fragment => sql`
  changes_to = case when r.changes_from is not null then coalesce(r.changes_to, (
    select changes from diorama.outboxes o where o.environment_id = r.environment_id
  )) end
`;

/** The columns of a run `r` that failed for a reason outside its test. Without a diff, unless that is still to be stored. */
const failedColumns = (
  sql: Sql,
  failure: string,
  cause: Cause | Fragment,
  { status = "failed", endedAt = sql`now()` }: { status?: "failed" | "ending"; endedAt?: Fragment },
): Fragment => sql`
  status = ${status}, passed = false,
  success = case when expected is not null then false end, reward = case when expected is not null then 0 end,
  score = ${sql.json(SCORE_OF_FAILED)}, failures = ${sql.json([failure])},
  cause = ${cause}, diff = null, ended_at = coalesce(r.ended_at, ${endedAt}), ${lastChange(sql)}
`;

export const lostColumns = (sql: Sql, loss: Loss): Fragment =>
  failedColumns(sql, failureOf(loss), causeOf(sql, loss), {});

/** A verdict that could not be given is no fault of capture; what an agent exceeded counts unless it was stopped. */
function causeOf(sql: Sql, loss: Loss): Cause | Fragment {
  if (loss === "verdict_failed") return "server_error";
  if (!isByAgent(loss)) return "capture_lost";
  return sql`case when ending = 'interrupted' then 'interrupted' else 'agent_limit' end`;
}

const abandoned = (reason: string) => `run abandoned: environment ${reason}`;

/** The columns of a run whose environment has expired at `endedAt`: its diff is complete and is stored as usual. */
export const expiredColumns = (sql: Sql, endedAt: Fragment): Fragment =>
  failedColumns(sql, abandoned("expired"), "environment_expired", { status: "ending", endedAt });

const CAUSES = {
  deleted: "environment_deleted",
  "lost its schema": "server_error",
  reset: "reset",
} as const;

/** The columns of a run whose environment has ended at `endedAt`. */
export const closedColumns = (sql: Sql, reason: Reason, endedAt: Fragment): Fragment =>
  reason === "expired"
    ? expiredColumns(sql, endedAt)
    : failedColumns(sql, abandoned(reason), CAUSES[reason], { endedAt });
