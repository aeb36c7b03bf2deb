import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** How many notifications a user has neither read nor put off. */
export async function countUnread(
  { sql, t }: TrackerSession,
  userId: string,
  now: Date,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from ${t.notifications}
    where "userId" = ${userId} and "readAt" is null and "archivedAt" is null
      and ("snoozedUntilAt" is null or "snoozedUntilAt" <= ${now})
  `;
  return row.count;
}
