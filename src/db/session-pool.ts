/**
 * The session pool for environments' own calls. It also isolates the successive environments of a schema.
 *
 * A schema is used by one environment after another under the same name, so that statements stay prepared (a new name
 * each time made every backend plan everything again: 82 instead of 148 environments a second). Therefore a call of an
 * environment that has ended must never reach the next one, on any server.
 *
 * Every session that runs an environment's statements holds a shared advisory lock on its schema. It takes the lock
 * before the first statement, and checks that the environment is still alive. The session that recycles the schema
 * takes the lock exclusively. Lock and statements share one backend: when it dies, its statements die with it, and a
 * queued statement is rejected, never moved to another connection.
 */
import type { Lease } from "~/db/backend";
import { causeOf } from "~/db/cause";
import { isUnavailable } from "~/db/connect";
import { fenced, type LogMark } from "~/db/driver";
import type { Flusher } from "~/db/flusher";
import { createHolds } from "~/db/holds";
import { createLeases, end, endIdle, leave } from "~/db/leases";
import type { EnvironmentRef, OpenEnvironment, Opening } from "~/db/opening";
import { createPinnedSession, type Wear } from "~/db/pinned-session";
import { openSession, type Session, tablesOf } from "~/db/session";
import { createSessionChoice } from "~/db/session-choice";
import type { Source } from "~/source";

export type SessionPool<S = unknown> = ReturnType<typeof createSessionPool<S>>;

const LIFETIME_MS = 300_000;
const SCHEMAS_MAX = 256;
const STATEMENTS_MAX = 2_000_000;

/** With a `flusher`, calls of an environment that are made at the same time wait for the disk together. */
export function createSessionPool<S>(
  url: string,
  count: number,
  open: OpenEnvironment<S>,
  {
    lifetimeMs = LIFETIME_MS,
    schemasMax = SCHEMAS_MAX,
    statementsMax = STATEMENTS_MAX,
    flusher,
  }: Partial<Wear> & { flusher?: Flusher } = {},
) {
  const sessions = Array.from({ length: count }, (_, index) =>
    createPinnedSession<S>(url, `session ${index}`, { lifetimeMs, schemasMax, statementsMax }),
  );
  const { sessionFor, renewIfWorn } = createSessionChoice(sessions);
  const enter = createLeases(open);
  const holds = createHolds();

  const leasesOf = (environmentId: string): Lease<S>[] =>
    sessions.flatMap(({ backend }) => backend.leases.get(environmentId) ?? []);

  /** Calls of an environment in progress. */
  const callsOf = (environmentId: string): number =>
    leasesOf(environmentId).reduce((sum, { users }) => sum + users, 0);

  /** Runs `work` with the lease of an environment that is not held. */
  async function leased<T>(
    environmentRef: EnvironmentRef,
    work: (lease: Lease<S>, opening: Opening<S>) => Promise<T>,
  ): Promise<T> {
    const { environmentId } = environmentRef;
    while (holds.has(environmentId)) await holds.over(environmentId);
    const pinned = sessionFor(environmentRef);
    const lease = enter(pinned.backend, environmentRef);
    pinned.begin();
    let isProgress = true;
    try {
      return await work(lease, await lease.taken);
    } catch (error) {
      isProgress = !isUnavailable(error);
      throw error;
    } finally {
      pinned.finish({ isProgress });
      leave(lease);
      renewIfWorn(pinned);
    }
  }

  return {
    /** Returns the settings of an environment, immediately while its schema is leased. Throws EnvironmentEnded. */
    settings(environmentRef: EnvironmentRef): S | Promise<S> {
      const { environmentId: id } = environmentRef;
      const known = holds.has(id) ? undefined : sessionFor(environmentRef).backend.leases.get(id);
      if (known?.opening) return known.opening.settings;
      return leased(environmentRef, async (_, { settings }) => settings);
    },

    /**
     * Runs `work` on the environment's tables, with the settings that it has during the call, and names its writes in the
     * log with `mark`. With `known`, the source of the call, it is made again and not counted. Throws EnvironmentEnded if
     * the environment has ended, before or during the call.
     */
    use: <T>(
      environmentRef: EnvironmentRef,
      work: (session: Session, settings: S) => Promise<T>,
      mark?: LogMark,
      known?: Source,
    ): Promise<T> =>
      leased(
        environmentRef,
        async ({ backend, fence, sql: plain }, { source, settings, isNoted }) => {
          const { environmentId, schemaName } = environmentRef;
          const ofCall = known ?? (typeof source === "function" ? await source(plain) : source);
          // The changes of an environment that notes them are delivered: its commits wait for the disk.
          const cause =
            mark && isNoted
              ? { cause: () => causeOf({ request: mark.request, user: mark.user?.() }, ofCall) }
              : undefined;
          const deferral =
            mark && !cause ? flusher?.begin(() => callsOf(environmentId) > 1) : undefined;
          const sql = mark ? fenced(backend.sql, fence, { ...mark, ...cause, ...deferral }) : plain;
          const tables = tablesOf(sql, schemaName, environmentRef.tables);
          const result = await work(openSession(sql, schemaName, tables, ofCall), settings);
          await deferral?.settle();
          return result;
        },
      ),

    /** Runs `work`, which only reads. It is no call: it is not counted, and its source is not the environment's. */
    read: <T>(environmentRef: EnvironmentRef, work: (session: Session) => Promise<T>): Promise<T> =>
      leased(environmentRef, async ({ sql }) => {
        const { schemaName, tables } = environmentRef;
        return await work(openSession(sql, schemaName, tablesOf(sql, schemaName, tables)));
      }),

    /**
     * Releases the schema of an environment that has ended. Waits for statements that were sent before. The
     * notification may come late: an environment that has the schema by then keeps it.
     */
    async release(environmentId: string): Promise<void> {
      await Promise.all(leasesOf(environmentId).map(end));
    },

    /**
     * Makes new calls of an environment wait until `resume` with the same token, and releases its schema. Resolves when
     * the calls in progress have ended.
     */
    async hold(environmentId: string, token: string): Promise<void> {
      holds.begin(environmentId, token);
      const isHeld = () => holds.has(environmentId);
      await Promise.all(leasesOf(environmentId).map((lease) => endIdle(lease, isHeld)));
    },

    resume: holds.end,

    /** Ids of the environments whose schemas are leased. */
    held: (): string[] => sessions.flatMap(({ backend }) => [...backend.leases.keys()]),

    async end(): Promise<void> {
      await Promise.all(sessions.map((pinned) => pinned.end()));
    },
  };
}
