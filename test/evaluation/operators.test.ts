/** The names that authors of assertions rely on, and operators that no value of a column can meet. */
import { expect, test } from "bun:test";
import { callsWanted } from "~/evaluation/calls";
import { compile } from "~/evaluation/compile";
import { misfitOf } from "~/evaluation/fit";
import { compileOperator, OPERATORS, type OperatorName } from "~/evaluation/operators";

const NAMES =
  "eq ne neq gt gte lt lte in not_in contains not_contains i_contains starts_with i_starts_with ends_with i_ends_with i_eq regex exists is_null not_null has_any has_all";

test("the operators are these", () => {
  expect(Object.keys(OPERATORS).toSorted()).toEqual(NAMES.split(" ").toSorted());
});

test.each([
  ["equals", "eq"],
  ["not_equals", "ne"],
  ["nin", "not_in"],
  ["like", "contains"],
  ["ilike", "i_contains"],
  ["matches", "regex"],
  ["match", "regex"],
  ["null", "is_null"],
  ["containz", "contains"],
])("the name %s leads to %s", (name, known) => {
  const tables = [{ name: "messages", columns: [{ name: "text", type: "text" }] }];
  const where = { text: { [name]: "x" } };
  const spec = { assertions: [{ diff_type: "added", entity: "messages", where }] };

  expect(() => compile(spec, { tables, derived: {}, calls: new Set() })).toThrow(
    `there is no operator "${name}"; the nearest is "${known}"`,
  );
});

test.each<[type: string, operator: OperatorName, operand: unknown, fits: boolean]>([
  ["integer", "eq", 1, true],
  ["integer", "eq", "x", false],
  ["integer", "in", [1, 2], true],
  ["integer", "in", [1, true], false],
  ["integer", "gt", 1.5, true],
  ["integer", "gt", "x", false],
  ["boolean", "eq", true, true],
  ["boolean", "gt", 1, false],
  ["boolean", "starts_with", "t", false],
  ["text", "gt", 5, true],
  ["text", "contains", "x", true],
  ["text", "contains", 5, false],
  ["text", "has_any", ["x"], false],
  ["text[]", "contains", 5, true],
  ["text[]", "has_any", ["x"], true],
  ["text[]", "gt", "x", false],
  ["jsonb", "gt", "x", true],
  ["jsonb", "has_any", [1], true],
  ...["smallint", "integer", "bigint"].flatMap(
    (type): [string, OperatorName, unknown, boolean][] => [
      [type, "eq", 1.5, false],
      [type, "eq", "9007199254740993", true],
      [type, "lte", "9007199254740993", true],
      [type, "eq", true, false],
      [type, "contains", "1", false],
    ],
  ),
  ...["real", "double precision", "numeric(10,2)"].flatMap(
    (type): [string, OperatorName, unknown, boolean][] => [
      [type, "eq", 1.5, true],
      [type, "eq", "1.5", true],
      [type, "eq", "x", false],
      [type, "eq", true, false],
      [type, "regex", "1", false],
    ],
  ),
  ...["date", "timestamp with time zone", "timestamp without time zone"].flatMap(
    (type): [string, OperatorName, unknown, boolean][] => [
      [type, "eq", "2026-01-05T09:00:00Z", true],
      [type, "eq", "-infinity", true],
      [type, "eq", "soon", false],
      [type, "eq", 5, false],
      [type, "lt", "soon", false],
      [type, "lt", "infinity", true],
      [type, "starts_with", "2026-", true],
      [type, "not_contains", 5, false],
      [type, "has_all", ["x"], false],
    ],
  ),
  ...["text", "integer", "numeric", "boolean", "date", "text[]", "json"].flatMap(
    (type): [string, OperatorName, unknown, boolean][] => [
      [type, "eq", null, true],
      [type, "ne", null, true],
      [type, "not_in", [null], true],
      [type, "in", [], true],
      [type, "exists", true, true],
      [type, "is_null", true, true],
    ],
  ),
  ...(
    [
      "starts_with",
      "ends_with",
      "regex",
      "i_eq",
      "i_contains",
      "i_starts_with",
      "i_ends_with",
    ] as const
  ).flatMap((operator): [string, OperatorName, unknown, boolean][] => [
    ["text", operator, "x", true],
    ["date", operator, "x", true],
    ["integer", operator, "x", false],
    ["text[]", operator, "x", false],
  ]),
  ["json", "eq", "x", true],
  ["json", "contains", 5, true],
  ["text", "eq", 1, false],
  ["text", "ne", 1, false],
  ["text", "neq", 1, false],
  ["text", "not_in", ["a", 1], false],
  ["text", "i_contains", "x", true],
  ["text", "has_all", ["x"], false],
  ["text[]", "eq", ["x"], true],
  ["text[]", "eq", "x", false],
  ["text[]", "not_contains", 5, true],
  ["text[]", "has_all", ["x"], true],
  ["text[]", "starts_with", "x", false],
  ["text[]", "lte", 1, false],
  ["boolean", "eq", "true", false],
  ["boolean", "lte", true, false],
  ["boolean", "i_eq", "t", false],
])("of a column of %s: %s %j", (type, operator, operand, isFitting) => {
  expect(misfitOf(type, operator, operand) === undefined).toBe(isFitting);
});

test.each<[value: unknown, operator: OperatorName, operand: unknown, holds: boolean]>([
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T05:30:00+05:30", true],
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T05:30:00+0530", true],
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T01:00:00+01", true],
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T05:30:00+05:00", false],
  [["a", 1], "eq", ["a", 1], true],
  [["a", 1], "eq", [1, "a"], false],
  [{ a: 1, b: [2] }, "eq", { b: [2], a: 1 }, true],
  [{ a: 1, b: [2] }, "in", [null, { a: 1 }], false],
  [null, "eq", null, true],
  [1, "lte", 1, true],
  [2, "lte", 1, false],
  [1, "lt", 1, false],
  [1, "gte", 1, true],
  [1, "gt", 1, false],
  [["a", "b"], "has_any", ["b", "c"], true],
  [["a", "b"], "has_any", ["c"], false],
  [["a", "b"], "has_any", [], false],
  [["a", "b"], "has_all", ["b", "a"], true],
  [["a", "b"], "has_all", ["b", "c"], false],
  [["a", "b"], "has_all", [], true],
  ["ab", "has_all", ["a"], false],
  ["abc", "ends_with", "bc", true],
  ["abc", "ends_with", "ab", false],
  ["ABC", "i_ends_with", "bc", true],
  ["ABC", "i_starts_with", "bc", false],
])("%j %s %j: %j", (value, operator, operand, holds) => {
  expect(compileOperator(operator, operand)(value as never)).toBe(holds);
});

test("assertions on calls say which fields of a call they read", () => {
  const tables = [{ name: "messages", columns: [{ name: "text", type: "text" }] }];
  const where = { "arguments.channel": "C1", or: [{ status: 200 }, { not: { error: null } }] };
  const assertions = [
    { diff_type: "called", entity: "chat.*", where },
    { diff_type: "added", entity: "messages", where: { text: "x" } },
  ];
  const vocabulary = { tables, derived: {}, calls: new Set(["chat.update"]) };

  expect(callsWanted(compile({ assertions }, vocabulary).assertions)).toEqual({
    names: ["chat.*"],
    fields: new Set(["arguments", "status", "error"]),
  });
});
