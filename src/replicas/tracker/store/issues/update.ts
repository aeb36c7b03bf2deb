/** Statements that change issues. */
import type { Changes, Row } from "~/replicas/tracker/store/entities";
import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** Locks issues until the end of the transaction, in the order of their ids. Sent at once. */
export const lockIssues = async (
  { sql, t }: TrackerSession,
  ids: readonly string[],
): Promise<readonly Row<"Issue">[]> =>
  sql<Row<"Issue">[]>`
    select * from ${t.issues} where id = any(${ids}::uuid[]) order by id for no key update
  `.execute();

/** Writes the same values to several issues. */
export const setIssues = async (
  { sql, t }: TrackerSession,
  ids: readonly string[],
  values: Changes<"Issue">,
): Promise<unknown> => sql`
  update ${t.issues} set ${sql(values as never)} where id = any(${ids}::uuid[])
`;

/** Keeps the number of an issue that leaves its team from being reused. */
export const keepNumber = async (
  { sql, t }: TrackerSession,
  teamId: string,
  number: number,
): Promise<unknown> => sql`
  update ${t.teams} set "highestNumber" = ${number} where id = ${teamId} and "highestNumber" < ${number}
`;

/** The ids of open sub-issues. */
export async function listOpenChildren(
  { sql, t }: TrackerSession,
  parentId: string,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select i.id from ${t.issues} i join ${t.workflow_states} s on s.id = i."stateId"
    where i."parentId" = ${parentId} and i."archivedAt" is null
      and s.type not in ('completed', 'canceled', 'duplicate')
    order by i.id
  `;
  return rows.map(({ id }) => id);
}

/** Issues and all their sub-issues. */
export async function listTree({ sql, t }: TrackerSession, id: string): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    with recursive tree as (
      select ${id}::uuid as id union
      select i.id from ${t.issues} i join tree on i."parentId" = tree.id
    ) select id from tree
  `;
  return rows.map((row) => row.id);
}

/** Deletes an issue with everything that depends on it. Its sub-issues stay, without a parent. */
export async function deleteIssue({ sql, t }: TrackerSession, id: string): Promise<void> {
  await sql`
    with comment as (select id from ${t.comments} where "issueId" = ${id}),
      a as (delete from ${t.issue_label_assignments} where "issueId" = ${id}),
      b as (delete from ${t.issue_subscribers} where "issueId" = ${id}),
      c as (delete from ${t.issue_relations} where ${id} in ("issueId", "relatedIssueId")),
      d as (delete from ${t.issue_history} where "issueId" = ${id}),
      e as (delete from ${t.reactions} where "issueId" = ${id}),
      f as (delete from ${t.reactions} where "commentId" in (select id from comment)),
      g as (delete from ${t.comments} where "issueId" = ${id}),
      h as (delete from ${t.attachments} where "issueId" = ${id}),
      i as (delete from ${t.notifications} where "issueId" = ${id}),
      j as (delete from ${t.favorites} where "issueId" = ${id}),
      k as (update ${t.issues} set "parentId" = null where "parentId" = ${id})
    delete from ${t.issues} where id = ${id}
  `;
}
