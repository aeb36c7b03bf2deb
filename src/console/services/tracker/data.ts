/** A tracker environment through its own GraphQL API, as one of its users sees it. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { CallError, errorOf, jsonOf, send, VIEW } from "~/console/api";
import { shortName } from "~/console/names";

export type Person = { readonly id: string; readonly name: string; readonly displayName: string };
export type State = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly color: string;
  readonly position: number;
};
export type Team = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly states: { readonly nodes: readonly State[] };
};
type Label = { readonly id: string; readonly name: string; readonly color: string };
export type Issue = {
  readonly id: string;
  readonly identifier: string;
  readonly title: string;
  readonly priority: number;
  readonly estimate: number | null;
  readonly dueDate: string | null;
  readonly state: State;
  readonly team: { readonly id: string };
  readonly assignee: Person | null;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly cycle: {
    readonly id: string;
    readonly number: number;
    readonly name: string | null;
  } | null;
  readonly labels: { readonly nodes: readonly Label[] };
};
type Linked = { readonly id: string; readonly identifier: string; readonly title: string };
export type Comment = {
  readonly id: string;
  readonly body: string;
  readonly createdAt: string;
  readonly user: Person | null;
};
export type Entry = {
  readonly id: string;
  readonly createdAt: string;
  readonly actor: Person | null;
  readonly fromTitle: string | null;
  readonly toTitle: string | null;
  readonly fromState: { readonly name: string } | null;
  readonly toState: { readonly name: string } | null;
  readonly fromAssignee: Person | null;
  readonly toAssignee: Person | null;
  readonly fromPriority: number | null;
  readonly toPriority: number | null;
  readonly addedLabels: readonly Label[] | null;
  readonly removedLabels: readonly Label[] | null;
  readonly updatedDescription: boolean | null;
};
export type WholeIssue = Issue & {
  readonly description: string | null;
  readonly creator: Person | null;
  readonly createdAt: string;
  readonly parent: Linked | null;
  readonly children: { readonly nodes: readonly (Linked & { readonly state: State })[] };
  readonly relations: {
    readonly nodes: readonly {
      readonly id: string;
      readonly type: string;
      readonly relatedIssue: Linked;
    }[];
  };
  readonly inverseRelations: {
    readonly nodes: readonly {
      readonly id: string;
      readonly type: string;
      readonly issue: Linked;
    }[];
  };
  readonly comments: { readonly nodes: readonly Comment[] };
  readonly history: { readonly nodes: readonly Entry[] };
};

/** By number, as the service counts them. */
export const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"];

const PERSON = "{ id name displayName }";
const LINKED = "id identifier title";
const FIELDS = `id identifier title priority estimate dueDate state { id name type color position } team { id }
  assignee ${PERSON} project { id name } cycle { id number name } labels(first: 10) { nodes { id name color } }`;
/** As many as the service returns at a time. */
const PER_PAGE = 250;

export type IssuePage = {
  readonly issues: readonly Issue[];
  /** Where the next page begins; undefined on the last one. */
  readonly end: string | undefined;
};
export type Cycle = NonNullable<Issue["cycle"]> & { readonly team: { readonly key: string } };

/** The filters of the page as the service takes them; empty ones select everything. `word`: in lower case. */
export function issueFilter(wanted: {
  readonly team: string;
  readonly project: string;
  readonly cycle: string;
  readonly word: string;
}): object {
  const { team, project, cycle, word } = wanted;
  const [, key, number] = /^([a-z][a-z0-9]*)-(\d{1,9})$/.exec(word) ?? [];
  const identified = { number: { eq: Number(number) }, team: { key: { eqIgnoreCase: key } } };
  const has = { containsIgnoreCase: word };
  return {
    ...(team && { team: { key: { eq: team } } }),
    ...(project && { project: { id: { eq: project } } }),
    ...(cycle && { cycle: { id: { eq: cycle } } }),
    ...(word && {
      or: [{ title: has }, { assignee: { name: has } }, ...(key ? [identified] : [])],
    }),
  };
}

const NAMES = new Set(["name", "displayName", "title"]);

/** A copy of an answer with short names, at any depth. */
function withShortNames<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withShortNames) as T;
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([key, each]) => [
    key,
    NAMES.has(key) && typeof each === "string" ? shortName(each) : withShortNames(each),
  ]);
  return Object.fromEntries(fields) as T;
}

export type Tracker = ReturnType<typeof createTracker>;

/** `as`: id of the user; the environment's own if empty. */
export function createTracker(environment: EnvironmentDetail, as: string) {
  const headers = { ...VIEW, ...(as && { Authorization: `Bearer ${as}` }) };

  async function query<Answer>(
    text: string,
    variables: object,
    signal: AbortSignal,
  ): Promise<Answer> {
    const address = `${environment.environmentUrl}/graphql`;
    const body = { query: text, variables };
    const response = await send("POST", address, { body, headers, signal });
    const answer = await jsonOf<{ data?: Answer; errors?: { message: string }[] }>(response);
    const [error] = answer?.errors ?? [];
    if (error) throw new CallError("graphql", response.status, error.message);
    if (!response.ok || !answer?.data) throw errorOf(response, answer);
    return withShortNames(answer.data);
  }

  return {
    async workspace(signal: AbortSignal) {
      const { users, teams, projects, cycles } = await query<{
        users: { nodes: Person[] };
        teams: { nodes: Team[] };
        projects: { nodes: NonNullable<Issue["project"]>[] };
        cycles: { nodes: Cycle[] };
      }>(
        `{ users(first: 250) { nodes ${PERSON} } projects(first: 250) { nodes { id name } }
          cycles(first: 250) { nodes { id number name team { key } } }
          teams(first: 50) { nodes { id key name states(first: 50) { nodes { id name type color position } } } } }`,
        {},
        signal,
      );
      return {
        users: users.nodes,
        teams: teams.nodes,
        projects: projects.nodes,
        cycles: cycles.nodes,
      };
    },

    /** Issues that are not archived, newest first. `after`: the end of the page before. */
    async issues(
      filter: object,
      after: string | undefined,
      signal: AbortSignal,
    ): Promise<IssuePage> {
      const { issues } = await query<{
        issues: { nodes: Issue[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
      }>(
        `query($filter: IssueFilter, $after: String) {
          issues(first: ${PER_PAGE}, filter: $filter, after: $after) {
            nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
        { filter, after },
        signal,
      );
      const { hasNextPage, endCursor } = issues.pageInfo;
      return { issues: issues.nodes, end: hasNextPage ? endCursor : undefined };
    },

    async issue(id: string, signal: AbortSignal): Promise<WholeIssue> {
      const { issue } = await query<{ issue: WholeIssue }>(
        `query($id: String!) { issue(id: $id) { ${FIELDS} description createdAt creator ${PERSON}
          parent { ${LINKED} } children(first: 50) { nodes { ${LINKED} state { id name type color position } } }
          relations(first: 50) { nodes { id type relatedIssue { ${LINKED} } } }
          inverseRelations(first: 50) { nodes { id type issue { ${LINKED} } } }
          comments(first: 100) { nodes { id body createdAt user ${PERSON} } }
          history(first: 50) { nodes { id createdAt actor ${PERSON} fromTitle toTitle fromState { name } toState { name }
            fromAssignee ${PERSON} toAssignee ${PERSON} fromPriority toPriority
            addedLabels { id name color } removedLabels { id name color } updatedDescription } }
        } }`,
        { id },
        signal,
      );
      return issue;
    },
  };
}
