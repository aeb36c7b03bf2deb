/** Labels of projects and of initiatives, and their assignments. */
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** The tables of a kind of labels, and the column of the labelled entity. */
export type Labelling = {
  readonly labels: "project_labels" | "initiative_labels";
  readonly assignments: "project_label_assignments" | "initiative_label_assignments";
  readonly key: "projectId" | "initiativeId";
};

export const PROJECT_LABELS: Labelling = {
  labels: "project_labels",
  assignments: "project_label_assignments",
  key: "projectId",
};
export const INITIATIVE_LABELS: Labelling = {
  labels: "initiative_labels",
  assignments: "initiative_label_assignments",
  key: "initiativeId",
};

export type Label = {
  readonly id: string;
  readonly name: string;
  readonly isGroup: boolean;
  /** The only team that can use it. */
  readonly teamId: string | null;
  readonly parentId: string | null;
  /** The setting of its group. */
  readonly groupType: string | null;
  readonly retiredAt: Date | null;
};

export async function listLabels(
  { sql, t }: TrackerSession,
  { labels }: Labelling,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Label>> {
  const team = labels === "project_labels" ? sql`l."teamId"` : sql`null::uuid`;
  const rows = await sql<Label[]>`
    select l.id, l.name, l."isGroup", ${team} as "teamId", l."parentId", l."retiredAt", g."groupType"
    from ${t[labels]} l left join ${t[labels]} g on g.id = l."parentId"
    where l.id::text = any(${ids})
  `;
  return new Map(rows.map((row) => [row.id, row]));
}

/** The id of a label that conflicts with a new name: in the team, or in the workspace. */
export async function findLabelNamed(
  { sql, t }: TrackerSession,
  { labels }: Labelling,
  name: string,
  teamId: string | null,
): Promise<string | undefined> {
  const scope =
    labels === "project_labels" && teamId !== null
      ? sql`and ("teamId" is null or "teamId" = ${teamId})`
      : sql``;
  const [row] = await sql<{ id: string }[]>`
    select id from ${t[labels]} where lower(name) = lower(${name}) ${scope}
    order by "createdAt", id limit 1
  `;
  return row?.id;
}

/** How many labels a group has, and how many entities have a label. */
export async function listAssigned(
  { sql, t }: TrackerSession,
  { labels, assignments }: Labelling,
  id: string,
): Promise<{ readonly children: number; readonly uses: number }> {
  const [row] = await sql<{ children: number; uses: number }[]>`
    select (select count(*)::int from ${t[labels]} where "parentId" = ${id}) as children,
      (select count(*)::int from ${t[assignments]} where "labelId" = ${id}) as uses
  `;
  return row ?? { children: 0, uses: 0 };
}

/** Removes a label from all entities, and its labels from a group. */
export async function releaseLabel(
  { sql, t }: TrackerSession,
  { labels, assignments }: Labelling,
  id: string,
): Promise<void> {
  await sql`delete from ${t[assignments]} where "labelId" = ${id}`;
  await sql`update ${t[labels]} set "parentId" = null where "parentId" = ${id}`;
}

export async function listLabelIds(
  { sql, t }: TrackerSession,
  { assignments, key }: Labelling,
  of: string,
): Promise<string[]> {
  const rows = await sql<{ labelId: string }[]>`
    select "labelId" from ${t[assignments]} where ${sql(key)} = ${of} order by "createdAt", "labelId"
  `;
  return rows.map(({ labelId }) => labelId);
}

export async function insertAssignments(
  { sql, t }: TrackerSession,
  { assignments, key }: Labelling,
  of: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    insert into ${t[assignments]} (${sql(key)}, "labelId", "createdAt")
    select ${of}, unnest(${ids}::uuid[]), ${now}
  `;
}

export async function deleteAssignments(
  { sql, t }: TrackerSession,
  { assignments, key }: Labelling,
  of: string,
  ids: readonly string[],
): Promise<void> {
  await sql`
    delete from ${t[assignments]} where ${sql(key)} = ${of} and "labelId" = any(${ids}::uuid[])
  `;
}
