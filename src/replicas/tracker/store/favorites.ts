import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The place after a user's last favorite. */
export async function nextFavoriteOrder(
  { sql, t }: TrackerSession,
  ownerId: string,
): Promise<number> {
  const [row] = await sql<[{ next: number }]>`
    select coalesce(max("sortOrder"), 0) + 1 as next from ${t.favorites} where "ownerId" = ${ownerId}
  `;
  return row.next;
}

/** Removes a favorite; what is in a folder stays, without it. */
export const deleteFavorite = async (
  { sql, t }: TrackerSession,
  id: string,
): Promise<unknown> => sql`
  with freed as (update ${t.favorites} set "parentId" = null where "parentId" = ${id})
  delete from ${t.favorites} where id = ${id}
`;
