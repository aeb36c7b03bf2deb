/** Changes that a run made and took back, which its diff does not show. */
import type { JsonObject } from "~/capture/fold";
import type { Keys, Rows, RunEvidence } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import { nameOf, orderedKey, type ReadEvents } from "~/evaluation/unsafe";

/**
 * Counts rows of which something was written and is as it was before; null if that is not known. A row may end as it
 * began, apart from columns that the service computes: its history shows that another column was written too.
 */
export function undoneOf(
  { free, own }: Pick<CompiledSpec, "free" | "own">,
  keys: Keys,
  rows: Rows,
  { revertedRows, transientRows, events }: RunEvidence,
  eventsOf: ReadEvents,
): number | null {
  if (typeof events !== "string") return null;
  const whole = [...revertedRows, ...transientRows].filter(
    (row) => !own.has(`${row["__table__"]}`),
  );
  const open = new Map<string, ReadonlySet<string>>();
  for (const [table, candidates] of rows.changed) {
    if (own.has(table)) continue;
    for (const { after, changed } of candidates) {
      const known = new Set([...changed, ...(free.get(table) ?? [])]);
      open.set(nameOf(table, orderedKey(keys, table, after ?? {})), known);
    }
  }
  if (open.size === 0) return whole.length;
  const undone = new Set<string>();
  for (const { table, key, after, actor } of eventsOf() ?? []) {
    if (actor !== undefined) continue;
    const name = nameOf(table, orderedKey(keys, table, key));
    const known = open.get(name);
    if (known && columnsOf(after).some((column) => !known.has(column))) undone.add(name);
  }
  return whole.length + undone.size;
}

const columnsOf = (row: JsonObject | null) => Object.keys(row ?? {});
