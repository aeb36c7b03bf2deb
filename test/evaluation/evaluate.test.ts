/** Verdicts: compared with an evaluator written only from the description, and checked by their laws. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "~/capture/fold";
import type { RunEvidence } from "~/evaluation/candidates";
import { compile } from "~/evaluation/compile";
import { evaluate } from "~/evaluation/evaluate";
import { OPERATORS } from "~/evaluation/operators";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { expectLinear } from "../support/growth";
import { type Case, count, failures } from "./naive";

const VOCABULARY: Vocabulary = {
  tables: [
    {
      name: "things",
      columns: [
        { name: "id", type: "integer" },
        { name: "name", type: "text" },
        { name: "size", type: "bigint" },
        { name: "at", type: "timestamp with time zone" },
        { name: "tags", type: "text[]" },
        { name: "data", type: "jsonb" },
        { name: "seen", type: "integer" },
      ],
    },
    { name: "log", columns: [{ name: "id", type: "integer" }] },
  ],
  derived: { things: ["seen"], log: ["id"] },
  calls: new Set(["chat.postMessage"]),
};
const DERIVED = ["seen"];
const KEYS = { things: ["id"], log: ["id"] };

const text = fc.constantFrom("", "a", "A", "ab", "Lunch", "lunch time", "10", "9.5", "2026-01-05");
const time = fc.constantFrom(
  "2026-01-05T09:00:00.000Z",
  "2026-01-05T09:00:00Z",
  "2026-01-05T09:00:00.500Z",
  "2027-02-01T00:00:00.000Z",
);
const json = fc.oneof(
  fc.constant(null),
  text,
  fc.integer({ min: -2, max: 2 }),
  fc.record({ a: fc.oneof(text, fc.constant(null)), list: fc.array(text, { maxLength: 2 }) }),
);
const fields = {
  name: fc.oneof(text, fc.constant(null)),
  size: fc.oneof(
    fc.integer({ min: 0, max: 12 }),
    fc.constant("9007199254740993"),
    fc.constant(null),
  ),
  at: fc.oneof(time, fc.constant(null)),
  tags: fc.oneof(fc.array(text, { maxLength: 3 }), fc.constant(null)),
  data: json,
  seen: fc.integer({ min: 0, max: 3 }),
};
const row = fc.record(fields);

/** Each row is inserted, deleted, changed or unchanged. */
const happenings: fc.Arbitrary<Case> = fc
  .array(
    fc.oneof(
      row.map((after) => ({ after, before: undefined, still: undefined })),
      row.map((before) => ({ before, after: undefined, still: undefined })),
      fc
        .tuple(row, fc.subarray(Object.keys(fields), { minLength: 1, maxLength: 2 }), row)
        .map(([before, columns, other]) => ({
          before,
          after: {
            ...before,
            ...Object.fromEntries(columns.map((c) => [c, other[c as keyof typeof other]])),
          },
          still: undefined,
        })),
      row.map((still) => ({ still, before: undefined, after: undefined })),
    ),
    { maxLength: 8 },
  )
  .map((list) => {
    const cases: Case = { added: [], removed: [], changed: [], still: [] };
    for (const [index, { before, after, still }] of list.entries()) {
      const id = index + 1;
      if (still) cases.still.push({ id, ...still });
      else if (before && after) {
        const differs = JSON.stringify(before) !== JSON.stringify(after);
        if (differs) cases.changed.push({ before: { id, ...before }, after: { id, ...after } });
        else cases.still.push({ id, ...before });
      } else if (after) cases.added.push({ id, ...after });
      else if (before) cases.removed.push({ id, ...before });
    }
    return cases;
  });

const operand: { [name: string]: fc.Arbitrary<unknown> } = {
  gt: fc.oneof(fc.integer({ min: 0, max: 12 }), text, time),
  in: fc.array(fc.oneof(text, fc.integer({ min: 0, max: 3 }), fc.constant(null)), { maxLength: 3 }),
  contains: fc.oneof(text, fc.integer({ min: 0, max: 3 })),
  text,
  regex: fc.constantFrom("^a", "h$", "[A-Z]", ".", "lu|10"),
  flag: fc.boolean(),
  eq: fc.oneof(text, time, fc.integer({ min: 0, max: 12 }), fc.constant(null), json),
};
const KIND: { [name: string]: string } = {
  eq: "eq",
  ne: "eq",
  neq: "eq",
  gt: "gt",
  gte: "gt",
  lt: "gt",
  lte: "gt",
  in: "in",
  not_in: "in",
  has_any: "in",
  has_all: "in",
  contains: "contains",
  not_contains: "contains",
  regex: "regex",
  exists: "flag",
  is_null: "flag",
  not_null: "flag",
};
const operators = fc
  .subarray(Object.keys(OPERATORS), { minLength: 1, maxLength: 2 })
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, operand[KIND[name] ?? "text"]!]))),
  );
const condition = fc.oneof(
  { weight: 3, arbitrary: operators },
  { weight: 1, arbitrary: fc.oneof(text, time, fc.constant(null), fc.integer({ min: 0, max: 3 })) },
);
const path = fc.constantFrom(
  "id",
  "name",
  "size",
  "at",
  "tags",
  "data",
  "seen",
  "data.a",
  "data.list.0",
  "tags.1",
);
const leaf = fc.dictionary(path, condition, { maxKeys: 2, noNullPrototype: true });
const where = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: fc.record({ not: leaf }) },
  { weight: 1, arbitrary: fc.record({ or: fc.array(leaf, { maxLength: 2 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      and: fc.array(fc.record({ or: fc.array(leaf, { minLength: 1, maxLength: 2 }) }), {
        maxLength: 2,
      }),
    }),
  },
);
/** Two conditions rarely hold for the same value: most changes have one, or none. */
const change = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.record({ to: condition }) },
  { weight: 1, arbitrary: fc.record({ from: condition, to: condition }, { requiredKeys: [] }) },
);
const counts = fc.oneof(
  fc.nat({ max: 3 }),
  fc.nat({ max: 2 }).map((min) => ({ min })),
  fc.nat({ max: 2 }).map((max) => ({ max })),
  fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 2 })).map(([min, more]) => ({ min, max: min + more })),
);
const common = {
  entity: fc.constant("things"),
  where,
  expected_count: counts,
  ignore: fc.subarray(["name", "size"]),
};
const assertion = fc.oneof(
  fc.record(
    { ...common, diff_type: fc.constantFrom("added", "removed", "changed", "unchanged") },
    { requiredKeys: ["entity", "diff_type"] },
  ),
  fc.record(
    {
      ...common,
      diff_type: fc.constant("changed"),
      where: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: where }),
      expected_changes: fc.dictionary(
        fc.constantFrom("name", "size", "at", "tags", "data", "data.a"),
        change,
        { minKeys: 1, maxKeys: 2, noNullPrototype: true },
      ),
    },
    { requiredKeys: ["entity", "diff_type", "expected_changes"] },
  ),
);
const spec = fc.record(
  {
    assertions: fc.array(assertion, { minLength: 1, maxLength: 4 }),
    strict: fc.boolean(),
    ignore_fields: fc.record(
      { global: fc.constant(["data"]), things: fc.constant(["at"]) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["assertions"] },
);

/** The diff and evidence, as from capture. */
function evidence({ added, removed, changed, still }: Case): RunEvidence {
  const named = (row: object) => ({ __table__: "things", ...row }) as JsonObject;
  const updates = changed.map(({ before, after }) => {
    const columns = Object.keys(after).filter(
      (column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]),
    );
    const pick = (from: Record<string, any>, wanted: boolean) =>
      Object.fromEntries(
        Object.entries(from).filter(([column]) => columns.includes(column) === wanted),
      );
    return {
      update: named({
        key: { id: after["id"] },
        before: pick(before, true),
        after: pick(after, true),
      }),
      unchangedColumns: pick(before, false),
    };
  });
  return {
    diff: {
      inserts: added.map(named),
      updates: updates.map(({ update }) => update),
      deletes: removed.map(named),
    },
    unchangedColumns: updates.map(({ unchangedColumns }) => unchangedColumns),
    revertedRows: still.slice(0, 1).map((row) => named(row)),
    transientRows: [],
    // Rows are read during the run, so that they include new and changed ones.
    baselineRows: {
      things: [...still.slice(1), ...added, ...changed.map(({ after }) => after)] as JsonObject[],
    },
  };
}
const verdictOn = (raw: unknown, cases: Case) =>
  evaluate(compile(raw, VOCABULARY), KEYS, evidence(cases));

const RUNS = 3_000;

describe("a verdict", () => {
  test("matches the language's description", () => {
    let failed = 0;
    fc.assert(
      fc.property(spec, happenings, (raw, cases) => {
        const verdict = verdictOn(raw, cases);
        const expected = failures(raw, cases, DERIVED);
        expect(verdict.failures).toEqual(expected);
        expect(verdict.passed).toBe(expected.length === 0);
        const total = raw.assertions.length;
        expect(verdict.score).toEqual({
          passed: total - expected.length,
          total,
          percent: Number(((100 * (total - expected.length)) / total).toFixed(2)),
        });
        expect(verdict.explanations.map(({ assertion: n }) => n)).toEqual(
          expected.map((line) => Number(/#(\d+)/.exec(line)?.[1])),
        );
        if (expected.length > 0) failed++;
      }),
      { numRuns: RUNS },
    );
    expect(failed).toBeWithin(RUNS / 10, (RUNS * 19) / 20);
  });

  test("does not depend on the order of the diff's rows", () => {
    fc.assert(
      fc.property(spec, happenings, (raw, cases) => {
        const turned = {
          added: cases.added.toReversed(),
          removed: cases.removed.toReversed(),
          changed: cases.changed.toReversed(),
          still: cases.still.toReversed(),
        };
        const [one, other] = [verdictOn(raw, cases), verdictOn(raw, turned)];
        expect([other.failures, other.score]).toEqual([one.failures, one.score]);
      }),
      { numRuns: 500 },
    );
  });

  test("passes for a count of k exactly if there are k rows", () => {
    fc.assert(
      fc.property(assertion, happenings, (raw, cases) => {
        const n = count(raw, { assertions: [] }, cases, DERIVED);
        for (let k = 0; k <= 8; k++) {
          const { passed } = verdictOn({ assertions: [{ ...raw, expected_count: k }] }, cases);
          expect(passed).toBe(k === n);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("of two conditions counts the rows that meet both, and of not the rest", () => {
    const counted = (condition: object, cases: Case) => {
      const raw = { diff_type: "added", entity: "things", where: condition, expected_count: 99 };
      const [line] = verdictOn({ assertions: [raw] }, cases).failures;
      return Number(/got (\d+)/.exec(line ?? "")?.[1]);
    };
    fc.assert(
      fc.property(leaf, leaf, happenings, (a, b, cases) => {
        const all = cases.added.length;
        expect(counted({}, cases)).toBe(all);
        expect(counted({ not: a }, cases)).toBe(all - counted(a, cases));
        const both = counted({ and: [a, b] }, cases);
        expect(counted({ or: [a, b] }, cases)).toBe(counted(a, cases) + counted(b, cases) - both);
      }),
      { numRuns: 500 },
    );
  });

  test("does not depend on rows of other tables", () => {
    fc.assert(
      fc.property(spec, happenings, (raw, cases) => {
        const given = evidence(cases);
        const more = {
          ...given,
          diff: { ...given.diff, inserts: [{ __table__: "log", id: 1 }, ...given.diff.inserts] },
        };
        const compiled = compile(raw, VOCABULARY);
        expect(evaluate(compiled, KEYS, more).failures).toEqual(
          evaluate(compiled, KEYS, given).failures,
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe("a closed world", () => {
  const thing = (fields: object) => ({ __table__: "things", ...fields }) as JsonObject;
  const closed = (
    assertions: object[],
    diff: Partial<RunEvidence["diff"]>,
    unchangedColumns: JsonObject[] = [],
  ) =>
    evaluate(compile({ assertions, closed_world: true }, VOCABULARY), KEYS, {
      diff: { inserts: [], updates: [], deletes: [], ...diff },
      unchangedColumns,
      revertedRows: [],
      transientRows: [],
      baselineRows: {},
    });

  test("without assertions passes for a run that changes nothing", () => {
    expect(closed([], {})).toMatchObject({
      passed: true,
      score: { passed: 0, total: 0, percent: 100 },
    });
    expect(closed([], { inserts: [thing({ id: 1 })] })).toMatchObject({
      passed: false,
      score: { passed: 0, total: 0, percent: 0 },
      failures: ['closed_world things has an unexpected added row {"id":1}'],
    });
  });

  test("does not require assertions for computed columns", () => {
    const update = thing({ key: { id: 1 }, before: { seen: 1 }, after: { seen: 2 } });
    const diff = { inserts: [{ __table__: "log", id: 1 }], updates: [update] };
    expect(closed([], diff, [{ id: 1 }]).failures).toEqual([]);
  });

  test("lists at most a hundred rows", () => {
    const inserts = Array.from({ length: 150 }, (_, id) => thing({ id }));
    const lines = closed([], { inserts }).failures;
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("closed_world 50 more unexpected rows");
    expect(closed([], { inserts: inserts.slice(0, 100) }).failures).toHaveLength(100);
    expect(closed([], { inserts: inserts.slice(0, 101) }).failures.at(-1)).toBe(
      "closed_world 1 more unexpected rows",
    );
  });

  test("needs no explanation of why it has no assertions; an open one does", () => {
    const nothing = { inserts: [], updates: [], deletes: [] };
    const open = evaluate(compile({ assertions: [] }, VOCABULARY), KEYS, {
      diff: nothing,
      ...{ unchangedColumns: [], revertedRows: [], transientRows: [], baselineRows: {} },
    });
    expect(open).toMatchObject({ passed: true, explanations: [{ assertion: 0, nearest: [] }] });
    expect(closed([], {}).explanations).toEqual([]);
  });
});

test("changes by the clock and by counterparts are apart, and conditions may name their unchanged columns", () => {
  const update = (id: number, actor?: string) =>
    ({
      ...{ __table__: "things", ...(actor && { __actor__: actor }) },
      ...{ key: { id }, before: { size: 1 }, after: { size: 2 } },
    }) as JsonObject;
  const changes = (id: number, name: string) => ({
    diff: { inserts: [], updates: [update(id)], deletes: [] },
    unchangedColumns: [{ id, name }],
  });
  const others = {
    ...{ inserts: [], updates: [update(2, "clock"), update(3, "counterpart")], deletes: [] },
    unchangedColumns: [
      { id: 2, name: "by the clock" },
      { id: 3, name: "by Dana" },
    ],
  };
  const judge = (assertion: object) =>
    evaluate(
      compile(
        { assertions: [{ diff_type: "changed", entity: "things", ...assertion }] },
        VOCABULARY,
      ),
      KEYS,
      {
        ...changes(1, "by a call"),
        ...{ revertedRows: [], transientRows: [], baselineRows: {} },
        others,
      } as RunEvidence,
    ).passed;
  const size = { expected_changes: { size: { from: 1, to: 2 } } };

  expect(judge({ ...size, where: { name: "by a call" } })).toBe(true);
  expect(judge({ ...size, where: { name: "by the clock" } })).toBe(false);
  expect(judge({ ...size, actor: "clock", where: { name: "by the clock" } })).toBe(true);
  expect(judge({ ...size, actor: "clock", where: { name: "by a call" } })).toBe(false);
  expect(judge({ ...size, where: { name: "by Dana" } })).toBe(false);
  expect(judge({ ...size, actor: "clock", where: { name: "by Dana" } })).toBe(false);
  expect(judge({ ...size, actor: "counterpart", where: { name: "by Dana" } })).toBe(true);
  expect(judge({ ...size, actor: "counterpart", expected_count: 1 })).toBe(true);
});

test("unchanged rows are those from before the run, whatever the clock and counterparts do", () => {
  const row = (id: number, name: string, more: object = {}) =>
    ({ __table__: "things", id, name, size: 1, ...more }) as JsonObject;
  const by = { __actor__: "counterpart" };
  const change = (id: number, before: object, after: object, more: object = {}) =>
    ({ __table__: "things", key: { id }, before, after, ...more }) as JsonObject;
  const judge = (...assertions: object[]) =>
    evaluate(
      compile(
        {
          assertions: assertions.map((each) => ({
            ...{ diff_type: "unchanged", entity: "things", ...each },
          })),
        },
        VOCABULARY,
      ),
      KEYS,
      {
        diff: {
          inserts: [],
          updates: [change(6, { size: 1 }, { size: 2 }), change(9, { size: 1 }, { size: 2 })],
          deletes: [row(7, "new"), row(10, "over")],
        },
        unchangedColumns: [
          { id: 6, name: "new" },
          { id: 9, name: "over" },
        ],
        revertedRows: [row(8, "new")],
        transientRows: [],
        baselineRows: {
          things: [row(1, "kept"), row(2, "new"), row(3, "closed"), row(6, "new"), row(8, "new")],
        },
        others: {
          inserts: [2, 5, 6, 7, 8].map((id) => row(id, "new", by)),
          updates: [
            change(3, { name: "open" }, { name: "closed" }, { __actor__: "clock" }),
            change(4, { name: "open" }, { name: "closed" }, by),
            change(9, { name: "begun" }, { name: "over" }, { __actor__: "clock" }),
            change(10, { name: "first" }, { name: "over" }, { __actor__: "clock" }),
          ],
          deletes: [
            row(4, "closed", { __actor__: "clock" }),
            row(5, "new", { __actor__: "clock" }),
          ],
          unchangedColumns: [
            { id: 3, size: 1 },
            { id: 4, size: 1 },
            { id: 9, size: 2 },
            { id: 10, size: 1 },
          ],
        },
      },
    );
  const count = (where: object) => (expected_count: number) =>
    judge({ where, expected_count }).passed;

  expect(count({ name: "kept" })(1)).toBe(true);
  expect(count({ name: "new" })(0)).toBe(true);
  expect(count({ name: "open" })(2)).toBe(true);
  expect(count({ name: "closed" })(0)).toBe(true);
  expect(count({})(3)).toBe(true);
  // A change of ignored columns only is none, and what the clock has changed in that row is not the agent's.
  const ignore = ["size"];
  expect(judge({ where: { name: "begun" }, expected_count: 1, ignore }).passed).toBe(true);
  expect(judge({ where: { name: "over" }, expected_count: 0, ignore }).passed).toBe(true);
  expect(judge({ where: { name: "begun" }, expected_count: 0 }).passed).toBe(true);
  // It held before the run, so that the agent lost it, and did not just fail to earn it.
  const kept = { where: { name: "first" }, expected_count: 1 };
  expect(judge(kept, { diff_type: "changed", expected_count: 2 }).reward).toBe(0);
});

describe("calls", () => {
  const NOTHING = {
    diff: { inserts: [], updates: [], deletes: [] },
    ...{ unchangedColumns: [], revertedRows: [], transientRows: [], baselineRows: {} },
  };
  const called = (name: string, status = 200, fields: object = {}) => ({
    ...{ via: "rest", name, arguments: {}, status, fault: null },
    error: status === 200 ? null : "failed",
    ...fields,
  });
  const judge = (assertion: object, ...calls: ReturnType<typeof called>[]) =>
    evaluate(compile({ assertions: [{ diff_type: "called", ...assertion }] }, VOCABULARY), KEYS, {
      ...NOTHING,
      calls: calls.map((call, index) => ({ n: index + 1, ...call })),
    });
  const counted = (assertion: object, ...calls: ReturnType<typeof called>[]) =>
    Number(
      /but got (\d+)/.exec(
        judge({ ...assertion, expected_count: 99 }, ...calls).failures[0] ?? "",
      )?.[1],
    );

  test("are counted by their name, or its beginning, and by their fields", () => {
    const calls = [
      called("chat.postMessage", 200, { arguments: { channel: "C1" } }),
      called("chat.postMessage", 429, { fault: "rate_limited" }),
      called("chat.update"),
      called("issueCreate, issueUpdate", 200, { via: "graphql" }),
    ];
    expect(counted({ entity: "chat.postMessage" }, ...calls)).toBe(2);
    expect(counted({ entity: "chat.*" }, ...calls)).toBe(3);
    expect(counted({ entity: "*" }, ...calls)).toBe(4);
    expect(counted({ entity: "chat" }, ...calls)).toBe(0);
    expect(counted({ entity: "issueUpdate" }, ...calls)).toBe(1);
    expect(counted({ entity: "*", where: { status: { gte: 400 } } }, ...calls)).toBe(1);
    expect(counted({ entity: "*", where: { fault: null, via: "rest" } }, ...calls)).toBe(2);
    expect(counted({ entity: "*", where: { "arguments.channel": "C1" } }, ...calls)).toBe(1);
  });

  test("are retries if the same call has failed before, until it succeeds", () => {
    const say = (status: number, text = "a") =>
      called("chat.postMessage", status, { arguments: { text } });
    const calls = [say(200), say(503), say(503), say(200, "b"), say(200), say(200)];
    const retries = (retry: unknown) =>
      counted({ entity: "chat.postMessage", where: { retry } }, ...calls);
    expect([retries(0), retries(1), retries(2), retries({ gte: 1 })]).toEqual([4, 1, 1, 2]);
  });

  test("that stand for several count as many, and have the retries of their group", () => {
    const failed = called("chat.update", 503, { times: 3, retry: 2 });
    const calls = [failed, called("chat.update", 503, { times: 4 }), called("chat.update")];

    expect(counted({ entity: "chat.update" }, ...calls)).toBe(8);
    expect(counted({ entity: "chat.update", where: { retry: 2 } }, ...calls)).toBe(3);
  });

  test("that are too many or too few are named", () => {
    const [first, second] = [called("chat.postMessage"), called("chat.postMessage", 500)];
    expect(
      judge({ entity: "chat.postMessage", expected_count: { max: 1 } }, first, second),
    ).toMatchObject({
      failures: ["assertion#1 chat.postMessage expected count at most 1 but got 2"],
      explanations: [
        {
          summary: "more calls were made of chat.postMessage than expected",
          nearest: [{ key: { n: 1, name: "chat.postMessage" } }, { key: { n: 2 } }],
        },
      ],
    });
    const { explanations } = judge({ entity: "*", where: { status: 500 } }, first);
    expect(explanations[0]?.nearest[0]?.failed).toEqual(["status eq 500: it is 200"]);
  });
});

test("an explanation names a column that changed too", () => {
  const update = { key: { id: 1 }, before: { name: "a", size: 1 }, after: { name: "b", size: 2 } };
  const expected = { diff_type: "changed", entity: "things", expected_changes: { name: {} } };

  const { explanations } = evaluate(compile({ assertions: [expected] }, VOCABULARY), KEYS, {
    diff: { inserts: [], updates: [{ __table__: "things", ...update } as JsonObject], deletes: [] },
    ...{ unchangedColumns: [{ id: 1 }], revertedRows: [], transientRows: [], baselineRows: {} },
  });

  expect(explanations[0]?.nearest[0]?.failed).toEqual(["size changed too"]);
});

test("an explanation shows the three nearest rows", () => {
  const rows = [1, 2, 3, 4].map((id) => ({ __table__: "things", id, name: "a", size: id }));
  const where = { name: "b", size: { gt: 1 } };

  const { explanations } = evaluate(
    compile({ assertions: [{ diff_type: "added", entity: "things", where }] }, VOCABULARY),
    KEYS,
    {
      diff: { inserts: rows, updates: [], deletes: [] },
      ...{ unchangedColumns: [], revertedRows: [], transientRows: [], baselineRows: {} },
    },
  );

  expect(explanations[0]?.nearest.map(({ key }) => key)).toEqual([{ id: 2 }, { id: 3 }, { id: 4 }]);
});

test.each([
  [{ name: "b" }, ['name eq "b": it is "a"']],
  [{ not: { name: "a" } }, ["not: what must not hold does"]],
  [{ not: { name: "b" }, size: 2 }, ["size eq 2: it is 1"]],
  [{ or: [{ name: "b", size: 2 }, { size: 3 }] }, ["size eq 3: it is 1"]],
  [{ or: [] }, ["or: there is no alternative"]],
])("an explanation of %j names what the nearest row does not meet", (where, failed) => {
  const added = [{ id: 1, name: "a", size: 1 }];
  const raw = { assertions: [{ diff_type: "added", entity: "things", where }] };
  const { explanations } = verdictOn(raw, { added, removed: [], changed: [], still: [] });

  expect(explanations[0]?.nearest[0]?.failed).toEqual(failed);
});

test("a pattern cannot stall the server", () => {
  for (const regex of ["(a+)+$", "(a|a)*$", "\\s+$", "(a{1,30}){1,30}$"]) {
    const raw = { diff_type: "added", entity: "things", where: { name: { regex } } };
    const held = (text: string) =>
      verdictOn(
        { assertions: [raw] },
        { added: [{ id: 1, name: `${text}!` }], removed: [], changed: [], still: [] },
      );
    expectLinear(held, "a", 50_000);
  }
});
