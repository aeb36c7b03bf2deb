import type { TrackerSession } from "~/replicas/tracker/store/tables";

/** Deletes a comment with its replies and everything that depends on them. */
export const deleteComments = async (
  { sql, t }: TrackerSession,
  id: string,
): Promise<unknown> => sql`
  with thread as (
    select id from ${t.comments} where id = ${id} or "parentId" = ${id}
  ), reaction as (
    delete from ${t.reactions} where "commentId" in (select id from thread)
  ), notification as (
    delete from ${t.notifications} where "commentId" in (select id from thread)
  ), settled as (
    update ${t.comments} set "resolvingCommentId" = null
    where "resolvingCommentId" in (select id from thread) and id not in (select id from thread)
  )
  delete from ${t.comments} where id in (select id from thread)
`;
