/** Which servers are giving which verdicts: locks of their sessions. */
import type { Sql } from "~/db/connect";

/** First half of the keys of these locks. */
const VERDICTS = "diorama verdicts";

/** Returns false if another session has claimed the verdict. Of one session, each claim is released on its own. */
export async function claimVerdict(sql: Sql, runId: string): Promise<boolean> {
  const [row] = await sql`
    select pg_try_advisory_lock(hashtext(${VERDICTS}), hashtext(${runId})) as claimed
  `;
  return row?.["claimed"] === true;
}

export const releaseVerdict = async (sql: Sql, runId: string) =>
  await sql`select pg_advisory_unlock(hashtext(${VERDICTS}), hashtext(${runId}))`;

/** Lists runs that wait for a verdict, the oldest of each user, except those in `others`. */
export async function listUnclaimed(
  sql: Sql,
  olderThanSeconds: number,
  others: readonly string[],
  limit: number,
): Promise<{ runId: string; userId: string }[]> {
  return await sql<{ runId: string; userId: string }[]>`
    select run_id, user_id from (
      select distinct on (user_id) run_id, user_id, ended_at from diorama.runs
      where status = 'evaluating' and ended_at <= now() - ${olderThanSeconds}::float8 * interval '1 second'
        and run_id <> all(${[...others]})
      order by user_id, ended_at
    ) oldest
    order by ended_at limit ${limit}
  `;
}
