/** The pages of a list add up to the list, in any direction and while the list changes. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../support/database";
import { MARIA, useTracker } from "../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");

type Page = {
  nodes: { id: string; [field: string]: any }[];
  pageInfo: {
    startCursor: string | null;
    endCursor: string | null;
    hasNextPage: boolean;
    hasPreviousPage: boolean;
  };
};

const ask = async (args: object): Promise<Page> => {
  const { issues } = await tracker.data(
    `query($first: Int, $after: String, $last: Int, $before: String, $orderBy: PaginationOrderBy, $sort: [IssueSortInput!], $filter: IssueFilter) {
      issues(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, sort: $sort, filter: $filter) {
        nodes { id createdAt updatedAt priority dueDate estimate title }
        edges { cursor node { id } }
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      }
    }`,
    args,
    MARIA,
  );
  expect(issues.edges.map((edge: any) => edge.node.id)).toEqual(
    issues.nodes.map(({ id }: any) => id),
  );
  return issues;
};
const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id);

/** All pages, forwards or backwards, as one list. */
async function walk(size: number, args: object, backwards = false): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 100; pages++) {
    const window: object = backwards
      ? { last: size, ...(cursor && { before: cursor }) }
      : { first: size, ...(cursor && { after: cursor }) };
    const page = await ask({ ...args, ...window });
    const { pageInfo } = page;
    if (backwards) ids.unshift(...idsOf(page));
    else ids.push(...idsOf(page));
    const more = backwards ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
    if (!more) return ids;
    expect(page.nodes).toHaveLength(size);
    cursor = backwards ? pageInfo.startCursor : pageInfo.endCursor;
  }
  throw new Error("the pages do not end");
}

let total: number;
beforeAll(async () => {
  const [row] = await database.sql.unsafe(
    `select count(*)::int as count from "${tracker.schema}".issues where "archivedAt" is null`,
  );
  total = row!["count"];
});

const ORDERS: [string, object][] = [
  ["newest first", {}],
  ["by updatedAt", { orderBy: "updatedAt" }],
  ["by title", { sort: [{ title: {} }] }],
  ["by due date, nulls first", { sort: [{ dueDate: { nulls: "first" } }] }],
  ["by estimate, descending", { sort: [{ estimate: { order: "Descending" } }] }],
  [
    "by estimate, descending, nulls first",
    { sort: [{ estimate: { order: "Descending", nulls: "first" } }] },
  ],
  [
    "by assignee, then priority",
    { sort: [{ assignee: {} }, { priority: { noPriorityFirst: true } }] },
  ],
  ["by state and recency", { sort: [{ workflowState: { closedIssuesOrderedByRecency: true } }] }],
  ["by cycle", { sort: [{ cycle: { currentCycleFirst: true } }] }],
  ["by label", { sort: [{ label: { order: "Descending" } }] }],
  ["by number of links", { sort: [{ linkCount: { order: "Descending" } }] }],
  ["by time in the state", { sort: [{ accumulatedStateUpdatedAt: {} }] }],
  ["by the root's title", { sort: [{ rootIssue: { sort: { title: {} } } }] }],
];

describe("the pages of a list", () => {
  test.each(ORDERS)("%s are the whole list, forwards and backwards", async (_order, args) => {
    const whole = idsOf(await ask({ ...args, first: 250 }));

    expect(new Set(whole).size).toBe(total);
    expect(await walk(7, args)).toEqual(whole);
    expect(await walk(7, args, true)).toEqual(whole);
  });

  test.each(
    [
      [
        "manual",
        "project",
        "milestone",
        "team",
        "customer",
        "customerCount",
        "customerImportantCount",
      ],
      [
        "customerRevenue",
        "delegate",
        "release",
        "slaStatus",
        "createdAt",
        "updatedAt",
        "completedAt",
      ],
    ].flat(),
  )("can be sorted by %s", async (key) => {
    const whole = idsOf(await ask({ sort: [{ [key]: { order: "Ascending" } }], first: 250 }));

    expect(new Set(whole).size).toBe(total);
  });

  test("have the requested order", async () => {
    const { nodes } = await ask({ first: 250 });
    const created = nodes.map(({ createdAt }) => createdAt);
    expect(created).toEqual(created.toSorted().toReversed());

    const urgent = (await ask({ sort: [{ priority: {} }], first: 250 })).nodes.map(
      (one) => one["priority"] || 5,
    );
    expect(urgent).toEqual(urgent.toSorted());

    const due = (await ask({ sort: [{ dueDate: {} }], first: 250 })).nodes.map(
      (one) => one["dueDate"] ?? "z",
    );
    expect(due).toEqual(due.toSorted());
  });

  test("report the first and the last page", async () => {
    const first = await ask({ first: 5 });
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(first.pageInfo.startCursor).toBe(first.nodes[0]!.id);

    const second = await ask({ first: 5, after: first.pageInfo.endCursor });
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });

    const back = await ask({ last: 5, before: second.pageInfo.startCursor });
    expect(idsOf(back)).toEqual(idsOf(first));
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });

    const all = await ask({ first: total });
    expect(all.pageInfo.hasNextPage).toBe(false);
    const none = await ask({ filter: { number: { eq: -1 } } });
    expect(none.pageInfo).toEqual({
      startCursor: null,
      endCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
    });
  });

  test("continue at the right position after the list has changed", async () => {
    const before = await ask({ first: 10 });
    const rest = idsOf(await ask({ first: 250 })).slice(10);
    const { teams } = await tracker.data("{ teams { nodes { id } } }", {}, MARIA);
    const linear = tracker.as(MARIA);
    await linear.createIssue({ teamId: teams.nodes[0].id, title: "In front" });
    await linear.archiveIssue(before.nodes[3]!.id);
    await linear.archiveIssue(rest[2]!);
    const after = await ask({ first: 250, after: before.pageInfo.endCursor });

    expect(idsOf(after)).toEqual(rest.filter((_, index) => index !== 2));
    const cursor = before.pageInfo.endCursor!;
    await linear.archiveIssue(cursor);
    expect(idsOf(await ask({ first: 250, after: cursor }))).toEqual(idsOf(after));
  });

  test("of many parents equal the pages of each", async () => {
    const nested = await tracker.data(
      "{ projects { nodes { id issues(first: 2) { nodes { id } pageInfo { hasNextPage endCursor } } } } }",
      {},
      MARIA,
    );
    for (const project of nested.projects.nodes) {
      const { project: alone } = await tracker.data(
        "query($id: String!) { project(id: $id) { issues(first: 2) { nodes { id } pageInfo { hasNextPage endCursor } } } }",
        { id: project.id },
        MARIA,
      );
      expect(project.issues).toEqual(alone.issues);
    }
  });
});

describe("a page is rejected", () => {
  test.each([
    ["of size zero", { first: 0 }, /first must not be less than 1/],
    ["of too many rows", { first: 251 }, /first must not be greater than 250/],
    ["in both directions", { first: 1, last: 1 }, /cannot be combined/],
    ["after an invalid cursor", { after: "x" }, /after must be a cursor/],
    ["after a deleted row", { after: crypto.randomUUID() }, /after must be a cursor/],
    ["before a deleted row", { before: crypto.randomUUID() }, /before must be a cursor/],
  ])("%s", async (_case, args: object, message) => {
    const names = Object.keys(args).map(
      (name) => `$${name}: ${/first|last/.test(name) ? "Int" : "String"}`,
    );
    const given = Object.keys(args).map((name) => `${name}: $${name}`);
    const query = `query(${names}) { issues(${given}) { nodes { id } } }`;
    const { errors } = await tracker.ask(query, args, MARIA);

    expect(errors[0].extensions.type).toBe("invalid input");
    expect(errors[0].extensions.userPresentableMessage).toMatch(message);
  });
});
