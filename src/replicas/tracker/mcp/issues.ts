/** Issues: reading them, and the statuses of their teams. */
import { filterOf, named, requireId, resolve, whereNamed } from "~/replicas/tracker/mcp/names";
import {
  getOne,
  type ListArguments,
  listPage,
  optional,
  related,
  type Shape,
  shortened,
  without,
} from "~/replicas/tracker/mcp/shape";
import { type Node, Rejected, type Tools, type Work } from "~/replicas/tracker/mcp/tool";

/** Names of estimates on the scale of sizes, with one step more than teams use by default. */
const SIZES: Readonly<Record<number, string>> = {
  1: "XS",
  2: "S",
  3: "M",
  5: "L",
  8: "XL",
  13: "XXL",
  21: "XXXL",
};

function estimateOf({ estimate, team }: Node): object | undefined {
  if (estimate === null) return undefined;
  const size = team.issueEstimationType === "tShirt" ? SIZES[estimate] : undefined;
  const points = estimate === 1 ? "1 Point" : `${estimate} Points`;
  return { value: estimate, name: size ?? points };
}

const person = (field: string): Pick<Shape, string> => ({
  [field === "creator" ? "createdBy" : field]: optional(
    `${field} { id name }`,
    (node) => node[field]?.name,
  ),
  [field === "creator" ? "createdById" : `${field}Id`]: optional(
    `${field} { id name }`,
    (node) => node[field]?.id,
  ),
});

/** An issue as all tools show it. */
const COMMON: Shape = {
  id: ["identifier", (issue) => issue.identifier],
  uuid: "id",
  title: "title",
  description: "description",
  projectMilestone: optional("projectMilestone { id name }", (issue) => issue.projectMilestone),
  priority: [
    "priority priorityLabel",
    ({ priority, priorityLabel }) => ({ value: priority, name: priorityLabel }),
  ],
  estimate: ["estimate team { issueEstimationType }", estimateOf],
  url: "url",
  gitBranchName: ["branchName", (issue) => issue.branchName],
  createdAt: "createdAt",
  updatedAt: "updatedAt",
  archivedAt: "archivedAt",
  completedAt: "completedAt",
  startedAt: "startedAt",
  canceledAt: "canceledAt",
  dueDate: "dueDate",
  slaStartedAt: "slaStartedAt",
  slaMediumRiskAt: "slaMediumRiskAt",
  slaHighRiskAt: "slaHighRiskAt",
  slaBreachesAt: "slaBreachesAt",
  slaType: optional("slaType", (issue) => issue.slaType),
  status: ["state { name type }", (issue) => issue.state.name],
  statusType: ["state { name type }", (issue) => issue.state.type],
  labels: [
    related("labels", "id name"),
    (issue) => issue.labels.nodes.map(({ name }: Node) => name),
  ],
  attachments: [
    related("attachments", "id title subtitle url"),
    (issue) => issue.attachments.nodes,
  ],
  documents: [related("documents", "id title url"), (issue) => issue.documents.nodes],
  stateHistory: [
    related("stateHistory", "startedAt endedAt state { id name type }"),
    (issue) =>
      issue.stateHistory.nodes.map(({ state, startedAt, endedAt }: Node) => ({
        state,
        startedAt,
        endedAt,
      })),
  ],
  // No issue has suggestions.
  triageIntel: ["id", () => undefined],
  ...person("creator"),
  ...person("assignee"),
  ...person("delegate"),
  project: optional("project { id name }", (issue) => issue.project?.name),
  projectId: optional("project { id name }", (issue) => issue.project?.id),
  parentId: optional("parent { identifier }", (issue) => issue.parent?.identifier),
  team: ["team { id name }", (issue) => issue.team.name],
  teamId: ["team { id name }", (issue) => issue.team.id],
  cycleId: optional("cycle { id }", (issue) => issue.cycle?.id),
};

const other = (issue: Node) => ({ id: issue.identifier, title: issue.title });

const RELATIONS: Shape = {
  relations: [
    `${related("relations", "type relatedIssue { identifier title }")} ${related("inverseRelations", "type issue { identifier title }")}`,
    ({ relations, inverseRelations }) => {
      const to = (type: string) =>
        relations.nodes
          .filter((one: Node) => one.type === type)
          .map(({ relatedIssue }: Node) => other(relatedIssue));
      const from = (type: string) =>
        inverseRelations.nodes
          .filter((one: Node) => one.type === type)
          .map(({ issue }: Node) => other(issue));
      return {
        blocks: to("blocks"),
        blockedBy: from("blocks"),
        relatedTo: [...to("related"), ...from("related")],
        duplicateOf: to("duplicate")[0] ?? null,
      };
    },
  ],
};
const RELEASES: Shape = {
  releases: [related("releases", "id name version url"), (issue) => issue.releases.nodes],
};
const NEEDS: Shape = {
  customerNeeds: [
    related("needs", "id body priority customer { id name }"),
    (issue) => issue.needs.nodes,
  ],
};

const SAVED = without(COMMON, "stateHistory");
const LISTED: Shape = {
  ...without(COMMON, "uuid", "attachments", "documents", "stateHistory"),
  description: ["description", ({ description }) => shortened(description, "get_issue")],
};

/** The issue after a change. */
export const savedIssue = async (
  work: Work,
  id: string,
  warnings: readonly string[],
): Promise<object> => ({
  ...(await getOne(work, "issue", id, SAVED)),
  ...(warnings.length > 0 && { warnings }),
});

type ListIssues = ListArguments & {
  readonly query?: string;
  readonly team?: string;
  readonly state?: string;
  readonly cycle?: string;
  readonly label?: string;
  readonly assignee?: string | null;
  readonly delegate?: string;
  readonly project?: string;
  readonly release?: string;
  readonly priority?: number;
  readonly parentId?: string;
};

function whereAssignee(assignee: string | null | undefined): object | undefined {
  if (assignee === undefined) return undefined;
  return assignee === null || assignee === "null" ? { null: true } : whereNamed("User", assignee);
}

async function listIssues(args: ListIssues, work: Work): Promise<object> {
  const { query, team, state, cycle, label, delegate, project, release, priority, parentId } = args;
  const releaseId = release === undefined ? undefined : await resolve(work, "Release", release);
  const filter = filterOf({
    team: named("Team", team),
    state: named("WorkflowState", state),
    cycle: named("Cycle", cycle),
    labels: label === undefined ? undefined : { some: whereNamed("IssueLabel", label) },
    assignee: whereAssignee(args.assignee),
    delegate: named("User", delegate),
    project: named("Project", project),
    releases: releaseId === undefined ? undefined : { some: { id: { eq: releaseId } } },
    priority: priority === undefined ? undefined : { eq: priority },
    parent: parentId === undefined ? undefined : { id: { eq: parentId } },
  });
  return await listPage(work, args, {
    plural: "issues",
    type: "Issue",
    shape: LISTED,
    filter,
    field: query === undefined ? "issues" : "searchIssues(term: $term)",
    ...(query !== undefined && { variables: ["$term: String!", { term: query }] as const }),
  });
}

type GetIssue = {
  readonly id: string;
  readonly includeRelations: boolean;
  readonly includeReleases: boolean;
  readonly includeCustomerNeeds: boolean;
};

const getIssue = (args: GetIssue, work: Work) =>
  getOne(work, "issue", args.id, {
    ...COMMON,
    ...(args.includeRelations && RELATIONS),
    ...(args.includeReleases && RELEASES),
    ...(args.includeCustomerNeeds && NEEDS),
  });

const STATUSES = `query($filter: WorkflowStateFilter) {
  workflowStates(first: 250, filter: $filter) { nodes { id type name } }
}`;

async function statusesOf(work: Work, team: string): Promise<readonly Node[]> {
  const teamId = await requireId(work, "Team", team);
  const { workflowStates } = await work.ask(STATUSES, { filter: { team: { id: { eq: teamId } } } });
  return workflowStates.nodes;
}

type GetStatus = { readonly id: string; readonly name: string; readonly team: string };

async function getStatus({ id, name, team }: GetStatus, work: Work): Promise<object> {
  const statuses = await statusesOf(work, team);
  const found =
    statuses.find((status) => status.id === id.toLowerCase()) ??
    statuses.find((status) => status.name.toLowerCase() === name.toLowerCase());
  if (!found) throw new Rejected(`Could not find state "${name}"`);
  return found;
}

export const issueTools: Tools = {
  get_issue: getIssue,
  list_issues: listIssues,
  list_issue_statuses: ({ team }: { team: string }, work) => statusesOf(work, team),
  get_issue_status: getStatus,
};
