/** Calendars, and who may do what in them. */
import type { Fragment } from "~/db/connect";
import type { CalendarSession } from "~/replicas/calendar/operation";
import { LONG, LONG_MS, moment } from "~/replicas/calendar/store/events";
import type { Rows } from "~/replicas/calendar/store/rows";
import type { UserRow } from "~/replicas/calendar/store/users";

export type CalendarRow = Rows["calendars"];

/** A calendar, as one user reaches it. */
type Reached = {
  readonly me: UserRow;
  readonly calendar: CalendarRow | null;
  /** Those of all rules that match the user. */
  readonly roles: readonly string[];
};

/** The roles of a person in a calendar `c`: those of all rules that match. */
export const rolesOf = ({ sql, t }: CalendarSession, email: Fragment): Fragment => sql`array(
  select a.role from ${t.acl} a where a."calendarId" = c.id and not a.deleted
    and a.id in ('default', 'user:' || ${email}, 'domain:' || split_part(${email}, '@', 2))
)`;

/** Of each id, in their order; none for an unknown user. `primary` is the user's own calendar. */
export async function reachCalendars(
  session: CalendarSession,
  userId: string,
  ids: readonly string[],
): Promise<Reached[]> {
  const { sql, t } = session;
  return await sql<Reached[]>`
    select to_jsonb(u) as me, to_jsonb(c) as calendar, ${rolesOf(session, sql`u.email`)} as roles
    from ${t.users} u cross join unnest(${[...ids]}::text[]) with ordinality w(id, place)
    left join ${t.calendars} c on c.id = case w.id when 'primary' then u.email else w.id end and not c.deleted
    where u.id = ${userId} order by w.place
  `;
}

/** The zones of the calendars with these ids, as far as there are such. */
export async function zonesOf(
  { sql, t }: CalendarSession,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; timeZone: string }[]>`
    select id, "timeZone" from ${t.calendars} where id = any(${[...ids]}) and not deleted
  `;
  return new Map(rows.map(({ id, timeZone }) => [id, timeZone]));
}

/** A calendar that may answer by itself, with its user: none of a room. */
export type AnsweringCalendar = { readonly calendar: CalendarRow; readonly me: UserRow | null };

/** Values of `autoDeclineMode` with which an event declines others. */
export const DECLINING = [
  "declineAllConflictingInvitations",
  "declineOnlyNewConflictingInvitations",
];

/** Of one calendar `c`: an event that may decline what falls into a window. Long events and series have indexes of their own. */
function decliners(
  session: CalendarSession,
  { from, to }: { readonly from: number; readonly to: number },
): Fragment {
  const { sql, t } = session;
  // `limit 1`: a look-up for each calendar. The plan of `exists` may read all events.
  const found = (condition: Fragment) => sql`(
    select true from ${t.events} e where e."calendarId" = c.id and ${condition} and e.status <> 'cancelled'
      and e.properties ->> 'autoDeclineMode' = any(${DECLINING}) limit 1
  )`;
  return sql`(
    ${found(sql`e."startAt" > ${moment(session, from - LONG_MS)} and e."startAt" < ${moment(session, to)}`)}
    or ${found(sql.unsafe(LONG))}
    or ${found(sql`e.recurrence is not null`)}
  )`;
}

/** Those of these calendars that may answer an invitation to a window by themselves. */
export async function answeringOf(
  session: CalendarSession,
  ids: readonly string[],
  window: { readonly from: number; readonly to: number },
): Promise<AnsweringCalendar[]> {
  const { sql, t } = session;
  return await sql<AnsweringCalendar[]>`
    select to_jsonb(c) as calendar, to_jsonb(u) as me
    from ${t.calendars} c left join ${t.users} u on u.email = c.id
    where c.id = any(${[...ids]}) and not c.deleted
      and (c."autoAcceptInvitations" or ${decliners(session, window)})
    order by c.id
  `;
}
