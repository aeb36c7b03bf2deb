/** Bad inputs to the tracker. */
import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedDatabase } from "../support/database";
import { openTracker, useTracker } from "../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);

/** The schema is built by the first request. */
beforeAll(() => tracker.data("{ viewer { id } }"));

/** Processor time of this process, in which the server runs. Without limits these inputs cost a multiple of it. */
const CPU_MS_MAX = 500;

const repeat = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join(" ");

async function send(body: unknown, init: RequestInit = {}) {
  const before = process.cpuUsage();
  const response = await fetch(tracker.url, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
    headers: {
      "Content-Type": "application/json",
      "X-API-Key": tracker.key,
      ...(init.headers as Record<string, string>),
    },
  });
  const answer = (await response.json()) as any;
  const { user, system } = process.cpuUsage(before);
  return { status: response.status, answer, cpuMs: (user + system) / 1000 };
}

/** Rejected in the form of GraphQL, at little cost, and without internal details. */
async function expectRefused(query: unknown, variables: unknown = {}): Promise<string> {
  const { status, answer, cpuMs } = await send({ query, variables });
  expect(status).toBeLessThan(500);
  expect(answer.errors?.length ?? 0).toBeGreaterThan(0);
  expect(cpuMs).toBeLessThan(CPU_MS_MAX);
  const text = JSON.stringify(answer);
  expect(text).not.toMatch(/Internal|node_modules|call stack|relation |syntax error at/i);
  return text;
}

const issueCount = async () =>
  (await database.sql.unsafe(`select count(*)::int as count from "${tracker.schema}".issues`))[0]?.[
    "count"
  ] as number;

const FANNED = `query { ...F0 } ${repeat(16, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F16 on Query { issues(first: 250) { nodes { id } } }`;

test.each([
  ["10,000 aliases of one field (S100)", `{ ${repeat(10_000, (n) => `a${n}: viewer { id }`)} }`],
  [
    "a depth of 5,000 (S101)",
    `{ issues { nodes ${"{ parent ".repeat(5_000)}{ id }${" }".repeat(5_000)} } }`,
  ],
  ["a depth of 100,000 (S101)", "{ a ".repeat(100_000)],
  [
    "brackets of 100,000 (S101)",
    `{ issues(filter: { or: ${"[".repeat(100_000)} }) { nodes { id } } }`,
  ],
  ["a fan of fragments (S102)", FANNED],
  [
    "a ring of fragments (S103)",
    "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
  ],
  ["an unused fragment (S103)", "{ viewer { id } } fragment A on User { id }"],
  ["a fragment that is not there (S103)", "{ viewer { ...A } }"],
  ["20,000 directives (S104)", `{ viewer { id ${"@skip(if: false) ".repeat(20_000)} } }`],
  ["3,000 times the same field (S104)", `{ ${"viewer { id } ".repeat(3_000)} }`],
  ["5,000 times __typename (S108)", `{ ${"__typename ".repeat(5_000)} }`],
  [
    "a deep introspection (S108)",
    "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }",
  ],
  ["a syntax error (S113)", "{ issues("],
  ["an empty query (S113)", ""],
  ["a query of null (S113)", null],
  ["a query that is a number (S113)", 5],
])("%s", async (_what, query) => {
  await expectRefused(query);
});

test.each([
  [
    "a list of operations (S105)",
    Array.from({ length: 100 }, () => ({ query: "{ viewer { id } }" })),
  ],
  [
    "two operations without a choice (S105)",
    { query: "query A { viewer { id } } query B { viewer { id } }" },
  ],
])("%s is answered with 400", async (_what, body) => {
  const { status, answer } = await send(body);
  expect([status, answer.errors.length]).toEqual([400, 1]);
});

test("GET, and a body of text, are rejected (S106)", async () => {
  const before = await issueCount();
  for (const query of ["{ viewer { id } }", 'mutation { issueDelete(id: "ENG-1") { success } }']) {
    const response = await fetch(`${tracker.url}?query=${encodeURIComponent(query)}`, {
      headers: { "X-API-Key": tracker.key },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  }
  const text = await send("{ viewer { id } }", { headers: { "Content-Type": "text/plain" } });
  expect(text.status).toBe(415);
  expect(await issueCount()).toBe(before);
});

test("a thousand changes in one request are rejected, and none is made (S107)", async () => {
  const before = await issueCount();
  const create = (n: number) =>
    `a${n}: issueCreate(input: { teamId: "c0000000-0000-4000-8000-000000000001", title: "x" }) { success }`;
  await expectRefused(`mutation { ${repeat(1_000, create)} }`);
  expect(await issueCount()).toBe(before);
});

describe("variables", () => {
  const QUERY =
    "query($n: Int!, $f: IssueFilter) { issues(first: $n, filter: $f) { nodes { id } } }";
  const deep = Array.from({ length: 10_000 }).reduce<string>((inner) => `{"and":[${inner}]}`, "{}");
  test.each([
    ["that are missing (S109)", {}],
    ["of another type (S109)", { n: "x" }],
    ["of 2^31 (S109)", { n: 2 ** 31 }],
    ["of null where there must be one (S109)", { n: null }],
    ["with an unknown key (S109)", { n: 1, f: { nothing: 1 } }],
    ["with a key of every object (S109)", { n: 1, f: JSON.parse('{"__proto__":{"polluted":1}}') }],
  ])("%s are rejected", async (_what, variables) => {
    await expectRefused(QUERY, variables);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test.each([
    ["of 1e400 (S109)", `{"n":1e400}`],
    ["nested 10,000 deep (S109)", `{"n":1,"f":${deep}}`],
  ])("%s are rejected as text", async (_what, variables) => {
    const { status, answer } = await send(
      `{"query":${JSON.stringify(QUERY)},"variables":${variables}}`,
    );
    expect(status).toBeLessThan(500);
    expect(answer.errors.length).toBe(1);
  });

  test("that are not declared are ignored (S109)", async () => {
    const { answer } = await send({ query: "{ viewer { id } }", variables: { extra: 1 } });
    expect(answer.errors).toBeUndefined();
  });
});

test.each([
  "first: 0",
  "first: -1",
  "first: 251",
  "first: 1, last: 1",
  'first: 1, after: "forged"',
  'first: 1, after: "00000000-0000-4000-8000-000000000000"',
])("a page of (%s) is rejected (S110)", async (args) => {
  const { status, answer } = await send({ query: `{ issues(${args}) { nodes { id } } }` });
  expect(status).toBeLessThan(500);
  // Linear accepts first: 0 for an empty page.
  if (answer.errors === undefined)
    expect([args, answer.data.issues.nodes]).toEqual(["first: 0", []]);
});

test.each(["' OR 1=1", "%", "NOPE-1", "00000000-0000-4000-8000-000000000000"])(
  "there is no issue with the id %p (S111)",
  async (id) => {
    await expectRefused("query($id: String!) { issue(id: $id) { id } }", { id });
  },
);

test("an issue of another environment is not found, an own one also by its id in capitals (S111)", async () => {
  const QUERY = "query($id: String!) { issue(id: $id) { id } }";
  const other = await openTracker(tracker.program);
  const { issueCreate } = await other.data(
    `mutation { issueCreate(input: { teamId: "c0000000-0000-4000-8000-000000000001", title: "x" }) { issue { id } } }`,
  );
  await expectRefused(QUERY, { id: issueCreate.issue.id });
  const capitals = await other.data(QUERY, { id: issueCreate.issue.id.toUpperCase() });
  expect(capitals.issue.id).toBe(issueCreate.issue.id);
});

describe("a filter", () => {
  const QUERY = "query($f: IssueFilter) { issues(filter: $f, first: 250) { nodes { id title } } }";
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<object>((inner) => ({ and: [inner] }), {
      title: { eq: "x" },
    });
  test.each([
    [
      "with 1,000 branches (S112)",
      { or: Array.from({ length: 1_000 }, () => ({ number: { eq: 1 } })) },
    ],
    ["50 deep (S112)", nested(50)],
    ["with 10,000 values (S112)", { title: { in: Array.from({ length: 10_000 }, () => "x") } }],
  ])("%s is rejected", async (_what, f) => {
    await expectRefused(QUERY, { f });
  });

  test("that is empty finds everything (S112)", async () => {
    const all = (await tracker.data(QUERY, {})).issues.nodes.length;
    expect(all).toBeGreaterThan(0);
    for (const f of [{}, { and: [] }])
      expect((await tracker.data(QUERY, { f })).issues.nodes).toHaveLength(all);
  });

  test.each(["%", "_", "\\"])("treats %p literally (S112)", async (contains) => {
    const { issues } = await tracker.data(QUERY, { f: { title: { contains } } });
    for (const { title } of issues.nodes) expect(title).toContain(contains);
  });
});

test("a bug is reported without its details (S114)", async () => {
  await database.sql.unsafe(
    `alter table "${tracker.schema}".issues rename column "title" to "untitled"`,
  );
  try {
    const response = await fetch(tracker.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": tracker.key },
      body: JSON.stringify({ query: "{ issues { nodes { title } } }" }),
    });
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toMatch(/title|column|select|42703|PostgresError|issues/);
  } finally {
    await database.sql.unsafe(
      `alter table "${tracker.schema}".issues rename column "untitled" to "title"`,
    );
  }
});
