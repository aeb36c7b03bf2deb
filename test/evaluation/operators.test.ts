/** The names that authors of assertions rely on, and operators that no value of a column can meet. */
import { expect, test } from "bun:test";
import { compile } from "~/evaluation/compile";
import { misfitOf } from "~/evaluation/fit";
import { OPERATORS, type OperatorName } from "~/evaluation/operators";

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
