/** Sessions of agents and their activities, as events show them. */
import { present } from "~/replicas/tracker/events/change";
import { describedIssue } from "~/replicas/tracker/events/notifications";
import type { Shape } from "~/replicas/tracker/events/view";
import { workspaceUrl } from "~/replicas/tracker/urls";

const words = (text: string): readonly string[] => text.split(" ");

export const SESSION: Shape = {
  columns: words(
    "id createdAt updatedAt archivedAt appUserId commentId creatorId endedAt issueId sourceCommentId startedAt status summary type",
  ),
  ones: ["comment", "creator"],
  reads: ["issue"],
  lists: [
    { table: "comments", column: "issueId", key: "issueId", part: "newest" },
    { table: "comments", column: "parentId", key: "commentId", part: "newest" },
  ],
  more: (row, view) => ({
    organizationId: view.workspace.id,
    url: workspaceUrl(view, "agent-session", String(row["slugId"])),
    ...present({ issue: describedIssue("AgentSession", row, view) }),
  }),
};

export const ACTIVITY: Shape = {
  columns: words(
    "id createdAt updatedAt archivedAt agentSessionId content signal signalMetadata sourceCommentId userId",
  ),
  ones: ["user"],
  reads: ["agentSession"],
};
