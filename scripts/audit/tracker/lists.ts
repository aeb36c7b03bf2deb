/** Reads the tracker through its own lists, as the agent, in the form of its tables. */
import { isObject } from "~/input/json";
import type { JsonObject, Surface, Tables } from "../model";

const PAGE = 50;
const PAGES_MAX = 100;

/** Fields as they are, and objects whose id a column named `…Id` has. */
type List = {
  readonly table: string;
  readonly fields: string;
  readonly refs: readonly string[];
  readonly more?: string;
};

const REACTIONS = "reactions { id emoji user { id } }";

const LISTS: Readonly<Record<string, List>> = {
  users: { table: "users", fields: "name displayName email active admin", refs: [] },
  teams: { table: "teams", fields: "name key description color", refs: [] },
  workflowStates: {
    table: "workflow_states",
    fields: "name description type color position archivedAt",
    refs: ["team"],
  },
  issueLabels: {
    table: "issue_labels",
    fields: "name description color isGroup archivedAt",
    refs: ["team", "parent", "creator"],
  },
  issues: {
    table: "issues",
    fields: "identifier number title description priority estimate dueDate archivedAt trashed",
    refs: [
      "team",
      "state",
      "assignee",
      "creator",
      "parent",
      "project",
      "projectMilestone",
      "cycle",
    ],
    more: `labels(first: 20) { nodes { id } } ${REACTIONS}`,
  },
  issueRelations: { table: "issue_relations", fields: "type", refs: ["issue", "relatedIssue"] },
  comments: {
    table: "comments",
    fields: "body resolvedAt archivedAt",
    refs: ["issue", "parent", "user", "projectUpdate", "resolvingUser"],
    more: REACTIONS,
  },
  attachments: { table: "attachments", fields: "title subtitle url", refs: ["issue", "creator"] },
  favorites: { table: "favorites", fields: "type", refs: ["issue", "project", "cycle"] },
  projects: {
    table: "projects",
    fields: "name description content priority startDate targetDate archivedAt",
    refs: ["lead"],
  },
  projectMilestones: {
    table: "project_milestones",
    fields: "name description targetDate archivedAt",
    refs: ["project"],
  },
  projectUpdates: {
    table: "project_updates",
    fields: "body archivedAt",
    refs: ["project", "user"],
    more: REACTIONS,
  },
  cycles: {
    table: "cycles",
    fields: "number name description startsAt endsAt archivedAt",
    refs: ["team"],
  },
  documents: { table: "documents", fields: "title content archivedAt trashed", refs: ["project"] },
};

const REACTED: Readonly<Record<string, string>> = {
  issues: "issueId",
  comments: "commentId",
  project_updates: "projectUpdateId",
};

async function nodesOf(
  surface: Surface,
  name: string,
  { fields, refs, more = "" }: List,
): Promise<JsonObject[]> {
  const selection = `id ${fields} ${refs.map((ref) => `${ref} { id }`).join(" ")} ${more}`;
  const query = `query($after: String) { ${name}(first: ${PAGE}, after: $after, includeArchived: true) { nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;
  const nodes: JsonObject[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { ok, body } = await surface.call({ name, arguments: { query, variables: { after } } });
    if (!ok) throw new Error(`${name}: ${JSON.stringify(body)}`);
    const { nodes: found, pageInfo } = body.data[name];
    nodes.push(...found);
    if (!pageInfo.hasNextPage) return nodes;
    after = pageInfo.endCursor;
  }
  throw new Error(`${name}: more than ${PAGES_MAX} pages`);
}

const idOf = (value: unknown) => (isObject(value) ? `${value["id"]}` : null);

export async function readTracker(surface: Surface): Promise<Tables> {
  const tables = new Map<string, JsonObject[]>([
    ["issue_label_assignments", []],
    ["reactions", []],
  ]);
  await Promise.all(
    Object.entries(LISTS).map(async ([name, list]) => {
      const nodes = await nodesOf(surface, name, list);
      const scalars = ["id", ...list.fields.split(" ")];
      tables.set(
        list.table,
        nodes.map((node) => ({
          ...Object.fromEntries(scalars.map((field) => [field, node[field] ?? null])),
          ...Object.fromEntries(list.refs.map((ref) => [`${ref}Id`, idOf(node[ref])])),
        })),
      );
      for (const node of nodes) addNested(tables, list.table, node);
    }),
  );
  return tables;
}

/** Labels of an issue, and reactions: the service lists them with what they belong to. */
function addNested(tables: Map<string, JsonObject[]>, table: string, node: JsonObject): void {
  const { labels, reactions } = node as {
    labels?: { nodes: { id: string }[] };
    reactions?: JsonObject[];
  };
  for (const label of labels?.nodes ?? [])
    tables.get("issue_label_assignments")?.push({ issueId: node["id"] ?? null, labelId: label.id });
  for (const { id = null, emoji = null, user } of reactions ?? [])
    tables.get("reactions")?.push({
      id,
      emoji,
      userId: idOf(user),
      ...Object.fromEntries(
        Object.values(REACTED).map((column) => [
          column,
          column === REACTED[table] ? (node["id"] ?? null) : null,
        ]),
      ),
    });
}
