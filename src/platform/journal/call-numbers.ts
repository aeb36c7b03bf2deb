/** The numbers of the calls that made changes. */
import type { Pool } from "~/db/connect";
import { findNumbers } from "~/platform/journal/index-store";
import type { JournalListing } from "~/platform/journal/listing";
import { LONG_RUN, type Numbering } from "~/platform/journal/numbering";
import * as store from "~/platform/journal/store";

const PAGE = 1_000;

export function createCallNumbers(deps: {
  pool: Pool;
  numbering: Numbering;
  pageOf: JournalListing["pageOf"];
}) {
  const { pool, numbering, pageOf } = deps;

  return {
    /** Returns the number of the call that made each of these changes, of a run that has ended, as far as it is known. */
    async of(runId: string, events: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
      const found = new Map<number, number>();
      const run = events.size === 0 ? undefined : await store.findRun(pool, runId);
      if (!run || run.journal === "off" || !run.isAttributed) return found;
      await numbering.number(runId, run);
      const { lines } = await store.findDropped(pool, runId);
      if (lines > LONG_RUN) return await ofLong(pool, runId, events);
      for (let after = 0; ; ) {
        const { calls, hasMore } = await pageOf(runId, after, PAGE);
        for (const { n, changes } of calls)
          for (const event of changes ?? []) if (events.has(event)) found.set(event, n);
        if (!hasMore || found.size === events.size) return found;
        after = calls.at(-1)?.n ?? after;
      }
    },
  };
}

async function ofLong(pool: Pool, runId: string, events: ReadonlySet<number>) {
  const changes = await store.findChanges(pool, runId);
  const ranges: { [id: string]: [number, number][] } = changes === null ? {} : JSON.parse(changes);
  const makers = new Map<number, string>();
  for (const event of events) {
    const [id] =
      Object.entries(ranges).find(([, all]) =>
        all.some(([first, last]) => first <= event && event <= last),
      ) ?? [];
    if (id !== undefined) makers.set(event, id);
  }
  const numbers = await findNumbers(pool, runId, [...new Set(makers.values())]);
  const found = new Map<number, number>();
  for (const [event, id] of makers) {
    const n = numbers.get(id);
    if (n !== undefined) found.set(event, n);
  }
  return found;
}
