/**
 * Ends the runs of environments that have expired, with their diff. A run from the log ends with its environment at the
 * latest; a comparison needs the environment's tables and therefore comes first.
 */
import type { Capture } from "~/capture/capture";
import { isUnavailable, type Pool } from "~/db/connect";
import { errorFields, type Log } from "~/log";
import * as lifecycle from "~/platform/runs/lifecycle-store";

export type Expiry = ReturnType<typeof createExpiry>;

/** How long a caller waits for the results; after that the runs are listed as running. */
const SETTLE_MS = 10_000;
const COMPARISONS_MAX = 100;

export function createExpiry({ pool, capture, log }: { pool: Pool; capture: Capture; log: Log }) {
  /** Compares the states of one run. If that is not possible, the run is lost: its environment must be able to end. */
  async function compare(runId: string): Promise<void> {
    try {
      await capture.end(runId, "snapshot", (sql) => lifecycle.endExpiredComparison(sql, runId));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error("run lost", { run_id: runId, ...errorFields(error) });
      await lifecycle.lose(pool, { run: runId }, "comparison_failed");
    }
  }

  return {
    /** Ends runs whose environments have expired, whether or not maintenance has noticed. */
    async end(which: lifecycle.Expired): Promise<void> {
      const ended = await lifecycle.endExpired(pool, which);
      for (const runId of await lifecycle.listExpiredComparisons(pool, which, COMPARISONS_MAX))
        await compare(runId);
      if (which !== "all") await capture.settle(ended, SETTLE_MS);
    },

    /** Waits for the result of a run that was ended elsewhere. */
    settle: (runId: string) => capture.settle([runId], SETTLE_MS),
  };
}
