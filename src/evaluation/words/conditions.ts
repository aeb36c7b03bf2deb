/** Conditions in words: "in #general", "that says “Hello”", "whose estimate is greater than 3". */
import type { OperatorName } from "~/evaluation/operators";
import type { Condition, Said } from "~/evaluation/said";
import {
  type Beside,
  columnWords,
  labelOf,
  list,
  sayValue,
  type Words,
} from "~/evaluation/words/values";
import { onOneLine } from "~/replicas/row-words";

const PATTERN_MAX = 160;

/** After "whose text"; `%` stands for the value. */
const WHOSE: { readonly [operator in OperatorName]: string } = {
  eq: "is %",
  ne: "is not %",
  neq: "is not %",
  gt: "is above %",
  gte: "is % or above",
  lt: "is below %",
  lte: "is % or below",
  in: "is %",
  not_in: "is none of %",
  contains: "contains %",
  not_contains: "does not contain %",
  starts_with: "begins with %",
  ends_with: "ends with %",
  regex: "matches %",
  exists: "exists",
  is_null: "is missing",
  not_null: "is given",
  has_any: "has any of %",
  has_all: "has all of %",
  i_eq: "is %, in any case",
  i_contains: "contains %, in any case",
  i_starts_with: "begins with %, in any case",
  i_ends_with: "ends with %, in any case",
};

function operandOf(
  words: Words,
  table: string,
  { path, operator, operand }: Condition,
  beside: Beside,
): string {
  const column = columnWords(words, table, path);
  if (operator === "regex") return `/${onOneLine(String(operand), PATTERN_MAX)}/`;
  if (Array.isArray(operand) && operator !== "eq")
    return list(
      operand.map((each) => sayValue(words, column, each, beside)),
      operator === "has_all" ? "and" : "or",
    );
  return sayValue(words, column, operand, beside);
}

/** "contains “x”", of a column that the sentence has named. */
function sayOperator(words: Words, table: string, condition: Condition, beside: Beside): string {
  const { operator, operand } = condition;
  const isMissing = operator === "is_null" ? operand === true : operator === "not_null" && !operand;
  if (operator === "is_null" || operator === "not_null")
    return isMissing ? "is missing" : "is given";
  if (operator === "exists") return operand === false ? "is missing" : "is given";
  if (operator === "eq" && operand === null) return "is missing";
  return WHOSE[operator].replace("%", () => operandOf(words, table, condition, beside));
}

/** The expectation of a value: "“x”", or "contains “x”". */
export function sayExpected(
  words: Words,
  table: string,
  condition: Condition,
  beside: Beside = {},
): string {
  const { operator, operand } = condition;
  if (operator === "eq" || operator === "in")
    return operand === null ? "nothing" : operandOf(words, table, condition, beside);
  if (operator === "is_null" || operator === "not_null" || operator === "exists") {
    const isGiven = (operator === "is_null") !== (operand === true);
    return isGiven ? "a value" : "nothing";
  }
  return sayOperator(words, table, condition, beside);
}

/** A condition on a row. Empty: not worth a word. */
function phrase(words: Words, table: string, condition: Condition, beside: Beside): string {
  const { path, operator, operand } = condition;
  const column = columnWords(words, table, path);
  const label = labelOf(words, table, path);
  const isNull =
    (operator === "eq" && operand === null) ||
    (operator === "is_null" && operand === true) ||
    (operator === "not_null" && operand === false);
  if (isNull) return column.none ?? `without ${a(label)}`;
  if (operator === "eq" && operand === true) return column.yes ?? `with “${label}”`;
  if (operator === "eq" && operand === false) return column.no ?? `without “${label}”`;
  const value = () => operandOf(words, table, condition, beside);
  const { is, says = {} } = column;
  if (operator === "eq" && typeof operand === "string" && Object.hasOwn(says, operand))
    return says[operand] ?? "";
  if (is !== undefined) {
    const space = is === "" ? "" : " ";
    if (operator === "eq" || operator === "in") return `${is}${space}${value()}`;
    if (operator === "ne" || operator === "neq" || operator === "not_in")
      return `not ${is}${space}${value()}`;
  }
  if (column.isText)
    return operator === "eq"
      ? `that says ${value()}`
      : `that ${sayOperator(words, table, condition, beside)}`;
  return `whose ${label} ${sayOperator(words, table, condition, beside)}`;
}

const a = (label: string) => `${/^[aeiou]/i.test(label) ? "an" : "a"} ${label}`;

/** All conditions in their order, those on texts last. */
export function sayConditions(words: Words, table: string, said: Said): string[] {
  const leaves = phrases(words, table, said, besideOf(said));
  const isLast = (text: string) => text.startsWith("that ");
  return [...leaves.filter((text) => !isLast(text)), ...leaves.filter(isLast)];
}

/** Values that all rows must have. */
function besideOf(said: Said): Beside {
  if (said.kind === "all") return Object.assign({}, ...said.of.map(besideOf));
  return said.kind === "leaf" && said.leaf.operator === "eq"
    ? { [said.leaf.path]: said.leaf.operand }
    : {};
}

function phrases(words: Words, table: string, said: Said, beside: Beside): string[] {
  switch (said.kind) {
    case "leaf":
      return [phrase(words, table, said.leaf, beside)].filter(Boolean);
    case "all":
      return said.of.flatMap((part) => phrases(words, table, part, beside));
    case "any":
      return [list(said.of.map((part) => choice(words, table, part)).filter(Boolean), "or")];
    case "not":
      return [`but not ${together(words, table, said.of) || "any"}`];
  }
}

/** "whose title is “a”", "not whose title is “a”". */
const choice = (words: Words, table: string, said: Said) =>
  together(words, table, said).replace(/^but not /, "not ");

/** A part of a spec as one phrase. */
export const together = (words: Words, table: string, said: Said) =>
  sayConditions(words, table, said).join(" and ");
