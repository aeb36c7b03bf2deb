import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The position after a user's last favorite. */
export async function nextFavoriteOrder(
  { sql, t }: TrackerSession,
  ownerId: string,
): Promise<number> {
  const [row] = await sql<[{ next: number }]>`
    select coalesce(max("sortOrder"), 0) + 1 as next from ${t.favorites} where "ownerId" = ${ownerId}
  `;
  return row.next;
}

/** Deletes a favorite; the content of a folder stays, without the folder. */
export const deleteFavorite = async (
  { sql, t }: TrackerSession,
  id: string,
): Promise<unknown> => sql`
  with freed as (update ${t.favorites} set "parentId" = null where "parentId" = ${id})
  delete from ${t.favorites} where id = ${id}
`;
