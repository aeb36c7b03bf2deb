import type { DirectoryEntry, Person } from "~/replicas/replica";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The id of an active user, by id or by email. */
export async function findUserId(
  { sql, t }: TrackerSession,
  by: { readonly id: string } | { readonly email: string },
): Promise<string | undefined> {
  const [user] =
    "id" in by
      ? await sql<
          { id: string }[]
        >`select id from ${t.users} where id::text = lower(${by.id}) and active`
      : await sql<{ id: string }[]>`
          select id from ${t.users} where lower(email) = lower(${by.email}) and active
          order by "createdAt", id limit 1
        `;
  return user?.id;
}

export async function listPeople({ sql, t }: TrackerSession, limit: number): Promise<Person[]> {
  return await sql<Person[]>`
    select id, "displayName" as name, email from ${t.users} where active order by id limit ${limit}
  `;
}

export async function listDirectory({ sql, t }: TrackerSession): Promise<DirectoryEntry[]> {
  return await sql<DirectoryEntry[]>`
    select email, name, timezone as zone, active as "isActive" from ${t.users} where not app order by id
  `;
}

/** The id of the user with this display name, active or not. */
export async function findUserByName(
  { sql, t }: TrackerSession,
  displayName: string,
): Promise<string | undefined> {
  const [user] = await sql<{ id: string }[]>`
    select id from ${t.users} where lower("displayName") = lower(${displayName})
    order by "createdAt", id limit 1
  `;
  return user?.id;
}

/** The active users with these display names, given in lower case. */
export async function listUsersNamed(
  { sql, t }: TrackerSession,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select id from ${t.users} where active and lower("displayName") = any(${names}::text[])
    order by id
  `;
  return rows.map(({ id }) => id);
}
