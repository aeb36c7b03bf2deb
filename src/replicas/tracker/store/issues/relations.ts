import type { TrackerSession } from "~/replicas/tracker/store/tables";

type Ends = { readonly issueId: string; readonly relatedIssueId: string; readonly type: string };

/** Whether such a relation exists besides `but`; for a symmetric type, in either direction. */
export async function isRelated(
  { sql, t }: TrackerSession,
  { issueId, relatedIssueId, type }: Ends,
  symmetric: boolean,
  but: string,
): Promise<boolean> {
  const rows = await sql`
    select from ${t.issue_relations}
    where type = ${type} and id::text <> ${but} and (
      ("issueId" = ${issueId} and "relatedIssueId" = ${relatedIssueId})
      or (${symmetric}::boolean and "issueId" = ${relatedIssueId} and "relatedIssueId" = ${issueId})
    )
    limit 1
  `;
  return rows.length > 0;
}
