import type { Row } from "~/replicas/tracker/store/entities";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The cycles of a team that are not archived, by time. Locks them. */
export const listCycles = async (
  { sql, t }: TrackerSession,
  teamId: string,
): Promise<readonly Row<"Cycle">[]> => sql<Row<"Cycle">[]>`
  select * from ${t.cycles} where "teamId" = ${teamId} and "archivedAt" is null
  order by "startsAt", id for update
`;

export async function findNextCycleNumber(
  { sql, t }: TrackerSession,
  teamId: string,
): Promise<number> {
  const [row] = await sql`
    select coalesce(max(number), 0) + 1 as next from ${t.cycles} where "teamId" = ${teamId}
  `;
  return row?.["next"];
}

/** Issues of a cycle that are neither completed nor canceled. */
export async function listOpenIssues(
  { sql, t }: TrackerSession,
  cycleId: string,
): Promise<string[]> {
  const rows = await sql`
    select i.id from ${t.issues} i join ${t.workflow_states} s on s.id = i."stateId"
    where i."cycleId" = ${cycleId} and i."archivedAt" is null
      and s.type not in ('completed', 'canceled', 'duplicate')
    order by i."createdAt", i.id
  `;
  return rows.map((row) => row["id"]);
}

export async function listCycleIssues(
  { sql, t }: TrackerSession,
  cycleId: string,
): Promise<string[]> {
  const rows = await sql`select id from ${t.issues} where "cycleId" = ${cycleId}`;
  return rows.map((row) => row["id"]);
}

/** Issues that are in any cycle of a team. */
export async function listIssuesInCycles(
  { sql, t }: TrackerSession,
  teamId: string,
): Promise<string[]> {
  const rows = await sql`
    select id from ${t.issues} where "teamId" = ${teamId} and "cycleId" is not null
  `;
  return rows.map((row) => row["id"]);
}

export const deleteCycles = async ({ sql, t }: TrackerSession, teamId: string): Promise<unknown> =>
  sql`delete from ${t.cycles} where "teamId" = ${teamId}`;
