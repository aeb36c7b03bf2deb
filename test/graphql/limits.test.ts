/** Every request is bounded; the documents of the official client are far inside the bounds. */
import { describe, expect, test } from "bun:test";
import * as sdk from "@linear/sdk";
import { getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { createExecutor } from "~/graphql/execute";
import {
  ALIASES_MAX,
  DEPTH_MAX,
  FILTER_DEPTH_MAX,
  FILTER_VALUES_MAX,
  PAGE_DEFAULT,
  SORT_KEYS_MAX,
  TOKENS_MAX,
} from "~/graphql/limits";
import { formatError } from "~/replicas/tracker/errors";
import { trackerSchema } from "~/replicas/tracker/schema";
import { useSharedDatabase } from "../support/database";
import { ENG, useTracker } from "../support/tracker";

const tracker = useTracker(useSharedDatabase(), "tracker_base");

const MINUTE = 60_000;
const repeat = (length: number, part: (index: number) => string) =>
  Array.from({ length }, (_, index) => part(index)).join(" ");
const nested = (depth: number) =>
  `{ issues { nodes { ${repeat(depth, () => "parent {")} id ${repeat(depth, () => "}")} } } }`;

async function messageOf(query: string, variables = {}): Promise<string> {
  const { errors } = await tracker.ask(query, variables);
  return errors?.[0].extensions.userPresentableMessage ?? errors?.[0].message ?? "no error";
}

describe("a document is rejected", () => {
  test.each([
    ["that is too deep", nested(DEPTH_MAX), /nested deeper than/],
    ["with too many brackets", "{".repeat(5_000), /nested deeper than/],
    [
      "with too many aliases",
      `{ ${repeat(ALIASES_MAX + 1, (n) => `a${n}: viewer { id }`)} }`,
      /too many aliases/,
    ],
    ["with too many tokens", `{ ${repeat(TOKENS_MAX, () => "viewer { id }")} }`, /token/],
    [
      "with too many directives",
      `{ viewer { ${repeat(60, () => "id @skip(if: false)")} } }`,
      /directives/,
    ],
    [
      "with too many changes",
      `mutation { ${repeat(11, (n) => `a${n}: issueArchive(id: "x") { success }`)} }`,
      /at most 10 changes/,
    ],
    [
      "that costs too much",
      "{ issues(first: 250) { nodes { children(first: 250) { nodes { id title } } } } }",
      /too complex/,
    ],
    [
      "with two operations and no operation name",
      "query A { viewer { id } } query B { viewer { id } }",
      /operation name/,
    ],
    [
      "that spreads a fragment into itself",
      "{ viewer { ...A } } fragment A on User { ...A }",
      /itself/,
    ],
  ])("%s", async (_case, query, message) => {
    expect(await messageOf(query)).toMatch(message);
  });

  test("with variables that are too deep", async () => {
    const filter = Array.from({ length: 30 }).reduce<object>((inner) => ({ and: [inner] }), {});

    expect(
      await messageOf("query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }", {
        f: filter,
      }),
    ).toMatch(/variables are nested/);
  });

  test("whose cost depends on a variable", async () => {
    const query =
      "query($n: Int) { issues(first: $n) { nodes { children(first: $n) { nodes { id title } } } } }";

    expect(await messageOf(query, { n: 250 })).toMatch(/too complex/);
    expect(await messageOf(query, { n: 10 })).toBe("no error");
  });
});

/** Counted by the service, as its users recorded. */
describe("a query costs as many points as in the service:", () => {
  const FRONTIER = `query($id: String!, $page: Int!, $nested: Int!) {
    project(id: $id) {
      name
      issues(first: $page, filter: { labels: { name: { eq: "map" } } }) {
        pageInfo { hasNextPage }
        nodes {
          identifier title state { name type } assignee { displayName } labels { nodes { name } }
          relations(first: $nested) {
            pageInfo { hasNextPage } nodes { type relatedIssue { identifier state { type } } }
          }
          inverseRelations(first: $nested) {
            pageInfo { hasNextPage } nodes { type issue { identifier state { type } } }
          }
        }
      }
    }
  }`;
  const BOARD = `query($key: String) {
    teams(filter: { key: { eq: $key } }) {
      nodes { projects(first: 250) { nodes { id name description } } }
    }
  }`;
  const RELATIONS = `{
    team(id: "${ENG}") {
      issues(first: 100, filter: { state: { type: { in: ["started"] } } }) {
        pageInfo { hasNextPage endCursor }
        nodes { identifier relations { nodes { type relatedIssue { identifier } } } }
      }
    }
  }`;

  test.each([
    [100, 10, "9472"],
    [75, 10, "7104"],
    [50, 10, "4737"],
    [50, 5, "2537"],
  ])("%d issues with %d relations each: %s", async (page, nested, points) => {
    const response = await fetch(tracker.url, {
      method: "POST",
      headers: { "X-API-Key": tracker.key, "Content-Type": "application/json" },
      body: JSON.stringify({ query: FRONTIER, variables: { id: ENG, page, nested } }),
    });

    expect(response.headers.get("x-complexity")).toBe(points);
  });

  test.each([
    ["the projects of all teams", BOARD, 16300],
    ["the relations of 100 issues", RELATIONS, 11231],
  ])("%s: %d", async (_case, query, points) => {
    const { errors } = await tracker.ask(query);

    expect(errors[0].message).toContain(`Complexity: ${points}.`);
  });
});

describe("a filter is rejected", () => {
  const QUERY = "query($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }";
  const deep = Array.from({ length: FILTER_DEPTH_MAX + 1 }).reduce<object>(
    (inner) => ({ parent: inner }),
    { title: { eq: "x" } },
  );

  test.each([
    ["that is too deep", deep, /nested deeper/],
    [
      "with too many conditions",
      { or: Array.from({ length: 600 }, () => ({ number: { eq: 1 } })) },
      /more than 500 conditions/,
    ],
    [
      "with too many alternatives for an estimate",
      { estimate: { or: Array.from({ length: 600 }, () => ({ eq: 1 })) } },
      /more than 500 conditions/,
    ],
    [
      "with too many values",
      { title: { in: Array.from({ length: FILTER_VALUES_MAX + 1 }, () => "x") } },
      /no more than/,
    ],
    ["with an invalid id", { assignee: { id: { eq: "robin" } } }, /must be a UUID/],
  ])("%s", async (_case, filter, message) => {
    expect(await messageOf(QUERY, { filter })).toMatch(message);
  });
});

test("a list sorted by too many keys is rejected, and one by many is answered", async () => {
  const QUERY = `query($sort: [IssueSortInput!], $after: String) {
    issues(sort: $sort, first: 1, after: $after) { nodes { id } pageInfo { endCursor } }
  }`;
  const keys = (count: number) =>
    Array.from({ length: count }, () => ({ title: { order: "Ascending" } }));

  const firstOf = async (count: number, after?: string) =>
    (await tracker.data(QUERY, { sort: keys(count), after })).issues;

  const first = await firstOf(SORT_KEYS_MAX);
  const after = first.pageInfo.endCursor;

  expect(first).toEqual(await firstOf(1));
  expect(await firstOf(SORT_KEYS_MAX, after)).toEqual(await firstOf(1, after));
  expect(await messageOf(QUERY, { sort: keys(SORT_KEYS_MAX + 1), after })).toBe(
    `sort must contain no more than ${SORT_KEYS_MAX} keys.`,
  );
});

test(
  "every document of the official client is inside the limits, at the usual page",
  async () => {
    const executor = createExecutor(trackerSchema());
    const documents = Object.entries(sdk.LinearDocument).filter(([name]) =>
      name.endsWith("Document"),
    );
    expect(documents.length).toBeGreaterThan(600);

    for (const [name, document] of documents) {
      const { errors } = await executor(
        { query: String(document), variables: { first: PAGE_DEFAULT }, operationName: undefined },
        {
          format: formatError,
          within: async () => {
            throw new Error("reached");
          },
        },
      ).catch((error: Error) => ({ errors: error.message === "reached" ? [] : [error] }));
      expect({ name, errors }).toEqual({ name, errors: [] });
    }
  },
  MINUTE,
);

describe("the schema", () => {
  test("answers introspection from a cache", async () => {
    const executor = createExecutor(trackerSchema());
    let runs = 0;
    const ask = () =>
      executor(
        { query: getIntrospectionQuery(), variables: {}, operationName: undefined },
        {
          format: formatError,
          within: (running, work) => {
            runs++;
            return work(running);
          },
        },
      );

    const [first, second] = [await ask(), await ask()];

    expect(second).toBe(first);
    expect(runs).toBe(1);
    const { data } = JSON.parse(first.body) as { data: IntrospectionQuery };
    expect(data.__schema.types.length).toBeGreaterThan(900);
  });

  test("describes every operation in a sentence", async () => {
    const { Query, Mutation } = {
      Query: trackerSchema().getQueryType(),
      Mutation: trackerSchema().getMutationType(),
    };
    const bare = [Query, Mutation].flatMap((type) =>
      Object.values(type?.getFields() ?? {}).filter(
        ({ description }) => !description?.endsWith("."),
      ),
    );

    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  test(
    "is built in less than twice the time in which graphql-js builds it from its text",
    async () => {
      const script = `
        import { buildSchema, printSchema } from "graphql";
        import { trackerSchema } from "~/replicas/tracker/schema";
        const spent = (work) => {
          const before = process.cpuUsage();
          work();
          const { user, system } = process.cpuUsage(before);
          return user + system;
        };
        const ours = spent(trackerSchema);
        const text = printSchema(trackerSchema());
        console.log(ours / spent(() => buildSchema(text)));
      `;
      const ratios: number[] = [];
      for (let attempt = 0; attempt < 3; attempt++) {
        const child = Bun.spawn(["bun", "-e", script], { cwd: import.meta.dir, stdout: "pipe" });
        ratios.push(Number(await new Response(child.stdout).text()));
      }
      const ratio = Math.min(...ratios);

      expect(ratio).toBeGreaterThan(0);
      expect(ratio).toBeLessThan(2);
    },
    MINUTE,
  );
});
