import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** Whether a team has, or had, this key. */
export async function isKeyTaken(
  { sql, t }: TrackerSession,
  key: string,
  but = "",
): Promise<boolean> {
  const rows = await sql`
    select from ${t.teams} where (key = ${key} or ${key} = any("previousKeys")) and id::text <> ${but} limit 1
  `;
  return rows.length > 0;
}

/** Renames the issues of a team; the old identifiers still work. */
export const renameIssues = async (
  { sql, t }: TrackerSession,
  teamId: string,
  key: string,
  now: Date,
): Promise<unknown> => sql`
  update ${t.issues}
  set identifier = ${key}::text || '-' || number,
    "previousIdentifiers" = "previousIdentifiers" || identifier, "updatedAt" = ${now}
  where "teamId" = ${teamId}
`;

/** Archives the issues of a team that are not archived. */
export const archiveIssues = async (
  { sql, t }: TrackerSession,
  teamId: string,
  now: Date,
): Promise<unknown> => sql`
  update ${t.issues} set "archivedAt" = ${now}, "updatedAt" = ${now}
  where "teamId" = ${teamId} and "archivedAt" is null
`;

/** Restores the issues that were archived at the same time as their team. */
export const restoreIssues = async (
  { sql, t }: TrackerSession,
  teamId: string,
  archivedAt: Date,
  now: Date,
): Promise<unknown> => sql`
  update ${t.issues} set "archivedAt" = null, "updatedAt" = ${now}
  where "teamId" = ${teamId} and "archivedAt" = ${archivedAt}
`;

/** Every ancestor of this team. */
export async function listAncestors(
  { sql, t }: TrackerSession,
  teamId: string,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    with recursive up as (
      select "parentId" as id from ${t.teams} where id = ${teamId} union
      select p."parentId" from ${t.teams} p join up on p.id = up.id
    ) select id from up where id is not null
  `;
  return rows.map(({ id }) => id);
}

/** Removes a user from teams. */
export const deleteMemberships = async (
  { sql, t }: TrackerSession,
  userId: string,
  teamIds: readonly string[],
): Promise<unknown> => sql`
  delete from ${t.team_memberships}
  where "userId" = ${userId} and "teamId" = any(${teamIds}::uuid[])
`;

/** The number of a user's memberships, for the position of the next one. */
export async function nextMembershipOrder(
  { sql, t }: TrackerSession,
  userId: string,
): Promise<number> {
  const [row] = await sql<[{ next: number }]>`
    select coalesce(max("sortOrder"), 0) + 1 as next from ${t.team_memberships} where "userId" = ${userId}
  `;
  return row.next;
}
