/** Explains why an assertion failed: the nearest rows, and the conditions that each of them did not meet. */

import type { CompiledAssertion } from "~/evaluation/assertion";
import { type Candidate, ruleHolds, totalOf } from "~/evaluation/candidates";
import type { Value } from "~/evaluation/operators";
import type { Leaf, Predicate, Row } from "~/evaluation/predicate";

export type Explanation = {
  /** Counted from 1; 0: the whole spec. */
  assertion: number;
  summary: string;
  /** The counted rows if fewer were expected, otherwise those that missed the fewest conditions. */
  nearest: { key: { [column: string]: unknown }; failed: string[] }[];
};

const NEAREST_MAX = 3;
/** The nearest rows are chosen from this many. */
const LOOKED_AT_MAX = 500;
const SHOWN_MAX = 120;

/** An assertion's rows, what happened to them, and to which table or call. */
const WORDS = {
  added: ["row", "rows", "added to"],
  removed: ["row", "rows", "removed from"],
  changed: ["row", "rows", "changed in"],
  unchanged: ["row", "rows", "unchanged in"],
  called: ["call", "calls", "made of"],
  delivered: ["delivery", "deliveries", "made of"],
} as const;

export function explain(
  number: number,
  assertion: CompiledAssertion,
  strict: boolean,
  key: readonly string[],
  candidates: readonly Candidate[],
  counted: readonly Candidate[],
): Explanation {
  const { diffType, entity, max } = assertion;
  const keyOf = ({ before, after }: Candidate) => {
    const row = after ?? before ?? {};
    return Object.fromEntries(key.map((column) => [column, row[column] ?? null]));
  };
  const [one, several, verb] = WORDS[diffType];
  const what = `${verb} ${entity}`;
  if (totalOf(counted) > max)
    return {
      assertion: number,
      summary: `more ${several} were ${what} than expected`,
      nearest: counted
        .slice(0, NEAREST_MAX)
        .map((candidate) => ({ key: keyOf(candidate), failed: [] })),
    };
  const others = new Set(counted);
  const nearest = candidates
    .filter((candidate) => !others.has(candidate))
    .slice(0, LOOKED_AT_MAX)
    .map((candidate) => ({ key: keyOf(candidate), failed: lacks(assertion, strict, candidate) }))
    .sort((a, b) => a.failed.length - b.failed.length)
    .slice(0, NEAREST_MAX);
  return {
    assertion: number,
    summary:
      candidates.length === 0
        ? `no ${one} was ${what}`
        : `too few ${several} ${what} are as expected`,
    nearest,
  };
}

/** The reasons why a row does not count. */
function lacks(assertion: CompiledAssertion, strict: boolean, candidate: Candidate): string[] {
  const { where, changes, free, diffType } = assertion;
  const { before, after, changed } = candidate;
  const sides = [before, after].filter((row) => row !== undefined);
  const [least = []] = sides.map((row) => unmet(where, row)).sort((a, b) => a.length - b.length);
  if (diffType !== "changed") return least;
  const failed = [...least];
  const here = (path: string) => ({ old: before?.[path], now: after?.[path] });
  for (const rule of changes ?? []) {
    if (ruleHolds(rule, candidate)) continue;
    if (!changed.includes(rule.column)) failed.push(`${rule.path} did not change`);
    else {
      const { old, now } = here(rule.column);
      failed.push(`${rule.path} changed from ${show(old)} to ${show(now)}`);
    }
  }
  if (strict && changes)
    for (const column of changed)
      if (!free.has(column) && !changes.some((rule) => rule.column === column))
        failed.push(`${column} changed too`);
  if (failed.length === 0) failed.push("only columns that do not matter changed");
  return failed;
}

/** The conditions of a predicate that a row does not meet; for alternatives, those of the nearest one. */
function unmet(predicate: Predicate, row: Row): string[] {
  switch (predicate.kind) {
    case "leaf":
      return predicate.leaf.test(predicate.leaf.read(row)) ? [] : [described(predicate.leaf, row)];
    case "all":
      return predicate.of.flatMap((part) => unmet(part, row));
    case "any": {
      const [least = ["or: there is no alternative"]] = predicate.of
        .map((part) => unmet(part, row))
        .sort((a, b) => a.length - b.length);
      return least;
    }
    case "not":
      return unmet(predicate.of, row).length > 0 ? [] : ["not: what must not hold does"];
  }
}

const described = ({ path, operator, operand, read }: Leaf, row: Row) =>
  `${path} ${operator} ${show(operand as Value)}: it is ${show(read(row))}`;

function show(value: Value): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
