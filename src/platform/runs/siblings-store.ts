/** The runs beside a run. */
import type { Sql } from "~/db/connect";
import { type ListedRun, summary } from "~/platform/runs/evaluation-store";

/** Lists the runs of a run's test with the same labels, in the order of their start. */
export const listAttempts = async (
  sql: Sql,
  userId: string,
  runId: string,
  limit: number,
): Promise<ListedRun[]> =>
  await sql<ListedRun[]>`
    select ${summary(sql)} from diorama.runs r
    where user_id = ${userId} and (test_id, labels - 'attempt') = (
      select test_id, labels - 'attempt' from diorama.runs where run_id = ${runId}
    )
    order by started_at, run_id limit ${limit}
  `;

type Neighbours = { readonly previous: string | null; readonly next: string | null };

/** Finds the runs of this user that started before and after one, in the same suite or else the same environment. */
export async function findNeighbours(sql: Sql, userId: string, runId: string): Promise<Neighbours> {
  const near = sql`
    n.user_id = ${userId} and n.suite_id is not distinct from r.suite_id
      and (r.suite_id is not null or n.environment_id = r.environment_id)
  `;
  const [found] = await sql<Neighbours[]>`
    select (
      select n.run_id from diorama.runs n where ${near} and (n.started_at, n.run_id) < (r.started_at, r.run_id)
      order by n.started_at desc, n.run_id desc limit 1
    ) as previous, (
      select n.run_id from diorama.runs n where ${near} and (n.started_at, n.run_id) > (r.started_at, r.run_id)
      order by n.started_at, n.run_id limit 1
    ) as next
    from diorama.runs r where run_id = ${runId}
  `;
  return found ?? { previous: null, next: null };
}
