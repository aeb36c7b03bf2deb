/** Calendars, and who may do what in them. */
import type { CalendarSession } from "~/replicas/calendar/operation";
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

/** Undefined for an unknown user. `id`: `primary` is the user's own one. */
export async function reachCalendar(
  { sql, t }: CalendarSession,
  userId: string,
  id: string,
): Promise<Reached | undefined> {
  const [row] = await sql<Reached[]>`
    select to_jsonb(u) as me, to_jsonb(c) as calendar, array(
      select a.role from ${t.acl} a where a."calendarId" = c.id and not a.deleted
        and a.id in ('default', 'user:' || u.email, 'domain:' || split_part(u.email, '@', 2))
    ) as roles
    from ${t.users} u
    left join ${t.calendars} c on c.id = case ${id} when 'primary' then u.email else ${id} end and not c.deleted
    where u.id = ${userId}
  `;
  return row;
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
