/** The rows that assertions choose from: complete rows of the diff, and unchanged rows. */
import type { Diff, JsonObject } from "~/capture/fold";
import type { OtherChanges } from "~/capture/records";
import type { ChangeRule, CompiledAssertion } from "~/evaluation/assertion";
import { callRows, type RunCall } from "~/evaluation/calls";
import type { CompiledSpec } from "~/evaluation/compile";
import { deliveryRow, type RunDelivery } from "~/evaluation/deliveries";
import type { Row } from "~/evaluation/predicate";

/** The evidence of a run. `unchangedColumns` gives conditions a value for columns that an update did not change. */
export type RunEvidence = {
  readonly diff: Diff;
  /** The unchanged columns of each update of the diff, in its order. */
  readonly unchangedColumns: readonly JsonObject[];
  /** Rows that were written and reverted to their old values. With `__table__`. */
  readonly revertedRows: readonly JsonObject[];
  /** Keys of rows that were inserted and deleted again. With `__table__`. */
  readonly transientRows: readonly JsonObject[];
  /** By table: rows at some moment of the run, for the tables of `unchanged` assertions. */
  readonly baselineRows: { readonly [table: string]: readonly JsonObject[] };
  /** Changes by others than the agent, which the diff leaves out, if there are any. */
  readonly others?: OtherChanges | null;
  /** The run's changes in their order, as JSON text of `{events}`; null if they are not known. */
  readonly events?: string | null;
  /** All calls of the run in their order, for specs that count them. */
  readonly calls?: readonly RunCall[];
  /** All deliveries of the run, for specs that count them. */
  readonly deliveries?: readonly RunDelivery[];
};

/** A complete row of the diff. */
export type Candidate = {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** Columns that differ. */
  readonly changed: readonly string[];
  readonly source: JsonObject;
  /** Of a call that stands for several: how many. */
  readonly times?: number;
  /** Of a call or an event. */
  readonly service?: string | undefined;
};

/** How many rows, or calls, these are. */
export const totalOf = (candidates: readonly Candidate[]) =>
  candidates.reduce((total, { times = 1 }) => total + times, 0);

/** Primary key columns of each table. */
export type Keys = { readonly [table: string]: readonly string[] };

export type Rows = Record<"added" | "removed" | "changed", Map<string, Candidate[]>>;

/** The diff's rows by kind and table, with complete updates. */
export function gather(diff: Diff, unchangedColumns: RunEvidence["unchangedColumns"]): Rows {
  const rows: Rows = { added: new Map(), removed: new Map(), changed: new Map() };
  const add = (kind: keyof Rows, candidate: Candidate) => {
    const table = String(candidate.source["__table__"]);
    const list = rows[kind].get(table);
    if (list) list.push(candidate);
    else rows[kind].set(table, [candidate]);
  };
  for (const row of diff.inserts)
    add("added", { before: undefined, after: row, changed: [], source: row });
  for (const row of diff.deletes)
    add("removed", { before: row, after: undefined, changed: [], source: row });
  for (const [index, update] of diff.updates.entries()) {
    const same = unchangedColumns[index] ?? (update["key"] as JsonObject);
    const [before, after] = [update["before"] as JsonObject, update["after"] as JsonObject];
    add("changed", {
      before: { ...same, ...before },
      after: { ...same, ...after },
      changed: Object.keys(after),
      source: update,
    });
  }
  return rows;
}

export function callsOf({ calls }: RunEvidence): Candidate[] {
  if (!calls) throw new Error("the evidence has no calls");
  return callRows(calls).map((row, index) => ({
    before: undefined,
    after: row,
    changed: [],
    source: row,
    times: calls[index]?.times ?? 1,
    service: calls[index]?.service,
  }));
}

export function deliveredOf({ deliveries }: RunEvidence): Candidate[] {
  if (!deliveries) throw new Error("the evidence has no deliveries");
  return deliveries.map((delivery) => {
    const row = deliveryRow(delivery);
    return { before: undefined, after: row, changed: [], source: row, service: delivery.service };
  });
}

/** A change of these columns only does not count. */
export const isFree = (free: ReadonlySet<string> | undefined, { changed }: Candidate) =>
  changed.every((column) => free?.has(column));

export function counts(
  { diffType, changes, matches, free }: CompiledAssertion,
  strict: boolean,
  candidate: Candidate,
): boolean {
  const { before, after, changed } = candidate;
  const found =
    (before !== undefined && matches(before)) || (after !== undefined && matches(after));
  if (!found || diffType !== "changed") return found;
  if (!changes) return !isFree(free, candidate);
  return (
    changes.every((rule) => ruleHolds(rule, candidate)) &&
    (!strict ||
      changed.every((column) => free.has(column) || changes.some((rule) => rule.column === column)))
  );
}

/** True if the value at the path changed, from and to the expected values. */
export function ruleHolds(
  { column, path, read, from, to }: ChangeRule,
  { before, after, changed }: Candidate,
): boolean {
  if (!before || !after || !changed.includes(column)) return false;
  const [old, now] = [read(before), read(after)];
  if (path !== column && JSON.stringify(old) === JSON.stringify(now)) return false;
  return from.every(({ test }) => test(old)) && to.every(({ test }) => test(now));
}

/** Existing rows that may count as unchanged. */
export type Baseline = {
  /** Rows that were not deleted. For an updated row, the assertion decides. */
  readonly now: readonly Candidate[];
  /** All rows, before the run. */
  readonly before: readonly Candidate[];
};

/**
 * The rows of a table that others than the agent have written, as they were before that; null for new ones. By key:
 * assertions on unchanged rows do not see what others do.
 */
function foundByOthers(
  { others }: RunEvidence,
  here: (row: JsonObject) => boolean,
  keyOf: (row: Row) => string,
): Map<string, JsonObject | null> {
  const found = new Map<string, JsonObject | null>();
  if (!others) return found;
  for (const row of others.deletes.filter(here)) found.set(keyOf(row), row);
  for (const [index, update] of others.updates.entries()) {
    if (!here(update)) continue;
    const key = keyOf(update["key"] as JsonObject);
    const same = found.get(key) ?? others.unchangedColumns[index];
    found.set(key, { ...same, ...(update["before"] as JsonObject) });
  }
  // One of them may have inserted what another one has changed or deleted.
  for (const row of others.inserts.filter(here)) found.set(keyOf(row), null);
  return found;
}

/** The baseline by table. */
export function baselineRows(
  { assertions }: CompiledSpec,
  keys: Keys,
  evidence: RunEvidence,
  rows: Rows,
): Map<string, Baseline> {
  const wanted = new Set(
    assertions.flatMap(({ diffType, entity }) => (diffType === "unchanged" ? [entity] : [])),
  );
  const found = new Map<string, Baseline>();
  for (const table of wanted) {
    const key = keys[table] ?? [];
    const keyOf = (row: Row) => JSON.stringify(key.map((column) => row[column]));
    const here = (row: JsonObject) => row["__table__"] === table;
    const { diff } = evidence;
    const touched = new Set([
      ...[diff.inserts, diff.deletes, evidence.revertedRows, evidence.transientRows].flatMap(
        (rows) => rows.filter(here).map(keyOf),
      ),
      ...diff.updates.filter(here).map((update) => keyOf(update["key"] as JsonObject)),
    ]);
    const theirs = foundByOthers(evidence, here, keyOf);
    const isOld = (row: Row) => theirs.get(keyOf(row)) !== null;
    const restored = [...theirs].flatMap(([key, row]) => (row && !touched.has(key) ? [row] : []));
    const still = [
      ...(evidence.baselineRows[table] ?? []).filter((row) => {
        const key = keyOf(row);
        return !touched.has(key) && !theirs.has(key);
      }),
      ...restored,
      ...evidence.revertedRows.filter((row) => here(row) && isOld(row)),
    ].map((row): Candidate => ({ before: row, after: undefined, changed: [], source: row }));
    const existed = ({ before = {} }: Candidate) => isOld(before);
    /** As it was before others wrote it. What the agent has changed is as it was before that. */
    const asFound = ({ before = {}, changed, source }: Candidate): Candidate => {
      const own = Object.fromEntries(changed.map((column) => [column, before[column]]));
      const found = { ...before, ...theirs.get(keyOf(before)), ...own };
      return { before: found, after: undefined, changed, source };
    };
    const updated = (rows.changed.get(table) ?? []).filter(existed).map(asFound);
    const removed = (rows.removed.get(table) ?? []).filter(existed).map(asFound);
    const now = [...still, ...updated];
    found.set(table, { now, before: [...now, ...removed] });
  }
  return found;
}
