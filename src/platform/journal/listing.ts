/**
 * Reads the journal of a run: numbers its calls, and adds those that only the log knows.
 *
 * Servers append batches independently of each other. Calls are numbered when they are read, in the order in which
 * they were answered, once every server has had the time to append what it answered before. A number never changes.
 */
import type { NamedCall } from "~/capture/change";
import { inTransaction, type Pool, type Sql, type Tx } from "~/db/connect";
import { ApiError } from "~/errors";
import { APPEND_MS, type Journal } from "~/platform/journal/journal";
import type { Line } from "~/platform/journal/line";
import type { CallPage, ListedCall } from "~/platform/journal/model";
import * as store from "~/platform/journal/store";

export type JournalListing = ReturnType<typeof createJournalListing>;

/** By then every server has appended a call, unless it is overloaded or dead. */
const SETTLED_MS = APPEND_MS + 150;
export const PAGE_DEFAULT = 100;
export const PAGE_MAX = 1_000;
/** Calls that assertions can count, and the characters of their arguments. */
export const CALLS_MAX = 10_000;
const CALLS_LENGTH_MAX = 32 * 1024 * 1024;
/** Characters of JSON text in a page that are not exceeded unless by its first call. */
const PAGE_LENGTH_MAX = 8 * 1024 * 1024;

type ReadBatch = {
  readonly batch: string;
  readonly lines: readonly Line[];
  readonly numbers: (number | null)[];
};
type Place = { readonly line: Line; readonly index: number };
type LoggedCall = Pick<NamedCall, "id"> & { readonly line: Line; readonly arguments?: unknown };
/** Of each call, as ranges. */
type Changes = { readonly [id: string]: readonly (readonly [number, number])[] };

const answeredAt = ({ at, ms }: Line) => at + (ms ?? 0);
const inOrder = (a: Place, b: Place) =>
  answeredAt(a.line) - answeredAt(b.line) || (a.line.id < b.line.id ? -1 : 1);

export function createJournalListing(deps: {
  pool: Pool;
  journal: Journal;
  /** Notes that the journal has every call of the run that the log names. */
  forgetMarks: (sql: Sql, runId: string) => Promise<unknown>;
}) {
  const { pool, journal, forgetMarks } = deps;

  async function requireRun(userId: string, runId: string): Promise<store.RunOfJournal> {
    const run = await store.findRun(pool, runId);
    if (run?.userId !== userId) throw new ApiError("run_not_found", "There is no such run");
    return run;
  }

  /** Waits until the calls that were answered before now are appended, on every server. */
  async function settle(sinceEnd: number | null): Promise<void> {
    await journal.flush();
    const left = SETTLED_MS - (sinceEnd ?? 0);
    if (left > 0) await Bun.sleep(left);
  }

  /** Numbers the calls that were answered before now. */
  async function numberCalls(runId: string, { isOver, now, sinceEnd }: store.RunOfJournal) {
    await settle(sinceEnd);
    await inTransaction(pool, (tx) => number(tx, runId, isOver, isOver ? Infinity : now));
  }

  /** Numbers the calls that were answered up to `until`, in the order in which they were answered. */
  async function number(tx: Tx, runId: string, isOver: boolean, until: number): Promise<void> {
    await store.lockNumbering(tx, runId);
    const marks = isOver ? await store.findMarks(tx, runId) : null;
    if (marks !== null) {
      await addLogged(tx, runId, JSON.parse(marks));
      await forgetMarks(tx, runId);
    }
    const unnumbered = await readBatches(tx, runId, "unnumbered");
    if (unnumbered.length === 0) return;
    if (isOver) await takeOver(tx, runId, unnumbered);
    const due = unnumbered
      .flatMap(({ lines, numbers }) => lines.map((line, index) => ({ line, numbers, index })))
      .filter(({ line, numbers, index }) => numbers[index] === null && answeredAt(line) <= until);
    let last = await store.lastNumber(tx, runId);
    for (const { numbers, index } of due.sort(inOrder)) numbers[index] = ++last;
    for (const batch of unnumbered) await store.setNumbers(tx, runId, batch);
  }

  return {
    /** Lists the calls of a run from number `after` on. Throws `run_not_found`, or `invalid_request`. */
    async list(
      userId: string,
      runId: string,
      query: { after?: string; limit?: string },
    ): Promise<CallPage> {
      const after = Number(query.after ?? 0);
      const limit = Number(query.limit ?? PAGE_DEFAULT);
      if (limit < 1 || limit > PAGE_MAX)
        throw new ApiError("invalid_request", `limit: a number from 1 to ${PAGE_MAX} is needed`);
      const run = await requireRun(userId, runId);
      const { journal: mode } = run;
      const head = { runId, journal: mode, attribution: attributionOf(run) };
      if (mode === "off") return { ...head, complete: true, calls: [], next: null };
      await numberCalls(runId, run);
      const { calls, hasMore } = await pageOf(runId, after, limit);
      const next = hasMore ? (calls.at(-1)?.n ?? null) : null;
      const { dropped } = await store.findDropped(pool, runId);
      return { ...head, complete: dropped === 0, calls, next };
    },

    /**
     * Returns all calls of a run that has ended. Undefined if the journal does not have them all, or they are more than
     * `CALLS_MAX` or longer than `CALLS_LENGTH_MAX`.
     */
    async all(runId: string): Promise<readonly ListedCall[] | undefined> {
      const run = await store.findRun(pool, runId);
      if (!run || run.journal === "off") return undefined;
      await numberCalls(runId, run);
      if ((await store.findDropped(pool, runId)).dropped > 0) return undefined;
      const all: ListedCall[] = [];
      let length = 0;
      for (let after = 0, hasMore = true; hasMore; after = all.at(-1)?.n ?? 0) {
        const page = await pageOf(runId, after, PAGE_MAX);
        for (const call of page.calls) {
          length += JSON.stringify(call.arguments).length;
          all.push(call);
        }
        if (all.length > CALLS_MAX || length > CALLS_LENGTH_MAX) return undefined;
        hasMore = page.hasMore;
      }
      return all;
    },
  };

  async function pageOf(runId: string, after: number, limit: number) {
    const until = after + limit;
    const batches = await store.listNumbered(pool, runId, after, until + 1);
    const changes = await store.findChanges(pool, runId);
    const ranges: Changes | undefined = changes === null ? undefined : JSON.parse(changes);
    const found = batches.flatMap(({ lines, numbers }) => {
      const read: Line[] = JSON.parse(lines);
      return read.flatMap((line, index) => {
        const n = numbers[index] ?? 0;
        return n > after && n <= until + 1 ? [listed(n, line, ranges)] : [];
      });
    });
    found.sort((a, b) => a.n - b.n);
    let length = 0;
    const end = found.findIndex((call, index) => {
      length += JSON.stringify(call).length;
      return index === limit || (index > 0 && length > PAGE_LENGTH_MAX);
    });
    return { calls: end < 0 ? found : found.slice(0, end), hasMore: end >= 0 };
  }
}

async function readBatches(
  tx: Tx,
  runId: string,
  which: "all" | "unnumbered",
): Promise<ReadBatch[]> {
  const batches = await store.listBatches(tx, runId, which);
  return batches.map(({ batch, lines, numbers }) => {
    const read: Line[] = JSON.parse(lines);
    return { batch, lines: read, numbers: read.map((_, index) => numbers[index] ?? null) };
  });
}

/** Appends the calls that wrote and that no server has appended: it died before. */
async function addLogged(tx: Tx, runId: string, logged: readonly LoggedCall[]): Promise<void> {
  const known = new Set(
    (await readBatches(tx, runId, "all")).flatMap(({ lines }) => lines.map(({ id }) => id)),
  );
  const lines = logged
    .filter(({ id }) => !known.has(id))
    .map(({ id, line, arguments: given = null }) => ({ ...line, id, arguments: given }));
  if (lines.length > 0)
    await store.append(tx, [
      { runId, lines: JSON.stringify(lines), lineCount: lines.length, dropped: 0 },
    ]);
}

/** A server that was thought dead has appended a call after all: its line takes over the number. */
async function takeOver(tx: Tx, runId: string, late: readonly ReadBatch[]): Promise<void> {
  const places = new Map<string, { batch: ReadBatch; index: number }>();
  for (const batch of await readBatches(tx, runId, "all"))
    for (const [index, { id, ms }] of batch.lines.entries())
      if (ms === null && batch.numbers[index]) places.set(id, { batch, index });
  for (const { lines, numbers } of late)
    for (const [index, { id }] of lines.entries()) {
      const place = places.get(id);
      if (!place || numbers[index] !== null) continue;
      numbers[index] = place.batch.numbers[place.index] ?? null;
      place.batch.numbers[place.index] = 0;
      await store.setNumbers(tx, runId, place.batch);
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
