import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The ids of the users who follow an issue. */
export async function listSubscribers(
  { sql, t }: TrackerSession,
  issueId: string,
): Promise<readonly string[]> {
  const rows = await sql<{ userId: string }[]>`
    select "userId" from ${t.issue_subscribers} where "issueId" = ${issueId} order by "userId"
  `;
  return rows.map(({ userId }) => userId);
}
