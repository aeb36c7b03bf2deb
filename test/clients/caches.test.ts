/** Clients that keep a cache of what they read: a session of at least thirty requests each, and the contents of both sides. */
import { expect, test } from "bun:test";
import {
  ApolloClient,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  type OperationVariables,
  ServerError,
} from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { useSharedDatabase } from "../support/database";
import { ENG, JOHN, ROBIN, useTracker } from "../support/tracker";

const tracker = useTracker(useSharedDatabase());
const NOWHERE = "b0000000-0000-4000-8000-0000000000ff";
const headers = () => ({ "X-API-Key": tracker.key });

/** A fetch that counts the requests. */
function countingFetch() {
  const counted = { requests: 0 };
  const call = (async (...args: Parameters<typeof fetch>) => {
    counted.requests++;
    return await fetch(...args);
  }) as typeof fetch;
  return { counted, call };
}

const CARD = `fragment Card on Issue {
  id identifier title priority
  state { id name type } assignee { ...Person } labels(first: 5) { nodes { id name } }
}
fragment Person on User { id displayName }`;
const CREATE = `mutation Create($input: IssueCreateInput!) {
  issueCreate(input: $input) { success issue { ...Card } }
} ${CARD}`;
const UPDATE = `mutation Update($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success issue { ...Card } }
} ${CARD}`;
const LIST = `query List($filter: IssueFilter, $first: Int, $after: String) {
  issues(filter: $filter, first: $first, after: $after, orderBy: createdAt) {
    edges { cursor node { ...Card } }
    pageInfo { hasNextPage endCursor }
  }
} ${CARD}`;
const ONE = `query One($id: String!, $talk: Boolean!) {
  issue(id: $id) { ...Card comments @include(if: $talk) { nodes { id body user { ...Person } } } }
} ${CARD}`;
const COMMENT = `mutation Say($issueId: String!, $body: String!) {
  commentCreate(input: { issueId: $issueId, body: $body }) { success comment { id body } }
}`;
const LABEL = `mutation Label($name: String!, $teamId: String) {
  issueLabelCreate(input: { name: $name, teamId: $teamId, color: "#ff0000" }) { issueLabel { id name } }
}`;
const STATES = `query States($team: String!) { team(id: $team) { id states { nodes { id type } } } }`;

test("Apollo Client pages, changes, predicts and forgets, and its cache agrees with the tracker", async () => {
  const { counted, call } = countingFetch();
  const client = new ApolloClient({
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { issues: relayStylePagination(["filter"]) } } },
    }),
    link: new HttpLink({ uri: tracker.url, headers: headers(), fetch: call }),
  });
  const read = async (query: string, variables: OperationVariables = {}, fetchPolicy = {}) =>
    (await client.query<any>({ query: gql(query), variables, ...fetchPolicy })).data;
  const write = async (mutation: string, variables: OperationVariables, options = {}) =>
    (await client.mutate<any>({ mutation: gql(mutation), variables, ...options })).data;

  const { team } = await read(STATES, { team: ENG });
  const started = team.states.nodes.find(({ type }: any) => type === "started");
  const { issueLabel } = (await write(LABEL, { name: "apollo", teamId: ENG })).issueLabelCreate;
  const titles = Array.from({ length: 12 }, (_, n) => `Apollo ${n}`);
  const ids: string[] = [];
  for (const [n, title] of titles.entries()) {
    const input = { teamId: ENG, title, priority: n % 5, labelIds: [issueLabel.id] };
    const { success, issue } = (await write(CREATE, { input })).issueCreate;
    expect({ success, ...issue }).toMatchObject({
      success: true,
      title,
      priority: n % 5,
      assignee: null,
      labels: { nodes: [{ name: "apollo" }] },
    });
    ids.push(issue.id);
  }

  // Three pages become one list, whose order is the tracker's.
  const filter = { labels: { some: { id: { eq: issueLabel.id } } } };
  const list = client.watchQuery<any>({ query: gql(LIST), variables: { filter, first: 5 } });
  const cached = () =>
    client.readQuery<any>({ query: gql(LIST), variables: { filter, first: 5 } }, true).issues;
  const shown = () => cached().edges.map(({ node }: any) => node);
  const shownTitles = () => shown().map(({ title }: any) => title);
  const subscription = list.subscribe(() => undefined);
  await list.refetch();
  expect(shownTitles()).toEqual(titles.toReversed().slice(0, 5));
  for (const length of [10, 12]) {
    const { pageInfo } = cached();
    expect(pageInfo.hasNextPage).toBe(true);
    await list.fetchMore({ variables: { after: pageInfo.endCursor } });
    expect(shownTitles()).toEqual(titles.toReversed().slice(0, length));
  }
  expect(cached().pageInfo.hasNextPage).toBe(false);

  // The cache answers a query that was asked before, and a mutation changes the list without another request.
  const before = counted.requests;
  expect((await read(LIST, { filter, first: 5 })).issues.edges).toHaveLength(12);
  expect(counted.requests).toBe(before);
  const input = { title: "Renamed", stateId: started.id, assigneeId: JOHN };
  await write(UPDATE, { id: ids[11], input });
  expect(shown()[0]).toMatchObject({
    title: "Renamed",
    state: { type: "started" },
    assignee: { id: JOHN },
  });
  expect(counted.requests).toBe(before + 1);

  // A predicted answer shows first; the tracker's own replaces it, and a rejection takes it back.
  const predict = (issue: object) => ({
    optimisticResponse: {
      issueUpdate: { __typename: "IssuePayload", success: true, issue },
    },
  });
  const predicted = write(
    UPDATE,
    { id: ids[10], input: { title: "Kept" } },
    predict({ ...shown()[1], title: "Predicted" }),
  );
  expect(shownTitles()[1]).toBe("Predicted");
  await predicted;
  expect(shownTitles()[1]).toBe("Kept");
  const rejected = write(
    UPDATE,
    { id: ids[9], input: { stateId: NOWHERE } },
    predict({ ...shown()[2], title: "Predicted" }),
  ).catch((error: unknown) => error);
  expect(shownTitles()[2]).toBe("Predicted");
  const error = (await rejected) as CombinedGraphQLErrors;
  expect(CombinedGraphQLErrors.is(error)).toBe(true);
  expect(error.errors[0]).toMatchObject({
    message: "Entity not found in validateAccess: stateId",
    extensions: { code: "INPUT_ERROR" },
  });
  expect(shownTitles()[2]).toBe("Apollo 9");

  // What another user writes arrives with the next request for it.
  for (const body of ["one", "two", "three"]) await write(COMMENT, { issueId: ids[0], body });
  const quiet = (await read(ONE, { id: ids[0], talk: false })).issue;
  expect(quiet).not.toHaveProperty("comments");
  const robin = tracker.as(ROBIN);
  await robin.createComment({ issueId: ids[0] as string, body: "four" });
  await robin.updateIssue(ids[0] as string, { priority: 4 });
  const { issue } = await read(ONE, { id: ids[0], talk: true }, { fetchPolicy: "network-only" });
  expect(
    issue.comments.nodes.map(({ body, user }: any) => `${body} by ${user.displayName}`).toSorted(),
  ).toEqual(["four by robin", "one by john", "three by john", "two by john"]);
  expect(shown().at(-1)).toMatchObject({ title: "Apollo 0", priority: 4 });

  // A deleted issue leaves the list of the tracker with the next refetch, and that of the cache as soon as it is evicted.
  const remove = "mutation($id: String!) { issueDelete(id: $id) { success } }";
  await write(remove, { id: ids[5] });
  client.cache.evict({ id: `Issue:${ids[5]}` });
  expect(shownTitles()).not.toContain("Apollo 5");
  await write(remove, { id: ids[4] }, { refetchQueries: ["List"], awaitRefetchQueries: true });
  expect(shownTitles()).toEqual(["Renamed", "Kept", "Apollo 9", "Apollo 8", "Apollo 7"]);

  // Errors keep their kind: of the request, of execution, and of one field.
  const invalid = await read("{ nothing }").catch((problem: unknown) => problem);
  expect(ServerError.is(invalid)).toBe(true);
  expect(invalid).toMatchObject({ statusCode: 400 });
  expect(JSON.parse((invalid as ServerError).bodyText)).toMatchObject({
    errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED", userError: true } }],
  });
  const partial = await client.query<any>({
    query: gql("query($id: String!) { viewer { id } comment(id: $id) { id } }"),
    variables: { id: NOWHERE },
    errorPolicy: "all",
  });
  expect((partial.error as CombinedGraphQLErrors).errors[0]).toMatchObject({
    path: ["comment"],
    extensions: { type: "invalid input" },
  });

  subscription.unsubscribe();
  await client.clearStore();
  const fresh = await read(LIST, { filter, first: 20 });
  expect(fresh.issues.edges.map(({ node }: any) => node.title)).toEqual([
    ...["Renamed", "Kept", "Apollo 9", "Apollo 8", "Apollo 7", "Apollo 6"],
    ...["Apollo 3", "Apollo 2", "Apollo 1", "Apollo 0"],
  ]);
  expect(counted.requests).toBeGreaterThanOrEqual(30);
});

test("urql pages and changes, and its cache drops what a mutation touched", async () => {
  const { counted, call } = countingFetch();
  const client = new Client({
    url: tracker.url,
    exchanges: [cacheExchange, fetchExchange],
    fetchOptions: { headers: headers() },
    fetch: call,
    preferGetMethod: false,
  });
  const read = async (query: string, variables: object = {}) =>
    await client.query(query, variables as any);
  const write = async (mutation: string, variables: object) => {
    const { data, error } = await client.mutation(mutation, variables as any);
    expect(error).toBeUndefined();
    return data;
  };

  const { issueLabel } = (await write(LABEL, { name: "urql", teamId: ENG })).issueLabelCreate;
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    const input = { teamId: ENG, title: `urql ${n}`, labelIds: [issueLabel.id] };
    ids.push((await write(CREATE, { input })).issueCreate.issue.id);
  }
  const filter = { labels: { some: { id: { eq: issueLabel.id } } } };
  const pages = async () => {
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { data } = await read(LIST, { filter, first: 5, after });
      seen.push(...data.issues.edges.map(({ node }: any) => node.title));
      after = data.issues.pageInfo.hasNextPage ? data.issues.pageInfo.endCursor : undefined;
    } while (after);
    return seen;
  };
  const titles = ids.map((_, n) => `urql ${n}`).toReversed();
  expect(await pages()).toEqual(titles);
  const before = counted.requests;
  expect(await pages()).toEqual(titles);
  expect(counted.requests).toBe(before);

  // Every list of issues is asked for again after a change of one.
  await write(UPDATE, { id: ids[11], input: { title: "Renamed", assigneeId: ROBIN } });
  expect(await pages()).toEqual(["Renamed", ...titles.slice(1)]);
  expect(counted.requests).toBe(before + 4);
  const one = await read(ONE, { id: ids[11], talk: false });
  expect(one.data.issue).toMatchObject({ title: "Renamed", assignee: { displayName: "robin" } });

  for (const body of ["one", "two", "three", "four"])
    await write(COMMENT, { issueId: ids[0], body });
  const { data } = await read(ONE, { id: ids[0], talk: true });
  expect(data.issue.comments.nodes.map(({ body }: any) => body).toSorted()).toEqual([
    "four",
    "one",
    "three",
    "two",
  ]);
  for (const id of ids.slice(0, 3))
    await write("mutation($id: String!) { issueArchive(id: $id) { success } }", { id });
  expect(
    (await client.query(LIST, { filter }, { requestPolicy: "network-only" })).data.issues.edges,
  ).toHaveLength(9);

  const missing = await read(ONE, { id: "ENG-9999", talk: false });
  expect(missing.error?.graphQLErrors[0]).toMatchObject({
    message: "Entity not found: Issue",
    path: ["issue"],
    extensions: { code: "INPUT_ERROR" },
  });
  const invalid = await read("{ nothing }");
  expect(invalid.error?.response.status).toBe(400);
  expect(invalid.error?.graphQLErrors[0]?.extensions).toMatchObject({
    code: "GRAPHQL_VALIDATION_FAILED",
  });
  expect(counted.requests).toBeGreaterThanOrEqual(30);
});
