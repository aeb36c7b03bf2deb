/**
 * Fails runs whose result is overdue: whatever is wrong with capture, a run does not stay `ending`.
 *
 * A run fails when the reader of the log has been past the run's end for PASSED_SECONDS, because its result should be
 * stored by then, or when the reader has made no progress for STALLED_SECONDS. Otherwise the run waits, however far
 * behind the reader is. Progress means a new furthest position, or reading again after a lost connection, until several
 * connections have reached the same point.
 */
import { LOSSES, lossLabel } from "~/capture/loss";
import type { Pool } from "~/db/connect";
import type { Log } from "~/log";
import type { Metrics } from "~/metrics";
import { listEnding } from "~/platform/runs/active-store";
import { type Reader, reader as readReader } from "~/platform/runs/leader-store";
import { lose } from "~/platform/runs/lifecycle-store";

const PASSED_SECONDS = 60;
const STALLED_SECONDS = 100;
const CONNECTIONS_MAX = 2;

export function createOverdue(deps: {
  pool: Pool;
  log: Log;
  metrics: Metrics;
  reader?: () => Promise<Reader>;
  /** Seconds. */
  clock?: () => number;
}) {
  const { pool, log, metrics } = deps;
  const { reader = () => readReader(pool), clock = () => performance.now() / 1000 } = deps;
  /**
   * For each run that is `ending`: a position at or after its end mark, and the time since which the reader is past it.
   */
  const waiting = new Map<string, { end: bigint; passedAt: number | undefined }>();
  let furthest = 0n;
  let last = 0n;
  /** Connections that reached `furthest`. */
  const connections = new Set<number>();
  let movedAt = 0;

  function begin(): void {
    furthest = 0n;
    last = 0n;
    connections.clear();
    movedAt = clock();
  }

  function observe({ connection, position }: Reader): void {
    if (connection === undefined) return;
    if (position > furthest) {
      furthest = position;
      connections.clear();
    }
    connections.add(connection);
    if (position > last && connections.size <= CONNECTIONS_MAX) movedAt = clock();
    last = position;
  }

  return {
    /** Fails overdue runs. Call it every few seconds. */
    async fail(): Promise<void> {
      const ending = await listEnding(pool);
      for (const run of waiting.keys()) if (!ending.includes(run)) waiting.delete(run);
      if (ending.length === 0) return;
      const seen = await reader();
      if (waiting.size === 0) begin();
      observe(seen);
      for (const run of ending) {
        const wait = waiting.get(run) ?? { end: seen.end, passedAt: undefined };
        waiting.set(run, wait);
        const isPast = seen.connection !== undefined && seen.position >= wait.end;
        wait.passedAt = isPast ? (wait.passedAt ?? clock()) : undefined;
        const isOverdue = wait.passedAt !== undefined && clock() - wait.passedAt >= PASSED_SECONDS;
        if (!isOverdue && clock() - movedAt < STALLED_SECONDS) continue;
        const loss = isOverdue ? "result_overdue" : "log_unread";
        await lose(pool, { run }, loss).catch((error) => {
          // While this cannot be stored, the result cannot be stored either: it gets its time again.
          waiting.clear();
          throw error;
        });
        log.error("run lost", { run_id: run, reason: LOSSES[loss] });
        metrics.runsFailed.inc({ reason: lossLabel(loss) });
      }
    },
  };
}
