import type { Sql } from "~/db/connect";
import type { StoredRun } from "~/evaluation/audit/jobs";

/** Runs with longer diffs are left out: the mutants of one of them would take all the time there is. */
const DIFF_LENGTH_MAX = 1_000_000;
/** Of a run's diff, evidence and events: several runs are in memory at a time. */
const LENGTH_MAX = 4_000_000;
/** Of all tests of a suite. */
const RUNS_MAX = 50_000;

/** Lists the newest passing runs of the user by test, at most `perTest` of each. */
export async function listPassing(
  sql: Sql,
  userId: string,
  testIds: readonly string[],
  perTest: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await sql<{ testId: string; runId: string }[]>`
    select test_id, run_id from (
      select test_id, run_id, row_number() over (
        partition by test_id order by started_at desc, run_id desc
      ) as place
      from diorama.runs
      where user_id = ${userId} and test_id = any(${[...testIds]}) and status = 'passed' and diff is not null
    ) r
    where place <= ${perTest} order by place limit ${RUNS_MAX}
  `;
  const byTest = Map.groupBy(rows, ({ testId }) => testId);
  return new Map([...byTest].map(([testId, runs]) => [testId, runs.map(({ runId }) => runId)]));
}

/** Reads runs that are not too long, in the order of their ids in the list. */
export async function readRuns(sql: Sql, runIds: readonly string[]): Promise<StoredRun[]> {
  const ids = [...runIds];
  return await sql<StoredRun[]>`
    select run_id, diff::text, evidence::text, events::text, clock_changes::text as others
    from diorama.runs where run_id = any(${ids}) and octet_length(diff::text) <= ${DIFF_LENGTH_MAX}
      and octet_length(concat(diff, evidence, events)) <= ${LENGTH_MAX}
    order by array_position(${ids}::text[], run_id)
  `;
}
