/** The rows that decided a verdict, with each condition beside the value it met: what sentences are made of. Plain data. */
import type { JsonObject } from "~/capture/fold";
import type { CompiledAssertion } from "~/evaluation/assertion";
import { type Candidate, type Keys, type RunEvidence, ruleHolds } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import { keyOf, look } from "~/evaluation/look";
import type { Value } from "~/evaluation/operators";
import { matcher, type Predicate, type Row } from "~/evaluation/predicate";
import type { Condition, Said } from "~/evaluation/said";
import { isOfTable } from "~/evaluation/spec";
import { latestEvents, nameOf, orderedKey } from "~/evaluation/unsafe";

/** A row, a call, or a delivery, of a run. Long values are cut. */
export type Seen = {
  readonly table: string;
  readonly change: CompiledAssertion["diffType"];
  readonly key: JsonObject;
  /** As it is after the run, or as it was if it is gone. */
  readonly row: Row;
  /** Of a changed row. */
  readonly before?: Row;
  readonly changed: readonly string[];
  /** The number of the latest change to it among the run's events; null if it is not known. */
  readonly event: number | null;
};

/** A condition on a row beside the value that it has. */
export type Compared =
  | { readonly kind: "is"; readonly of: Said; readonly actual: Value; readonly holds: boolean }
  | {
      readonly kind: "change";
      readonly path: string;
      readonly from: readonly Condition[];
      readonly to: readonly Condition[];
      readonly old: Value;
      readonly now: Value;
      readonly holds: boolean;
    }
  /** A column that must not change. */
  | { readonly kind: "extra"; readonly path: string; readonly old: Value; readonly now: Value };

type Near = Seen & { readonly compared: readonly Compared[] };
export type Finding = {
  readonly holds: boolean;
  readonly count: number;
  /** The first of those that count. */
  readonly counted: readonly Seen[];
  /** Those that nearly count, if too few do. */
  readonly nearest: readonly Near[];
};
export type Findings = {
  readonly assertions: readonly Finding[];
  readonly unsafe: readonly Seen[];
  readonly unsafeCount: number;
  /** Whether a closed world is as expected; null for an open one. */
  readonly isClosed: boolean | null;
};

const ROWS_MAX = 3;
/** The nearest rows are chosen from this many. */
const LOOKED_AT_MAX = 500;
/** Assertions with rows. */
const SHOWN_MAX = 50;
const UNSAFE_MAX = 100;
const TEXT_MAX = 1_000;
const JSON_MAX = 2_000;

export function findingsOf(spec: CompiledSpec, keys: Keys, evidence: RunEvidence): Findings {
  const { judged, changed, unsafe, claims, eventsOf } = look(spec, keys, evidence);
  const events = eventsOf();
  const origins = events && latestEvents(events, keys);
  const seen = (
    { before, after, changed }: Candidate,
    table: string,
    change: Seen["change"],
    columns: readonly string[],
  ): Seen => {
    const row = after ?? before ?? {};
    const key = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
    const name = nameOf(table, orderedKey(keys, table, row));
    return {
      table,
      change,
      key,
      row: cutRow(row),
      ...(change === "changed" && before && { before: cutRow(before) }),
      changed: changed.filter((column) => !spec.free.get(table)?.has(column)),
      event: isOfTable(change) ? (origins?.get(name)?.event ?? null) : null,
    };
  };
  let shown = 0;
  const assertions = judged.map((assertion): Finding => {
    const { candidates, counted, count, holds, entity, diffType, max } = assertion;
    const isShown = shown < SHOWN_MAX && (!holds || diffType !== "unchanged");
    if (!isShown) return { holds, count, counted: [], nearest: [] };
    shown++;
    const columns = keyOf(assertion, keys);
    const rows = counted.slice(0, ROWS_MAX).map((row) => seen(row, entity, diffType, columns));
    if (holds || count > max) return { holds, count, counted: rows, nearest: [] };
    const taken = new Set(counted);
    const near = candidates
      .filter((candidate) => !taken.has(candidate))
      .slice(0, LOOKED_AT_MAX)
      .map((candidate) => ({ candidate, compared: compare(assertion, spec.strict, candidate) }))
      .sort((a, b) => unmetIn(a.compared) - unmetIn(b.compared))
      .slice(0, ROWS_MAX)
      .map(({ candidate, compared }) => ({
        ...seen(candidate, entity, diffType, columns),
        compared,
      }));
    return { holds, count, counted: rows, nearest: near };
  });
  return {
    assertions,
    unsafe: unsafe
      .slice(0, UNSAFE_MAX)
      .map(({ table, change, row }) => seen(row, table, change, keys[table] ?? [])),
    unsafeCount: unsafe.length,
    isClosed: spec.closedWorld ? changed.every(({ row }) => claims.counted.has(row.source)) : null,
  };
}

export const isUnmet = (compared: Compared) => compared.kind === "extra" || !compared.holds;
const unmetIn = (all: readonly Compared[]) => all.filter(isUnmet).length;

/** Every condition on a row of an assertion, with the value it met. */
function compare(assertion: CompiledAssertion, strict: boolean, candidate: Candidate): Compared[] {
  const { where, changes, free, diffType } = assertion;
  const { before, after, changed } = candidate;
  const sides = [before, after].filter((row) => row !== undefined);
  const [best = []] = sides
    .map((row) => conditionsOn(where, row))
    .sort((a, b) => unmetIn(a) - unmetIn(b));
  if (diffType !== "changed") return best;
  const at = (read: (row: Row) => Value) => ({
    old: cut(before && read(before)),
    now: cut(after && read(after)),
  });
  const rules = (changes ?? []).map(
    (rule): Compared => ({
      kind: "change",
      path: rule.path,
      from: rule.from.map(plain),
      to: rule.to.map(plain),
      ...at(rule.read),
      holds: ruleHolds(rule, candidate),
    }),
  );
  const extra = changed
    .filter(
      (column) =>
        strict && changes && !free.has(column) && !changes.some((rule) => rule.column === column),
    )
    .map((path): Compared => ({ kind: "extra", path, ...at((row) => row[path]) }));
  return [...best, ...rules, ...extra];
}

function conditionsOn(predicate: Predicate, row: Row): Compared[] {
  switch (predicate.kind) {
    case "all":
      return predicate.of.flatMap((part) => conditionsOn(part, row));
    case "leaf": {
      const actual = predicate.leaf.read(row);
      const holds = predicate.leaf.test(actual);
      return [{ kind: "is", of: said(predicate), actual: cut(actual), holds }];
    }
    default: {
      const [path] = pathsOf(predicate);
      const actual = path === undefined ? undefined : cut(path.read(row));
      return [{ kind: "is", of: said(predicate), actual, holds: matcher(predicate)(row) }];
    }
  }
}

const pathsOf = (predicate: Predicate): { read: (row: Row) => Value }[] =>
  predicate.kind === "leaf" ? [predicate.leaf] : [predicate.of].flat().flatMap(pathsOf);

const plain = ({ path, operator, operand }: Condition): Condition => ({ path, operator, operand });

function said(predicate: Predicate): Said {
  if (predicate.kind === "leaf") return { kind: "leaf", leaf: plain(predicate.leaf) };
  if (predicate.kind === "not") return { kind: "not", of: said(predicate.of) };
  return { kind: predicate.kind, of: predicate.of.map(said) };
}

const cutRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cut(value)]));

function cut(value: Value): Value {
  if (typeof value === "string") return value.slice(0, TEXT_MAX);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return text.length <= JSON_MAX ? value : `${text.slice(0, TEXT_MAX)}…`;
}
