/** Everything that is shown of a run, for the page and for the command that writes it to a file. */
import type {
  Call,
  CallPage,
  EnvironmentDetail,
  Run,
  RunEvent,
  RunEvents,
  TestDetails,
} from "~/clients/typescript/schema";
import { type Ask, IDENTIFIED, type Row, type Rows, readRows } from "~/console/rows";

export type RunData = {
  readonly run: Run;
  readonly calls: readonly Call[];
  readonly attribution: CallPage["attribution"];
  /** False if some calls or changes are missing. */
  readonly isComplete: boolean;
  readonly events: readonly RunEvent[];
  readonly environment: EnvironmentDetail | null;
  readonly test: TestDetails | null;
  /** Known rows at the start of the run, by table. */
  readonly base: Rows;
};

export const CALLS_PER_PAGE = 1_000;
const CALLS_MAX = 20_000;

const orNull = <T>(answer: Promise<T>): Promise<T | null> => answer.catch(() => null);

/** Reads a run. Throws if it does not exist; parts that are gone are null. `ask` takes a path from the root. */
export async function readRun(ask: Ask, runId: string): Promise<RunData> {
  const platform = "/api/platform";
  const run = await ask<Run>(`${platform}/results/${encodeURIComponent(runId)}`);
  const [journal, events, environment, test] = await Promise.all([
    readCalls(ask, runId),
    ask<RunEvents>(`${platform}/runs/${runId}/events`),
    orNull(ask<EnvironmentDetail>(`${platform}/env/${run.environmentId}`)),
    run.testId === null ? null : orNull(ask<TestDetails>(`${platform}/tests/${run.testId}`)),
  ]);
  const base = environment
    ? await orNull(
        environment.service === "chat"
          ? chatBase(ask, environment)
          : trackerBase(ask, environment, events.events),
      )
    : null;
  return {
    run,
    ...journal,
    isComplete: journal.isComplete && events.complete,
    events: events.events,
    environment,
    test,
    base: base ?? {},
  };
}

async function readCalls(ask: Ask, runId: string) {
  const calls: Call[] = [];
  let page: CallPage | undefined;
  let after: number | null = 0;
  while (after !== null && calls.length < CALLS_MAX) {
    page = await ask<CallPage>(
      `/api/platform/runs/${runId}/calls?after=${after}&limit=${CALLS_PER_PAGE}`,
    );
    calls.push(...page.calls);
    after = page.next;
  }
  return {
    calls,
    attribution: page?.attribution ?? "none",
    isComplete: (page?.complete ?? true) && after === null,
  };
}

/** Some columns of rows. */
const pick = (rows: readonly Row[] = [], columns: readonly string[]): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));

/** The template's users, conversations and messages, with the columns that are shown. */
async function chatBase(ask: Ask, environment: EnvironmentDetail): Promise<Rows> {
  const tables = ["users", "channels", "messages"];
  const { users, channels, messages } = await readRows(ask, environment.templateSchema, tables);
  return {
    users: pick(users, ["id", "name", "real_name"]),
    channels: pick(channels, ["id", "name", "member_key"]),
    messages: pick(messages, ["channel_id", "ts", "thread_ts", "user_id", "username", "text"]),
  };
}

/** The template's names and those of its issues that the run touched, for an environment that has ended. */
async function templateBase(
  ask: Ask,
  { templateSchema }: EnvironmentDetail,
  issueIds: readonly unknown[],
): Promise<Rows> {
  const { issues = [], ...named } = await readRows(ask, templateSchema, IDENTIFIED.tracker);
  const touched = issues.filter(({ id }) => issueIds.includes(id));
  const columns = ["id", "identifier", "title", "priority", "stateId", "assigneeId"];
  const names = Object.entries(named).map(
    ([table, rows]) => [table, pick(rows, ["id", "name"])] as const,
  );
  return { ...Object.fromEntries(names), issues: pick(touched, columns) };
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
async function trackerBase(
  ask: Ask,
  environment: EnvironmentDetail,
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
