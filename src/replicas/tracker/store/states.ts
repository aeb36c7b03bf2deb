import type { TrackerSession } from "~/replicas/tracker/store/tables";

export type State = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: number;
};

/** The states of a team that are not archived, in order. */
export const listStates = async (
  { sql, t }: TrackerSession,
  teamId: string,
): Promise<readonly State[]> => sql<State[]>`
  select id, name, type, position from ${t.workflow_states}
  where "teamId" = ${teamId} and "archivedAt" is null
  order by position, id
`;

/** How many live issues are in a state, and how many other states of its type the team has. */
export async function findStateUse(
  { sql, t }: TrackerSession,
  id: string,
): Promise<{ readonly issues: number; readonly siblings: number }> {
  const [use] = await sql<{ issues: number; siblings: number }[]>`
    select
      (select count(*)::int from ${t.issues} i where i."stateId" = s.id and i."archivedAt" is null) as issues,
      (
        select count(*)::int from ${t.workflow_states} o
        where o."teamId" = s."teamId" and o.type = s.type and o.id <> s.id and o."archivedAt" is null
      ) as siblings
    from ${t.workflow_states} s where s.id = ${id}
  `;
  return use ?? { issues: 0, siblings: 0 };
}
