/** Queries built to be as expensive as possible: each ends soon, and none blocks other requests. */
import { beforeAll, describe, expect, test } from "bun:test";
import { getIntrospectionQuery } from "graphql";
import { PAGE_MAX, READ_LENGTH_MAX } from "~/graphql/limits";
import { useSharedDatabase } from "../support/database";
import { useTracker } from "../support/tracker";
import { HELD_UP_MS, heldUp } from "../support/turns";

const database = useSharedDatabase();
const tracker = useTracker(database);

const ANSWERED_MS = 15_000;
const MINUTE = 60_000;

const ISSUES = 5_000;
const LONG_TEXTS = 300;
const REACTIONS = 20_000;

let rootId = "";

beforeAll(async () => {
  const { sql } = database;
  const t = (name: string) => sql(`${tracker.schema}.${name}`);
  const [root] = await sql`select id from ${t("issues")} order by number limit 1`;
  await sql`
    insert into ${t("issues")}
    select (jsonb_populate_record(i, jsonb_build_object(
      'id', gen_random_uuid(), 'number', 10000 + n, 'identifier', 'ENG-' || 10000 + n,
      'parentId', case when n % 2 = 0 then i.id end,
      'description', case when n <= ${LONG_TEXTS} then repeat('long text ', 25000) else 'short' end
    ))).*
    from ${t("issues")} i, generate_series(1, ${ISSUES}::int) n where i.id = ${root?.["id"]}
  `;
  await sql`
    insert into ${t("reactions")} (id, "createdAt", "updatedAt", emoji, "userId", "issueId")
    select gen_random_uuid(), now(), now(), 'tada', u.id, ${root?.["id"]}
    from (select id from ${t("users")} limit 1) u, generate_series(1, ${REACTIONS}::int)
  `;
  // An endless chain of parents.
  await sql`update ${t("issues")} set "parentId" = id where id = ${root?.["id"]}`;
  rootId = root?.["id"];
  await tracker.data("{ viewer { id } }");
}, MINUTE);

async function ask(query: string, variables: object = {}) {
  const started = performance.now();
  let outcome = { status: 0, text: "", milliseconds: 0 };
  const held = await heldUp(async () => {
    const response = await fetch(tracker.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": tracker.key },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    outcome = { status: response.status, text, milliseconds: performance.now() - started };
  });
  expect(outcome.status).toBeLessThan(500);
  expect(outcome.milliseconds).toBeLessThan(ANSWERED_MS);
  expect(held).toBeLessThan(HELD_UP_MS);
  return outcome.text;
}

const repeat = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join(" ");

const LEAVES =
  "id title identifier number priority createdAt updatedAt url branchName estimate sortOrder priorityLabel";
/** Many objects of few aliases: each fragment spreads the next three times. */
const FAN = repeat(
  6,
  (n) =>
    `fragment F${n} on Issue { ${LEAVES} ${n < 5 ? ["parent", "a: parent", "b: parent"].map((name) => `${name} { ...F${n + 1} }`).join(" ") : ""} }`,
);
const PAGES = `query { teams { ...A } }
  fragment A on TeamConnection { nodes { issues { ...B } } }
  fragment B on IssueConnection { nodes { children { ...C } } }
  fragment C on IssueConnection { nodes { team { issues { ...D } } } }
  fragment D on IssueConnection { nodes { id } }`;

describe("a query is rejected", () => {
  test.each([
    ["whose pages are inside fragments", PAGES, {}],
    [
      "whose pages are inside inline fragments",
      `{ issues(first: 250) { ... on IssueConnection { ... { nodes { children(first: 250) { ... on IssueConnection { nodes { id } } } } } } } }`,
      {},
    ],
    [
      "whose pages are selected by their edges, under other names",
      "{ a: issues(first: 250) { b: edges { c: node { d: children(first: 250) { e: edges { f: node { id } } } } } } }",
      {},
    ],
    [
      "that hides its pages in an interface",
      "{ issues(first: 250) { nodes { ... on Node { ... on Issue { children(first: 250) { nodes { id } } } } } } }",
      {},
    ],
    [
      "whose pages are as large as the default of a variable",
      "query($n: Int = 250) { issues(first: $n) { nodes { children(first: $n) { nodes { id } } } } }",
      {},
    ],
    [
      "whose pages are counted from the end",
      "query($n: Int) { issues(last: $n) { nodes { children(last: $n) { nodes { id } } } } }",
      { n: 250 },
    ],
    [
      "that offsets its pages with a negative one",
      "{ x: issues(first: -250) { nodes { children(first: 250) { nodes { id } } } } issues(first: 250) { nodes { children(first: 250) { nodes { id } } } } }",
      {},
    ],
    [
      "that fans out through fragments",
      `{ issue(id: "ENG-1") { ...F0 } } ${repeat(13, (n) => `fragment F${n} on Issue { id ${n < 12 ? repeat(4, (m) => `x${m}: parent { ...F${n + 1} }`) : ""} }`)}`,
      {},
    ],
    [
      "that selects the whole schema many times",
      `{ ${repeat(90, (n) => `a${n}: __schema { types { ...T } }`)} } fragment T on __Type { name fields { name type { name } args { name type { name } } } }`,
      {},
    ],
    [
      "that selects the fields of all types many times",
      `{ ${repeat(90, (n) => `a${n}: __schema { types { ...T } }`)} } fragment T on __Type { fields { type { name } } }`,
      {},
    ],
  ])("%s", async (_what, query, variables) => {
    expect(await ask(query, variables)).toMatch(/too complex/);
  });

  test("before it is read, if it is too long", async () => {
    for (const filler of ["# ", ",", '"\\', "{a ", '"', "a"])
      expect(await ask(`{ viewer { id } } ${filler.repeat(2_000_000 / filler.length)}`)).toMatch(
        /longer than/,
      );
  });

  test("of the maximum length, in time proportional to its length", async () => {
    for (const filler of ["# ", ",", '"\\', "{a ", '"', "a", '""" '])
      await ask(`{ viewer { id } } ${filler.repeat(500_000 / filler.length)}`);
  });

  test("whose variables hold too many values", async () => {
    const query = "query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }";
    expect(await ask(query, { f: { number: { in: Array(1_500_000).fill(1) } } })).toMatch(
      /more than/,
    );
  });
});

describe("a query ends, within or at the limits", () => {
  test("the whole schema", async () => {
    await ask(getIntrospectionQuery());
  });

  test("the schema as often as a document allows", async () => {
    await ask(`{ ${repeat(3, (n) => `a${n}: __schema { types { ...T } }`)} }
      fragment T on __Type { name description fields { name description isDeprecated type { name kind } } }`);
  });

  test("a list without pages, of expensive objects", async () => {
    const query = `{ issue(id: "${rootId}") { reactions { issue { ...F0 } } } } ${FAN}`;
    expect(await ask(query)).toMatch(/returns more than 400000 fields/);
  });

  test("many lists without pages", async () => {
    const lists = repeat(90, (n) => `x${n}: reactions { id user { name } }`);
    const query = `{ issue(id: "${rootId}") { ${lists} } }`;
    expect(await ask(query)).toMatch(/"errors"|"data"/);
  });

  test("as many objects as the cost allows", async () => {
    await ask(
      `{ issues(first: ${PAGE_MAX}) { nodes { ${LEAVES} children(first: 70) { nodes { ${LEAVES} } } } } }`,
    );
  });

  test("as many relations as the cost allows", async () => {
    const query = `{ issues(first: 12, filter: { parent: { null: false } }) { nodes { ...F0 } } } ${FAN}`;
    expect(await ask(query)).toMatch(/"data":\{/);
  });

  test("as many fields as the cost allows", async () => {
    const fields = repeat(100, (n) => `x${n}: title`);
    await ask(
      `{ issues(first: ${PAGE_MAX}) { nodes { ${LEAVES} ${fields} team { ${LEAVES.replace(/.*/, "id name key createdAt")} } } } }`,
    );
  });

  test("the same long text many times", async () => {
    const fields = repeat(90, (n) => `x${n}: description`);
    expect(
      await ask(
        `{ issues(first: 50, filter: { description: { startsWith: "long" } }) { nodes { ${fields} } } }`,
      ),
    ).toMatch(/longer than|reads more than/);
  });

  test("more text than the read limit", async () => {
    expect(
      await ask(
        `{ issues(first: ${PAGE_MAX}, filter: { description: { startsWith: "long" } }) { nodes { id description } } }`,
      ),
    ).toMatch(new RegExp(`reads more than ${READ_LENGTH_MAX} characters`));
  });

  test("children with more text than the read limit", async () => {
    expect(
      await ask(
        `{ teams { nodes { issues(first: ${PAGE_MAX}, orderBy: updatedAt) { nodes { id } } } } }`,
      ),
    ).toMatch(/"errors"|"data"/);
  });
});
