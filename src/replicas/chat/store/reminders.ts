import type { ChatSession } from "~/replicas/chat/method";
import { nowSeconds } from "~/replicas/chat/store/clock";
import { json } from "~/replicas/chat/store/json";
import type { Rows } from "~/replicas/chat/store/rows";
import type { Recurrence } from "~/replicas/chat/when";

export type ReminderRow = Omit<Rows["reminders"], "recurrence"> & {
  readonly recurrence: Recurrence | null;
};

export async function insertReminder(
  session: ChatSession,
  {
    id,
    creator,
    user_id: userId,
    text,
    time,
    recurrence,
  }: Omit<ReminderRow, "complete_ts" | "recurring">,
): Promise<void> {
  const { sql, t } = session;
  await sql`
    insert into ${t.reminders} (id, creator, user_id, text, time, complete_ts, recurring, recurrence)
    values (${id}, ${creator}, ${userId}, ${text}, ${time}, 0, ${recurrence !== null}, ${json(session, recurrence)})
  `;
}

/** The reminders that a user created or receives, by time. */
export async function listReminders({ sql, t }: ChatSession, user: string): Promise<ReminderRow[]> {
  return await sql<ReminderRow[]>`
    select * from ${t.reminders} where user_id = ${user} or creator = ${user} order by time, id
  `;
}

/** A reminder that this user created or receives. */
export async function findReminder(
  { sql, t }: ChatSession,
  user: string,
  id: string,
): Promise<ReminderRow | undefined> {
  const [reminder] = await sql<ReminderRow[]>`
    select * from ${t.reminders} where id = ${id} and (user_id = ${user} or creator = ${user})
  `;
  return reminder;
}

/** A completed reminder stays as it is. */
export async function completeReminder(session: ChatSession, id: string): Promise<void> {
  const { sql, t } = session;
  await sql`
    update ${t.reminders} set complete_ts = ${nowSeconds(session)} where id = ${id} and complete_ts = 0
  `;
}

export async function deleteReminder({ sql, t }: ChatSession, id: string): Promise<void> {
  await sql`delete from ${t.reminders} where id = ${id}`;
}
