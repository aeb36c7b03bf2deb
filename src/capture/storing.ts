/** Stores the results of runs. */
import type { Loss } from "~/capture/loss";
import type { Records, Result, Storing } from "~/capture/records";
import { errorCode, isUnavailable, isUnreachable, type Pool } from "~/db/connect";
import { errorFields, type Log } from "~/log";

export type Outcome = Result | { readonly lost: Loss };

export const STORE_RETRY_MS = 200;
/** Attempts to store a result that Postgres is up but rejects: it is too large, or takes too long. */
const ATTEMPTS_MAX = 3;
/** Postgres has no disk space for any result: the log keeps the run until there is some. */
const DISK_FULL = "53100";

export function createStoring(deps: {
  runs: Records["runs"];
  pool: Pool;
  epoch: string;
  log: Log;
  /** The stream has ended: the next connection reads the run again. */
  isClosed: () => boolean;
  /** The slot retains more log than it may. */
  isOverBudget: () => boolean;
}) {
  const { runs, pool, epoch, log, isClosed, isOverBudget } = deps;

  /** Whether a later attempt may succeed, however many have failed. */
  const waits = (error: unknown) =>
    isUnreachable(error) || (errorCode(error) === DISK_FULL && !isOverBudget());

  /**
   * Stores a result; if Postgres rejects it, stores that the run is lost. While the disk is full it tries again, as long
   * as the slot may hold the log. Returns what was stored; undefined if the run no longer waits for it, or nothing was
   * stored.
   */
  return async function keep(
    run: string,
    result: Outcome,
    how: Storing,
  ): Promise<Outcome | undefined> {
    for (let attempt = 1; !isClosed(); ) {
      try {
        return (await runs.store(pool, epoch, run, result, how)) ? result : undefined;
      } catch (error) {
        if (!waits(error) && (attempt++ === ATTEMPTS_MAX || !isUnavailable(error))) {
          log.error("result not stored", { run_id: run, ...errorFields(error) });
          if ("lost" in result) return undefined; // maintenance handles it
          return await keep(run, { lost: "result_not_stored" }, { ...how, isRepeatable: false });
        }
        await Bun.sleep(STORE_RETRY_MS);
      }
    }
    return undefined;
  };
}
