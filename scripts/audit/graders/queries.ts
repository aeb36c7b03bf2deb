/**
 * Asserts on the final state with SQL, one query for each assertion, in the manner of hand-written verifiers. Their author
 * knows the state in which the run begins: how many rows there already match, and how many rows each table has.
 */
import type { Pool } from "~/db/connect";
import { isObject } from "~/input/json";
import type { JsonObject, JsonValue, Judgement } from "../model";
import type { Schema } from "../state";

type Assertion = {
  readonly diff_type: "added" | "removed" | "changed" | "unchanged";
  readonly entity: string;
  readonly where?: JsonObject;
  readonly expected_count?: number | { min?: number; max?: number };
  readonly expected_changes?: { [column: string]: { to?: JsonValue } };
};

/** Counts that a query gives: of each assertion, and of each table that assertions name. */
export type Counts = { readonly asserted: number[]; readonly totals: Map<string, number> };

/** Changes that the test leaves to the agent. */
type Allowance = { readonly diff_type?: string; readonly entity: string };
const allowancesOf = ({ allow = [] }: JsonObject) => allow as unknown as Allowance[];

const assertionsOf = ({ assertions }: JsonObject) => assertions as unknown as Assertion[];

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A condition on a column, or on a path in it. Values become parameters. */
function condition(
  path: string,
  operator: string,
  value: JsonValue,
  values: JsonValue[],
  types: ReadonlyMap<string, string>,
): string {
  const [column = "", ...steps] = path.split(".");
  const type = types.get(column) ?? "text";
  const isText =
    steps.length > 0 || type === "text" || type.startsWith("character") || type === "uuid";
  const left =
    steps.length > 0
      ? `(${quoted(column)} #>> '{${steps.join(",")}}')`
      : `${quoted(column)}${isText ? "::text" : ""}`;
  const parameter = (one: JsonValue) => {
    values.push(isText ? `${one}` : one);
    return `$${values.length}${isText ? "::text" : `::${type}`}`;
  };
  switch (operator) {
    case "eq":
      return value === null ? `${left} is null` : `${left} = ${parameter(value)}`;
    case "i_eq":
      return `lower(${left}) = lower(${parameter(value)})`;
    case "in":
      return `${left} in (${(value as JsonValue[]).map(parameter).join(", ")})`;
    case "not_in":
      return `${left} not in (${(value as JsonValue[]).map(parameter).join(", ")})`;
    case "regex":
      return `${left} ~ ${parameter(value)}`;
    case "contains":
      return `position(${parameter(value)} in ${left}) > 0`;
    case "is_null":
      return value === true ? `${left} is null` : `${left} is not null`;
    case "not_null":
      return value === true ? `${left} is not null` : `${left} is null`;
    default:
      throw new Error(`no SQL for the operator ${operator}`);
  }
}

/** The conditions of a `where`, and the values that changed rows must have now. */
function conditionsOf(
  { where = {}, expected_changes = {} }: Assertion,
  values: JsonValue[],
  types: ReadonlyMap<string, string>,
): string {
  const wanted: [string, JsonValue][] = [
    ...Object.entries(where),
    ...Object.entries(expected_changes).flatMap(([column, { to }]): [string, JsonValue][] =>
      to === undefined ? [] : [[column, to]],
    ),
  ];
  const all = wanted.flatMap(([path, given]) =>
    Object.entries(isObject(given) ? (given as JsonObject) : { eq: given }).map(
      ([operator, value]) => condition(path, operator, value, values, types),
    ),
  );
  return all.length > 0 ? all.join(" and ") : "true";
}

export async function countAll(
  sql: Pool,
  { world }: Schema,
  name: string,
  expectedOutput: JsonObject,
): Promise<Counts> {
  const assertions = assertionsOf(expectedOutput);
  const typesOf = (table: string) =>
    new Map(
      world.tables
        .find((one) => one.name === table)
        ?.columns.map((column) => [column.name, column.type]),
    );
  const count = async (table: string, where = "true", values: JsonValue[] = []) => {
    const [row] = await sql.unsafe(
      `select count(*)::int as count from "${name}"."${table}" where ${where}`,
      values as never[],
    );
    return Number(row?.["count"]);
  };
  const asserted: number[] = [];
  for (const assertion of assertions) {
    const values: JsonValue[] = [];
    const where = conditionsOf(assertion, values, typesOf(assertion.entity));
    asserted.push(await count(assertion.entity, where, values));
  }
  const totals = new Map<string, number>();
  for (const { entity } of assertions)
    if (!totals.has(entity)) totals.set(entity, await count(entity));
  return { asserted, totals };
}

type Range = { readonly min: number; readonly max: number };

function rangeOf({ expected_count: count }: Assertion): Range {
  if (count === undefined) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (typeof count === "number") return { min: count, max: count };
  return { min: count.min ?? 0, max: count.max ?? Number.POSITIVE_INFINITY };
}

function holds(assertion: Assertion, before: number, after: number): boolean {
  const { min, max } = rangeOf(assertion);
  if (assertion.diff_type === "unchanged") return after === before && after >= min && after <= max;
  const change = assertion.diff_type === "removed" ? before - after : after - before;
  return change >= min && change <= max;
}

/** The number of rows by which a table may grow or shrink. Without a limit where any such row is allowed. */
function growth(expectedOutput: JsonObject, table: string): Range {
  let [min, max] = [0, 0];
  for (const assertion of assertionsOf(expectedOutput)) {
    if (assertion.entity !== table) continue;
    const range = rangeOf(assertion);
    if (assertion.diff_type === "added") [min, max] = [min + range.min, max + range.max];
    if (assertion.diff_type === "removed") [min, max] = [min - range.max, max - range.min];
  }
  for (const { entity, diff_type = "any" } of allowancesOf(expectedOutput)) {
    if (entity !== table) continue;
    if (diff_type === "added" || diff_type === "any") max = Number.POSITIVE_INFINITY;
    if (diff_type === "removed" || diff_type === "any") min = Number.NEGATIVE_INFINITY;
  }
  return { min, max };
}

export async function byQueries(
  sql: Pool,
  schema: Schema,
  name: string,
  before: Counts,
  expectedOutput: JsonObject,
): Promise<Omit<Judgement, "lost">> {
  const started = performance.now();
  const after = await countAll(sql, schema, name, expectedOutput);
  const assertions = assertionsOf(expectedOutput);
  const passed = assertions.every((assertion, at) =>
    holds(assertion, before.asserted[at] ?? 0, after.asserted[at] ?? 0),
  );
  const unsafe = [...after.totals].filter(([table, count]) => {
    const change = count - (before.totals.get(table) ?? 0);
    const { min, max } = growth(expectedOutput, table);
    return change < min || change > max;
  }).length;
  return { passed, unsafe, undone: 0, ms: performance.now() - started };
}
