/** Log that the slot retains: releases runs that hold it without need, reports a backlog, and enforces the budget. */
import { formatLsn, type Lsn } from "~/capture/change";
import { LOSSES } from "~/capture/loss";
import type { Recorder } from "~/capture/recorder";
import type { Records } from "~/capture/records";
import { BEHIND_BYTES, distances, flushLog } from "~/capture/slot";
import type { StreamEvent } from "~/capture/stream-events";
import type { Pool } from "~/db/connect";
import type { Log } from "~/log";

export function createRetention(deps: {
  readonly recorder: Recorder;
  readonly records: Records;
  readonly pool: Pool;
  readonly epoch: string;
  readonly log: Log;
  readonly emit: (event: StreamEvent) => void;
  readonly walBudgetBytes: number;
  /** The stream is read up to here. */
  readonly received: () => Lsn;
  /** The slot may retain less now. */
  readonly sendStatus: () => void;
}) {
  const { recorder, pool, epoch, log, emit, walBudgetBytes, received, sendStatus } = deps;
  const { runs, leadership } = deps.records;
  /** Other servers know that this one is behind. */
  let isBehindKnown = true;
  /** The end of the log at the last check: a reader that has not come so far is inside a long transaction. */
  let endBefore: Lsn | undefined;
  /** The slot retains more log than it may. */
  let isOverBudget = false;
  /** Held runs that had no active row at the last check. */
  let unclaimed: ReadonlySet<string> = new Set();

  /** Compares the read position with the end of the log: reports a backlog, and enforces the budget. */
  async function look() {
    const position = received();
    const { unread, retained } = await distances(pool, {
      received: formatLsn(position),
      safe: formatLsn(recorder.safe),
    });
    const isBehind = unread > BEHIND_BYTES || endBefore === undefined || position < endBefore;
    endBefore = position + BigInt(unread);
    if (isBehind || isBehindKnown)
      await leadership.setReadTo(pool, epoch, isBehind ? formatLsn(position) : null);
    isBehindKnown = isBehind;
    isOverBudget = retained > walBudgetBytes;
    const [oldest] = recorder.held;
    if (!oldest || !isOverBudget) return;
    const lost = await runs.lose(pool, { running: oldest }, "wal_budget");
    if (lost === 0) return; // its end is in the log that is still to be read
    log.error("run lost", { run_id: oldest, reason: LOSSES.wal_budget, retained_bytes: retained });
    emit({ type: "lost", by: lost, loss: "wal_budget" });
    recorder.release(oldest);
    emit({ type: "stored", run: oldest });
    sendStatus();
  }

  /**
   * Releases runs that ended without a mark. A run must be missing from two checks: the log shows a commit a moment
   * before its row is visible. Its result may be visible a moment before it is on disk.
   */
  async function releaseEnded() {
    const { held } = recorder;
    const active = new Set(held.length > 0 ? await runs.activeAmong(pool, held) : []);
    const inactive = held.filter((run) => !active.has(run));
    const over = inactive.filter((run) => unclaimed.has(run));
    unclaimed = new Set(inactive);
    if (over.length === 0) return;
    await flushLog(pool);
    log.warn("the slot was held by ended runs", { count: over.length, first: over[0] });
    for (const run of over) recorder.release(run);
    sendStatus();
  }

  return {
    isOverBudget: () => isOverBudget,
    async check(): Promise<void> {
      await releaseEnded();
      await look();
    },
  };
}
