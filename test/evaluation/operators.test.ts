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
])("of a column of %s: %s %j", (type, operator, operand, isFitting) => {
  expect(misfitOf(type, operator, operand) === undefined).toBe(isFitting);
});

test.each<[value: unknown, operator: OperatorName, operand: unknown, holds: boolean]>([
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T05:30:00+05:30", true],
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T05:30:00+0530", true],
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T01:00:00+01", true],
  ["2026-01-01T00:00:00Z", "eq", "2026-01-01T05:30:00+05:00", false],
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
  const world = { tables, derived: {}, calls: new Set(["chat.update"]) };

  expect(callsWanted(compile({ assertions }, world).assertions)).toEqual({
    names: ["chat.*"],
    fields: new Set(["arguments", "status", "error"]),
  });
});
