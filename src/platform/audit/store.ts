import type { Sql } from "~/db/connect";
import type { StoredRun } from "~/evaluation/audit/jobs";
import type { CursorPosition } from "~/http/page";

/** Runs with longer diffs are left out: the mutants of one of them would take all the time there is. */
export const DIFF_LENGTH_MAX = 1_000_000;
/** The newest passing runs in which one with a short diff is looked for. */
const TRIED = 5;

/** A passing run of the user with its diff, and its place in a list. */
export type PassingRun = StoredRun & { readonly place: CursorPosition };

/** Lists passing runs of a test, newest first: all of them, with the content of those that are not too long. */
export async function listPassing(
  sql: Sql,
  userId: string,
  testId: string,
  { after, limit }: { after: CursorPosition | undefined; limit: number },
): Promise<(PassingRun & { readonly isLong: boolean })[]> {
  return await sql<(PassingRun & { isLong: boolean })[]>`
    select run_id, case when is_long then '' else diff::text end as diff,
      case when not is_long then evidence::text end as evidence,
      case when not is_long then events::text end as events,
      case when not is_long then clock_changes::text end as clock, is_long,
      json_build_object('at', started_at::text, 'id', run_id) as place
    from (
      select run_id, diff, evidence, events, clock_changes, started_at,
        octet_length(diff::text) > ${DIFF_LENGTH_MAX} as is_long
      from diorama.runs
      where test_id = ${testId} and user_id = ${userId} and status = 'passed' and diff is not null
        ${after ? sql`and (started_at, run_id) < (${after.at}::text::timestamptz, ${after.id})` : sql``}
      order by started_at desc, run_id desc limit ${limit}
    ) r
    order by started_at desc, run_id desc
  `;
}

/** Finds the newest passing run of a test whose diff is not too long. */
export async function findPassing(
  sql: Sql,
  userId: string,
  testId: string,
): Promise<PassingRun | undefined> {
  const runs = await listPassing(sql, userId, testId, { after: undefined, limit: TRIED });
  return runs.find(({ isLong }) => !isLong);
}
