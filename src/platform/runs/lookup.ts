/** Looks up a user's runs. One whose environment has expired ends first. */
import type { Pool, Sql } from "~/db/connect";
import { runNotFound } from "~/errors";
import type { Expiry } from "~/platform/runs/expiry";
import * as store from "~/platform/runs/store";

export type RunLookup = ReturnType<typeof createRunLookup>;

export function createRunLookup({ pool, expiry }: { pool: Pool; expiry: Expiry }) {
  async function requireAs<Row extends store.RunRow>(
    find: (sql: Sql, runId: string) => Promise<Row | undefined>,
    userId: string,
    runId: string,
  ): Promise<Row> {
    const run = await find(pool, runId);
    if (!run || run.userId !== userId) throw runNotFound(runId);
    if (run.status === "running" && !run.live) await expiry.end({ runId });
    // After a crash of Postgres, a result that was answered may have to be read from the log again.
    else if (run.status === "ending") await expiry.settle(runId);
    else return run;
    return (await find(pool, runId)) ?? run;
  }

  return {
    requireAs,

    /** Throws `run_not_found`. */
    require: (userId: string, runId: string): Promise<store.RunRow> =>
      requireAs(store.findRun, userId, runId),
  };
}
