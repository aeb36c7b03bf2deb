/** Notifications of the users of apps. */
import type { EventRow } from "~/replicas/events";
import { present, type Wire } from "~/replicas/tracker/events/change";
import { childOf } from "~/replicas/tracker/events/children";
import { related, type Shape, type View } from "~/replicas/tracker/events/view";

const words = (text: string): readonly string[] => text.split(" ");

export const NOTIFICATION: Shape = {
  columns: words(
    "id createdAt updatedAt archivedAt actorId commentId documentId issueId parentCommentId projectId projectUpdateId reactionEmoji type userId",
  ),
  ones: words("actor comment document issue parentComment project projectUpdate"),
  more: (row, view) => present({ issue: describedIssue("Notification", row, view) }),
};

/** An issue as a child, with its description. */
export function describedIssue(entity: string, row: EventRow, view: View): Wire | undefined {
  const child = childOf(entity, row, "issue", view);
  const { description } = related(entity, row, "issue", view) ?? {};
  return child && { ...child, ...present({ description }) };
}
