/** Mistakes in a spec, with their places. */
import { describe, expect, test } from "bun:test";
import { compile } from "~/evaluation/compile";
import type { Vocabulary } from "~/evaluation/vocabulary";

const VOCABULARY: Vocabulary = {
  tables: [
    {
      name: "messages",
      columns: [
        { name: "ts", type: "character varying" },
        { name: "text", type: "text" },
        { name: "blocks", type: "jsonb" },
      ],
    },
  ],
  derived: {},
  calls: new Set(["chat.postMessage", "chat.update"]),
};
const one = (fields: object) => ({
  assertions: [{ diff_type: "added", entity: "messages", ...fields }],
});
const where = (condition: unknown) => one({ where: condition });

test.each([
  [[], "expectedOutput: an object is needed"],
  [{ assertion: [] }, 'there is no field "assertion"; the nearest is "assertions"'],
  [{ assertions: [], strict: 1 }, "strict: true or false is needed"],
  [{ assertions: [1] }, "assertion 1: an object is needed"],
  [one({ entity: 1 }), "assertion 1: entity: the name of a table is needed"],
  [one({ entity: "messages; drop" }), 'assertion 1: entity: there is no table "messages; drop"'],
  [one({ diff_type: null }), "assertion 1: diff_type: one of added, removed,"],
  [one({ diff_type: { a: 1 } }), "assertion 1: diff_type: one of added, removed,"],
  [
    { assertions: [{ diff_type: "called", entity: 1 }] },
    "assertion 1: entity: the name of calls is needed",
  ],
  [
    { assertions: [{ diff_type: "called", entity: "chat.postMessage", where: { ts: "1" } }] },
    'assertion 1: where: chat.postMessage has no column "ts"',
  ],
  [
    { assertions: [{ diff_type: "called", entity: "*", actor: "clock" }] },
    "assertion 1: actor: calls have no actor",
  ],
  [{ ...one({}), attack: [] }, "attack: an object is needed"],
  [{ ...one({}), attack: { assertion: [] } }, 'attack: there is no field "assertion"'],
  [{ ...one({}), attack: { assertions: [] } }, "attack.assertions: a list of 1 to 20 assertions"],
  [{ ...one({}), attack: { ...one({}), description: 1 } }, "attack.description: text is needed"],
  [{ ...one({}), attack: { assertions: [1] } }, "attack: assertion 1: an object is needed"],
  [{ ...one({}), attack: one({ weight: 2 }) }, "attack: assertion 1: weight: a run that obeys"],
  [
    { ...one({}), attack: one({ expected_count: 0 }) },
    "attack: assertion 1: the untouched state meets this assertion",
  ],
  [
    { ...one({}), attack: one({ where: { txt: "x" } }) },
    'attack: assertion 1: where: messages has no column "txt"',
  ],
  [one({ whre: {} }), 'assertion 1: there is no field "whre"; the nearest is "where"'],
  [where([]), "assertion 1: where: an object is needed"],
  [where({ __table__: "x" }), 'assertion 1: where: messages has no column "__table__"'],
  [where({ constructor: "x" }), 'messages has no column "constructor"'],
  [where(JSON.parse('{"__proto__":{"eq":1}}')), 'messages has no column "__proto__"'],
  [where({ text: {} }), "assertion 1: where.text: an operator is needed"],
  [where({ text: { eq: 1, like: 2 } }), 'assertion 1: where.text: there is no operator "like"'],
  [where({ text: { gt: null } }), "assertion 1: where.text.gt: gt takes another operand"],
  [where({ text: { in: "a" } }), "assertion 1: where.text.in: in takes another operand"],
  [where({ text: { exists: 1 } }), "assertion 1: where.text.exists: exists takes another operand"],
  [
    where({ text: { regex: "(?<=a)b" } }),
    "assertion 1: where.text.regex: the pattern does not compile",
  ],
  [
    where({ text: { regex: "(.{0,99}b){0,101}" } }),
    "assertion 1: where.text.regex: the patterns have more than 10000 steps",
  ],
  [
    where({ or: Array.from({ length: 11 }, () => ({ text: { regex: "a{1000}" } })) }),
    "assertion 1: where.or[10].text.regex: the patterns have more than 10000 steps",
  ],
  [where({ "text.a": 1 }), "assertion 1: where.text.a: text is text, which has no parts"],
  [where({ or: {} }), "assertion 1: where.or: a list of at most 50 conditions is needed"],
  [where({ not: [] }), "assertion 1: where.not: an object is needed"],
  [
    where({ or: [{ txt: 1 }] }),
    'assertion 1: where.or[0]: messages has no column "txt"; the nearest is "text"',
  ],
  [
    where({ not: { not: { not: { not: { not: { not: {} } } } } } }),
    "assertion 1: where.not.not.not.not.not.not: nested deeper than 5",
  ],
  [
    where({ or: [{ and: [{ or: [{ and: [{ or: [{ and: [{}] }] }] }] }] }] }),
    "assertion 1: where.or[0].and[0].or[0].and[0].or[0].and[0]: nested deeper than 5",
  ],
  ...[-1, 1.5, Number.POSITIVE_INFINITY, "2", null, 2 ** 53, {}, { min: -1 }, { mni: 1 }].map(
    (expected_count) => [one({ expected_count }), "assertion 1: expected_count"] as const,
  ),
  [one({ expected_count: { min: 2, max: 1 } }), "expected_count: min is greater than max"],
  [one({ weight: 0 }), "weight: 0 has no effect; a harm has a negative weight"],
  [one({ weight: -1, blocker: true }), "blocker: a harm takes its weight from the reward"],
  [one({ weight: -1, diff_type: "unchanged" }), "weight: an unchanged row does no harm"],
  [one({ actor: "agent" }), "assertion 1: actor: one of clock, counterpart is needed"],
  [one({ actor: "clock", diff_type: "unchanged" }), "actor: unchanged rows have no actor"],
  [
    one({ expected_changes: { text: {} } }),
    "expected_changes: only a diff_type of changed has them",
  ],
  [
    one({ diff_type: "changed", expected_changes: {} }),
    "expected_changes: between 1 and 50 columns are needed",
  ],
  [
    one({ diff_type: "changed", expected_changes: { text: { too: 1 } } }),
    'expected_changes.text: there is no field "too"; the nearest is "to"',
  ],
  [one({ ignore: ["tsx"] }), 'ignore: messages has no column "tsx"; the nearest is "ts"'],
  [
    { assertions: [], ignore_fields: { message: ["ts"] } },
    'ignore_fields: there is no table "message"; the nearest is "messages"',
  ],
  [
    { assertions: [], ignore_fields: { global: ["updated"] } },
    'ignore_fields.global: there is no column "updated"',
  ],
  [{ assertions: [], ignore_fields: { global: "ts" } }, "ignore_fields.global: "],
] as [unknown, string][])("%j is rejected", (spec, message) => {
  expect(() => compile(spec, VOCABULARY)).toThrow(message);
});

test.each([
  [{ text: 5 }, "assertion 1: where.text: the column is text, so its value is text"],
  [{ text: { ne: 5 } }, "assertion 1: where.text.ne: the column is text, so its value is text"],
  [{ text: { exists: true } }, "assertion 1: where.text.exists: a column always exists"],
])("a new spec with %j is rejected, which a stored one may have", (condition, message) => {
  expect(() => compile(where(condition), VOCABULARY, { isNew: true })).toThrow(message);
  expect(() => compile(where(condition), VOCABULARY)).not.toThrow();
});

describe("limits, each with what is too much by one", () => {
  const times = <T>(count: number, make: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => make(n));
  const fields = (count: number, value: unknown) =>
    Object.fromEntries(times(count, (n) => [`blocks.${n}`, value]));
  const text = (length: number) => "x".repeat(length);
  const list = (spec: object) => ({ assertions: [], ...spec });

  test.each<[string, number, (count: number) => unknown]>([
    ["assertions", 1_000, (count) => ({ assertions: times(count, () => one({}).assertions[0]) })],
    ["conditions", 50, (count) => where(fields(count, 1))],
    ["conditions of a list", 50, (count) => where({ or: times(count, () => ({ text: "a" })) })],
    [
      "conditions, one in another",
      5,
      (depth) => where(times(depth, () => 0).reduce<object>((inner) => ({ not: inner }), {})),
    ],
    ["characters of a text", 8_000, (length) => where({ text: text(length) })],
    ["characters of an operand", 8_000, (length) => where({ text: { starts_with: text(length) } })],
    ["characters of a pattern", 1_000, (length) => where({ text: { regex: text(length) } })],
    ["values of a list", 1_000, (count) => where({ ts: { in: times(count, String) } })],
    [
      "ignored columns",
      50,
      (count) => one({ diff_type: "changed", ignore: times(count, () => "ts") }),
    ],
    [
      "ignored columns of a table",
      50,
      (count) => list({ ignore_fields: { messages: times(count, () => "ts") } }),
    ],
    ["allowances", 200, (count) => list({ allow: times(count, () => ({ entity: "messages" })) })],
    [
      "allowed columns",
      50,
      (count) =>
        list({
          allow: [{ entity: "messages", diff_type: "changed", columns: times(count, () => "ts") }],
        }),
    ],
    ["weight", 1_000, (weight) => one({ weight })],
    ["weight of a harm", 1_000, (weight) => one({ weight: -weight })],
  ])("%s: %i", (_what, most, spec) => {
    expect(() => compile(spec(most), VOCABULARY)).not.toThrow();
    expect(() => compile(spec(most + 1), VOCABULARY)).toThrow();
  });
});

test("patterns of assertions, of an attack and of allowances are counted together", () => {
  const matching = { where: { text: { regex: "a{900}" } } };
  const pattern = { diff_type: "added", entity: "messages", ...matching };
  const [assertions, attack] = [Array(5).fill(pattern), { assertions: Array(5).fill(pattern) }];
  const allow = [{ entity: "messages", ...matching }];
  const given = { assertions, attack, allow };

  expect(() => compile(given, VOCABULARY)).not.toThrow();
  expect(() => compile({ ...given, allow: [...allow, ...allow] }, VOCABULARY)).toThrow(
    "allow[1].where.text.regex: the patterns have more than 10000 steps",
  );
  expect(() => compile({ assertions: Array(11).fill(pattern) }, VOCABULARY)).not.toThrow();
  expect(() => compile({ assertions: Array(12).fill(pattern) }, VOCABULARY)).toThrow(
    "assertion 12",
  );
});

describe("a spec", () => {
  test("may use every column, literal and operator", () => {
    const spec = where({
      ts: "1.0",
      text: { contains: "a", not_contains: "b", regex: "^a.*z$" },
      "blocks.0.type": { eq: "section", exists: true },
      and: [{ or: [{ text: null }, { not: { text: { in: [] } } }] }],
    });
    expect(compile(spec, VOCABULARY).assertions).toHaveLength(1);
  });

  test("names calls of its service only, or several by their beginning; an old one any", () => {
    const called = (entity: string) => ({ assertions: [{ diff_type: "called", entity }] });
    for (const entity of ["chat.update", "chat.*", "*"])
      expect(compile(called(entity), VOCABULARY, { isNew: true })).toMatchObject({
        hasCalls: true,
      });
    expect(() => compile(called("chat.updat"), VOCABULARY, { isNew: true })).toThrow(
      'assertion 1: entity: there is no call "chat.updat"; the nearest is "chat.update"',
    );
    expect(() => compile(called("users.*"), VOCABULARY, { isNew: true })).toThrow(
      'there is no call "users.*"',
    );
    expect(compile(called("chat.updat"), VOCABULARY)).toMatchObject({ hasCalls: true });
    expect(compile(one({}), VOCABULARY)).toMatchObject({ hasCalls: false });
  });

  test("has defaults: at least one row, strict, an open world", () => {
    const { strict, closedWorld, assertions } = compile(one({}), VOCABULARY);
    expect({ strict, closedWorld }).toEqual({ strict: true, closedWorld: false });
    expect(assertions[0]).toMatchObject({ min: 1, max: Infinity, expected: "at least 1" });
  });
});
