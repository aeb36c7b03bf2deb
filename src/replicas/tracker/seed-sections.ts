/**
 * The possible content of a tracker seed. An entry has the fields of its type in the API: a column under its own name,
 * a relation under its name, with the name of the related entry as the value (`assignee: john`, `state: In Progress`,
 * `team: ENG`).
 */
import { type Model, requireModel } from "~/graphql/model";
import { derivedId } from "~/replicas/tracker/ids";
import { RECORD_SECTIONS } from "~/replicas/tracker/seed-records";
import type { Pairs, Section } from "~/replicas/tracker/seed-types";
import type { Values } from "~/replicas/tracker/store/entities";
import { MODELS } from "~/replicas/tracker/store/models/index";

const connects =
  (from: string, target: string) =>
  (fromId: string, targetId: string): Values => ({ [from]: fromId, [target]: targetId });

const labelled =
  (from: string): Pairs["row"] =>
  (fromId, labelId, { createdAt }) => ({ [from]: fromId, labelId, createdAt });

const membership: Pairs["row"] = (teamId, userId, { index, createdAt, name, entry }) => ({
  id:
    (entry["membershipIds"] as Readonly<Record<string, string>> | undefined)?.[name] ??
    derivedId("TeamMembership", teamId, userId),
  createdAt,
  updatedAt: createdAt,
  teamId,
  userId,
  owner: Array.isArray(entry["owners"]) && entry["owners"].includes(name),
  sortOrder: index,
});

const projectOfInitiative: Pairs["row"] = (initiativeId, projectId, { index, createdAt }) => ({
  id: derivedId("InitiativeToProject", initiativeId, projectId),
  createdAt,
  updatedAt: createdAt,
  initiativeId,
  projectId,
  sortOrder: index,
});

const REACTIONS = (key: string) => ({ reactions: { section: "reactions", key } });
const LINKS = (key: string) => ({ links: { section: "links", key } });

/** By the field that holds the entries. Top-level sections are read in this order. */
export const SECTIONS: { readonly [field: string]: Section } = {
  users: { type: "User", name: "displayName", required: ["id", "name", "displayName", "email"] },
  teams: {
    type: "Team",
    name: "key",
    required: ["id", "key", "name", "members"],
    nested: { states: { section: "states", key: "teamId" } },
    pairs: { members: { to: "User", table: "team_memberships", row: membership } },
  },
  states: { type: "WorkflowState", name: "name", scoped: true, required: ["name", "type"] },
  labels: {
    type: "IssueLabel",
    name: "name",
    scoped: true,
    required: ["name"],
    nested: { children: { section: "labels", key: "parentId", keep: ["teamId"] } },
  },
  projectStatuses: { type: "ProjectStatus", name: "name", required: ["name", "type"] },
  projectLabels: {
    type: "ProjectLabel",
    name: "name",
    required: ["name"],
    nested: { children: { section: "projectLabels", key: "parentId" } },
  },
  initiativeLabels: { type: "InitiativeLabel", name: "name", required: ["name"] },
  templates: { type: "Template", name: "name", required: ["name", "type", "templateData"] },
  cycles: {
    type: "Cycle",
    name: "number",
    scoped: true,
    required: ["team", "number", "startsAt", "endsAt"],
  },
  projects: {
    type: "Project",
    name: "name",
    required: ["name", "teams"],
    nested: {
      milestones: { section: "milestones", key: "projectId" },
      updates: { section: "projectUpdates", key: "projectId" },
      ...LINKS("projectId"),
    },
    pairs: {
      teams: { to: "Team", table: "project_teams", row: connects("projectId", "teamId") },
      members: { to: "User", table: "project_members", row: connects("projectId", "userId") },
      labels: {
        to: "ProjectLabel",
        table: "project_label_assignments",
        row: labelled("projectId"),
      },
    },
  },
  milestones: { type: "ProjectMilestone", name: "name", scoped: true, required: ["name"] },
  projectUpdates: {
    type: "ProjectUpdate",
    required: ["user", "body", "createdAt"],
    nested: {
      comments: { section: "comments", key: "projectUpdateId" },
      ...REACTIONS("projectUpdateId"),
    },
  },
  projectRelations: { type: "ProjectRelation", required: ["project", "relatedProject"] },
  initiatives: {
    type: "Initiative",
    name: "name",
    required: ["name", "status"],
    nested: {
      updates: { section: "initiativeUpdates", key: "initiativeId" },
      ...LINKS("initiativeId"),
    },
    pairs: {
      projects: { to: "Project", table: "initiative_to_projects", row: projectOfInitiative },
      labels: {
        to: "InitiativeLabel",
        table: "initiative_label_assignments",
        row: labelled("initiativeId"),
      },
    },
  },
  initiativeUpdates: {
    type: "InitiativeUpdate",
    required: ["user", "body", "createdAt"],
    nested: REACTIONS("initiativeUpdateId"),
  },
  initiativeRelations: {
    type: "InitiativeRelation",
    required: ["initiative", "relatedInitiative"],
  },
  issues: {
    type: "Issue",
    name: "identifier",
    required: ["identifier", "title", "state", "creator", "createdAt"],
    nested: {
      comments: { section: "comments", key: "issueId" },
      attachments: { section: "attachments", key: "issueId" },
      history: { section: "issueHistory", key: "issueId", keep: ["teamId"] },
      ...REACTIONS("issueId"),
    },
    pairs: {
      labels: { to: "IssueLabel", table: "issue_label_assignments", row: labelled("issueId") },
      subscribers: { to: "User", table: "issue_subscribers", row: connects("issueId", "userId") },
    },
  },
  issueHistory: { type: "IssueHistory", required: ["createdAt"] },
  relations: { type: "IssueRelation", required: ["issue", "type", "relatedIssue"] },
  comments: {
    type: "Comment",
    required: ["user", "body", "createdAt"],
    nested: {
      replies: { section: "comments", key: "parentId", keep: ["issueId", "projectUpdateId"] },
      ...REACTIONS("commentId"),
    },
  },
  reactions: { type: "Reaction", required: ["emoji", "user"] },
  attachments: { type: "Attachment", required: ["title", "url"] },
  links: { type: "EntityExternalLink", required: ["label", "url"] },
  documents: { type: "Document", name: "title", required: ["title", "creator"] },
  customViews: { type: "CustomView", name: "name", required: ["name", "creator", "modelName"] },
  favorites: { type: "Favorite", required: ["owner", "type"] },
  webhooks: { type: "Webhook", required: ["url", "resourceTypes"] },
  notifications: { type: "Notification", required: ["user", "type", "createdAt"] },
  ...RECORD_SECTIONS,
};

/** Sections inside other entries only. */
const INNER = new Set([
  "agentActivities",
  "attachments",
  "comments",
  "customerNeeds",
  "initiativeUpdates",
  "issueHistory",
  "links",
  "milestones",
  "projectUpdates",
  "reactions",
  "releaseIssues",
  "releaseStages",
  "releases",
  "states",
]);
export const TOP = Object.keys(SECTIONS).filter((name) => !INNER.has(name));

export const modelOf = ({ type }: Section): Model => requireModel(MODELS, type);

/** Columns with their types; of a shared table, those of its rows and of their data. */
export function columnsIn(section: Section): ReadonlyMap<string, string> {
  const { columns, shared } = modelOf(section);
  if (!shared) return columns;
  const own = ["createdAt", "updatedAt", "archivedAt"].map(
    (name) => [name, "timestamptz"] as const,
  );
  const texts = (section.texts ?? []).map((name) => [name, "text"] as const);
  return new Map([["id", "uuid"], ...own, ...columns, ...texts]);
}

/** Relations of a type that have a column. */
export const relationsOf = (model: Model) =>
  [...model.one].filter(([, { key }]) => model.columns.has(key));
