/** Channels for notifications, which are stored and get none. */
import type { CalendarSession } from "~/replicas/calendar/operation";

export async function hasChannel({ sql, t }: CalendarSession, id: string): Promise<boolean> {
  const found = await sql`select from ${t.channels} where id = ${id}`;
  return found.length > 0;
}

/** False if this user has no such channel. */
export async function deleteChannel(
  { sql, t }: CalendarSession,
  channel: { readonly id: string; readonly resourceId: string; readonly userId: string },
): Promise<boolean> {
  const { id, resourceId, userId } = channel;
  const deleted = await sql`
    delete from ${t.channels} where id = ${id} and "resourceId" = ${resourceId} and "userId" = ${userId}
    returning id
  `;
  return deleted.length > 0;
}
