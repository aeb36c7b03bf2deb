import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** A label that conflicts with a name: in the same team, in the workspace, or for a workspace label in any team. */
export async function findLabelNamed(
  { sql, t }: TrackerSession,
  name: string,
  teamId: string | null,
  but = "",
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from ${t.issue_labels}
    where lower(name) = lower(${name}) and "archivedAt" is null and id::text <> ${but}
      and (${teamId}::uuid is null or "teamId" is null or "teamId" = ${teamId}::uuid)
    order by "createdAt", id limit 1
  `;
  return row?.id;
}

export async function listTeamLabelsNamed(
  { sql, t }: TrackerSession,
  name: string,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${t.issue_labels} where lower(name) = lower(${name}) and "teamId" is not null
  `;
  return rows.map(({ id }) => id);
}

/** Replaces labels by another one, and deletes them. */
export async function replaceLabels(
  { sql, t }: TrackerSession,
  ids: readonly string[],
  by: string,
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with moved as (
      insert into ${t.issue_label_assignments} ("issueId", "labelId", "createdAt")
      select distinct "issueId", ${by}::uuid, ${now}::timestamptz from ${t.issue_label_assignments}
      where "labelId" = any(${ids}::uuid[])
      on conflict do nothing
    ), left_behind as (
      delete from ${t.issue_label_assignments} where "labelId" = any(${ids}::uuid[])
    )
    delete from ${t.issue_labels} where id = any(${ids}::uuid[])
  `;
}

/** How many issues have a label, and how many labels a group contains. */
export async function findLabelUse(
  { sql, t }: TrackerSession,
  id: string,
): Promise<{ readonly issues: number; readonly children: number }> {
  const [use] = await sql<[{ issues: number; children: number }]>`
    select
      (select count(*)::int from ${t.issue_label_assignments} where "labelId" = ${id}) as issues,
      (select count(*)::int from ${t.issue_labels} where "parentId" = ${id}) as children
  `;
  return use;
}

/** Removes a label from all issues; the labels of a group stay, without the group. */
export const deleteLabel = async (
  { sql, t }: TrackerSession,
  id: string,
  now: Date,
): Promise<unknown> => sql`
  with taken_off as (
    delete from ${t.issue_label_assignments} where "labelId" = ${id}
  ), freed as (
    update ${t.issue_labels} set "parentId" = null, "updatedAt" = ${now} where "parentId" = ${id}
  )
  delete from ${t.issue_labels} where id = ${id}
`;
