/** Rules of access. */
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { Rows } from "~/replicas/calendar/store/rows";

export type AclRow = Rows["acl"];

/** `since`: rules that changed after this number. */
export async function listRules(
  { sql, t }: CalendarSession,
  calendarId: string,
  { since, withDeleted }: { since: number; withDeleted: boolean },
): Promise<AclRow[]> {
  return await sql<AclRow[]>`
    select * from ${t.acl} where "calendarId" = ${calendarId} and version > ${since}
      ${withDeleted ? sql`` : sql`and not deleted`}
    order by version, id
  `;
}

export async function findRule(
  { sql, t }: CalendarSession,
  calendarId: string,
  id: string,
): Promise<AclRow | undefined> {
  const [row] = await sql<AclRow[]>`
    select * from ${t.acl} where "calendarId" = ${calendarId} and id = ${id}
  `;
  return row;
}

/** The number of the last change of the rules of a calendar. */
export async function rulesVersion(
  { sql, t }: CalendarSession,
  calendarId: string,
): Promise<number> {
  const [row] = await sql<{ version: number }[]>`
    select coalesce(max(version), 0)::float8 as version from ${t.acl} where "calendarId" = ${calendarId}
  `;
  return row?.version ?? 0;
}
