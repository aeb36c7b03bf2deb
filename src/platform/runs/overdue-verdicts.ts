/**
 * Gives the verdicts that a server owed when it died. A server holds a lock for each verdict that it is giving, which
 * Postgres releases when the server dies: what nobody holds is given here, without waiting for a time limit.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import { errorFields, type Log } from "~/log";
import { claimVerdict, listUnclaimed, releaseVerdict } from "~/platform/runs/claims-store";
import { abandon } from "~/platform/runs/lifecycle-store";
import { createFairSemaphore } from "~/semaphore";

export type OverdueVerdicts = ReturnType<typeof createOverdueVerdicts>;

/** The time between a stored result and the lock of the server that evaluates it. A verdict may be given twice. */
const GRACE_SECONDS = 3;
/** Users whose oldest runs are looked at together. */
const BATCH = 20;
/** Runs in memory at the same time. */
const CONCURRENT_MAX = 2;

export function createOverdueVerdicts(deps: {
  pool: Pool;
  /** A single connection: a second claim of this server is not stopped by the first. */
  lock: Pool;
  log: Log;
}) {
  const { pool, lock, log } = deps;
  /** Runs whose verdicts this server is giving. */
  const own = new Set<string>();
  const inTurn = createFairSemaphore({ limit: CONCURRENT_MAX });
  let isStopping = false;
  let isBusy = false;
  /** Another pass was wanted during this one. */
  let isWanted = false;

  /** A lock that cannot be released has ended with its session. */
  const release = async (runId: string) => await releaseVerdict(lock, runId).catch(() => undefined);

  /** Gives the verdict of a run that no server owes. If that is not possible, the run fails without affecting others. */
  async function conclude(runId: string, give: (runId: string) => Promise<unknown>) {
    if (isStopping || own.has(runId) || !(await claimVerdict(lock, runId))) return;
    try {
      await give(runId);
    } catch (error) {
      if (isStopping || isUnavailable(error)) throw error;
      // Too many evaluations of its user wait: a later cycle tries again.
      if (error instanceof ApiError && error.code === "service_unavailable") return;
      log.error("run lost", { run_id: runId, ...errorFields(error) });
      await abandon(pool, runId, "verdict_failed");
    } finally {
      await release(runId);
    }
  }

  /** Returns after every run was given its verdict, or belongs to a server that is alive. */
  async function concludeAll(give: (runId: string) => Promise<unknown>): Promise<void> {
    const seen = new Set(own);
    while (!isStopping) {
      const runs = await listUnclaimed(pool, GRACE_SECONDS, [...seen], BATCH);
      if (runs.length === 0) return;
      for (const { runId } of runs) seen.add(runId);
      const tried = await Promise.allSettled(
        runs.map(({ runId, userId }) => inTurn(userId, () => conclude(runId, give))),
      );
      const failed = tried.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    }
  }

  return {
    /** Runs `work`, which gives the verdict of a run. Meanwhile no other server does. */
    async giving<T>(runId: string, work: () => Promise<T>): Promise<T> {
      own.add(runId);
      // The verdict does not wait for it.
      const claimed = claimVerdict(lock, runId).catch(() => false);
      try {
        return await work();
      } finally {
        own.delete(runId);
        void claimed.then(async (isHeld) => {
          if (isHeld) await release(runId);
        });
      }
    },

    /** Begins to give overdue verdicts with `give`, unless that is in progress. Nothing waits for slow ones. */
    begin(give: (runId: string) => Promise<unknown>): void {
      isWanted = isBusy;
      if (isBusy) return;
      isBusy = true;
      concludeAll(give)
        .catch((error) => {
          if (!isStopping && !isUnavailable(error))
            log.error("overdue verdicts failed", errorFields(error));
        })
        .finally(() => {
          isBusy = false;
          if (isWanted && !isStopping) this.begin(give);
        });
    },

    stop() {
      isStopping = true;
    },
  };
}
