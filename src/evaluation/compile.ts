/**
 * Compiles a spec for evaluation. Throws the first mistake with its place, the problem and the nearest valid name.
 */
import { Value } from "@sinclair/typebox/value";
import { CALL_FIELDS } from "~/evaluation/calls";
import { readable, requireKnownKeys, requireObject, SpecError, shown } from "~/evaluation/mistakes";
import {
  compileOperator,
  isOperator,
  KNOWN_AS,
  Literal,
  OPERATORS,
  type Value as RowValue,
} from "~/evaluation/operators";
import { stepsOf } from "~/evaluation/pattern";
import { type Leaf, matcher, type Predicate, type Row } from "~/evaluation/predicate";
import {
  ASSERTIONS_MAX,
  type Assertion,
  DIFF_TYPES,
  type ExpectedCount,
  Assertion as Shape,
  type Spec,
  Spec as SpecShape,
  WHERE_MAX,
  type Where,
} from "~/evaluation/spec";
import { isObject } from "~/json";
import { nearest } from "~/nearest";
import { selects } from "~/replicas/faults";

/** The names that a spec may use: the template's tables, and the columns that the service computes. */
export type World = {
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  }[];
  readonly derived: { readonly [table: string]: readonly string[] };
  /** The names of the service's calls. */
  readonly calls: ReadonlySet<string>;
};

export type ChangeRule = {
  readonly column: string;
  readonly path: string;
  readonly read: (row: Row) => RowValue;
  readonly from: readonly Leaf[];
  readonly to: readonly Leaf[];
};

export type CompiledAssertion = {
  readonly diffType: Assertion["diff_type"];
  readonly entity: string;
  /** Of changes by the environment's clock. */
  readonly isByClock: boolean;
  readonly where: Predicate;
  readonly matches: (row: Row) => boolean;
  readonly changes: readonly ChangeRule[] | undefined;
  /** Derived and ignored columns: a change of only these does not count. */
  readonly free: ReadonlySet<string>;
  readonly min: number;
  readonly max: number;
  readonly expected: string;
};

export type CompiledSpec = {
  readonly assertions: readonly CompiledAssertion[];
  readonly strict: boolean;
  readonly closedWorld: boolean;
  /** By table: columns that may change without an assertion. */
  readonly free: ReadonlyMap<string, ReadonlySet<string>>;
  /** Internal tables of the service: every column is derived. */
  readonly own: ReadonlySet<string>;
  /** Matching it against long text may take long. */
  readonly hasPatterns: boolean;
  /** It counts calls, which takes the whole journal. */
  readonly hasCalls: boolean;
};

const DEPTH_MAX = 5;
/** Compiling them takes some 50 ms. */
const PATTERN_STEPS_MAX = 10_000;

type Columns = ReadonlyMap<string, string>;
/** Total of all patterns of a spec. */
type Patterns = { steps: number };
type At = {
  readonly assertion: number;
  readonly columns: Columns;
  readonly table: string;
  readonly patterns: Patterns;
  readonly isNew: boolean;
};

const CALL_COLUMNS: Columns = new Map(
  Object.entries(CALL_FIELDS).map(([name, { type }]) => [name, type]),
);

/**
 * `isNew`: rejects what specs that were stored earlier may have, although it makes no sense: no assertions at all, and
 * `exists` on a column, which always exists.
 */
export function compile(spec: unknown, world: World, isNew = false): CompiledSpec {
  requireObject(spec, "expectedOutput");
  requireKnownKeys(spec, Object.keys(SpecShape.properties), "");
  const { assertions } = spec;
  if (!Array.isArray(assertions))
    throw new SpecError("a list of assertions is needed", "assertions");
  if (assertions.length > ASSERTIONS_MAX)
    throw new SpecError(`more than ${ASSERTIONS_MAX} assertions`, "assertions");
  const { strict = true, closed_world = false, ignore_fields = {} } = spec as Partial<Spec>;
  if (isNew && assertions.length === 0 && closed_world !== true)
    throw new SpecError(
      "without an assertion every run passes; closed_world: true expects no change at all",
      "assertions",
    );
  for (const [name, value] of Object.entries({ strict, closed_world }))
    if (typeof value !== "boolean") throw new SpecError("true or false is needed", name);

  const tables = new Map(
    world.tables.map(({ name, columns }) => [
      name,
      new Map(columns.map((column) => [column.name, column.type])),
    ]),
  );
  const free = freeColumns(world, tables, ignore_fields);
  const patterns = { steps: 0 };
  const compiled = assertions.map((assertion, index) =>
    compileAssertion(assertion, index + 1, { world, tables, free }, { patterns, isNew }),
  );
  return {
    assertions: compiled,
    hasPatterns: patterns.steps > 0,
    hasCalls: compiled.some(({ diffType }) => diffType === "called"),
    strict,
    closedWorld: closed_world,
    free,
    own: new Set(
      world.tables
        .filter(({ name, columns }) =>
          columns.every((column) => world.derived[name]?.includes(column.name)),
        )
        .map(({ name }) => name),
    ),
  };
}

function freeColumns(
  world: World,
  tables: ReadonlyMap<string, Columns>,
  ignored: unknown,
): Map<string, Set<string>> {
  requireObject(ignored, "ignore_fields");
  const shape = SpecShape.properties.ignore_fields;
  const misfit = Value.Errors(shape, ignored).First();
  if (misfit) throw new SpecError(misfit.message, `ignore_fields${readable(misfit.path)}`);
  const lists = ignored as Record<string, string[]>;
  const all = new Set([...tables.values()].flatMap((columns) => [...columns.keys()]));
  for (const [table, columns] of Object.entries(lists)) {
    const known = table === "global" ? all : tables.get(table);
    if (!known)
      throw new SpecError(
        `there is no table ${shown(table)}${nearest(table, ["global", ...tables.keys()])}`,
        "ignore_fields",
      );
    for (const column of columns)
      if (!known.has(column))
        throw new SpecError(
          `there is no column ${shown(column)}${nearest(column, known.keys())}`,
          `ignore_fields.${table}`,
        );
  }
  const of = (name: string) => (Object.hasOwn(lists, name) ? (lists[name] ?? []) : []);
  return new Map(
    [...tables.keys()].map((table) => [
      table,
      new Set([...(world.derived[table] ?? []), ...of("global"), ...of(table)]),
    ]),
  );
}

type Names = {
  readonly world: World;
  readonly tables: ReadonlyMap<string, Columns>;
  readonly free: ReadonlyMap<string, ReadonlySet<string>>;
};

function compileAssertion(
  raw: unknown,
  assertion: number,
  { world, tables, free }: Names,
  whole: Pick<At, "patterns" | "isNew">,
): CompiledAssertion {
  const fail = (problem: string, path: string) => new SpecError(problem, path, assertion);
  requireObject(raw, "", assertion);
  requireKnownKeys(raw, Object.keys(Shape.properties), "", assertion);
  const { diff_type, entity } = raw;
  const known = Object.keys(DIFF_TYPES);
  if (typeof diff_type !== "string")
    throw fail(`one of ${known.join(", ")} is needed`, "diff_type");
  const none = `${shown(diff_type)} is none of ${known.join(", ")}${nearest(diff_type, known)}`;
  if (!Object.hasOwn(DIFF_TYPES, diff_type)) throw fail(none, "diff_type");
  const isCalled = diff_type === "called";
  if (typeof entity !== "string")
    throw fail(`the name of ${isCalled ? "calls" : "a table"} is needed`, "entity");
  const columns = isCalled ? CALL_COLUMNS : tables.get(entity);
  if (!columns)
    throw fail(`there is no table ${shown(entity)}${nearest(entity, tables.keys())}`, "entity");
  if (isCalled && whole.isNew && !world.calls.values().some((name) => selects(entity, name)))
    throw fail(`there is no call ${shown(entity)}${nearest(entity, world.calls)}`, "entity");
  const at: At = { assertion, columns, table: entity, ...whole };

  const { where = {}, expected_changes, ignore = [] } = raw;
  for (const name of ["expected_count", "ignore", "description", "actor"] as const) {
    if (raw[name] === undefined) continue;
    const misfit = Value.Errors(Shape.properties[name], raw[name]).First();
    if (misfit) throw fail(EXPECTED[name], `${name}${readable(misfit.path)}`);
  }
  for (const column of ignore as string[]) requireColumn(column, "ignore", at);
  if (expected_changes !== undefined && diff_type !== "changed")
    throw fail(`only a diff_type of changed has them`, "expected_changes");

  const isByClock = raw["actor"] === "clock";
  if (isByClock && diff_type === "unchanged") throw fail("unchanged rows have no actor", "actor");
  if (isByClock && isCalled) throw fail("the clock calls nothing", "actor");

  const predicate = compileWhere(where, "where", at, 0);
  return {
    isByClock,
    diffType: diff_type as Assertion["diff_type"],
    entity,
    where: predicate,
    matches: matcher(predicate),
    changes:
      expected_changes === undefined ? undefined : compileChanges(expected_changes as unknown, at),
    free: new Set([...(free.get(entity) ?? []), ...(ignore as string[])]),
    ...countOf(raw["expected_count"] as ExpectedCount | undefined, fail),
  };
}

const EXPECTED = {
  expected_count: "a whole number, or {min, max} of whole numbers, is needed",
  ignore: "a list of columns is needed",
  description: "text is needed",
  actor: '"clock" is the only actor to name',
};

function countOf(
  count: ExpectedCount | undefined,
  fail: (problem: string, path: string) => SpecError,
): Pick<CompiledAssertion, "min" | "max" | "expected"> {
  if (count === undefined) return { min: 1, max: Infinity, expected: "at least 1" };
  if (typeof count === "number") return { min: count, max: count, expected: `${count}` };
  const { min, max } = count;
  if (max === undefined) return { min: min ?? 0, max: Infinity, expected: `at least ${min}` };
  if (min === undefined) return { min: 0, max, expected: `at most ${max}` };
  if (min > max) throw fail("min is greater than max", "expected_count");
  return { min, max, expected: `between ${min} and ${max}` };
}

function compileWhere(where: unknown, path: string, at: At, depth: number): Predicate {
  if (depth > DEPTH_MAX) throw new SpecError(`nested deeper than ${DEPTH_MAX}`, path, at.assertion);
  requireObject(where, path, at.assertion);
  const entries = Object.entries(where as Where);
  if (entries.length > WHERE_MAX)
    throw new SpecError(`more than ${WHERE_MAX} conditions`, path, at.assertion);
  const all = entries.map(([key, condition]): Predicate => {
    const inside = `${path}.${key}`;
    if (key === "not") return { kind: "not", of: compileWhere(condition, inside, at, depth + 1) };
    if (key === "and" || key === "or") {
      if (!Array.isArray(condition) || condition.length > WHERE_MAX)
        throw new SpecError(
          `a list of at most ${WHERE_MAX} conditions is needed`,
          inside,
          at.assertion,
        );
      const of = condition.map((item, index) =>
        compileWhere(item, `${inside}[${index}]`, at, depth + 1),
      );
      return { kind: key === "and" ? "all" : "any", of };
    }
    const read = reader(key, path, at);
    refuseExists(condition, key, inside, at);
    const of = conditions(condition, key, inside, read, at).map(
      (leaf): Predicate => ({ kind: "leaf", leaf }),
    );
    return { kind: "all", of };
  });
  return { kind: "all", of: all };
}

/** Rejects `exists` on a column: it holds for null too, and therefore always. */
function refuseExists(condition: unknown, key: string, path: string, at: At): void {
  if (!at.isNew || key.includes(".") || !isObject(condition) || !Object.hasOwn(condition, "exists"))
    return;
  throw new SpecError(
    "a column always exists, also where it is null; use is_null or not_null",
    `${path}.exists`,
    at.assertion,
  );
}

/** The operators of one condition. */
function conditions(
  condition: unknown,
  path: string,
  at: string,
  read: Leaf["read"],
  { assertion, patterns }: At,
): Leaf[] {
  const isLiteral = typeof condition !== "object" || condition === null || Array.isArray(condition);
  const operators = isLiteral ? { eq: condition } : (condition as object);
  const names = Object.entries(operators);
  if (names.length === 0) throw new SpecError("an operator is needed", at, assertion);
  return names.map(([name, operand]) => {
    if (!isOperator(name))
      throw new SpecError(
        `there is no operator ${shown(name)}${nearest(KNOWN_AS.get(name) ?? name, Object.keys(OPERATORS))}`,
        at,
        assertion,
      );
    const place = isLiteral ? at : `${at}.${name}`;
    const misfit = Value.Errors(isLiteral ? Literal : OPERATORS[name].operand, operand).First();
    if (misfit)
      throw new SpecError(`${name} takes another operand: ${misfit.message}`, place, assertion);
    if (name === "regex") patterns.steps += stepsOf(operand);
    if (patterns.steps > PATTERN_STEPS_MAX)
      throw new SpecError(
        `the patterns have more than ${PATTERN_STEPS_MAX} steps, with repetitions expanded`,
        place,
        assertion,
      );
    try {
      return { path, read, operator: name, operand, test: compileOperator(name, operand) };
    } catch (error) {
      const why = error instanceof Error ? error.message.split("\n")[0]?.slice(0, 200) : "";
      throw new SpecError(`the pattern does not compile: ${why}`, place, assertion);
    }
  });
}

function compileChanges(changes: unknown, at: At): ChangeRule[] {
  const path = "expected_changes";
  requireObject(changes, path, at.assertion);
  const entries = Object.entries(changes);
  if (entries.length === 0 || entries.length > WHERE_MAX)
    throw new SpecError(`between 1 and ${WHERE_MAX} columns are needed`, path, at.assertion);
  return entries.map(([key, change]) => {
    const inside = `${path}.${key}`;
    const read = reader(key, path, at);
    requireObject(change, inside, at.assertion);
    requireKnownKeys(change, ["from", "to"], inside, at.assertion);
    const side = (name: "from" | "to") =>
      Object.hasOwn(change, name) &&
      refuseExists(change[name], key, `${inside}.${name}`, at) === undefined
        ? conditions(change[name], `${key} ${name}`, `${inside}.${name}`, read, at)
        : [];
    return { column: columnOf(key, at), path: key, read, from: side("from"), to: side("to") };
  });
}

/** The column at the beginning of a path. A column's name may contain dots. */
const columnOf = (path: string, { columns }: At) =>
  columns.has(path) ? path : (path.split(".")[0] ?? "");

function requireColumn(column: string, path: string, { assertion, columns, table }: At): void {
  if (!columns.has(column))
    throw new SpecError(
      `${table} has no column ${shown(column)}${nearest(column, columns.keys())}`,
      path,
      assertion,
    );
}

/** Types whose values have parts. */
const HAS_PARTS = /^jsonb?$|\[\]$/;

function reader(path: string, at: string, context: At): Leaf["read"] {
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
