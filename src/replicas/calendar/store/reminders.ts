/** Email reminders: who has them, and of which events. */
import type { Fragment } from "~/db/connect";
import type { CalendarSession } from "~/replicas/calendar/operation";
import { type CalendarRow, rolesOf } from "~/replicas/calendar/store/calendars";
import { type EventRow, moment, withAttendees } from "~/replicas/calendar/store/events";
import type { UserRow } from "~/replicas/calendar/store/users";

export type Reminder = { readonly method: string; readonly minutes: number };

/** A calendar, and a user with reminders of its events. */
export type Owner = { readonly me: UserRow; readonly calendar: CalendarRow };

/** The default reminders of a user for the events of a calendar. */
export type Default = Owner & {
  readonly reminders: readonly Reminder[];
  /** Of the user in the calendar. */
  readonly roles: readonly string[];
};

/** Those with an email reminder. */
export async function listDefaults(session: CalendarSession): Promise<Default[]> {
  const { sql, t } = session;
  return await sql<Default[]>`
    select to_jsonb(u) as me, to_jsonb(c) as calendar, l."defaultReminders" as reminders,
      ${rolesOf(session, sql`u.email`)} as roles
    from ${t.list_entries} l join ${t.users} u on u.id = l."userId" join ${t.calendars} c on c.id = l."calendarId"
    where l."defaultReminders" @> '[{"method": "email"}]' and not l.deleted and not c.deleted
    order by c.id, u.id
  `;
}

/** The owners of calendars: an event's own reminders are theirs. */
export async function listOwners(
  { sql, t }: CalendarSession,
  calendars: readonly string[],
): Promise<Owner[]> {
  return await sql<Owner[]>`
    select to_jsonb(u) as me, to_jsonb(c) as calendar
    from ${t.calendars} c join ${t.users} u on u.email = coalesce(c."dataOwner", c.id)
    where c.id = any(${[...calendars]}::text[]) and not c.deleted
  `;
}

/** Matches an attendee `a` with an email reminder. `defaults`: calendars with one by default. */
const isReminded = ({ sql }: CalendarSession, defaults: readonly string[]): Fragment => sql`(
  a.email = any(${[...defaults]}::text[]) or a.own -> 'reminders' @> '{"overrides": [{"method": "email"}]}'
)`;

/** The columns of an event `e`. Of its attendees, only the organizer and those with an email reminder. */
const columns = (session: CalendarSession, defaults: readonly string[]): Fragment =>
  withAttendees(
    session,
    session.sql`and (a.email = e."calendarId" or ${isReminded(session, defaults)})`,
  );

/** Series, for their changed instances. */
export async function findReminding(
  session: CalendarSession,
  ids: readonly string[],
  defaults: readonly string[],
): Promise<EventRow[]> {
  const { sql, t } = session;
  return await sql<EventRow[]>`
    select ${columns(session, defaults)} from ${t.events} e where e.id = any(${[...ids]}::text[])
  `;
}

/** Events with an email reminder that begin in a window, and such series with instances there. */
export async function listReminding(
  session: CalendarSession,
  { from, to }: { readonly from: number; readonly to: number },
  defaults: readonly string[],
  limit: number,
): Promise<EventRow[]> {
  const { sql, t } = session;
  const reminds = sql`e.status <> 'cancelled' and (
    e.reminders @> '{"overrides": [{"method": "email"}]}'
    or (e."calendarId" = any(${[...defaults]}::text[]) and e.reminders @> '{"useDefault": true}')
    or (
      select true from ${t.event_attendees} a
      where a."eventId" in (e.id, e."recurringEventId") and ${isReminded(session, defaults)} limit 1
    )
  )`;
  // From one calendar to the next by the index. Some calendars belong to people outside of the environment.
  return await sql<EventRow[]>`
    with recursive organizers(id) as (
      (select "calendarId" from ${t.events} order by "calendarId" limit 1)
      union all
      select (select "calendarId" from ${t.events} where "calendarId" > o.id order by "calendarId" limit 1)
      from organizers o where o.id is not null
    )
    select ${columns(session, defaults)} from (
      select e.* from organizers o cross join lateral (
        select * from ${t.events} e where e."calendarId" = o.id and e.recurrence is null
          and e."startAt" > ${moment(session, from)} and e."startAt" < ${moment(session, to)} offset 0
      ) e where ${reminds}
      union all
      select e.* from ${t.events} e where e.recurrence is not null
        and (e."endAt" is null or e."endAt" > ${moment(session, from)}) and e."startAt" < ${moment(session, to)}
        and ${reminds}
    ) e order by e.id limit ${limit}
  `;
}

/** The ids of all changed instances of these series. */
export async function listChangedIds(
  { sql, t }: CalendarSession,
  series: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${t.events} where "recurringEventId" = any(${[...series]}::text[])
  `;
  return rows.map(({ id }) => id);
}
