/**
 * Work on an environment between its calls, on any servers: a call is either wholly before it or wholly after it.
 *
 * New calls wait, those in progress end, and the lock that every session of the environment shares is then taken
 * exclusively.
 */
import type { Pool, Tx } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { tryLockSchema } from "~/db/schema-locks";
import type { SessionPool } from "~/db/session-pool";
import { announce } from "~/db/unflushed";
import { unavailable } from "~/errors";

export type Exclusive = ReturnType<typeof createExclusive>;

/** Notifies other servers that the calls of an environment wait, and that they need not any more. */
export const HOLDS_CHANNEL = "diorama_holds";
/** How long the calls in progress may take. */
const BUSY_MS = 5_000;
const RETRY_MS = 1;
const RETRY_MS_MAX = 50;

/** Opens a transaction for work; a throw rolls it back. */
export type Opening = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

class Busy extends Error {}

export function createExclusive(deps: {
  pool: Pool;
  builders: Builders;
  sessionPool: SessionPool;
}) {
  const { pool, builders, sessionPool } = deps;
  /** Prefix of this server's holds. */
  const instance = crypto.randomUUID();
  let count = 0;

  const listening = pool.listen(HOLDS_CHANNEL, (payload) => {
    const [verb, environmentId = "", token = ""] = payload.split(" ");
    if (token.startsWith(instance)) return;
    if (verb === "resume") sessionPool.resume(environmentId, token);
    else sessionPool.hold(environmentId, token).catch(() => undefined);
  });

  async function attempt<T>(
    schemaName: string,
    work: (tx: Tx) => Promise<T>,
    transaction: Opening,
  ): Promise<T> {
    return await transaction(async (tx) => {
      if (!(await tryLockSchema(tx, schemaName))) throw new Busy();
      return await work(tx);
    });
  }

  return {
    /**
     * Runs `work` in a transaction that is attributed to no run, unless `transaction` opens another one. Throws 503 if a
     * call does not end in time.
     */
    async run<T>(
      { environmentId, schemaName }: { environmentId: string; schemaName: string },
      work: (tx: Tx) => Promise<T>,
      transaction: Opening = builders.transaction,
    ): Promise<T> {
      const deadline = performance.now() + BUSY_MS;
      const token = `${instance}-${count++}`;
      const busy = () => unavailable("The environment's calls in progress did not end in time");
      const announced = announce(pool, HOLDS_CHANNEL, `hold ${environmentId} ${token}`);
      announced.catch(() => undefined);
      try {
        const isIdle = sessionPool.hold(environmentId, token).then(() => true);
        if (!(await Promise.race([isIdle, Bun.sleep(BUSY_MS)]))) throw busy();
        for (let wait = RETRY_MS; ; wait = Math.min(wait * 2, RETRY_MS_MAX)) {
          try {
            return await attempt(schemaName, work, transaction);
          } catch (error) {
            if (!(error instanceof Busy)) throw error;
          }
          if (performance.now() > deadline) throw busy();
          await Bun.sleep(wait);
        }
      } finally {
        sessionPool.resume(environmentId, token);
        // After the hold: otherwise other servers would hold until the time limit.
        announced
          .then(() => announce(pool, HOLDS_CHANNEL, `resume ${environmentId} ${token}`))
          .catch(() => undefined);
      }
    },

    async stop() {
      await listening.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
}
