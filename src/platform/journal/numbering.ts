/**
 * Numbers the calls of a run, and adds those that only the log knows.
 *
 * Servers append batches independently of each other. Calls are numbered when they are read, in the order in which
 * they were answered, once every server has had the time to append what it answered before. A number never changes.
 */
import { createHash } from "node:crypto";
import type { NamedCall } from "~/capture/change";
import { inTransaction, type Pool, type Sql, type Tx } from "~/db/connect";
import { hasFailed } from "~/evaluation/calls";
import * as indexStore from "~/platform/journal/index-store";
import { APPEND_MS, type Journal } from "~/platform/journal/journal";
import type { Line } from "~/platform/journal/line";
import * as store from "~/platform/journal/store";

export type Numbering = ReturnType<typeof createNumbering>;

/** By then every server has appended a call, unless it is overloaded or dead. */
const SETTLED_MS = APPEND_MS + 150;
/** Calls of a run beyond which Postgres numbers and counts them. */
export const LONG_RUN = 10_000;
/** Batches in memory. */
export const BATCHES = 4;

type ReadBatch = {
  readonly batch: string;
  readonly lines: readonly Pick<Line, "id" | "at" | "ms">[];
  readonly numbers: (number | null)[];
};
type Place = { readonly line: ReadBatch["lines"][number]; readonly index: number };
/** The calls that are numbered: those that were answered until then. */
type Part = { readonly isOver: boolean; readonly until: number };
type LoggedCall = Pick<NamedCall, "id"> & { readonly line: Line; readonly arguments?: unknown };

const answeredAt = ({ at, ms }: Pick<Line, "at" | "ms">) => at + (ms ?? 0);
const inOrder = (a: Place, b: Place) =>
  answeredAt(a.line) - answeredAt(b.line) || (a.line.id < b.line.id ? -1 : 1);

export function createNumbering(deps: {
  pool: Pool;
  journal: Journal;
  /** Notes that the journal has every call of the run that the log names. */
  forgetMarks: (sql: Sql, runId: string) => Promise<unknown>;
}) {
  const { pool, journal, forgetMarks } = deps;

  /** Waits until the calls that were answered before now are appended, on every server. */
  async function settle(sinceEnd: number | null): Promise<void> {
    await journal.flush();
    const left = SETTLED_MS - (sinceEnd ?? 0);
    if (left > 0) await Bun.sleep(left);
  }

  /** Numbers the calls that were answered up to `until`, in the order in which they were answered. */
  async function number(tx: Tx, runId: string, part: Part): Promise<void> {
    await store.lockNumbering(tx, runId);
    const isLong = await indexIfLong(tx, runId);
    const marks = part.isOver ? await store.findMarks(tx, runId) : null;
    if (marks !== null) {
      await addLogged(tx, runId, JSON.parse(marks), { isLong });
      await forgetMarks(tx, runId);
    }
    if (isLong) await numberLong(tx, runId, part);
    else await numberShort(tx, runId, part);
  }

  return {
    /** Numbers the calls that were answered before now. */
    async number(runId: string, { isOver, now, sinceEnd }: store.RunOfJournal): Promise<void> {
      await settle(sinceEnd);
      await inTransaction(pool, (tx) =>
        number(tx, runId, { isOver, until: isOver ? Infinity : now }),
      );
    },

    /** Fills the index of a run, whatever its length. */
    index: async (runId: string) => await indexRun(pool, runId),
  };
}

async function indexIfLong(tx: Tx, runId: string): Promise<boolean> {
  const { lines } = await store.findDropped(tx, runId);
  if (lines <= LONG_RUN) return false;
  await indexRun(tx, runId);
  return true;
}

async function indexRun(sql: Sql, runId: string): Promise<void> {
  for (let after = "0"; ; ) {
    const found = await indexStore.listUnindexed(sql, runId, after, BATCHES);
    for (const { batch, lines } of found)
      await indexStore.setIndex(sql, runId, batch, indexOf(JSON.parse(lines)));
    if (found.length < BATCHES) return;
    after = found.at(-1)?.batch ?? after;
  }
}

function indexOf(lines: readonly Line[]): indexStore.LineIndex {
  return {
    ids: lines.map(({ id }) => id),
    answered: lines.map(answeredAt),
    called: lines.map(({ via, name, service }) => JSON.stringify([via, name, service])),
    outcomes: lines.map((line) => {
      const { status, error, fault = null } = line;
      return JSON.stringify([hasFailed(line), status, error, fault]);
    }),
    hashes: lines.map((line) => line.hash ?? hashOf(line.arguments)),
  };
}

const hashOf = (given: unknown = null) =>
  createHash("md5").update(JSON.stringify(given)).digest("hex");

async function numberLong(tx: Tx, runId: string, { isOver, until }: Part): Promise<void> {
  await indexRun(tx, runId);
  await indexStore.allowLong(tx);
  if (isOver)
    for (const { number, logged, late } of await indexStore.listLate(tx, runId)) {
      await indexStore.setNumber(tx, runId, late, number);
      await indexStore.setNumber(tx, runId, logged, 0);
    }
  await indexStore.numberIndexed(tx, runId, until);
}

async function numberShort(tx: Tx, runId: string, { isOver, until }: Part): Promise<void> {
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

async function readBatches(
  tx: Tx,
  runId: string,
  which: "all" | "unnumbered",
): Promise<ReadBatch[]> {
  const batches: ReadBatch[] = [];
  for (;;) {
    const after = batches.at(-1)?.batch ?? "0";
    const found = await store.listBatches(tx, runId, which, after, BATCHES);
    for (const { batch, lines, numbers } of found) {
      // Without their texts, which may be long.
      const read = (JSON.parse(lines) as Line[]).map(({ id, at, ms }) => ({ id, at, ms }));
      batches.push({ batch, lines: read, numbers: read.map((_, index) => numbers[index] ?? null) });
    }
    if (found.length < BATCHES) return batches;
  }
}

/** Appends the calls that wrote and that no server has appended: it died before. */
async function addLogged(
  tx: Tx,
  runId: string,
  logged: readonly LoggedCall[],
  { isLong }: { isLong: boolean },
): Promise<void> {
  const known = new Set(
    isLong
      ? await indexStore.findKnown(
          tx,
          runId,
          logged.map(({ id }) => id),
        )
      : (await readBatches(tx, runId, "all")).flatMap(({ lines }) => lines.map(({ id }) => id)),
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
