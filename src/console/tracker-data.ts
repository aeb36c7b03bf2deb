/** A tracker environment through its own GraphQL API, as one of its users sees it. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { CallError, errorOf, jsonOf, send, VIEW } from "~/console/api";
import { withShortNames } from "~/console/names";

export type Person = { readonly id: string; readonly name: string; readonly displayName: string };
export type State = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: number;
};
export type Team = {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly states: { readonly nodes: readonly State[] };
};
type Label = { readonly id: string; readonly name: string };
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
const FIELDS = `id identifier title priority estimate dueDate state { id name type position } team { id }
  assignee ${PERSON} project { id name } cycle { id number name } labels(first: 10) { nodes { id name } }`;
export const PER_PAGE = 50;
const PAGES_MAX = 60;

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
      const { users, teams } = await query<{
        users: { nodes: Person[] };
        teams: { nodes: Team[] };
      }>(
        `{ users(first: 250) { nodes ${PERSON} }
          teams(first: 50) { nodes { id key name states(first: 50) { nodes { id name type position } } } } }`,
        {},
        signal,
      );
      return { users: users.nodes, teams: teams.nodes };
    },

    /** Issues that are not archived, at most 3,000. */
    async issues(signal: AbortSignal): Promise<Issue[]> {
      const found: Issue[] = [];
      let after: string | null = null;
      for (let page = 0; page < PAGES_MAX; page++) {
        const {
          issues,
        }: { issues: { nodes: Issue[]; pageInfo: { hasNextPage: boolean; endCursor: string } } } =
          await query(
            `query($after: String) { issues(first: ${PER_PAGE}, after: $after) {
              nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
            { after },
            signal,
          );
        found.push(...issues.nodes);
        if (!issues.pageInfo.hasNextPage) break;
        after = issues.pageInfo.endCursor;
      }
      return found;
    },

    async issue(id: string, signal: AbortSignal): Promise<WholeIssue> {
      const { issue } = await query<{ issue: WholeIssue }>(
        `query($id: String!) { issue(id: $id) { ${FIELDS} description createdAt creator ${PERSON}
          parent { ${LINKED} } children(first: 50) { nodes { ${LINKED} state { id name type position } } }
          relations(first: 50) { nodes { id type relatedIssue { ${LINKED} } } }
          inverseRelations(first: 50) { nodes { id type issue { ${LINKED} } } }
          comments(first: 100) { nodes { id body createdAt user ${PERSON} } }
          history(first: 50) { nodes { id createdAt actor ${PERSON} fromTitle toTitle fromState { name } toState { name }
            fromAssignee ${PERSON} toAssignee ${PERSON} fromPriority toPriority
            addedLabels { id name } removedLabels { id name } updatedDescription } }
        } }`,
        { id },
        signal,
      );
      return issue;
    },
  };
}
