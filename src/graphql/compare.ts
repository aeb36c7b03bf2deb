/** Comparators: the SQL for each key of an input that compares one value. */
import type { Fragment } from "~/db/connect";
import { InvalidArgument, requireFew } from "~/graphql/errors";
import { FILTER_VALUES_MAX } from "~/graphql/limits";
import type { Row, Scope, Value } from "~/graphql/model";
import { isUuid } from "~/graphql/uuid";
import { type Duration, dayAt, momentAt } from "~/input/duration";

export type Input = Readonly<Record<string, unknown>>;

/** How the values of a comparator become parameters: one value, or a list of values. */
type Kind = {
  readonly one: (value: unknown, scope: Scope, property: string) => Fragment;
  readonly list: (values: readonly unknown[], scope: Scope, property: string) => Fragment;
};

const TEXT: Kind = {
  one: (value, { sql }) => sql`${value as string}::text`,
  list: (values, { sql }) => sql`${values as string[]}::text[]`,
};
const NUMBER: Kind = {
  one: (value, { sql }) => sql`${value as number}::float8`,
  list: (values, { sql }) => sql`${values as number[]}::float8[]`,
};
const BOOLEAN: Kind = {
  one: (value, { sql }) => sql`${value as boolean}::boolean`,
  list: (values, { sql }) => sql`${values as boolean[]}::boolean[]`,
};
const MOMENT: Kind = {
  one: (value, { sql, now }) => sql`${momentAt(value as Date | Duration, now)}::timestamptz`,
  list: (values, { sql, now }) =>
    sql`${values.map((value) => momentAt(value as Date | Duration, now).toISOString())}::timestamptz[]`,
};
const DAY: Kind = {
  one: (value, { sql, now }) => sql`${dayAt(value as string | Duration, now)}::date`,
  list: (values, { sql, now }) =>
    sql`${values.map((value) => dayAt(value as string | Duration, now))}::date[]`,
};
const LENGTH: Kind = {
  one: (value, { sql }) => sql`${(value as Duration).seconds}::float8`,
  list: (values, { sql }) => sql`${values.map((value) => (value as Duration).seconds)}::float8[]`,
};
const ID: Kind = {
  one: (value, { sql }, property) => sql`${requireUuid(value, property)}::uuid`,
  list: (values, { sql }, property) =>
    sql`${values.map((value) => requireUuid(value, property))}::uuid[]`,
};

function requireUuid(value: unknown, property: string): string {
  if (!isUuid(value))
    throw new InvalidArgument(property, value, "isUuid", `${property} must be a UUID`);
  return value;
}

/** Ignores case and accents: letters are decomposed and their marks dropped. */
const lower = (text: Value, { sql }: Scope) => sql`lower(${text})`;
const plain = (text: Value, { sql }: Scope) =>
  sql`lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g'))`;

type Operator = (value: Value, given: Fragment, scope: Scope) => Fragment;

const contains: Operator = (value, given, { sql }) => sql`strpos(${value}, ${given}) > 0`;
const starts: Operator = (value, given, { sql }) => sql`starts_with(${value}, ${given})`;
const ends: Operator = (value, given, { sql }) => sql`right(${value}, length(${given})) = ${given}`;
const not =
  (operator: Operator): Operator =>
  (value, given, scope) =>
    scope.sql`(${operator(value, given, scope)}) is not true`;
const folded =
  (operator: Operator, fold = lower): Operator =>
  (value, given, scope) =>
    operator(fold(value, scope), fold(given, scope), scope);
const equal: Operator = (value, given, { sql }) => sql`${value} = ${given}`;

/** Keys that take a single value. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: equal,
  neq: (value, given, { sql }) => sql`${value} is distinct from ${given}`,
  lt: (value, given, { sql }) => sql`${value} < ${given}`,
  lte: (value, given, { sql }) => sql`${value} <= ${given}`,
  gt: (value, given, { sql }) => sql`${value} > ${given}`,
  gte: (value, given, { sql }) => sql`${value} >= ${given}`,
  eqIgnoreCase: folded(equal),
  neqIgnoreCase: not(folded(equal)),
  contains,
  notContains: not(contains),
  containsIgnoreCase: folded(contains),
  notContainsIgnoreCase: not(folded(contains)),
  containsIgnoreCaseAndAccent: folded(contains, plain),
  startsWith: starts,
  notStartsWith: not(starts),
  startsWithIgnoreCase: folded(starts),
  endsWith: ends,
  notEndsWith: not(ends),
};

/**
 * The condition of an input on a value; undefined when it is empty. `property` is the name of the value in error
 * messages.
 */
export type Comparator = (
  scope: Scope,
  value: Value,
  input: Input,
  property: string,
  row: Row,
) => Fragment | undefined;

function compare(
  kind: Kind,
  scope: Scope,
  value: Value,
  input: Input,
  property: string,
): Fragment | undefined {
  const { sql } = scope;
  const conditions = Object.entries(input).map(([key, given]) => {
    if (given === null || given === undefined) return undefined;
    const operator = OPERATORS[key];
    if (operator) return operator(value, kind.one(given, scope, property), scope);
    switch (key) {
      case "null":
        return given ? sql`${value} is null` : sql`${value} is not null`;
      case "in":
        return sql`${value} = any(${list(kind, given, scope, property)})`;
      case "nin":
        return sql`(${value} = any(${list(kind, given, scope, property)})) is not true`;
      case "and":
      case "or": {
        const nested = given as readonly Input[];
        const each = nested.map((one) => compare(kind, scope, value, one, property));
        return key === "and" ? all(scope, each) : any(scope, each);
      }
      default:
        throw new Error(`${property} has a comparator with the unknown key ${key}`);
    }
  });
  return all(scope, conditions);
}

const comparing =
  (kind: Kind): Comparator =>
  (scope, value, input, property) =>
    compare(kind, scope, value, input, property);

/** Comparators by the kind of value. */
export const COMPARE = {
  text: comparing(TEXT),
  number: comparing(NUMBER),
  boolean: comparing(BOOLEAN),
  moment: comparing(MOMENT),
  day: comparing(DAY),
  duration: comparing(LENGTH),
  id: comparing(ID),
} as const satisfies Record<string, Comparator>;

/** Joins conditions; undefined when there are none. */
export function all(
  { sql }: Scope,
  conditions: readonly (Fragment | undefined)[],
): Fragment | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0
    ? undefined
    : given.reduce((joined, condition) => sql`${joined} and ${condition}`);
}

/** Joins alternatives; undefined when there are none, or when one of them always holds. */
export function any(
  { sql }: Scope,
  conditions: readonly (Fragment | undefined)[],
): Fragment | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 || given.length < conditions.length
    ? undefined
    : sql`(${given.map((one) => sql`(${one})`).reduce((joined, one) => sql`${joined} or ${one}`)})`;
}

function list(kind: Kind, given: unknown, scope: Scope, property: string): Fragment {
  const values = given as readonly unknown[];
  requireFew(property, values.length, FILTER_VALUES_MAX);
  return kind.list(values, scope, property);
}
