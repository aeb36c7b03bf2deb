/** Declares entities: their tables define most of them. */
import type { Expression, Model, One, Order, Relation, SortOptions } from "~/graphql/model";
import { type RecordEntity, TABLE_OF } from "~/replicas/tracker/store/entities";
import { TABLES } from "~/replicas/tracker/store/tables";

/** The target of a relation, by its name: the column "assigneeId" is the relation `assignee` to a User. */
const RELATED: Readonly<Record<string, string>> = {
  actor: "User",
  agentSession: "AgentSession",
  appUser: "User",
  assignee: "User",
  attachment: "Attachment",
  comment: "Comment",
  convertedFromIssue: "Issue",
  creator: "User",
  currentUser: "User",
  customView: "CustomView",
  customer: "Customer",
  cycle: "Cycle",
  defaultIssueState: "WorkflowState",
  defaultProjectTemplate: "Template",
  defaultTemplateForMembers: "Template",
  defaultTemplateForNonMembers: "Template",
  delegate: "User",
  dismissedBy: "User",
  document: "Document",
  documentContent: "DocumentContent",
  initiative: "Initiative",
  initiativeLabel: "InitiativeLabel",
  initiativeUpdate: "InitiativeUpdate",
  issue: "Issue",
  invitee: "User",
  inviter: "User",
  label: "IssueLabel",
  lastAppliedTemplate: "Template",
  lastUpdatedBy: "User",
  lead: "User",
  leadTeam: "Team",
  originalIssue: "Issue",
  owner: "User",
  parentComment: "Comment",
  parentDocument: "Document",
  pipeline: "ReleasePipeline",
  predefinedViewTeam: "Team",
  project: "Project",
  projectLabel: "ProjectLabel",
  projectMilestone: "ProjectMilestone",
  projectTeam: "Team",
  projectUpdate: "ProjectUpdate",
  relatedInitiative: "Initiative",
  relatedIssue: "Issue",
  relatedProject: "Project",
  relatedProjectMilestone: "ProjectMilestone",
  release: "Release",
  releaseNote: "ReleaseNote",
  releaseNoteTemplate: "Template",
  releasePipeline: "ReleasePipeline",
  resolvingComment: "Comment",
  resolvingUser: "User",
  retiredBy: "User",
  roadmap: "Roadmap",
  snoozedBy: "User",
  sourceComment: "Comment",
  stage: "ReleaseStage",
  state: "WorkflowState",
  subscriber: "User",
  targetBranch: "GitAutomationTargetBranch",
  team: "Team",
  tier: "CustomerTier",
  timeSchedule: "TimeSchedule",
  updatedBy: "User",
  user: "User",
};

type Declaration = {
  /** The Postgres types of the columns of `source`, which replaces the table. */
  readonly columns?: { readonly [column: string]: string };
  readonly source?: Model["source"];
  /** Relations with other targets than their name suggests, and their key unless it is `<name>Id`. */
  readonly one?: { readonly [field: string]: string | readonly [to: string, key: string] };
  readonly many?: {
    readonly [field: string]: readonly [to: string, on: Relation, ids?: Expression];
  };
  readonly computed?: { readonly [field: string]: Expression };
  readonly filters?: { readonly [field: string]: Expression };
  readonly sorts?: { readonly [key: string]: (options: SortOptions) => readonly Order[] };
  readonly unlisted?: Model["unlisted"];
  /** Whether the row's parent is in use: lists omit other rows as if they were archived. */
  readonly inUse?: Expression;
  readonly visible?: Model["visible"];
  /** To-one relations whose row every viewer of this row sees. */
  readonly withRow?: readonly string[];
};

const entries = <V>(object: { readonly [key: string]: V } = {}) => new Map(Object.entries(object));

/** An entity that does not share its table. */
export function model(name: keyof typeof TABLE_OF, declaration: Declaration = {}): Model {
  const table = TABLE_OF[name];
  const stored = [...(TABLES.get(table) ?? [])].map(
    ([column, { type }]) => [column, type] as const,
  );
  const columns = declaration.columns ? entries(declaration.columns) : new Map(stored);
  return build({ name, table, columns, shared: false }, declaration);
}

/**
 * An entity whose rows share the table `records`. `types`: the Postgres types of its fields that are not text; a uuid
 * field is a relation, as in a table.
 */
export function record(
  name: RecordEntity,
  types: { readonly [field: string]: string },
  declaration: Declaration = {},
): Model {
  return build({ name, table: "records", columns: entries(types), shared: true }, declaration);
}

function build(
  { name, table, columns, shared }: Pick<Model, "name" | "table" | "columns" | "shared">,
  declaration: Declaration,
): Model {
  const { source, one, many, computed, filters, sorts, unlisted, inUse, visible } = declaration;
  const relations = new Map<string, One>();
  for (const [column, type] of columns) {
    if (type !== "uuid" || !column.endsWith("Id")) continue;
    const field = column.slice(0, -2);
    const plain = field.replace(/^(?:from|to)([A-Z])/, (_, letter: string) => letter.toLowerCase());
    const to = plain === "parent" ? name : RELATED[plain];
    if (to) relations.set(field, { to, key: column });
  }
  for (const [field, target] of Object.entries(one ?? {})) {
    const [to, key] = typeof target === "string" ? [target, `${field}Id`] : target;
    relations.set(field, { to, key });
  }
  for (const field of declaration.withRow ?? []) {
    const relation = relations.get(field);
    if (!relation) throw new Error(`${name} has no ${field}`);
    relations.set(field, { ...relation, withRow: true });
  }
  return {
    name,
    table,
    shared,
    columns,
    one: relations,
    many: new Map(
      Object.entries(many ?? {}).map(
        ([field, [to, on, ids]]) => [field, { to, on, ...(ids && { ids }) }] as const,
      ),
    ),
    computed: entries(computed),
    filters: entries(filters),
    sorts: entries(sorts),
    ...(source && { source }),
    ...(unlisted && { unlisted }),
    ...((shared || columns.has("archivedAt")) && { archive: archiveOf(inUse) }),
    ...(visible && { visible }),
  };
}

const archiveOf = (isParentInUse?: Expression): NonNullable<Model["archive"]> => ({
  unless: "includeArchived",
  inUse: (row, scope) => {
    const own = scope.sql`${row("archivedAt")} is null`;
    return isParentInUse ? scope.sql`${own} and ${isParentInUse(row, scope)}` : own;
  },
});

/** Rows of `to` whose `column` equals this row's id, or another value of it. */
export const children = (to: string, column: string, of = "id"): readonly [string, Relation] => [
  to,
  (row, related, { sql }) => sql`${related(column)} = ${row(of)}`,
];

/** Rows of `to` that a join table connects with this row: possibly many. */
export const throughMany = (
  to: string,
  pairs: string,
  from: string,
  target: string,
): readonly [string, Relation] => [
  to,
  (row, related, { sql, table }) => sql`exists (
    select from ${table(pairs)} pair
    where ${sql(`pair.${from}`)} = ${row("id")} and ${sql(`pair.${target}`)} = ${related("id")}
  )`,
];

/** A few rows of `to` that a join table connects with this row. */
export const through = (
  to: string,
  pairs: string,
  from: string,
  target: string,
): readonly [string, Relation, Expression] => {
  const [, on] = throughMany(to, pairs, from, target);
  const ids: Expression = (row, { sql, table }) => sql`
    select ${sql(`pair.${target}`)} from ${table(pairs)} pair
    where ${sql(`pair.${from}`)} = ${row("id")}
  `;
  return [to, on, ids];
};

/** Rows of `to` whose ids are in an array of this row. */
export const listed = (to: string, column: string): readonly [string, Relation] => [
  to,
  (row, related, { sql }) => sql`${related("id")} = any(${row(column)})`,
];
