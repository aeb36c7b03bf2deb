/** The calls of a run for assertions that count them: all of a short run, and groups of equal calls of a long one. */
import { inTransaction, type Pool, type Tx } from "~/db/connect";
import { type CallsWanted, isNamed, type RunCall } from "~/evaluation/calls";
import {
  allowLong,
  type CallGroup,
  groupCalls,
  LINES_SORTED,
  type Share,
} from "~/platform/journal/index-store";
import type { Line } from "~/platform/journal/line";
import type { JournalListing } from "~/platform/journal/listing";
import { BATCHES, LONG_RUN, type Numbering } from "~/platform/journal/numbering";
import * as store from "~/platform/journal/store";

export type Counting = ReturnType<typeof createCounting>;

/**
 * Why the calls cannot be counted. `own`: the run itself made more than a journal keeps, or than fits in memory.
 * `lost`: the journal does not have them all for another reason.
 */
type Uncounted = "own" | "lost";

/** Calls that assertions can count. */
export const CALLS_MAX = 1_000_000;
/** Characters of what assertions ask of calls, without which they are not distinct. */
const ASKED_LENGTH_MAX = 32 * 1024 * 1024;
/** Groups of calls that differ in what assertions ask for. */
const GROUPS_MAX = 50_000;
const GROUPS_PER_FETCH = 5_000;
const PAGE = 1_000;

/** Groups by what is asked for, with the number of the first call of each. */
type Groups = Map<string, RunCall & { times: number }>;
/** `length`: that of the keys. */
type Found = { readonly groups: Groups; length: number };

export function createCounting(deps: {
  pool: Pool;
  numbering: Numbering;
  pageOf: JournalListing["pageOf"];
}) {
  const { pool, numbering, pageOf } = deps;

  /** All calls; undefined if their arguments are too long. */
  async function whole(runId: string): Promise<readonly RunCall[] | undefined> {
    const all: RunCall[] = [];
    let length = 0;
    for (;;) {
      const { calls, hasMore } = await pageOf(runId, all.at(-1)?.n ?? 0, PAGE);
      for (const call of calls) {
        length += JSON.stringify(call.arguments).length;
        if (length > ASKED_LENGTH_MAX) return undefined;
        const { n, via, name, arguments: given, status, error, fault, service } = call;
        all.push({ n, via, name, arguments: given, status, error, fault, service });
      }
      if (!hasMore) return all;
    }
  }

  /** Calls that do not differ in what is asked for, as one that counts several times. */
  async function grouped(
    runId: string,
    lines: number,
    wanted: CallsWanted,
  ): Promise<readonly RunCall[] | "own"> {
    const { fields } = wanted;
    const found: Found = { groups: new Map(), length: 0 };
    const count = Math.ceil(lines / LINES_SORTED);
    const shares = fields.has("retry")
      ? Array.from({ length: count }, (_, index) => ({ index, count }))
      : [undefined];
    // All shares in one state of the journal, to which a late call may still be appended.
    const hasRoom = await inTransaction(
      pool,
      async (tx) => {
        await allowLong(tx);
        for (const share of shares)
          if (!(await reduce(tx, runId, wanted, share, found))) return false;
        return true;
      },
      "isolation level repeatable read",
    );
    if (!hasRoom) return "own";
    if (fields.has("arguments") && !(await addArguments(pool, runId, found.groups))) return "own";
    return [...found.groups.values()];
  }

  return {
    /** Returns the calls of a run that has ended. */
    async callsOf(runId: string, wanted: CallsWanted): Promise<readonly RunCall[] | Uncounted> {
      const run = await store.findRun(pool, runId);
      if (!run || run.journal === "off") return "lost";
      await numbering.number(runId, run);
      const { lines, dropped, droppedOwn } = await store.findDropped(pool, runId);
      if (dropped > droppedOwn) return "lost";
      if (droppedOwn > 0 || lines > CALLS_MAX) return "own";
      const all = lines <= LONG_RUN ? await whole(runId) : undefined;
      if (all) return all;
      await numbering.index(runId);
      return await grouped(runId, lines, wanted);
    },
  };
}

/** Adds the calls, or those of a share, to `found`. False if there are too many groups. */
async function reduce(
  tx: Tx,
  runId: string,
  { names, fields }: CallsWanted,
  retry: Share | undefined,
  found: Found,
): Promise<boolean> {
  const asks = (...fieldNames: string[]) => fieldNames.some((name) => fields.has(name));
  const by = { outcome: asks("status", "error", "fault"), hash: asks("arguments"), retry };
  for await (const groups of groupCalls(tx, runId, by).cursor(GROUPS_PER_FETCH))
    for (const group of groups) {
      const call = callOf(group);
      const matched = names.filter((pattern) => isNamed(pattern, call));
      if (matched.length === 0) continue;
      const { via, status, error, fault, retry, service } = call;
      const asked = Object.entries({ via, status, error, fault, retry, service });
      const key = JSON.stringify([
        matched,
        asked.filter(([field]) => fields.has(field)),
        by.hash && [call.name, group.hash],
      ]);
      const same = found.groups.get(key);
      if (same) {
        same.times += call.times;
        if (call.n < same.n) Object.assign(same, { n: call.n, name: call.name });
        continue;
      }
      found.length += key.length;
      if (found.groups.size === GROUPS_MAX || found.length > ASKED_LENGTH_MAX) return false;
      found.groups.set(key, call);
    }
  return true;
}

function callOf({ n, times, called, outcome, retry }: CallGroup) {
  const [via, name, service] = JSON.parse(called);
  const [, status = null, error = null, fault = null] = outcome === null ? [] : JSON.parse(outcome);
  return { n, times, via, name, service, arguments: null, status, error, fault, retry: retry ?? 0 };
}

/** False if they are too long, or the journal has left them out. */
async function addArguments(pool: Pool, runId: string, found: Groups): Promise<boolean> {
  const waiting = new Map([...found.values()].map((call) => [call.n, call]));
  let length = 0;
  for (let after = "0"; waiting.size > 0; ) {
    const batches = await store.listBatches(pool, runId, "all", after, BATCHES);
    for (const { batch, lines, numbers } of batches) {
      after = batch;
      if (!numbers.some((n) => n !== null && waiting.has(n))) continue;
      for (const [index, line] of (JSON.parse(lines) as Line[]).entries()) {
        const call = waiting.get(numbers[index] ?? 0);
        if (!call) continue;
        if (line.hash !== undefined) return false;
        length += JSON.stringify(line.arguments ?? null).length;
        if (length > ASKED_LENGTH_MAX) return false;
        Object.assign(call, { arguments: line.arguments ?? null });
        waiting.delete(call.n);
      }
    }
    if (batches.length < BATCHES) break;
  }
  return true;
}
