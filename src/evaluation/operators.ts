/**
 * The operators of conditions. This table is the only list: the shape of specs, their validation, the JSON Schema, the
 * reference and the verdict all use it.
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { RE2JS } from "re2js";
import type { JsonValue } from "~/capture/value";
import { compare, equal, isArray, isInstant } from "~/evaluation/values";

/** `undefined`: the path does not exist. A column always has a value, which may be null. */
export type Value = JsonValue | undefined;
export type Test = (value: Value) => boolean;

type Operator = {
  readonly operand: TSchema;
  readonly says: string;
  /** Throws for an invalid operand, which only a regex can have. */
  readonly compile: (operand: never) => Test;
};

const TEXT_MAX = 8_000;
const REGEX_MAX = 1_000;
const LIST_MAX = 1_000;

const Text = Type.String({ maxLength: TEXT_MAX });
const Scalar = Type.Union([Text, Type.Number(), Type.Boolean(), Type.Null()]);
const List = Type.Array(Type.Unknown(), { maxItems: LIST_MAX });
const Orderable = Type.Union([Type.Number(), Text]);
/** A literal means `eq`. An object would be read as operators, so that only `eq` itself accepts one. */
export const Literal = Type.Union([Scalar, List]);

const operator = <O>(operand: TSchema, says: string, compile: (operand: O) => Test): Operator => ({
  operand,
  says,
  compile,
});

const equals = (operand: JsonValue): Test => {
  if (
    typeof operand === "string"
      ? !isInstant(operand)
      : typeof operand !== "object" || operand === null
  )
    return (value) => value === operand;
  return (value) => value !== undefined && equal(value, operand);
};
const not =
  <O>(compile: (operand: O) => Test) =>
  (operand: O): Test => {
    const test = compile(operand);
    return (value) => !test(value);
  };
const ordered = (holds: (order: number) => boolean) => (operand: string | number) => {
  return (value: Value) => {
    const order = compare(value, operand);
    return order !== undefined && holds(order);
  };
};
const isIn = (list: JsonValue[]): Test => {
  const tests = list.map(equals);
  return (value) => tests.some((test) => test(value));
};
const contains = (operand: JsonValue): Test => {
  const same = equals(operand);
  return (value) =>
    isArray(value)
      ? value.some(same)
      : typeof value === "string" && typeof operand === "string" && value.includes(operand);
};
const text =
  (holds: (value: string, operand: string) => boolean) =>
  (operand: string): Test =>
  (value) =>
    typeof value === "string" && holds(value, operand);
const caseless =
  (holds: (value: string, operand: string) => boolean) =>
  (operand: string): Test => {
    const folded = operand.toLowerCase();
    return (value) => typeof value === "string" && holds(value.toLowerCase(), folded);
  };
const hasSome = (list: JsonValue[]): Test => {
  const tests = list.map(equals);
  return (value) => isArray(value) && tests.some((test) => value.some(test));
};
const hasEvery = (list: JsonValue[]): Test => {
  const tests = list.map(equals);
  return (value) => isArray(value) && tests.every((test) => value.some(test));
};
const isNull = (wanted: boolean): Test => {
  return (value) => (value === null || value === undefined) === wanted;
};
const regex = (pattern: string): Test => {
  const compiled = RE2JS.compile(pattern);
  return (value) => typeof value === "string" && compiled.test(value);
};

const Any = Type.Union([Literal, Type.Record(Type.String(), Type.Unknown())]);
const Pattern = Type.String({ maxLength: REGEX_MAX });
const Yes = Type.Boolean();

export const OPERATORS = {
  eq: operator(
    Any,
    "equals; timestamps compare as moments, objects regardless of key order",
    equals,
  ),
  ne: operator(Any, "does not equal", not(equals)),
  neq: operator(Any, "the same as `ne`", not(equals)),
  gt: operator(
    Orderable,
    "is greater than: both numbers, both timestamps, or both text",
    ordered((order) => order > 0),
  ),
  gte: operator(
    Orderable,
    "is greater or equal",
    ordered((order) => order >= 0),
  ),
  lt: operator(
    Orderable,
    "is less than",
    ordered((order) => order < 0),
  ),
  lte: operator(
    Orderable,
    "is less or equal",
    ordered((order) => order <= 0),
  ),
  in: operator(List, "equals one of the list", isIn),
  not_in: operator(List, "equals none of the list", not(isIn)),
  contains: operator(
    Literal,
    "text that contains this text, or a list with this element",
    contains,
  ),
  not_contains: operator(Literal, "not `contains`", not(contains)),
  starts_with: operator(
    Text,
    "text that starts with this",
    text((value, operand) => value.startsWith(operand)),
  ),
  ends_with: operator(
    Text,
    "text that ends with this",
    text((value, operand) => value.endsWith(operand)),
  ),
  regex: operator(Pattern, "text that matches this RE2 pattern, anywhere", regex),
  exists: operator(Yes, "the path exists; its value may be null", (wanted: boolean) => {
    return (value: Value) => (value !== undefined) === wanted;
  }),
  is_null: operator(Yes, "is null, or the path does not exist", isNull),
  not_null: operator(Yes, "the path exists and is not null", not(isNull)),
  has_any: operator(List, "a list with one of these elements", hasSome),
  has_all: operator(List, "a list with all of these elements", hasEvery),
  i_eq: operator(
    Text,
    "equals, ignoring case",
    caseless((value, operand) => value === operand),
  ),
  i_contains: operator(
    Text,
    "text that contains this text, ignoring case",
    caseless((value, operand) => value.includes(operand)),
  ),
  i_starts_with: operator(
    Text,
    "text that starts with this, ignoring case",
    caseless((value, operand) => value.startsWith(operand)),
  ),
  i_ends_with: operator(
    Text,
    "text that ends with this, ignoring case",
    caseless((value, operand) => value.endsWith(operand)),
  ),
} as const satisfies Record<string, Operator>;

export type OperatorName = keyof typeof OPERATORS;

/** Names of operators in other query languages, where a similar name here means something else. */
export const KNOWN_AS: ReadonlyMap<string, OperatorName> = new Map([
  ["equals", "eq"],
  ["not_equals", "ne"],
  ["nin", "not_in"],
  ["like", "contains"],
  ["ilike", "i_contains"],
  ["matches", "regex"],
  ["match", "regex"],
  ["null", "is_null"],
]);

export const isOperator = (name: string): name is OperatorName => Object.hasOwn(OPERATORS, name);

export const compileOperator = (name: OperatorName, operand: unknown): Test =>
  OPERATORS[name].compile(operand as never);
