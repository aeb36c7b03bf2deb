/** The things that a spec finds in the evidence of a run: the rows of each assertion, and those that nothing explains. */
import type { Diff, JsonObject } from "~/capture/fold";
import type { CompiledAssertion } from "~/evaluation/assertion";
import { CALL_KEY, isNamed } from "~/evaluation/calls";
import {
  baselineRows,
  type Candidate,
  callsOf,
  counts,
  deliveredOf,
  gather,
  isFree,
  type Keys,
  type RunEvidence,
  totalOf,
} from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import { DELIVERY_KEY, isOfType } from "~/evaluation/deliveries";
import { type Events, type ReadEvents, type RowEvent, significant } from "~/evaluation/unsafe";

const NO_CHANGES: Diff = { inserts: [], updates: [], deletes: [] };

export function look(spec: CompiledSpec, keys: Keys, evidence: RunEvidence) {
  const { diff, others } = evidence;
  const rows = gather(diff, evidence.unchangedColumns);
  const ofOthers = gather(others ?? NO_CHANGES, others?.unchangedColumns ?? []);
  const baseline = baselineRows(spec, keys, evidence, rows);
  const calls = spec.hasCalls ? callsOf(evidence) : [];
  const deliveries = spec.hasDeliveries ? deliveredOf(evidence) : [];
  const claims = createClaims(keys);
  const judge = (assertion: CompiledAssertion) => {
    const { diffType, entity, service, actor, min, max } = assertion;
    const { now = [], before = [] } = baseline.get(entity) ?? {};
    const candidatesOf = () => {
      const isOfService = (each: Candidate) => service === undefined || each.service === service;
      if (diffType === "called")
        return calls.filter((call) => isNamed(entity, call.source) && isOfService(call));
      if (diffType === "delivered")
        return deliveries.filter((each) => isOfType(entity, each.source) && isOfService(each));
      if (diffType !== "unchanged") {
        if (actor === undefined) return rows[diffType].get(entity) ?? [];
        const changed = ofOthers[diffType].get(entity) ?? [];
        return changed.filter(({ source }) => source["__actor__"] === actor);
      }
      return now.filter((row) => isFree(assertion.free, row));
    };
    const among = (candidates: readonly Candidate[]) =>
      candidates.filter((row) => counts(assertion, spec.strict, row));
    const candidates = candidatesOf();
    const counted = among(candidates);
    const isMet = (count: number) => count >= min && count <= max;
    const count = totalOf(counted);
    const isGuard = isMet(diffType === "unchanged" ? among(before).length : 0);
    return { ...assertion, candidates, counted, count, holds: isMet(count), isGuard };
  };
  const judged = spec.assertions.map(judge);
  for (const assertion of judged)
    if (assertion.diffType !== "unchanged") claims.add(assertion, assertion.counted);
  // They explain nothing: what obeys an attack is unexpected in a closed world.
  const attack = spec.attack.map(judge);
  const changed = [...significant(spec, rows)];
  const unsafe = changed.filter(
    ({ row: { source } }) => claims.harms.has(source) || !claims.explained.has(source),
  );
  return {
    rows,
    judged,
    attack,
    changed,
    unsafe,
    claims,
    eventsOf: readOnce(evidence.events ?? null),
  };
}

/** Reads events when they are first needed: most verdicts need none. */
function readOnce(events: string | null): ReadEvents {
  let read: readonly RowEvent[] | null | undefined;
  return () => (read ??= events === null ? null : (JSON.parse(events) as Events).events);
}

/** The rows of the diff that assertions count, and those among them that an assertion expects. */
function createClaims(keys: Keys) {
  const counted = new Set<JsonObject>();
  const explained = new Set<JsonObject>();
  const harms = new Set<JsonObject>();

  return {
    counted,
    explained,
    harms,

    /**
     * An assertion explains as many rows as it expects at most, whatever their order. A harm that happened explains
     * none: its rows are unsafe, even if another assertion asks for them.
     */
    add(assertion: CompiledAssertion, rows: readonly Candidate[]): void {
      for (const { source } of rows) counted.add(source);
      const isTooMany = rows.length > assertion.max;
      if (assertion.isHarm && isTooMany) for (const { source } of rows) harms.add(source);
      else if (!isTooMany) for (const { source } of rows) explained.add(source);
      else {
        const key = keyOf(assertion, keys);
        const name = ({ after, before }: Candidate) =>
          JSON.stringify(key.map((column) => (after ?? before)?.[column]));
        const named = rows.map((row) => ({ name: name(row), source: row.source }));
        named.sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
        for (const { source } of named.slice(0, assertion.max)) explained.add(source);
      }
    },
  };
}

/** The columns that explanations name a row by. */
export function keyOf({ diffType, entity }: CompiledAssertion, keys: Keys): readonly string[] {
  if (diffType === "called") return CALL_KEY;
  return diffType === "delivered" ? DELIVERY_KEY : (keys[entity] ?? []);
}
