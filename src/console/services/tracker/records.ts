/** Rows of the tracker. */
import type { RunEvent } from "~/clients/typescript/schema";
import { type Ask, columnsOf, type Row, type Rows } from "~/console/rows";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";
import { type ServiceRecords, USERS } from "~/console/services/shape";

const IDENTIFIED = [
  "users",
  "teams",
  "workflow_states",
  "issue_labels",
  "projects",
  "cycles",
  "issues",
];

/** The template's names and those of its issues that the run touched, for an environment that has ended. */
async function templateBase(
  ask: Ask,
  environment: ServiceEnvironment,
  issueIds: readonly unknown[],
): Promise<Rows> {
  const { issues = [], ...named } = await readOwnRows(ask, environment, IDENTIFIED);
  const touched = issues.filter(({ id }) => issueIds.includes(id));
  const columns = ["id", "identifier", "title", "priority", "stateId", "assigneeId"];
  const names = Object.entries(named).map(
    ([table, rows]) => [table, columnsOf(rows, ["id", "name"])] as const,
  );
  return { ...Object.fromEntries(names), issues: columnsOf(touched, columns) };
}

const PEOPLE_MAX = 250;
/** Limit of issues that are looked up. */
const ISSUES_MAX = 250;

type Named = { id: string; name: string };
type TrackerAnswer = {
  data?: {
    users: { nodes: (Named & { displayName: string })[] };
    teams: { nodes: Named[] };
    workflowStates: { nodes: Named[] };
    issueLabels: { nodes: Named[] };
    projects: { nodes: Named[] };
    issues: {
      nodes: {
        id: string;
        identifier: string;
        title: string;
        priority: number;
        state: { id: string } | null;
        assignee: { id: string } | null;
      }[];
    };
  };
};

/** Names in the environment, and the issues that the run touched as they were at its start. */
async function base(
  ask: Ask,
  environment: ServiceEnvironment,
  events: readonly RunEvent[],
): Promise<Rows> {
  const ids = new Set(
    events.flatMap(({ table, key, before, after }) => [
      ...(table === "issues" ? [key["id"]] : []),
      ...[before?.["issueId"], after?.["issueId"], after?.["parentId"]],
    ]),
  );
  const issueIds = [...ids].filter((id) => typeof id === "string").slice(0, ISSUES_MAX);
  if (environment.status !== "active") return await templateBase(ask, environment, issueIds);
  const page = `first: ${PEOPLE_MAX}`;
  const query = `query($ids: [ID!]!) {
    users(${page}, includeDisabled: true) { nodes { id name displayName } } teams(${page}) { nodes { id name } }
    workflowStates(${page}) { nodes { id name } } issueLabels(${page}) { nodes { id name } }
    projects(${page}) { nodes { id name } }
    issues(first: ${ISSUES_MAX}, includeArchived: true, filter: { id: { in: $ids } }) {
      nodes { id identifier title priority state { id } assignee { id } }
    }
  }`;
  const { data } = await ask<TrackerAnswer>(`${environment.environmentUrl}/graphql`, {
    query,
    variables: { ids: issueIds },
  });
  if (!data) return {};
  const issues = new Map<unknown, Row>(
    data.issues.nodes.map(({ state, assignee, ...issue }) => [
      issue.id,
      { ...issue, stateId: state?.id ?? null, assigneeId: assignee?.id ?? null },
    ]),
  );
  // These are the current rows: undo the changes in reverse order.
  for (const { table, key, before, operation } of events.toReversed()) {
    const issue = table === "issues" ? issues.get(key["id"]) : undefined;
    if (issue && operation === "update") issues.set(key["id"], { ...issue, ...before });
  }
  return {
    users: data.users.nodes.map(({ id, name, displayName }) => ({ id, name: displayName || name })),
    teams: data.teams.nodes,
    workflow_states: data.workflowStates.nodes,
    issue_labels: data.issueLabels.nodes,
    projects: data.projects.nodes,
    issues: [...issues.values()],
  };
}

export const trackerRecords: ServiceRecords = {
  people: USERS,
  identified: IDENTIFIED,
  subject: "teams",
  keys: {},
  placeOf: (table, row) =>
    (table === "issues" ? row["id"] : undefined) ?? row["issueId"] ?? row["projectId"],
  /** A comment is shown with its issue. */
  ownersOf: (_table, { issueId }) => [["issues", { id: issueId }]],
  precedes: () => true,
  named: (_table, name) => name,
  membersOf: () => undefined,
  base,
};
