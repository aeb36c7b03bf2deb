/** Rejects conditions on a column that no value of its type can meet, or that every value meets. */
import type { OperatorName } from "~/evaluation/operators";
import { isArray, isDecimal, isInstant } from "~/evaluation/values";

/** The values of a column in a diff. */
type Kind = "text" | "integer" | "number" | "boolean" | "moment" | "list" | "any";

function kindOf(type: string): Kind {
  if (type.endsWith("[]")) return "list";
  if (/^jsonb?$/.test(type)) return "any";
  if (type === "boolean") return "boolean";
  if (/^(smallint|integer|bigint)$/.test(type)) return "integer";
  if (/^(real|double precision|numeric)/.test(type)) return "number";
  if (type === "date" || type.startsWith("timestamp")) return "moment";
  return "text";
}

const SAYS: { readonly [kind in Kind]: string } = {
  text: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  moment: "a date or a time",
  list: "a list",
  any: "any JSON",
};

/** Whether a column of this kind can have the value. Numbers that JSON cannot hold are text in diffs. */
function canBe(kind: Kind, value: unknown): boolean {
  if (value === null) return true;
  switch (kind) {
    case "any":
      return true;
    case "text":
      return typeof value === "string";
    case "integer":
      return typeof value === "string" ? isDecimal(value) : Number.isInteger(value);
    case "number":
      return typeof value === "string" ? isDecimal(value) : typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "moment":
      return typeof value === "string" && (isInstant(value) || value.endsWith("infinity"));
    case "list":
      return isArray(value);
  }
}

/** The kinds whose values an operator that takes any operand of its own type can read. */
const READS: { readonly [operator in OperatorName]?: readonly Kind[] } = {
  contains: ["text", "moment", "list"],
  not_contains: ["text", "moment", "list"],
  starts_with: ["text", "moment"],
  ends_with: ["text", "moment"],
  regex: ["text", "moment"],
  i_eq: ["text", "moment"],
  i_contains: ["text", "moment"],
  i_starts_with: ["text", "moment"],
  i_ends_with: ["text", "moment"],
  has_any: ["list"],
  has_all: ["list"],
};

/** Returns why no row can depend on this condition; undefined if one can. `type`: of the column, as Postgres prints it. */
export function misfitOf(type: string, operator: OperatorName, operand: unknown) {
  const kind = kindOf(type);
  return kind === "any" || fits(kind, operator, operand)
    ? undefined
    : `the column is ${type}, so its value is ${SAYS[kind]}`;
}

function fits(kind: Kind, operator: OperatorName, operand: unknown): boolean {
  switch (operator) {
    case "eq":
    case "ne":
    case "neq":
      return canBe(kind, operand);
    case "in":
    case "not_in":
      return (operand as unknown[]).every((each) => canBe(kind, each));
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (kind === "text") return true;
      return (
        kind !== "boolean" &&
        kind !== "list" &&
        canBe(kind === "integer" ? "number" : kind, operand)
      );
    default: {
      const kinds = READS[operator];
      if (kinds && !kinds.includes(kind)) return false;
      return !operator.endsWith("contains") || kind === "list" || typeof operand === "string";
    }
  }
}
