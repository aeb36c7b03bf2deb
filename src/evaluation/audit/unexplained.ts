/** Changes of passing runs that no assertion explains: what a spec forgets, and what agents do too much. */
import type { JsonObject } from "~/capture/fold";
import type { Unsafe } from "~/evaluation/unsafe";

/** The changes of a run that no assertion explains. */
export type RunUnsafe = { readonly runId: string; readonly unsafe: Unsafe };

export type Unexplained = {
  readonly change: string;
  readonly table: string;
  /** Of a changed row. */
  readonly columns?: readonly string[];
  /** Runs with such a row. */
  readonly runs: number;
  readonly rows: number;
  /** Every run has one: the test asks for more than its assertions say. */
  readonly inEvery: boolean;
  readonly examples: { readonly runId: string; readonly key: JsonObject }[];
};

const KINDS_MAX = 50;
const EXAMPLES_MAX = 3;

/** Groups the rows by table, kind of change and columns; the most frequent ones first. */
export function unexplainedOf(runs: readonly RunUnsafe[]): Unexplained[] {
  type Found = Omit<Unexplained, "runs" | "rows" | "inEvery"> & { ids: Set<string>; rows: number };
  const kinds = new Map<string, Found>();
  for (const { runId, unsafe } of runs)
    for (const { change, table, columns, key } of unsafe.rows) {
      const kind = JSON.stringify([change, table, columns]);
      const found = kinds.get(kind) ?? {
        change,
        table,
        ...(columns && { columns }),
        ids: new Set<string>(),
        rows: 0,
        examples: [],
      };
      kinds.set(kind, found);
      if (!found.ids.has(runId) && found.examples.length < EXAMPLES_MAX)
        found.examples.push({ runId, key });
      found.ids.add(runId);
      found.rows++;
    }
  return [...kinds.values()]
    .map(({ ids, ...found }) => ({ ...found, runs: ids.size, inEvery: ids.size === runs.length }))
    .toSorted((a, b) => b.runs - a.runs || b.rows - a.rows)
    .slice(0, KINDS_MAX);
}
