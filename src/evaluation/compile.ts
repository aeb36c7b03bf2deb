/**
 * Compiles a spec for evaluation. Throws mistakes with their places, the problems and the nearest valid names.
 */

import { type CompiledAllowance, compileAllowances } from "~/evaluation/allowance";
import { type CompiledAssertion, compileAssertion } from "~/evaluation/assertion";
import { compileAttack } from "~/evaluation/attack";
import type { Columns } from "~/evaluation/conditions";
import {
  compileEach,
  joined,
  requireKnownKeys,
  requireObject,
  SpecError,
} from "~/evaluation/mistakes";
import { ASSERTIONS_MAX, type Spec, Spec as SpecShape } from "~/evaluation/spec";
import { withoutTableAliases } from "~/evaluation/table-aliases";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { NO_ALIASES, valueWithoutAliases } from "~/input/aliases";
import { nearest, quoted } from "~/input/nearest";
import { findMisfits } from "~/input/shape";

export type CompiledSpec = {
  readonly assertions: readonly CompiledAssertion[];
  /** Assertions that only a run meets that obeys the attack of the test; empty without one. */
  readonly attack: readonly CompiledAssertion[];
  readonly strict: boolean;
  readonly closedWorld: boolean;
  readonly expectsNothing: boolean;
  readonly allowed: readonly CompiledAllowance[];
  /** By table: columns that may change without an assertion. */
  readonly free: ReadonlyMap<string, ReadonlySet<string>>;
  /** Internal tables of the service: every column is derived. */
  readonly own: ReadonlySet<string>;
  /** By table: a column that is true of new rows that need no assertion. */
  readonly derivedRows: { readonly [table: string]: string };
  /** Matching it against long text may take long. */
  readonly hasPatterns: boolean;
  /** It counts calls, which takes the whole journal. */
  readonly hasCalls: boolean;
  /** It counts deliveries of events. */
  readonly hasDeliveries: boolean;
};

/**
 * `isNew`: rejects what specs that were stored earlier may have, although it makes no sense: no assertions at all,
 * conditions that no value of their column can meet, or that all do, and changes of which nothing is said.
 */
export function compile(
  given: unknown,
  vocabulary: Vocabulary,
  { isNew = false }: { isNew?: boolean } = {},
): CompiledSpec {
  requireObject(given, "expectedOutput");
  const present = valueWithoutAliases(given, vocabulary.aliases ?? NO_ALIASES);
  const spec = withoutTableAliases(present, vocabulary);
  requireKnownKeys(spec, Object.keys(SpecShape.properties), "");
  const { assertions } = spec;
  if (!Array.isArray(assertions))
    throw new SpecError("a list of assertions is needed", "assertions");
  if (assertions.length > ASSERTIONS_MAX)
    throw new SpecError(`more than ${ASSERTIONS_MAX} assertions`, "assertions");
  const { strict = true, ignore_fields = {}, allow = [], expects, attack } = spec as Partial<Spec>;
  if (expects !== undefined && expects !== "nothing")
    throw new SpecError(
      `"nothing" is the only expectation to name${nearest(`${expects}`, ["nothing"])}`,
      "expects",
    );
  const { closed_world = expects === "nothing" } = spec as Partial<Spec>;
  for (const [name, value] of Object.entries({ strict, closed_world }))
    if (typeof value !== "boolean") throw new SpecError("true or false is needed", name);
  if (isNew && assertions.length === 0 && !closed_world)
    throw new SpecError(
      "without an assertion every run passes; closed_world: true expects no change at all",
      "assertions",
    );
  if (expects === "nothing" && !closed_world)
    throw new SpecError("a test that expects nothing has a closed world", "closed_world");

  const tables = new Map(
    vocabulary.tables.map(({ name, columns }) => [
      name,
      new Map(columns.map((column) => [column.name, column.type])),
    ]),
  );
  const free = freeColumns(vocabulary, tables, ignore_fields);
  const patterns = { steps: 0 };
  const names = { vocabulary, tables, free };
  const compiled = compileEach(assertions, (assertion, index) =>
    compileAssertion(assertion, index + 1, names, { patterns, isNew }),
  );
  if (expects === "nothing") requireUntouched(compiled);
  const attacking = compileAttack(attack, names, { patterns, isNew });
  const counts = (type: string) =>
    [...compiled, ...attacking].some(({ diffType }) => diffType === type);
  const allowed = compileAllowances(allow, names, { patterns, isNew });
  return {
    assertions: compiled,
    attack: attacking,
    allowed,
    hasPatterns: patterns.steps > 0,
    hasCalls: counts("called"),
    hasDeliveries: counts("delivered"),
    strict,
    closedWorld: closed_world,
    expectsNothing: expects === "nothing",
    free,
    derivedRows: vocabulary.derivedRows ?? {},
    own: new Set(
      vocabulary.tables
        .filter(({ name, columns }) =>
          columns.every((column) => vocabulary.derived[name]?.includes(column.name)),
        )
        .map(({ name }) => name),
    ),
  };
}

/** Rejects assertions that the untouched state does not meet. */
function requireUntouched(assertions: readonly CompiledAssertion[]): void {
  for (const [index, { diffType, min }] of assertions.entries())
    if (min > 0 && diffType !== "unchanged")
      throw new SpecError(
        "the test expects nothing, and this expects a change",
        "expected_count",
        index + 1,
      );
}

function freeColumns(
  vocabulary: Vocabulary,
  tables: ReadonlyMap<string, Columns>,
  ignored: unknown,
): Map<string, Set<string>> {
  requireObject(ignored, "ignore_fields");
  const shape = SpecShape.properties.ignore_fields;
  const [misfit] = findMisfits(shape, ignored);
  if (misfit) throw new SpecError(misfit.problem, joined("ignore_fields", misfit.path));
  const lists = ignored as Record<string, string[]>;
  const all = new Set([...tables.values()].flatMap((columns) => [...columns.keys()]));
  for (const [table, columns] of Object.entries(lists)) {
    const known = table === "global" ? all : tables.get(table);
    if (!known)
      throw new SpecError(
        `there is no table ${quoted(table)}${nearest(table, ["global", ...tables.keys()])}`,
        "ignore_fields",
      );
    for (const column of columns)
      if (!known.has(column))
        throw new SpecError(
          `there is no column ${quoted(column)}${nearest(column, known.keys())}`,
          `ignore_fields.${table}`,
        );
  }
  const of = (name: string) => (Object.hasOwn(lists, name) ? (lists[name] ?? []) : []);
  return new Map(
    [...tables.keys()].map((table) => [
      table,
      new Set([...(vocabulary.derived[table] ?? []), ...of("global"), ...of(table)]),
    ]),
  );
}
