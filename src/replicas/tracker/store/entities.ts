/** Entities by the names of their GraphQL types, and the types of their rows. */
import type { RowObject } from "~/graphql/page";
import type { Rows } from "~/replicas/tracker/store/rows";

/** The table of each entity that does not share one. */
export const TABLE_OF = {
  Activity: "issue_history",
  Attachment: "attachments",
  Comment: "comments",
  CustomView: "custom_views",
  Cycle: "cycles",
  Document: "documents",
  DocumentContent: "documents",
  EntityExternalLink: "entity_external_links",
  Favorite: "favorites",
  Initiative: "initiatives",
  InitiativeLabel: "initiative_labels",
  InitiativeRelation: "initiative_relations",
  InitiativeToProject: "initiative_to_projects",
  InitiativeUpdate: "initiative_updates",
  Issue: "issues",
  IssueHistory: "issue_history",
  IssueLabel: "issue_labels",
  IssueRelation: "issue_relations",
  IssueStateSpan: "issue_history",
  Notification: "notifications",
  NotificationSubscription: "notification_subscriptions",
  Organization: "organizations",
  Project: "projects",
  ProjectLabel: "project_labels",
  ProjectMilestone: "project_milestones",
  ProjectRelation: "project_relations",
  ProjectStatus: "project_statuses",
  ProjectUpdate: "project_updates",
  Reaction: "reactions",
  Team: "teams",
  TeamMembership: "team_memberships",
  Template: "templates",
  User: "users",
  Webhook: "webhooks",
  WorkflowState: "workflow_states",
} as const satisfies { readonly [entity: string]: keyof Rows };

/** Entities whose rows share the table `records`: their fields are JSON, not columns. */
export type RecordEntity =
  | "AgentActivity"
  | "AgentSession"
  | "AgentSkill"
  | "ApiKey"
  | "AuditEntry"
  | "Customer"
  | "CustomerNeed"
  | "CustomerStatus"
  | "CustomerTier"
  | "DocumentContentHistoryType"
  | "Draft"
  | "Emoji"
  | "ExternalUser"
  | "GitAutomationState"
  | "GitAutomationTargetBranch"
  | "InitiativeHistory"
  | "IssueSuggestion"
  | "IssueToRelease"
  | "OrganizationInvite"
  | "ProjectHistory"
  | "Release"
  | "ReleaseHistory"
  | "ReleaseNote"
  | "ReleasePipeline"
  | "ReleaseStage"
  | "Roadmap"
  | "RoadmapToProject"
  | "TimeSchedule"
  | "TriageResponsibility"
  | "UserSettings"
  | "ViewPreferences";

/** Types that inputs can refer to, but that have no rows. */
type AbsentEntity = "Post" | "PullRequest" | "PullRequestComment";

type TableEntity = keyof typeof TABLE_OF;
export type Entity = TableEntity | RecordEntity | AbsentEntity;

export type Values = Readonly<Record<string, unknown>>;

/** A row as it is read. Of entities that share a table, or of any entity, the columns are not known. */
export type Row<E extends Entity> = [E] extends [TableEntity]
  ? Rows[(typeof TABLE_OF)[E]]
  : RowObject;

/** Values of a row to write: `undefined` leaves a column as it is. */
export type Changes<E extends Entity> = [E] extends [TableEntity]
  ? { readonly [C in keyof Row<E>]?: Row<E>[C] | undefined }
  : Values;

/** Values of a new row: a column without a value takes its default. */
export type NewValues<E extends Entity> = [E] extends [TableEntity]
  ? { readonly [C in keyof Row<E>]?: Row<E>[C] | null | undefined }
  : Values;
