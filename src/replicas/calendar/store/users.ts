/** The people of an environment. */
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { Rows } from "~/replicas/calendar/store/rows";
import type { DirectoryEntry, Person } from "~/replicas/replica";

export type UserRow = Rows["users"];

export async function findUser(
  { sql, t }: CalendarSession,
  id: string,
): Promise<UserRow | undefined> {
  const [row] = await sql<UserRow[]>`select * from ${t.users} where id = ${id}`;
  return row;
}

export async function findUserId(
  { sql, t }: CalendarSession,
  by: { readonly id: string } | { readonly email: string },
): Promise<string | undefined> {
  const [row] = await ("id" in by
    ? sql<{ id: string }[]>`select id from ${t.users} where id = ${by.id}`
    : sql<{ id: string }[]>`select id from ${t.users} where email = ${by.email.toLowerCase()}`);
  return row?.id;
}

/** The addresses of some users, by id. */
export async function listAddresses(
  { sql, t }: CalendarSession,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; email: string }[]>`
    select id, email from ${t.users} where id = any(${[...ids]}::text[])
  `;
  return new Map(rows.map(({ id, email }) => [id, email]));
}

export async function listPeople({ sql, t }: CalendarSession, limit: number): Promise<Person[]> {
  return await sql<Person[]>`
    select id, "displayName" as name, email from ${t.users} order by id limit ${limit}
  `;
}

export async function listDirectory({ sql, t }: CalendarSession): Promise<DirectoryEntry[]> {
  return await sql<DirectoryEntry[]>`
    select u.email, u."displayName" as name, c."timeZone" as zone, true as "isActive"
    from ${t.users} u left join ${t.calendars} c on c.id = u.email order by u.id
  `;
}
