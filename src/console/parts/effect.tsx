/** The row changes of a call in short. */
import type { RunEvent } from "~/clients/typescript/schema";

const SIGNS = { insert: "+", update: "~", delete: "−" } as const;
const EFFECTS = { insert: "added", update: "changed", delete: "removed" } as const;

/** The rows of a table as a word: `1 channel member`, `2 channel members`. */
function nounOf(table: string, count: number): string {
  const rows = table.replaceAll("_", " ");
  return count === 1 ? rows.replace(/ies$/, "y").replace(/s$/, "") : rows;
}

/** How many rows of each table a call changed. */
export function Effect({ of }: { of: readonly RunEvent[] }) {
  const groups = Map.groupBy(of, ({ operation, table }) => `${operation} ${table}`);
  return (
    <div class="effect">
      {[...groups.values()].map(([first, ...others]) =>
        first ? (
          <span key={`${first.operation} ${first.table}`} class={first.operation}>
            <span aria-hidden="true">{SIGNS[first.operation]}</span>
            {others.length + 1} {nounOf(first.table, others.length + 1)}
            <span class="hidden"> {EFFECTS[first.operation]}</span>
          </span>
        ) : null,
      )}
    </div>
  );
}
