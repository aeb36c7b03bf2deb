/** Agent sessions, their activities and skills. */
import type { Model } from "~/graphql/model";
import { children, record } from "~/replicas/tracker/store/models/define";

export const AGENTS: readonly Model[] = [
  record(
    "AgentSession",
    {
      appUserId: "uuid",
      commentId: "uuid",
      creatorId: "uuid",
      dismissedById: "uuid",
      externalLinks: "jsonb",
      issueId: "uuid",
      sourceCommentId: "uuid",
    },
    { many: { activities: children("AgentActivity", "agentSessionId") } },
  ),
  record(
    "AgentActivity",
    { agentSessionId: "uuid", content: "jsonb", sourceCommentId: "uuid", userId: "uuid" },
    {
      filters: {
        agentSessionId: (row, { sql }) => sql`${row("agentSessionId")}::text`,
        type: (row, { sql }) => sql`(${row("content")}->>'type')`,
      },
    },
  ),
  record("AgentSkill", {
    creatorId: "uuid",
    lastUpdatedById: "uuid",
    ownerId: "uuid",
    shared: "boolean",
    teamId: "uuid",
  }),
];
