/** Proposals for a spec, so that it catches a mutant. */
import type { Claim } from "~/evaluation/audit/claims";
import { type Mutant, shown } from "~/evaluation/audit/mutant";
import { type AuditRow, keyOf } from "~/evaluation/audit/rows";
import type { Keys } from "~/evaluation/candidates";
import type { Assertion, Spec } from "~/evaluation/spec";
import { isObject } from "~/input/json";

/** `claim`: the assertion that should have caught it. */
export function proposalFor(
  spec: Spec,
  mutant: Mutant,
  claim: Claim | undefined,
  keys: Keys,
): string {
  const assertion = claim && spec.assertions[claim.number - 1];
  if (mutant.class === "empty")
    return "add an assertion on what must change, or `expects: nothing`";
  if (mutant.class === "undone") return "an assertion depends on rows that are as they were";
  if (mutant.foreign) return forForeign(spec, mutant.foreign, claim, assertion);
  const { row, column } = mutant.of ?? {};
  if (!row || !claim || !assertion)
    return row
      ? `add an assertion on ${described(row, keys)}`
      : "add assertions on the later calls";
  const at = `assertion ${claim.number}`;
  if (mutant.class === "dropped" && column === undefined)
    return `${at} holds without this row: state its expected_count, or add an assertion on ${described(row, keys)}`;
  if (column === undefined) return `add ${keyList(row, keys)} to where of ${at}`;
  const value = valueAt(row, column);
  if (row.change === "changed" && row.changed.includes(column.split(".")[0] ?? ""))
    return `add "${column}": {"to": ${shown(value)}} to expected_changes of ${at}`;
  if (row.change === "changed")
    return "remove `strict: false`, and the column from what is ignored";
  const named = assertion.where?.[column];
  if (named === undefined) return `add "${column}": ${shown(value)} to where of ${at}`;
  const operators = isObject(named) ? Object.keys(named).join(", ") : "eq";
  return `${at}, "${column}": ${operators} → eq, ${shown(value)}`;
}

function forForeign(
  { closed_world, assertions }: Spec,
  row: AuditRow,
  claim: Claim | undefined,
  assertion: Assertion | undefined,
): string {
  if (claim && assertion)
    return `assertion ${claim.number} counts it too: name more columns in its where, or add "expected_count": 1`;
  if (closed_world) return `\`allow\` has no where that leaves out this row of ${row.table}`;
  return assertions.length > 0
    ? "add `closed_world: true`"
    : "add `closed_world: true` and assertions";
}

const valueAt = (row: AuditRow, path: string): unknown => {
  const whole = row.after?.[path];
  if (whole !== undefined) return whole;
  const [column = "", field = ""] = path.split(".");
  const value = row.after?.[column];
  return isObject(value) ? value[field] : value;
};

const keyList = (row: AuditRow, keys: Keys) => {
  const key = keyOf(keys, row.table, row.before ?? row.after ?? {});
  return Object.entries(key)
    .map(([column, value]) => `"${column}": ${shown(value)}`)
    .join(", ");
};

const described = (row: AuditRow, keys: Keys) =>
  `the ${row.change} row of ${row.table} with ${keyList(row, keys)}`;
