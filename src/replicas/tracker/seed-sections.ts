/**
 * What a tracker seed may say. An entry's fields are those of its type in the API: a column under its own name, a
 * relation under its name, written as the other entry is called (`assignee: john`, `state: In Progress`, `team: ENG`).
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { type Model, requireModel } from "~/graphql/model";
import { derivedId } from "~/replicas/tracker/ids";
import { MODELS } from "~/replicas/tracker/store/models/index";
import type { Values } from "~/replicas/tracker/store/write";

export type Entry = Readonly<Record<string, unknown>>;

/** A list of names that becomes rows which connect two entities. */
export type Pairs = {
  readonly to: string;
  readonly table: string;
  readonly row: (from: string, target: string, place: Place) => Values;
};
type Place = {
  readonly index: number;
  readonly createdAt: string;
  readonly name: string;
  readonly entry: Entry;
};

/** Entries inside an entry. `key` is the column that leads back to it; `keep` are columns that they share with it. */
export type Nested = {
  readonly section: string;
  readonly key: string;
  readonly keep?: readonly string[];
};

export type Section = {
  readonly type: string;
  /** What other entries call it. */
  readonly name?: string;
  /** Whether two teams, or two projects, may each have one of that name. */
  readonly scoped?: true;
  readonly required?: readonly string[];
  readonly nested?: { readonly [field: string]: Nested };
  readonly pairs?: { readonly [field: string]: Pairs };
};

const connects =
  (from: string, target: string) =>
  (fromId: string, targetId: string): Values => ({ [from]: fromId, [target]: targetId });

const labelled =
  (from: string): Pairs["row"] =>
  (fromId, labelId, { createdAt }) => ({ [from]: fromId, labelId, createdAt });

const membership: Pairs["row"] = (teamId, userId, { index, createdAt, name, entry }) => ({
  id: derivedId("TeamMembership", teamId, userId),
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

/** By the field that holds the entries. Those at the top of the file come in this order. */
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
      ...REACTIONS("issueId"),
    },
    pairs: {
      labels: { to: "IssueLabel", table: "issue_label_assignments", row: labelled("issueId") },
      subscribers: { to: "User", table: "issue_subscribers", row: connects("issueId", "userId") },
    },
  },
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
};

/** Only inside other entries. */
const INNER = new Set([
  "attachments",
  "comments",
  "initiativeUpdates",
  "links",
  "milestones",
  "projectUpdates",
  "reactions",
  "states",
]);
export const TOP = Object.keys(SECTIONS).filter((name) => !INNER.has(name));

export const modelOf = ({ type }: Section): Model => requireModel(MODELS, type);

/** Relations of a type that stand in a column of its own. */
export const relationsOf = (model: Model) =>
  [...model.one].filter(([, { key }]) => model.columns.has(key));

const Name = Type.Union([Type.String(), Type.Number()]);
const Moment = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$" });
const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" });
const Uuid = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });

/** A value of a column, by its Postgres type. */
function Leaf(type: string): TSchema {
  if (type.endsWith("[]")) return Type.Array(Leaf(type.slice(0, -2)));
  if (type.startsWith("timestamptz")) return Moment;
  if (type === "date") return Day;
  if (type === "uuid") return Uuid;
  if (type === "boolean") return Type.Boolean();
  if (type === "jsonb") return Type.Unknown();
  return /^(int|float8)/.test(type) ? Type.Number() : Type.String();
}

function shapeOf(name: string, depth: number): TSchema {
  const section = SECTIONS[name];
  if (!section) throw new Error(`a seed has no ${name}`);
  const model = modelOf(section);
  const keys = new Set(relationsOf(model).map(([, { key }]) => key));
  const properties: Record<string, TSchema> = {};
  for (const [column, type] of model.columns)
    if (!keys.has(column)) properties[column] = Leaf(type);
  for (const [relation] of relationsOf(model)) properties[relation] = Name;
  for (const field of Object.keys(section.pairs ?? {})) properties[field] = Type.Array(Name);
  if (section.type === "Team") properties["owners"] = Type.Array(Name);
  // One level of a thing in itself: replies, labels of a group.
  for (const [field, nested] of Object.entries(section.nested ?? {}))
    if (nested.section !== name || depth === 0)
      properties[field] = Type.Array(
        shapeOf(nested.section, nested.section === name ? depth + 1 : depth),
      );
  const required = new Set(section.required);
  return Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([field, shape]) => [
        field,
        required.has(field) ? shape : Type.Optional(shape),
      ]),
    ),
    { additionalProperties: false },
  );
}

export const TrackerSeed = Type.Object(
  {
    organization: Type.Object(
      {
        id: Uuid,
        createdAt: Moment,
        name: Type.String(),
        urlKey: Type.String({ pattern: "^[a-z0-9-]+$" }),
      },
      { additionalProperties: false },
    ),
    ...Object.fromEntries(
      TOP.map((name) => {
        const list = Type.Array(shapeOf(name, 0));
        return [name, name === "users" || name === "teams" ? list : Type.Optional(list)];
      }),
    ),
    template: Type.Optional(Type.String()),
    service: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    extends: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
