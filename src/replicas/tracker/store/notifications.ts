import { mailNotifications } from "~/replicas/tracker/notification-mails";
import { returningMailed } from "~/replicas/tracker/store/notification-mails";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { uuidFor } from "~/replicas/tracker/store/uuids";
import { maySeeProject } from "~/replicas/tracker/store/visibility";

/** A notification that is not about an issue. */
export type Announcement = {
  readonly type: string;
  readonly userIds: readonly string[];
  readonly projectId?: string;
  readonly projectUpdateId?: string;
  readonly initiativeId?: string;
  readonly initiativeUpdateId?: string;
  readonly commentId?: string;
  readonly parentCommentId?: string;
};

/** Notifies active users who may see the subject, except the actor. */
export async function announce(
  session: TrackerSession,
  { type, userIds, ...about }: Announcement,
  { actor, now }: { readonly actor: string; readonly now: Date },
): Promise<void> {
  const { sql, t } = session;
  const {
    projectId = null,
    projectUpdateId = null,
    initiativeId = null,
    initiativeUpdateId = null,
    commentId = null,
    parentCommentId = null,
  } = about;
  const rows = await sql<{ id: string; userId: string }[]>`
    insert into ${t.notifications} (
      id, "createdAt", "updatedAt", type, "userId", "actorId",
      "projectId", "projectUpdateId", "initiativeId", "initiativeUpdateId", "commentId", "parentCommentId"
    )
    select ${uuidFor(session, sql`u.id::text`)}, ${now}, ${now}, ${type}, u.id, ${actor},
      ${projectId}::uuid, ${projectUpdateId}::uuid, ${initiativeId}::uuid, ${initiativeUpdateId}::uuid, ${commentId}::uuid, ${parentCommentId}::uuid
    from ${t.users} u
    where u.active and u.id <> ${actor} and u.id = any(${userIds}::uuid[])
      and (${projectId}::uuid is null or ${maySeeProject(session, sql`${projectId}::uuid`, sql`u.id`)})
    ${returningMailed(session)}
  `;
  await mailNotifications(session, rows);
}

/** Users who subscribed to a project or an initiative. */
export async function listFollowers(
  { sql, t }: TrackerSession,
  key: "projectId" | "initiativeId",
  id: string,
): Promise<string[]> {
  const rows = await sql`
    select "subscriberId" as id from ${t.notification_subscriptions} where ${sql(key)} = ${id} and active
    order by id
  `;
  return rows.map((row) => row["id"]);
}
