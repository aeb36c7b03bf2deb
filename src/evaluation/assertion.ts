/** Compiles an assertion of a spec. Throws SpecError. */
import { ACTORS, type Actor } from "~/capture/actor";
import { CALL_FIELDS } from "~/evaluation/calls";
import {
  type At,
  type Columns,
  columnOf,
  compileWhere,
  conditions,
  reader,
  requireColumn,
} from "~/evaluation/conditions";
import { DELIVERY_FIELDS } from "~/evaluation/deliveries";
import { tableOf } from "~/evaluation/entity";
import {
  compileEach,
  joined,
  requireKnownKeys,
  requireObject,
  SpecError,
} from "~/evaluation/mistakes";
import type { Value as RowValue } from "~/evaluation/operators";
import { type Leaf, matcher, type Predicate, type Row } from "~/evaluation/predicate";
import {
  type Assertion,
  DIFF_TYPES,
  type ExpectedCount,
  Assertion as Shape,
  WEIGHT_MAX,
  WHERE_MAX,
} from "~/evaluation/spec";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { nearest, quoted } from "~/input/nearest";
import { findMisfits } from "~/input/shape";
import { selects } from "~/replicas/faults";

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
  /** Of calls and events: their service; undefined: any. */
  readonly service: string | undefined;
  /** Of changes by this actor; undefined: by the agent. */
  readonly actor: Actor | undefined;
  readonly where: Predicate;
  readonly matches: (row: Row) => boolean;
  readonly changes: readonly ChangeRule[] | undefined;
  /** Derived and ignored columns: a change of only these does not count. */
  readonly free: ReadonlySet<string>;
  readonly min: number;
  readonly max: number;
  readonly expected: string;
  /** Its share of the reward; of a harm, what is taken from the reward. Greater than 0. */
  readonly weight: number;
  /** It names what must not happen, and holds while it does not. */
  readonly isHarm: boolean;
  /** The reward is 0 if it does not hold. */
  readonly isBlocker: boolean;
};

const columnsOf = (fields: { readonly [name: string]: { readonly type: string } }): Columns =>
  new Map(Object.entries(fields).map(([name, { type }]) => [name, type]));

type Noted = {
  readonly one: string;
  readonly several: string;
  readonly columns: Columns;
  /** Those that exist. */
  readonly names: (vocabulary: Vocabulary) => ReadonlySet<string>;
};

/** Kinds of assertions that count no rows of tables. */
const NOTED: { readonly [type in Assertion["diff_type"]]?: Noted } = {
  called: {
    one: "call",
    several: "calls",
    columns: columnsOf(CALL_FIELDS),
    names: ({ calls }) => calls,
  },
  delivered: {
    one: "event",
    several: "events",
    columns: columnsOf(DELIVERY_FIELDS),
    names: ({ events = new Set() }) => events,
  },
};

export type Names = {
  readonly vocabulary: Vocabulary;
  readonly tables: ReadonlyMap<string, Columns>;
  /** By table: columns that may change without an assertion. */
  readonly free: ReadonlyMap<string, ReadonlySet<string>>;
};

/** `assertion`: its number, from 1. */
export function compileAssertion(
  raw: unknown,
  assertion: number,
  { vocabulary, tables, free }: Names,
  whole: Pick<At, "patterns" | "isNew">,
): CompiledAssertion {
  const fail = (problem: string, path: string) => new SpecError(problem, path, assertion);
  requireObject(raw, "", assertion);
  requireKnownKeys(raw, Object.keys(Shape.properties), "", assertion);
  const { diff_type, entity: named, service } = raw;
  const known = Object.keys(DIFF_TYPES);
  if (typeof diff_type !== "string")
    throw fail(`one of ${known.join(", ")} is needed`, "diff_type");
  const none = `${quoted(diff_type)} is none of ${known.join(", ")}${nearest(diff_type, known)}`;
  if (!Object.hasOwn(DIFF_TYPES, diff_type)) throw fail(none, "diff_type");
  const noted = NOTED[diff_type as Assertion["diff_type"]];
  if (typeof named !== "string")
    throw fail(`the name of ${noted?.several ?? "a table"} is needed`, "entity");
  const found = tableOf(named, service, vocabulary);
  if ("problem" in found) throw fail(found.problem, "service");
  const entity = noted ? named : found.table;
  const columns = noted ? noted.columns : tables.get(entity);
  if (!columns)
    throw fail(`there is no table ${quoted(entity)}${nearest(entity, tables.keys())}`, "entity");
  const names = noted?.names(vocabulary);
  if (names && whole.isNew && !names.values().some((name) => selects(entity, name)))
    throw fail(`there is no ${noted?.one} ${quoted(entity)}${nearest(entity, names)}`, "entity");
  const at: At = { assertion, columns, table: entity, ...whole };

  const { where = {}, expected_changes, ignore = [] } = raw;
  for (const [name, expected] of Object.entries(EXPECTED)) {
    if (raw[name] === undefined) continue;
    const [misfit] = findMisfits(Shape.properties[name as keyof typeof EXPECTED], raw[name]);
    if (misfit) throw fail(expected, joined(name, misfit.path));
  }
  for (const column of ignore as string[]) requireColumn(column, "ignore", at);
  if (expected_changes !== undefined && diff_type !== "changed")
    throw fail(`only a diff_type of changed has them`, "expected_changes");

  const actor = raw["actor"] as Actor | undefined;
  if (actor && diff_type === "unchanged") throw fail("unchanged rows have no actor", "actor");
  if (actor && noted) throw fail(`${noted.several} have no actor`, "actor");

  const predicate = compileWhere(where, "where", at);
  const roles = rolesOf(raw as Assertion, fail);
  if (whole.isNew) requireChange(raw as Assertion, roles.min, keyOf(vocabulary, entity), fail);
  return {
    actor,
    diffType: diff_type as Assertion["diff_type"],
    entity,
    service: noted && vocabulary.isWorld ? (service as string | undefined) : undefined,
    where: predicate,
    matches: matcher(predicate),
    changes:
      expected_changes === undefined ? undefined : compileChanges(expected_changes as unknown, at),
    free: new Set([...(free.get(entity) ?? []), ...(ignore as string[])]),
    ...roles,
  };
}

const EXPECTED = {
  expected_count: "a whole number, or {min, max} of whole numbers, is needed",
  ignore: "a list of columns is needed",
  description: "text is needed",
  actor: `one of ${ACTORS.join(", ")} is needed; without it, changes by the agent count`,
  weight: `a number between -${WEIGHT_MAX} and ${WEIGHT_MAX} is needed`,
  blocker: "true or false is needed",
} as const;

type Fail = (problem: string, path: string) => SpecError;

const keyOf = ({ tables }: Vocabulary, entity: string) =>
  tables.find(({ name }) => name === entity)?.key ?? [];

/** How many rows an assertion expects, and what it means for the reward. Rejects what contradicts itself. */
function rolesOf({ diff_type, expected_count, weight, blocker = false }: Assertion, fail: Fail) {
  const count = countOf(expected_count, fail);
  if (weight === 0) throw fail("0 has no effect; a harm has a negative weight", "weight");
  if (weight !== undefined && weight < 0) {
    if (blocker)
      throw fail("a harm takes its weight from the reward; it blocks nothing", "blocker");
    if (diff_type === "unchanged") throw fail("an unchanged row does no harm", "weight");
    return { ...harmOf(count, fail), weight: -weight, isHarm: true, isBlocker: false };
  }
  if (weight !== undefined && (count.min === 0 || diff_type === "unchanged"))
    throw fail(
      "the untouched state meets this assertion, so that it earns nothing; if it does not hold, the reward is 0",
      "weight",
    );
  return { ...count, weight: weight ?? 1, isHarm: false, isBlocker: blocker };
}

/** The count that must not be reached. */
function harmOf({ min, max }: Count, fail: Fail): Count {
  if (max !== Infinity || min === 0)
    throw fail(
      "of a harm, only the least number that makes it is needed: {min: 1}",
      "expected_count",
    );
  return { min: 0, max: min - 1, expected: min === 1 ? "0" : `at most ${min - 1}` };
}

/** Rejects a change of which nothing is said: any change of such a row would do. */
function requireChange(
  { diff_type, where = {}, expected_changes }: Assertion,
  min: number,
  key: readonly string[],
  fail: Fail,
): void {
  if (diff_type !== "changed" || expected_changes !== undefined || min === 0) return;
  if (Object.keys(where).every((column) => key.includes(column)))
    throw fail("any change of such a row would do: name what must change", "expected_changes");
}

type Count = Pick<CompiledAssertion, "min" | "max" | "expected">;

function countOf(count: ExpectedCount | undefined, fail: Fail): Count {
  if (count === undefined) return { min: 1, max: Infinity, expected: "at least 1" };
  if (typeof count === "number") return { min: count, max: count, expected: `${count}` };
  const { min, max } = count;
  if (max === undefined) return { min: min ?? 0, max: Infinity, expected: `at least ${min}` };
  if (min === undefined) return { min: 0, max, expected: `at most ${max}` };
  if (min > max) throw fail("min is greater than max", "expected_count");
  return { min, max, expected: `between ${min} and ${max}` };
}

function compileChanges(changes: unknown, at: At): ChangeRule[] {
  const path = "expected_changes";
  requireObject(changes, path, at.assertion);
  const entries = Object.entries(changes);
  if (entries.length === 0 || entries.length > WHERE_MAX)
    throw new SpecError(`between 1 and ${WHERE_MAX} columns are needed`, path, at.assertion);
  return compileEach(entries, ([key, change]) => {
    const inside = `${path}.${key}`;
    const read = reader(key, path, at);
    requireObject(change, inside, at.assertion);
    requireKnownKeys(change, ["from", "to"], inside, at.assertion);
    const side = (name: "from" | "to") =>
      Object.hasOwn(change, name)
        ? conditions(change[name], key, `${inside}.${name}`, read, at)
        : [];
    return { column: columnOf(key, at), path: key, read, from: side("from"), to: side("to") };
  });
}
