/** Reminders by mail: who has them, and of which events. */
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import { type EventRow, moment, withAttendees } from "~/replicas/calendar/store/events";
import type { UserRow } from "~/replicas/calendar/store/users";

export type Reminder = { readonly method: string; readonly minutes: number };

/** A calendar with someone who is reminded of its events. */
export type Owner = { readonly me: UserRow; readonly calendar: CalendarRow };

/** The reminders of a calendar that a user has by default, some of them by mail. */
export type Default = Owner & {
  readonly reminders: readonly Reminder[];
  /** Of the user in the calendar. */
  readonly roles: readonly string[];
};

export async function listDefaults({ sql, t }: CalendarSession): Promise<Default[]> {
  return await sql<Default[]>`
    select to_jsonb(u) as me, to_jsonb(c) as calendar, l."defaultReminders" as reminders, array(
      select a.role from ${t.acl} a where a."calendarId" = c.id and not a.deleted
        and a.id in ('default', 'user:' || u.email, 'domain:' || split_part(u.email, '@', 2))
    ) as roles
    from ${t.list_entries} l join ${t.users} u on u.id = l."userId" join ${t.calendars} c on c.id = l."calendarId"
    where l."defaultReminders" @> '[{"method": "email"}]' and not l.deleted and not c.deleted
    order by c.id, u.id
  `;
}

/** The owners of calendars, who are reminded as an event itself says. */
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

/**
 * Events that begin in a window, and series with instances there, which remind anyone by mail. `defaults`: calendars whose
 * reminders by default do.
 */
export async function listReminding(
  session: CalendarSession,
  { from, to }: { readonly from: number; readonly to: number },
  defaults: readonly string[],
  limit: number,
): Promise<EventRow[]> {
  const { sql, t } = session;
  const calendars = sql`${[...defaults]}::text[]`;
  const byMail = sql`'{"overrides": [{"method": "email"}]}'`;
  const reminds = sql`e.status <> 'cancelled' and (
    e.reminders @> ${byMail}
    or (e."calendarId" = any(${calendars}) and e.reminders @> '{"useDefault": true}')
    or (
      select true from ${t.event_attendees} a where a."eventId" in (e.id, e."recurringEventId")
        and (a.email = any(${calendars}) or a.own -> 'reminders' @> ${byMail}) limit 1
    )
  )`;
  // From one calendar to the next by the index: some belong to people from outside.
  return await sql<EventRow[]>`
    with recursive organizers(id) as (
      (select "calendarId" from ${t.events} order by "calendarId" limit 1)
      union all
      select (select "calendarId" from ${t.events} where "calendarId" > o.id order by "calendarId" limit 1)
      from organizers o where o.id is not null
    )
    select ${withAttendees(session)} from (
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
