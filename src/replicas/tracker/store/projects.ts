/** Related rows of projects. */
import type { Row } from "~/replicas/tracker/store/entities";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

type Pairs = {
  readonly table: "project_teams" | "project_members";
  readonly key: "teamId" | "userId";
};
const TEAMS: Pairs = { table: "project_teams", key: "teamId" };
const MEMBERS: Pairs = { table: "project_members", key: "userId" };

async function list(
  { sql, t }: TrackerSession,
  { table, key }: Pairs,
  projectId: string,
): Promise<string[]> {
  const rows = await sql`
    select ${sql(key)} as id from ${t[table]} where "projectId" = ${projectId} order by 1
  `;
  return rows.map((row) => row["id"]);
}

/** Replaces the related rows of a project. */
async function set(
  session: TrackerSession,
  pairs: Pairs,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  const { sql, t } = session;
  const { table, key } = pairs;
  const had = await list(session, pairs, projectId);
  const gone = had.filter((id) => !ids.includes(id));
  const added = [...new Set(ids)].filter((id) => !had.includes(id));
  if (gone.length > 0)
    await sql`delete from ${t[table]} where "projectId" = ${projectId} and ${sql(key)} = any(${gone}::uuid[])`;
  if (added.length > 0)
    await sql`
      insert into ${t[table]} ("projectId", ${sql(key)}) select ${projectId}, unnest(${added}::uuid[])
    `;
}

export const listProjectTeams = (session: TrackerSession, projectId: string) =>
  list(session, TEAMS, projectId);
export const setProjectTeams = (
  session: TrackerSession,
  projectId: string,
  teamIds: readonly string[],
) => set(session, TEAMS, projectId, teamIds);
export const listProjectMembers = (session: TrackerSession, projectId: string) =>
  list(session, MEMBERS, projectId);
export const setProjectMembers = (
  session: TrackerSession,
  projectId: string,
  userIds: readonly string[],
) => set(session, MEMBERS, projectId, userIds);

/** Teams that have issues in a project, including archived ones. */
export async function listTeamsWithIssues(
  { sql, t }: TrackerSession,
  projectId: string,
): Promise<string[]> {
  const rows =
    await sql`select distinct "teamId" as id from ${t.issues} where "projectId" = ${projectId}`;
  return rows.map((row) => row["id"]);
}

export type Status = { readonly id: string; readonly name: string; readonly type: string };

/** The statuses of projects, in order. */
export const listStatuses = async ({ sql, t }: TrackerSession): Promise<readonly Status[]> => sql<
  Status[]
>`
  select id, name, type from ${t.project_statuses} where "archivedAt" is null order by position, id
`;

/** How many projects have a status; `live` excludes archived ones. */
export async function countWithStatus(
  { sql, t }: TrackerSession,
  statusId: string,
): Promise<{ readonly all: number; readonly live: number }> {
  const [row] = await sql<{ all: number; live: number }[]>`
    select count(*)::int as all, count(*) filter (where "archivedAt" is null)::int as live
    from ${t.projects} where "statusId" = ${statusId}
  `;
  return row ?? { all: 0, live: 0 };
}

/** Removes a milestone from the relations that refer to it. */
export async function releaseMilestone(
  { sql, t }: TrackerSession,
  id: string,
  now: Date,
): Promise<void> {
  for (const [milestone, anchor, instead] of [
    ["projectMilestoneId", "anchorType", "end"],
    ["relatedProjectMilestoneId", "relatedAnchorType", "start"],
  ] as const)
    await sql`
      update ${t.project_relations} set ${sql(milestone)} = null, ${sql(anchor)} = ${instead}, "updatedAt" = ${now}
      where ${sql(milestone)} = ${id}
    `;
}

/** Whether a project depends on another, directly or transitively. */
export async function dependsOn(
  { sql, t }: TrackerSession,
  projectId: string,
  on: string,
): Promise<boolean> {
  const [row] = await sql`
    with recursive before as (
      select ${projectId}::uuid as id
      union
      select r."projectId" from ${t.project_relations} r join before on r."relatedProjectId" = before.id
      where r.type = 'dependency'
    ) select exists (select from before where id = ${on}) as found
  `;
  return row?.["found"] === true;
}

/** The id of the relation between two projects, in either direction. */
export async function findRelation(
  { sql, t }: TrackerSession,
  type: string,
  one: string,
  other: string,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from ${t.project_relations}
    where type = ${type} and "projectId" = any(${[one, other]}::uuid[]) and "relatedProjectId" = any(${[one, other]}::uuid[])
    order by id limit 1
  `;
  return row?.id;
}

/** Issues of a milestone, with their teams. */
export const listMilestoneIssues = async (
  { sql, t }: TrackerSession,
  milestoneId: string,
): Promise<readonly { readonly id: string; readonly teamId: string }[]> => sql`
  select id, "teamId" from ${t.issues} where "projectMilestoneId" = ${milestoneId} order by "createdAt", id
`;

export const listProjectsWithStatus = async (
  { sql, t }: TrackerSession,
  statusId: string,
): Promise<readonly Row<"Project">[]> => sql<Row<"Project">[]>`
  select * from ${t.projects} where "statusId" = ${statusId} order by "createdAt", id for update
`;
