/** The hierarchy of initiatives. */
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** Every ancestor and descendant of an initiative, with its distance: negative above, positive below. */
async function listFamily(
  { sql, t }: TrackerSession,
  id: string,
): Promise<readonly { readonly id: string; readonly level: number }[]> {
  return await sql<{ id: string; level: number }[]>`
    with recursive up as (
      select ${id}::uuid as id, 0 as level
      union
      select r."initiativeId", up.level - 1 from ${t.initiative_relations} r join up on r."relatedInitiativeId" = up.id
    ), down as (
      select ${id}::uuid as id, 0 as level
      union
      select r."relatedInitiativeId", down.level + 1
      from ${t.initiative_relations} r join down on r."initiativeId" = down.id
    )
    select id, level from up union select id, level from down
  `;
}

/** Whether one initiative is an ancestor of another. */
export const isAbove = async (
  session: TrackerSession,
  above: string,
  below: string,
): Promise<boolean> =>
  (await listFamily(session, below)).some(({ id, level }) => id === above && level < 0);

/** The depth of the hierarchy if one initiative were moved below another. */
export async function levelsWith(
  session: TrackerSession,
  above: string,
  below: string,
): Promise<number> {
  const up = (await listFamily(session, above)).map(({ level }) => -level);
  const down = (await listFamily(session, below)).map(({ level }) => level);
  return Math.max(...up) + 1 + Math.max(...down) + 1;
}

/** The initiative of this hierarchy that has a project; undefined when none has. */
export async function findHolder(
  session: TrackerSession,
  initiativeId: string,
  projectId: string,
): Promise<string | undefined> {
  const { sql, t } = session;
  const family = (await listFamily(session, initiativeId)).map(({ id }) => id);
  const [row] = await sql`
    select "initiativeId" as id from ${t.initiative_to_projects}
    where "projectId" = ${projectId} and "initiativeId" = any(${family}::uuid[])
    order by "initiativeId" limit 1
  `;
  return row?.["id"];
}

export async function hasInitiativeRelation(
  { sql, t }: TrackerSession,
  initiativeId: string,
  relatedInitiativeId: string,
): Promise<boolean> {
  const [row] = await sql`
    select from ${t.initiative_relations}
    where "initiativeId" = ${initiativeId} and "relatedInitiativeId" = ${relatedInitiativeId}
  `;
  return row !== undefined;
}
