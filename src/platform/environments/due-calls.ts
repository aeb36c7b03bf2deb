/**
 * Calls of environments. What a call finds due is done first, by the clock, between two of the environment's calls; then
 * the call is made again, as the same one: it counts once, and shows the same time.
 */
import type { Capture } from "~/capture/capture";
import { causeOf } from "~/db/cause";
import { inTransaction, type Pool } from "~/db/connect";
import type { LogMark } from "~/db/driver";
import type { EnvironmentRef } from "~/db/opening";
import { type Session, sessionWithin, tablesOf } from "~/db/session";
import type { SessionPool } from "~/db/session-pool";
import { unavailable } from "~/errors";
import { lockTiming, setClock } from "~/platform/environments/clock-store";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import type { Settings } from "~/platform/environments/opening";
import { setCause } from "~/platform/outbox/store";
import { DueFirst } from "~/replicas/due-first";
import type { Source } from "~/source";

export type DueCalls = ReturnType<typeof createDueCalls>;

/** Of one call: while something due is done, time passes, and more may fall due. */
const ATTEMPTS_MAX = 5;

export function createDueCalls(deps: {
  /** For statements on the tables of environments. */
  replicas: Pool;
  sessionPool: SessionPool<Settings>;
  exclusive: Exclusive;
  capture: Capture;
}) {
  const { replicas, sessionPool, exclusive, capture } = deps;

  async function fire(
    { environmentId: id, schemaName, tables }: EnvironmentRef,
    serviceIn: (session: Session) => Session,
    { source, due }: DueFirst,
  ): Promise<void> {
    await exclusive.run(
      { environmentId: id, schemaName },
      async (tx) => {
        const timing = await lockTiming(tx, id);
        if (!timing) throw notFound();
        // Otherwise a run that waits for this transaction to start would compare with the state before it.
        await setClock(tx, id, timing);
        await setCause(tx, causeOf({ clock: true }, source));
        const named = tablesOf(tx, schemaName, tables);
        await capture.as(tx, "clock", schemaName, () =>
          due.fire(serviceIn(sessionWithin(tx, schemaName, named, source))),
        );
      },
      (work) => inTransaction(replicas, work),
    );
  }

  return {
    /**
     * Makes a call of a service, see `SessionPool.use`. `serviceIn`: the service's part of a session. Throws 503 if
     * something is due, and other calls do not end in time.
     */
    async use<T>(
      environment: EnvironmentRef,
      serviceIn: (session: Session) => Session,
      work: (session: Session, settings: Settings) => Promise<T>,
      mark?: LogMark,
    ): Promise<T> {
      let source: Source | undefined;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        try {
          return await sessionPool.use(environment, work, mark, source);
        } catch (error) {
          if (!(error instanceof DueFirst)) throw error;
          ({ source } = error);
          await fire(environment, serviceIn, error);
        }
      }
      throw unavailable("More falls due than can be done before this call");
    },
  };
}
