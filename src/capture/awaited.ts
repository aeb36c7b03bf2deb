/** Runs that were active when the stream began: a run whose start mark does not arrive is lost. */
import { type Lsn, parseLsn } from "~/capture/change";
import type { Recorder } from "~/capture/recorder";
import type { Records } from "~/capture/records";
import { STORE_RETRY_MS } from "~/capture/storing";
import type { StreamEvent } from "~/capture/stream-events";
import { isUnavailable, type Pool } from "~/db/connect";
import type { Log } from "~/log";

export function createAwaited(deps: {
  readonly recorder: Recorder;
  readonly runs: Records["runs"];
  readonly pool: Pool;
  readonly log: Log;
  readonly emit: (event: StreamEvent) => void;
  /** The stream has ended. */
  readonly isClosed: () => boolean;
  readonly fail: (error: unknown) => void;
}) {
  const { recorder, runs, pool, log, emit, isClosed, fail } = deps;
  /** The runs, and the position by which their start marks must have arrived. */
  let awaited: { runs: Set<string>; until: Lsn } | undefined;

  /** Repeats `work` while the database is unreachable. Returns undefined if the stream has ended meanwhile. */
  async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!isClosed())
      try {
        return await work();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await Bun.sleep(STORE_RETRY_MS);
      }
    return undefined;
  }

  return {
    async begin(): Promise<void> {
      const active = await patiently(() => runs.activeRuns(pool));
      if (!active) return;
      awaited = {
        runs: new Set(active.runs.filter((run) => !recorder.has(run))),
        until: parseLsn(active.until),
      };
    },

    /** The start mark of a run was read. */
    seen(run: string): void {
      awaited?.runs.delete(run);
    },

    /** The stream was read up to here. */
    reached(lsn: Lsn): void {
      if (!awaited || lsn < awaited.until) return;
      const missing = awaited.runs;
      awaited = undefined;
      for (const run of missing) {
        log.error("run lost", { run_id: run, reason: "slot does not reach back to its start" });
        emit({ type: "lost", by: 1, loss: "slot_dropped" });
        patiently(() => runs.lose(pool, { run }, "slot_dropped")).catch(fail);
      }
    },
  };
}
