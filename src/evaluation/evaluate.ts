/**
 * Evidence and spec → the verdict. Pure: the same diff and spec give the same verdict, regardless of the order of the
 * diff's rows.
 */
import type { Diff, JsonObject } from "~/capture/fold";
import { CALL_KEY, isNamed } from "~/evaluation/calls";
import {
  baselineRows,
  callsOf,
  counts,
  gather,
  isFree,
  type Keys,
  type Rows,
  type RunEvidence,
} from "~/evaluation/candidates";
import type { CompiledAssertion, CompiledSpec } from "~/evaluation/compile";
import { type Explanation, explain } from "~/evaluation/explain";
import { percentOf } from "~/evaluation/score";

export type Verdict = {
  readonly passed: boolean;
  readonly score: { readonly passed: number; readonly total: number; readonly percent: number };
  readonly failures: string[];
  readonly explanations: Explanation[];
};

/** Specs like this are no longer accepted, but those that are stored still work. */
const NO_ASSERTIONS: Explanation = {
  assertion: 0,
  summary: "the test has no assertions, so every run passes it",
  nearest: [],
};
const NO_CHANGES: Diff = { inserts: [], updates: [], deletes: [] };
const UNCLAIMED_SHOWN_MAX = 100;
const LINE_MAX = 500;

export function evaluate(spec: CompiledSpec, keys: Keys, evidence: RunEvidence): Verdict {
  const { diff, clock } = evidence;
  const rows = gather(diff, evidence.unchangedColumns);
  const ofClock = gather(clock ?? NO_CHANGES, clock?.unchangedColumns ?? []);
  const unchanged = baselineRows(spec, keys, evidence, rows);
  const calls = spec.hasCalls ? callsOf(evidence) : [];
  const claimed = new Set<JsonObject>();
  const failures: string[] = [];
  const explanations: Explanation[] = [];
  let passed = 0;
  for (const [index, assertion] of spec.assertions.entries()) {
    const { diffType, entity, isByClock, min, max, expected } = assertion;
    const candidatesOf = () => {
      if (diffType === "called") return calls.filter(({ source }) => isNamed(entity, source));
      if (diffType !== "unchanged") return (isByClock ? ofClock : rows)[diffType].get(entity) ?? [];
      return (unchanged.get(entity) ?? []).filter((row) => isFree(assertion.free, row));
    };
    const candidates = candidatesOf();
    const counted = candidates.filter((row) => counts(assertion, spec.strict, row));
    if (diffType !== "unchanged") for (const { source } of counted) claimed.add(source);
    if (counted.length >= min && counted.length <= max) {
      passed++;
      continue;
    }
    failures.push(
      `assertion#${index + 1} ${entity} expected count ${expected} but got ${counted.length}`,
    );
    explanations.push(
      explain(index + 1, assertion, spec.strict, keyOf(assertion, keys), candidates, counted),
    );
  }
  if (spec.assertions.length === 0 && !spec.closedWorld) explanations.push(NO_ASSERTIONS);
  if (spec.closedWorld) failures.push(...unclaimed(spec, keys, rows, claimed));
  const total = spec.assertions.length;
  const all = failures.length === 0;
  const percent = total === 0 ? Number(all) * 100 : percentOf(passed, total);
  return { passed: all, score: { passed, total, percent }, failures, explanations };
}

/** The columns that explanations name a row by. */
const keyOf = ({ diffType, entity }: CompiledAssertion, keys: Keys) =>
  diffType === "called" ? CALL_KEY : (keys[entity] ?? []);

/** One line for each row that no assertion counted, up to a limit. */
function unclaimed(
  { free, own }: CompiledSpec,
  keys: Keys,
  rows: Rows,
  claimed: ReadonlySet<JsonObject>,
): string[] {
  const lines: string[] = [];
  let more = 0;
  for (const kind of ["added", "removed", "changed"] as const)
    for (const [table, candidates] of rows[kind])
      for (const candidate of candidates) {
        if (claimed.has(candidate.source) || own.has(table)) continue;
        if (kind === "changed" && isFree(free.get(table), candidate)) continue;
        if (lines.length >= UNCLAIMED_SHOWN_MAX) {
          more++;
          continue;
        }
        const row = candidate.after ?? candidate.before ?? {};
        const key = Object.fromEntries((keys[table] ?? []).map((column) => [column, row[column]]));
        const columns = kind === "changed" ? ` in ${candidate.changed.join(", ")}` : "";
        const line = `closed_world ${table} has an unexpected ${kind} row ${JSON.stringify(key)}${columns}`;
        lines.push(line.slice(0, LINE_MAX));
      }
  if (more > 0) lines.push(`closed_world ${more} more unexpected rows`);
  return lines;
}
