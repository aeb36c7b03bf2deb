/** Effects of time: what is due, and when the next thing will be. */
import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import type { ReminderRow } from "~/replicas/chat/store/reminders";

/**
 * The next moment at which something is due, in seconds; undefined if there is none until then. A reminder that does not
 * recur leaves no trace when it is due: only one later than `after` counts.
 */
export async function findNextDue(
  { sql, t }: ChatSession,
  after: number,
  until: number,
): Promise<number | undefined> {
  const [row] = await sql<{ at: number | null }[]>`
    select min(at) as at from (
      select post_at as at from ${t.scheduled_messages}
      union all
      select time from ${t.reminders} where recurring or complete_ts = 0 and time > ${after}
      union all
      select snooze_endtime from ${t.users} where snooze_endtime > 0
      union all
      select (profile->>'status_expiration')::int from ${t.users} where (profile->>'status_expiration')::int > 0
    ) due where at <= ${until}
  `;
  return row?.at ?? undefined;
}

/** The reminders of this second, and recurring ones from before, with the zone of their user. */
export const listDueReminders = async (
  session: ChatSession,
): Promise<(ReminderRow & { tz: string })[]> => {
  const { sql, t } = session;
  return await sql<(ReminderRow & { tz: string })[]>`
    select r.*, u.tz from ${t.reminders} r join ${t.users} u on u.id = r.user_id
    where r.time = ${nowSeconds(session)} and (r.complete_ts = 0 or r.recurring)
      or r.recurring and r.time < ${nowSeconds(session)}
    order by r.time, r.id
  `;
};

export const setReminderTime = async ({ sql, t }: ChatSession, id: string, time: number) =>
  await sql`update ${t.reminders} set time = ${time} where id = ${id}`;

/** Ends the snoozes that are over. Returns their users. */
export async function endSnoozes(session: ChatSession): Promise<string[]> {
  const { sql, t } = session;
  const rows = await sql<{ id: string }[]>`
    update ${t.users} set snooze_endtime = 0, updated = ${nowSeconds(session)}
    where snooze_endtime between 1 and ${nowSeconds(session)} returning id
  `;
  return rows.map(({ id }) => id).toSorted();
}

/** Clears the statuses that have expired. Returns their users. */
export async function clearStatuses(session: ChatSession): Promise<string[]> {
  const { sql, t } = session;
  const rows = await sql<{ id: string }[]>`
    update ${t.users} set updated = ${nowSeconds(session)},
      profile = profile ||
        '{"status_text": "", "status_text_canonical": "", "status_emoji": "", "status_expiration": 0}'
    where (profile->>'status_expiration')::int between 1 and ${nowSeconds(session)} returning id
  `;
  return rows.map(({ id }) => id).toSorted();
}
