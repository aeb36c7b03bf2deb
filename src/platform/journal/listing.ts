/** Lists the calls of a run, in pages. */
import type { Pool } from "~/db/connect";
import { runNotFound } from "~/errors";
import { PAGE_LENGTH_MAX, readLimit } from "~/http/page";
import type { Line } from "~/platform/journal/line";
import type { CallPage, ListedCall } from "~/platform/journal/model";
import type { Numbering } from "~/platform/journal/numbering";
import * as store from "~/platform/journal/store";

export type JournalListing = ReturnType<typeof createJournalListing>;

/** Of each call, as ranges. */
type Changes = { readonly [id: string]: readonly (readonly [number, number])[] };

export function createJournalListing({ pool, numbering }: { pool: Pool; numbering: Numbering }) {
  async function requireRun(userId: string, runId: string): Promise<store.RunOfJournal> {
    const run = await store.findRun(pool, runId);
    if (run?.userId !== userId) throw runNotFound(runId);
    return run;
  }

  return {
    /** Lists the calls of a run from number `after` on. Throws `run_not_found`, or `invalid_request`. */
    async list(
      userId: string,
      runId: string,
      query: { after?: string; limit?: string },
    ): Promise<CallPage> {
      const after = Number(query.after ?? 0);
      const limit = readLimit(query.limit);
      const run = await requireRun(userId, runId);
      const { journal: mode } = run;
      const head = { runId, journal: mode, attribution: attributionOf(run) };
      if (mode === "off") return { ...head, complete: true, calls: [], next: null };
      await numbering.number(runId, run);
      const { calls, hasMore } = await pageOf(runId, after, limit);
      const next = hasMore ? (calls.at(-1)?.n ?? null) : null;
      const { dropped } = await store.findDropped(pool, runId);
      return { ...head, complete: dropped === 0, calls, next };
    },

    pageOf,
  };

  async function pageOf(runId: string, after: number, limit: number) {
    const until = after + limit;
    const batches = await store.listNumbered(pool, runId, {
      after,
      until: until + 1,
      lengthMax: PAGE_LENGTH_MAX,
    });
    // Batches of several servers overlap: calls behind the beginning of one that was not read wait for it.
    const unread = batches.at(-1)?.next ?? null;
    const last = unread === null ? until + 1 : unread - 1;
    const changes = await store.findChanges(pool, runId);
    const ranges: Changes | undefined = changes === null ? undefined : JSON.parse(changes);
    const found = batches.flatMap(({ lines, numbers }) => {
      const read: Line[] = JSON.parse(lines);
      return read.flatMap((line, index) => {
        const n = numbers[index] ?? 0;
        return n > after && n <= last ? [listed(n, line, ranges)] : [];
      });
    });
    found.sort((a, b) => a.n - b.n);
    let length = 0;
    const end = found.findIndex((call, index) => {
      length += JSON.stringify(call).length;
      return index === limit || (index > 0 && length > PAGE_LENGTH_MAX);
    });
    if (end < 0) return { calls: found, hasMore: unread !== null };
    return { calls: found.slice(0, end), hasMore: true };
  }
}

function attributionOf({
  capture,
  isOver,
  isAttributed,
}: Omit<store.RunOfJournal, "journal">): CallPage["attribution"] {
  if (capture === "snapshot" || (isOver && !isAttributed)) return "none";
  return isOver ? "exact" : "pending";
}

function listed(n: number, line: Line, changes: Changes | undefined): ListedCall {
  const { at, ms, service, via, name, status, error, fault = null, request, trace } = line;
  const ranges = changes && (changes[line.id] ?? []);
  return {
    n,
    at: new Date(at).toISOString(),
    ms,
    service,
    via,
    name,
    arguments: line.arguments ?? null,
    status,
    error,
    fault,
    changes: ranges?.flatMap(([first, last]) => range(first, last)) ?? null,
    request,
    trace,
    ...("answer" in line && { answer: line.answer }),
  };
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
