/** Effects of time: what is due, and when the next thing will be. */

import { mailNotifications } from "~/replicas/tracker/notification-mails";
import { silencesOf } from "~/replicas/tracker/store/agents";
import type { Row } from "~/replicas/tracker/store/entities";
import { agingOf } from "~/replicas/tracker/store/issues/aging";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/**
 * The next moment at which something is due; undefined if there is none until then. Of issues that age, only moments later
 * than `after` count: a workspace may have any number of older ones.
 */
export async function findNextDue(
  session: TrackerSession,
  after: Date,
  until: Date,
): Promise<Date | undefined> {
  const { sql, t } = session;
  const [row] = await sql<{ at: Date | null }[]>`
    select min(at) as at from (
      select c."endsAt" as at from ${t.cycles} c join ${t.teams} t on t.id = c."teamId" and t."cyclesEnabled"
      where c."completedAt" is null and c."archivedAt" is null
      union all select "snoozedUntilAt" from ${t.issues}
      union all select "snoozedUntilAt" from ${t.notifications}
      union all select at from ${silencesOf(session)} silences
      union all select at from ${agingOf(session)} aging where at > ${after}::timestamptz
    ) due where at <= ${until}::timestamptz
  `;
  return row?.at ?? undefined;
}

/** The cycles that have ended and are not completed, in order. */
export const listEndedCycles = async (
  { sql, t }: TrackerSession,
  now: Date,
): Promise<readonly Row<"Cycle">[]> =>
  await sql<Row<"Cycle">[]>`
    select c.* from ${t.cycles} c join ${t.teams} t on t.id = c."teamId" and t."cyclesEnabled"
    where c."completedAt" is null and c."archivedAt" is null and c."endsAt" <= ${now}::timestamptz
    order by c."endsAt", c."teamId", c.number
  `;

export async function findTeam(
  { sql, t }: TrackerSession,
  id: string,
): Promise<Row<"Team"> | undefined> {
  const [team] = await sql<Row<"Team">[]>`select * from ${t.teams} where id = ${id}`;
  return team;
}

/** Ends the snoozes of issues that are over. Returns the issues. */
export async function unsnoozeIssues({ sql, t }: TrackerSession, now: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update ${t.issues} set "snoozedUntilAt" = null, "snoozedById" = null, "updatedAt" = ${now}
    where "snoozedUntilAt" <= ${now}::timestamptz returning id
  `;
  return rows.map(({ id }) => id).toSorted();
}

/** Returns the notifications that have come back. */
export async function unsnoozeNotifications(session: TrackerSession, now: Date): Promise<string[]> {
  const { sql, t } = session;
  const rows = await sql<{ id: string; userId: string; type: string }[]>`
    update ${t.notifications} set "snoozedUntilAt" = null, "unsnoozedAt" = "snoozedUntilAt", "updatedAt" = ${now}
    where "snoozedUntilAt" <= ${now}::timestamptz returning id, "userId", type
  `;
  // Reminders come due now; the others were mailed before they were snoozed.
  const reminders = rows.filter(({ type }) => type === "issueReminder");
  await mailNotifications(session, reminders);
  return rows.map(({ id }) => id).toSorted();
}
