/** Channels for notifications. */
import type { CalendarSession } from "~/replicas/calendar/operation";

/** As JSON. */
export type Channel = {
  readonly id: string;
  readonly resourceId: string;
  readonly resourceUri: string;
  readonly token: string | null;
  /** Milliseconds since 1970. */
  readonly expiration: number;
  readonly userId: string;
};

/** The channels of some users, by id. */
export const listChannels = async (
  { sql, t }: CalendarSession,
  userIds: readonly string[],
): Promise<Channel[]> =>
  await sql<Channel[]>`
    select id, "resourceId", "resourceUri", token, expiration::float8 as expiration, "userId" from ${t.channels}
    where "userId" = any(${[...userIds]}::text[]) order by id
  `;

/** The addresses of the attendees of some events, by event. */
export async function listAttendeeAddresses(
  { sql, t }: CalendarSession,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await sql<{ id: string; emails: string[] }[]>`
    select "eventId" as id, array_agg(email) as emails from ${t.event_attendees}
    where "eventId" = any(${[...eventIds]}::text[]) group by 1
  `;
  return new Map(rows.map(({ id, emails }) => [id, emails]));
}

/** The calendars and the types of some events, by event. */
export async function listPlacesOf({ sql, t }: CalendarSession, eventIds: readonly string[]) {
  const rows = await sql<{ id: string; calendarId: string; eventType: string }[]>`
    select id, "calendarId", "eventType" from ${t.events} where id = any(${[...eventIds]}::text[])
  `;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Channels of all users that have not expired. `now`: milliseconds since 1970. */
export async function countChannels({ sql, t }: CalendarSession, now: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int4 as count from ${t.channels} where expiration > ${now}::float8
  `;
  return row?.count ?? 0;
}

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
