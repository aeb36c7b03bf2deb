/** Compiles the changes that a spec allows: neither asked for nor unsafe. Throws SpecError. */
import type { Names } from "~/evaluation/assertion";
import { type At, compileWhere, requireColumn } from "~/evaluation/conditions";
import { tableOf } from "~/evaluation/entity";
import {
  compileEach,
  joined,
  requireKnownKeys,
  requireObject,
  SpecError,
} from "~/evaluation/mistakes";
import { matcher, type Predicate, type Row } from "~/evaluation/predicate";
import { ALLOWED_MAX, Allowance, CHANGES, type Change } from "~/evaluation/spec";
import { nearest, quoted } from "~/input/nearest";
import { findMisfits } from "~/input/shape";

export type CompiledAllowance = {
  readonly entity: string;
  readonly changes: readonly Change[];
  readonly where: Predicate;
  readonly matches: (row: Row) => boolean;
  /** The columns that the spec names. */
  readonly named: readonly string[] | undefined;
  /** Columns that a changed row may change in, derived ones included; undefined: any. */
  readonly columns: ReadonlySet<string> | undefined;
};

export function compileAllowances(
  given: unknown,
  names: Names,
  whole: Pick<At, "patterns" | "isNew">,
): CompiledAllowance[] {
  if (!Array.isArray(given) || given.length > ALLOWED_MAX)
    throw new SpecError(`a list of at most ${ALLOWED_MAX} changes is needed`, "allow");
  return compileEach(given, (raw, index) => compileAllowance(raw, `allow[${index}]`, names, whole));
}

function compileAllowance(
  raw: unknown,
  path: string,
  { vocabulary, tables, free }: Names,
  whole: Pick<At, "patterns" | "isNew">,
): CompiledAllowance {
  requireObject(raw, path);
  requireKnownKeys(raw, Object.keys(Allowance.properties), path);
  const { entity: named, service, diff_type, where = {}, columns } = raw;
  if (typeof named !== "string")
    throw new SpecError("the name of a table is needed", `${path}.entity`);
  const found = tableOf(named, service, vocabulary);
  if ("problem" in found) throw new SpecError(found.problem, `${path}.service`);
  const { table: entity } = found;
  const known = tables.get(entity);
  if (!known)
    throw new SpecError(
      `there is no table ${quoted(entity)}${nearest(entity, tables.keys())}`,
      `${path}.entity`,
    );
  for (const [name, expected] of Object.entries(EXPECTED)) {
    if (raw[name] === undefined) continue;
    const [misfit] = findMisfits(Allowance.properties[name as keyof typeof EXPECTED], raw[name]);
    const near = typeof raw[name] === "string" ? nearest(raw[name], CHANGES) : "";
    if (misfit)
      throw new SpecError(
        `${expected}${name === "diff_type" ? near : ""}`,
        joined(`${path}.${name}`, misfit.path),
      );
  }
  if (columns !== undefined && diff_type !== "changed")
    throw new SpecError("only a diff_type of changed has them", `${path}.columns`);
  const at: At = { assertion: undefined, columns: known, table: entity, ...whole };
  for (const column of (columns ?? []) as string[]) requireColumn(column, `${path}.columns`, at);
  const predicate = compileWhere(where, `${path}.where`, at);
  return {
    entity,
    changes: diff_type === undefined ? CHANGES : [diff_type as Change],
    where: predicate,
    matches: matcher(predicate),
    named: columns as string[] | undefined,
    columns:
      columns === undefined
        ? undefined
        : new Set([...(columns as string[]), ...(free.get(entity) ?? [])]),
  };
}

const EXPECTED = {
  diff_type: `one of ${CHANGES.join(", ")} is needed`,
  columns: "a list of columns is needed",
  description: "text is needed",
} as const;
