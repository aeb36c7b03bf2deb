/** Compiles conditions: those of a `where`, and the operators of one value. Throws SpecError. */
import { misfitOf } from "~/evaluation/fit";
import { compileEach, requireObject, SpecError } from "~/evaluation/mistakes";
import {
  compileOperator,
  isOperator,
  KNOWN_AS,
  Literal,
  OPERATORS,
  type OperatorName,
  type Value as RowValue,
} from "~/evaluation/operators";
import { stepsOf } from "~/evaluation/pattern";
import type { Leaf, Predicate } from "~/evaluation/predicate";
import { WHERE_MAX, type Where } from "~/evaluation/spec";
import { nearest, quoted } from "~/input/nearest";
import { findMisfits } from "~/input/shape";

const DEPTH_MAX = 5;
/** Compiling them takes some 50 ms. */
const PATTERN_STEPS_MAX = 10_000;

/** Types of columns by name. */
export type Columns = ReadonlyMap<string, string>;
/** Total of all patterns of a spec. */
type Patterns = { steps: number };
/** Where a condition is, and what it may name. */
export type At = {
  /** Counted from 1; undefined outside of assertions. */
  readonly assertion: number | undefined;
  readonly columns: Columns;
  readonly table: string;
  readonly patterns: Patterns;
  /** The spec was not stored before. */
  readonly isNew: boolean;
};

/** Compiles conditions by column. `path`: where they are in the spec. */
export function compileWhere(where: unknown, path: string, at: At, depth = 0): Predicate {
  if (depth > DEPTH_MAX) throw new SpecError(`nested deeper than ${DEPTH_MAX}`, path, at.assertion);
  requireObject(where, path, at.assertion);
  const entries = Object.entries(where as Where);
  if (entries.length > WHERE_MAX)
    throw new SpecError(`more than ${WHERE_MAX} conditions`, path, at.assertion);
  const all = compileEach(entries, ([key, condition]): Predicate => {
    const inside = `${path}.${key}`;
    if (key === "not") return { kind: "not", of: compileWhere(condition, inside, at, depth + 1) };
    if (key === "and" || key === "or") {
      if (!Array.isArray(condition) || condition.length > WHERE_MAX)
        throw new SpecError(
          `a list of at most ${WHERE_MAX} conditions is needed`,
          inside,
          at.assertion,
        );
      const of = compileEach(condition, (item, index) =>
        compileWhere(item, `${inside}[${index}]`, at, depth + 1),
      );
      return { kind: key === "and" ? "all" : "any", of };
    }
    const read = reader(key, path, at);
    const of = conditions(condition, key, inside, read, at).map(
      (leaf): Predicate => ({ kind: "leaf", leaf }),
    );
    return { kind: "all", of };
  });
  return { kind: "all", of: all };
}

/** Compiles the operators of one condition. `key`: a column, or a path into one; `at`: where it is in the spec. */
export function conditions(
  condition: unknown,
  key: string,
  at: string,
  read: Leaf["read"],
  context: At,
): Leaf[] {
  const { assertion, patterns } = context;
  const isLiteral = typeof condition !== "object" || condition === null || Array.isArray(condition);
  const operators = isLiteral ? { eq: condition } : (condition as object);
  const names = Object.entries(operators);
  if (names.length === 0) throw new SpecError("an operator is needed", at, assertion);
  return compileEach(names, ([name, operand]) => {
    if (!isOperator(name))
      throw new SpecError(
        `there is no operator ${quoted(name)}${nearest(KNOWN_AS.get(name) ?? name, Object.keys(OPERATORS))}`,
        at,
        assertion,
      );
    const place = isLiteral ? at : `${at}.${name}`;
    const [misfit] = findMisfits(isLiteral ? Literal : OPERATORS[name].operand, operand);
    if (misfit)
      throw new SpecError(`${name} takes another operand: ${misfit.problem}`, place, assertion);
    requireSense(name, operand, key, place, context);
    if (name === "regex") patterns.steps += stepsOf(operand);
    if (patterns.steps > PATTERN_STEPS_MAX)
      throw new SpecError(
        `the patterns have more than ${PATTERN_STEPS_MAX} steps, with repetitions expanded`,
        place,
        assertion,
      );
    try {
      return { path: key, read, operator: name, operand, test: compileOperator(name, operand) };
    } catch (error) {
      const why = error instanceof Error ? error.message.split("\n")[0]?.slice(0, 200) : "";
      throw new SpecError(`the pattern does not compile: ${why}`, place, assertion);
    }
  });
}

/** Rejects what a new spec must not have: a condition on a column that holds for every value, or for none. */
function requireSense(
  operator: OperatorName,
  operand: unknown,
  key: string,
  place: string,
  { isNew, columns, assertion }: At,
): void {
  const type = columns.get(key);
  if (!isNew || type === undefined) return;
  const problem =
    operator === "exists"
      ? "a column always exists, also where it is null; use is_null or not_null"
      : misfitOf(type, operator, operand);
  if (problem !== undefined) throw new SpecError(problem, place, assertion);
}

/** The column at the beginning of a path. A column's name may contain dots. */
export const columnOf = (path: string, { columns }: At) =>
  columns.has(path) ? path : (path.split(".")[0] ?? "");

export function requireColumn(
  column: string,
  path: string,
  { assertion, columns, table }: At,
): void {
  if (!columns.has(column))
    throw new SpecError(
      `${table} has no column ${quoted(column)}${nearest(column, columns.keys())}`,
      path,
      assertion,
    );
}

/** Types whose values have parts. */
const HAS_PARTS = /^jsonb?$|\[\]$/;

/** Returns a function that reads the value at the path. */
export function reader(path: string, at: string, context: At): Leaf["read"] {
  const column = columnOf(path, context);
  requireColumn(column, at, context);
  if (column === path) return (row) => row[column];
  const parts = path.slice(column.length + 1).split(".");
  const type = context.columns.get(column) ?? "";
  if (!HAS_PARTS.test(type))
    throw new SpecError(
      `${column} is ${type}, which has no parts`,
      `${at}.${path}`,
      context.assertion,
    );
  return (row) => {
    let value = row[column];
    for (const part of parts) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
        return undefined;
      value = (value as Record<string, RowValue>)[part];
    }
    return value;
  };
}
