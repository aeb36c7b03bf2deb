/** A filter finds the same rows in SQL as in memory, for random rows and filters. */
import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { useSharedDatabase } from "../support/database";
import { evaluate, type Graph, type Thing } from "../support/evaluate";
import { JOHN, useTracker } from "../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);
const QUERY =
  "query($filter: IssueFilter, $all: Boolean) { issues(filter: $filter, includeArchived: $all, first: 250) { nodes { id } } }";
const ROWS = 60;
const RUNS = 250;

const WORDS = ["Alpha", "beta", "Gamma ray", "50% off", "a_b", "Ünïcode", "ALPHA beta", ""];
const DAYS = ["2026-01-01", "2026-02-15", "2026-03-31"];
const MOMENTS = [
  "2026-01-01T00:00:00.000Z",
  "2026-02-15T12:30:00.500Z",
  "2026-03-31T23:59:59.999Z",
];

let graph: Graph;

beforeAll(async () => {
  const { sql } = database;
  const schema = `"${tracker.schema}"`;
  let seed = 42;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const pick = <T>(list: readonly T[]) => list[next(list.length)] as T;
  const maybe = <T>(value: T) => (next(3) === 0 ? null : value);
  const rows = async (text: string) => (await sql.unsafe(text)) as unknown as Record<string, any>[];
  const users = await rows(`select * from ${schema}.users`);
  const states = await rows(`select * from ${schema}.workflow_states order by "teamId", position`);
  const labels = await rows(`select * from ${schema}.issue_labels`);
  const made: string[] = [];
  for (let number = 1_000; number < 1_000 + ROWS; number++) {
    const state = pick(states);
    const id = crypto.randomUUID();
    await sql`
      insert into ${sql(`${tracker.schema}.issues`)} ${sql({
        id,
        createdAt: pick(MOMENTS),
        updatedAt: pick(MOMENTS),
        archivedAt: next(5) === 0 ? pick(MOMENTS) : null,
        teamId: state["teamId"],
        number,
        identifier: `X-${number}`,
        title: pick(WORDS) || "untitled",
        description: maybe(pick(WORDS)),
        stateId: state["id"],
        priority: next(5),
        assigneeId: maybe(pick(users)["id"]),
        creatorId: maybe(pick(users)["id"]),
        parentId: made.length > 0 ? maybe(pick(made)) : null,
        estimate: maybe(next(4)),
        dueDate: maybe(pick(DAYS)),
        completedAt: maybe(pick(MOMENTS)),
        sortOrder: number,
        documentContentId: crypto.randomUUID(),
      })}
    `;
    made.push(id);
    for (const label of labels)
      if (next(3) === 0)
        await sql`insert into ${sql(`${tracker.schema}.issue_label_assignments`)} values (${id}, ${label["id"]}, now())`;
    for (const user of users)
      if (next(4) === 0)
        await sql`insert into ${sql(`${tracker.schema}.issue_subscribers`)} values (${id}, ${user["id"]})`;
  }
  await sql.unsafe(`update ${schema}.issue_labels set "archivedAt" = now() where name = 'Feature'`);
  graph = {
    now: new Date(),
    me: JOHN,
    issues: await rows(`select * from ${schema}.issues`),
    users,
    states,
    teams: await rows(`select * from ${schema}.teams`),
    labels: await rows(`select * from ${schema}.issue_labels`),
    labelled: await rows(`select * from ${schema}.issue_label_assignments`),
    subscribed: await rows(`select * from ${schema}.issue_subscribers`),
  } as unknown as Graph;
});

// ---- random filters

/** One or two keys together: with more, no row would ever match. */
const optional = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .shuffledSubarray(Object.keys(shape), {
      minLength: 1,
      maxLength: Math.min(2, Object.keys(shape).length),
    })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, shape[key]!]))));
const part = fc.constantFrom(
  "a",
  "A",
  "alpha",
  "ALPHA",
  "%",
  "_",
  "ray",
  "ünï",
  "UNI",
  "",
  "Gamma ray",
  "beta",
);
const STRING_KEYS = [
  ...[
    "eq",
    "neq",
    "contains",
    "notContains",
    "startsWith",
    "notStartsWith",
    "endsWith",
    "notEndsWith",
  ],
  ...["eqIgnoreCase", "neqIgnoreCase", "containsIgnoreCase", "notContainsIgnoreCase"],
  ...["startsWithIgnoreCase", "containsIgnoreCaseAndAccent"],
];
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 3 });
const text = optional({
  ...Object.fromEntries(STRING_KEYS.map((key) => [key, part])),
  in: some(part),
  nin: some(part),
});
const nullable = (comparator: fc.Arbitrary<object>) =>
  fc.oneof(
    { weight: 4, arbitrary: comparator },
    { weight: 1, arbitrary: fc.record({ null: fc.boolean() }) },
  );
const numberOf = (value: fc.Arbitrary<number>) =>
  optional({
    eq: value,
    neq: value,
    lt: value,
    lte: value,
    gt: value,
    gte: value,
    in: some(value),
    nin: some(value),
  });
const compared = (value: fc.Arbitrary<string>) =>
  optional({
    eq: value,
    neq: value,
    lt: value,
    lte: value,
    gt: value,
    gte: value,
    in: some(value),
    nin: some(value),
  });
const moment = compared(fc.constantFrom(...MOMENTS, "-P1Y", "P1D", "2026-02"));
const day = compared(fc.constantFrom(...DAYS, "2026-02", "-P10Y"));

const flag = optional({ eq: fc.boolean(), neq: fc.boolean() });
const few = numberOf(fc.integer({ min: 0, max: 3 }));
/** Keys that contain nested filters, as long as the depth allows. */
const deeper = (depth: number, shape: () => Record<string, fc.Arbitrary<unknown>>) =>
  depth > 1 ? shape() : {};

/** A filter of one related row, or of a missing one. */
const maybeOne = (filter: fc.Arbitrary<object>) =>
  fc.oneof(
    { weight: 3, arbitrary: nullable(filter) },
    { weight: 1, arbitrary: fc.record({ or: some(nullable(filter)) }) },
    { weight: 1, arbitrary: fc.record({ and: some(nullable(filter)) }) },
  );
const user: (depth?: number) => fc.Arbitrary<object> = fc.memo((depth) =>
  optional({
    displayName: text,
    isMe: flag,
    admin: flag,
    ...deeper(depth, () => ({ or: some(user()) })),
  }),
);
const label: (depth?: number) => fc.Arbitrary<object> = fc.memo((depth) =>
  optional({
    name: text,
    some: optional({ name: text }),
    every: optional({ name: text }),
    length: few,
    null: fc.boolean(),
    ...deeper(depth, () => ({ or: some(label()), and: some(label()) })),
  }),
);
const issue: (depth?: number) => fc.Arbitrary<object> = fc.memo((depth) =>
  optional({
    title: text,
    description: nullable(text),
    priority: nullable(numberOf(fc.integer({ min: 0, max: 4 }))),
    estimate: optional({
      eq: fc.integer({ min: 0, max: 3 }),
      null: fc.boolean(),
      or: some(few),
      and: some(few),
    }),
    createdAt: moment,
    completedAt: nullable(moment),
    dueDate: nullable(day),
    assignee: maybeOne(user(2)),
    creator: maybeOne(user(2)),
    state: optional({ type: text, name: text, position: few }),
    team: optional({
      key: optional({ eq: fc.constantFrom("ENG", "DES"), neq: fc.constant("ENG") }),
    }),
    labels: label(2),
    subscribers: optional({ some: user(1), every: user(1), length: few, displayName: text }),
    ...deeper(depth, () => ({
      parent: maybeOne(fc.oneof(fc.constant({}), issue())),
      children: optional({ every: issue(), some: issue(), length: few }),
      and: some(issue()),
      or: some(issue()),
    })),
  }),
);
const FILTER_DEPTH = 3;

describe("a filter", () => {
  test("finds the same rows in SQL as in memory", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(issue(FILTER_DEPTH), fc.boolean(), async (wanted, all) => {
        const { data, errors } = await tracker.ask(QUERY, { filter: wanted, all });
        expect({ wanted, errors }).toEqual({ wanted, errors: undefined });
        const ids = data.issues.nodes.map(({ id }: Thing) => id).toSorted();
        const expected = graph.issues
          .filter(
            (issue) =>
              (all || issue["archivedAt"] === null) && evaluate(graph, "Issue", wanted, issue, all),
          )
          .map(({ id }) => id)
          .toSorted();
        if (expected.length > 0 && expected.length < graph.issues.length) found++;
        expect({ wanted, ids }).toEqual({ wanted, ids: expected });
      }),
      { numRuns: RUNS, seed: 20260105 },
    );
    // Most filters must match some rows but not all, or the test proves little.
    expect(found).toBeGreaterThan(RUNS / 4);
  });

  test.each([
    ["has no effect when it is empty", {}],
    ["has no effect when a key is null", { title: null, assignee: {}, or: [], and: [] }],
    ["has no effect when an alternative is empty", { or: [{ number: { eq: -1 } }, {}] }],
  ])("%s", async (_case, wanted) => {
    const { issues } = await tracker.data(QUERY, { filter: wanted, all: true });

    expect(issues.nodes).toHaveLength(graph.issues.length);
  });

  test("of one related row accepts a missing row as an alternative", async () => {
    const assignee = { or: [{ null: true }, { isMe: { eq: true } }] };
    const { issues } = await tracker.data(QUERY, { filter: { assignee }, all: true });

    const expected = graph.issues.filter(({ assigneeId }) => [null, JOHN].includes(assigneeId));
    expect(issues.nodes).toHaveLength(expected.length);
  });

  test.each([
    ["an empty list of values", { title: { in: [] } }, 0],
    ["an empty list of excluded values", { title: { nin: [] } }, ROWS + 5],
    ["an identifier in any case", { id: { eq: "x-1003" } }, 1],
    ["the identifiers of several", { id: { in: ["X-1001", "X-1002"] } }, 2],
    ["all but one", { id: { neq: "X-1001" } }, ROWS + 4],
  ])("accepts %s", async (_case, wanted, count) => {
    const { issues } = await tracker.data(QUERY, { filter: wanted, all: true });

    expect(issues.nodes).toHaveLength(count);
  });
});
