/** The lists of calendars of each user. */
import type { CalendarSession } from "~/replicas/calendar/operation";
import { type CalendarRow, rolesOf } from "~/replicas/calendar/store/calendars";
import type { Rows } from "~/replicas/calendar/store/rows";
import type { UserRow } from "~/replicas/calendar/store/users";

type ListRow = Rows["list_entries"];

/** An entry with its calendar, and the roles of the user. */
export type Entry = {
  readonly entry: ListRow;
  readonly calendar: CalendarRow;
  readonly roles: readonly string[];
};

type EntriesWanted = {
  /** One calendar only. */
  readonly id?: string | undefined;
  /** Entries that changed after this number, also deleted ones. */
  readonly since?: number | undefined;
  readonly withDeleted: boolean;
};

/** Entries in the order of their calendars, the primary one first. */
export async function listEntries(
  session: CalendarSession,
  { id: userId, email }: UserRow,
  { id, since, withDeleted }: EntriesWanted,
): Promise<Entry[]> {
  const { sql, t } = session;
  return await sql<Entry[]>`
    select to_jsonb(l) as entry, to_jsonb(c) as calendar, ${rolesOf(session, sql`${email}::text`)} as roles
    from ${t.list_entries} l join ${t.calendars} c on c.id = l."calendarId"
    where l."userId" = ${userId}
      ${id === undefined ? sql`` : sql`and l."calendarId" = ${id}`}
      ${since === undefined ? sql`` : sql`and greatest(l.version, c.version) > ${since}`}
      ${withDeleted ? sql`` : sql`and not l.deleted and not c.deleted`}
    order by l."primary" desc, l."calendarId"
  `;
}

/** The highest number in the list of a user. */
export async function listVersion({ sql, t }: CalendarSession, userId: string): Promise<number> {
  const [row] = await sql<{ version: number }[]>`
    select coalesce(max(greatest(l.version, c.version)), 0)::float8 as version
    from ${t.list_entries} l join ${t.calendars} c on c.id = l."calendarId" where l."userId" = ${userId}
  `;
  return row?.version ?? 0;
}

export async function countEntries({ sql, t }: CalendarSession, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${t.list_entries} where "userId" = ${userId}
  `;
  return row?.count ?? 0;
}
