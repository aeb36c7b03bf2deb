/**
 * The session pool for environments' own calls. It also isolates the successive environments of a schema.
 *
 * A schema is used by one environment after another under the same name, so that statements stay prepared (a new name
 * each time made every backend plan everything again: 82 instead of 148 environments a second). Therefore a call of an
 * environment that has ended must never reach the next one, on any server.
 *
 * Every session that runs an environment's statements holds a shared advisory lock on its schema. It takes the lock
 * before the first statement, and checks that the environment is still alive. The session that recycles the schema
 * takes the lock exclusively. Lock and statements share one session: when the session dies, its statements die with it,
 * and a queued statement is rejected, never moved to another connection.
 *
 * A schema uses two sessions of one half of the pool, so that a slow call delays few others. Calls that share a session
 * are sent and answered together, which costs less. If both are stuck with calls of other environments, it uses another
 * session, of either half.
 */
import {
  errorCode,
  inTransaction,
  isUnavailable,
  type Pool,
  type Sql,
  type Tx,
} from "~/db/connect";
import type { Flusher } from "~/db/flusher";
import {
  createPinnedSession,
  type Opening,
  type PinnedSession,
  type SchemaLease,
  type Token,
  under,
} from "~/db/pinned-session";
import { lockAgainstRecycling } from "~/db/schema-locks";
import { type LogMark, openSession, type Session, tablesOf } from "~/db/session";
import { counted, createShapes, planAll } from "~/db/shapes";
import { unavailable } from "~/errors";

/** An environment's id and schema, for its calls. */
export type EnvironmentRef = {
  readonly environmentId: string;
  readonly schemaName: string;
  readonly tables: readonly { readonly name: string }[];
};

/** Thrown when the environment has ended: its schema may belong to another one. */
export class EnvironmentEnded extends Error {
  override readonly name = "EnvironmentEnded";
}

/** Makes the calls of an environment wait. */
type Hold = {
  readonly tokens: Set<string>;
  readonly over: Promise<void>;
  readonly end: () => void;
};

export type SessionPool<S = unknown> = ReturnType<typeof createSessionPool<S>>;

/**
 * Advisory locks share a table of limited size; beyond this number a session releases the leases it used least
 * recently.
 */
const LEASES_PER_SESSION_MAX = 200;
const LIFETIME_MS = 300_000;
/** Characters of the statements that a backend keeps. Each takes some 10 bytes, in filters with many conditions 90. */
const STATEMENTS_MAX = 3_000_000;
/** A session on which no call has ended for this long is stuck behind a slow statement or a lock. */
const STUCK_MS = 250;
/** A hold ends after this time even if nobody ends it: its server may have died. */
const HOLD_MS_MAX = 15_000;
/** The look-up of an environment is planned with it. */
const NO_ENVIRONMENT = "";
const LEASE_LOST = "FENCE_LOST";

const unlockShared = (sql: Sql, schema: string) =>
  sql`select pg_advisory_unlock_shared(hashtextextended(${schema}, 0))`;

/** The same handle of a lease for one call, whose writes it names in the log. */
const marked = (sql: Pool, mark: LogMark) =>
  (sql as unknown as { marked(mark: LogMark): Pool }).marked(mark);

/** Looks up an environment; undefined if it has ended or expired. */
export type OpenEnvironment<S> = (
  sql: Sql,
  environmentId: string,
) => Promise<Opening<S> | undefined>;

/**
 * `lifetimeMs`: a backend keeps about 100 kB for every environment it has used; a new one starts empty. With a `flusher`,
 * calls of an environment that are made at the same time wait for the disk together.
 */
export function createSessionPool<S>(
  url: string,
  count: number,
  open: OpenEnvironment<S>,
  {
    lifetimeMs = LIFETIME_MS,
    statementsMax = STATEMENTS_MAX,
    flusher,
  }: { lifetimeMs?: number; statementsMax?: number; flusher?: Flusher } = {},
) {
  const sessions = Array.from({ length: count }, (_, index) =>
    createPinnedSession<S>(url, `session ${index}`, lifetimeMs),
  );
  /** The half that schemas use while none is stuck. */
  const usual = sessions.slice(0, Math.max(2, count / 2));
  const shapesOf = createShapes();
  /** By environment. */
  const holds = new Map<string, Hold>();
  /** Receives no new calls until those in progress are done and it has a new session. One at a time: see `pick`. */
  let retiring: PinnedSession<S> | undefined;

  /**
   * Replaces sessions that are old, or have too many statements, between calls. If the driver closed them by age, it
   * would reject the queued calls: under load, every five minutes.
   */
  function renewIfDue(pinned: PinnedSession<S>): void {
    if (retiring === undefined && (pinned.isOld() || pinned.statements.characters > statementsMax))
      retiring = pinned;
    if (retiring !== pinned || pinned.busy > 0) return;
    retiring = undefined;
    pinned.renew();
  }

  /** The sessions that a schema uses, the first one unless it is busier. */
  function sessionsOf(schema: string): [PinnedSession<S>, PinnedSession<S>] {
    const place = Bun.hash.crc32(schema) % usual.length;
    const [first, second] = [usual[place], usual[(place + 1) % usual.length]];
    if (!first || !second) throw new Error("the session pool is empty");
    renewIfDue(first);
    return [first, second];
  }

  function pick({ schemaName, environmentId }: EnvironmentRef): PinnedSession<S> {
    const [first, second] = sessionsOf(schemaName);
    const own = leastBusy([first, second]);
    const isOthers = (pinned: PinnedSession<S>) => !pinned.leases.get(environmentId)?.users;
    // An environment that is stuck behind its own calls stays, so that it does not block all sessions.
    return isStuck(own) && isOthers(first) && isOthers(second) ? leastBusy(sessions) : own;
  }

  /** Prefers sessions that are not stuck: a stuck one may have the fewest calls. */
  function leastBusy(among: PinnedSession<S>[]): PinnedSession<S> {
    const rank = (pinned: PinnedSession<S>) =>
      2 * Number(pinned === retiring) + Number(isStuck(pinned));
    return among.reduce((a, b) => ((rank(b) - rank(a) || b.busy - a.busy) < 0 ? b : a));
  }

  function lease(
    pinned: PinnedSession<S>,
    { schemaName, environmentId, tables }: EnvironmentRef,
  ): SchemaLease<S> {
    const known = pinned.leases.get(environmentId);
    if (known) {
      pinned.leases.delete(environmentId);
      pinned.leases.set(environmentId, known); // as the most recently used
      return known;
    }
    const shapes = counted(shapesOf(schemaName, tables), pinned.statements);
    const token = { lost: false, over: false, shapes };
    const entry: SchemaLease<S> = {
      schema: schemaName,
      taken: take(pinned, schemaName, environmentId),
      sql: under(pinned.sql, token),
      token,
      users: 0,
    };
    pinned.leases.set(environmentId, entry);
    entry.taken.then(
      (opening) => endOthers(pinned, Object.assign(entry, { opening })),
      () => {
        token.lost = true;
        if (pinned.leases.get(environmentId) === entry) pinned.leases.delete(environmentId);
      },
    );
    if (pinned.leases.size > LEASES_PER_SESSION_MAX) evict(pinned);
    return entry;
  }

  /**
   * Locks the schema and then looks up the environment, in a separate statement that sees everything committed before
   * the lock. Both are sent together: Postgres runs them in order.
   */
  async function take(
    pinned: PinnedSession<S>,
    schema: string,
    environmentId: string,
  ): Promise<Opening<S>> {
    const sql = under(pinned.sql, pinned.session);
    const [locked, opened] = await Promise.allSettled([
      sql`select pg_advisory_lock_shared(hashtextextended(${schema}, 0))`.execute(),
      open(sql, environmentId),
    ]);
    if (locked.status === "rejected") throw locked.reason;
    if (opened.status === "fulfilled" && opened.value) return opened.value;
    await unlockShared(sql, schema);
    throw opened.status === "rejected" ? opened.reason : over();
  }

  /** Rejects statements that were not sent yet, and releases the lock after those that were. */
  async function end(
    pinned: PinnedSession<S>,
    environmentId: string,
    held: SchemaLease<S>,
  ): Promise<void> {
    const sql = under(pinned.sql, pinned.session);
    held.token.lost = true;
    held.token.over = true;
    if (pinned.leases.get(environmentId) === held) pinned.leases.delete(environmentId);
    const wasTaken = await held.taken.then(
      () => true,
      () => false,
    );
    if (!wasTaken) return;
    // A lost session has released everything.
    await unlockShared(sql, held.schema).catch(() => undefined);
  }

  /** Ends the leases of the schema's earlier environments: they have ended without notice to this server. */
  function endOthers(pinned: PinnedSession<S>, mine: SchemaLease<S>): void {
    for (const [environmentId, held] of pinned.leases)
      if (held !== mine && held.schema === mine.schema)
        end(pinned, environmentId, held).catch(() => undefined);
  }

  /** Releases a lease of a held environment as soon as its calls in progress have ended. */
  async function releaseIdle(pinned: PinnedSession<S>, environmentId: string): Promise<void> {
    const held = pinned.leases.get(environmentId);
    if (!held) return;
    if (held.users > 0) {
      const { onIdle } = held;
      await new Promise<void>((resolve) => {
        held.onIdle = () => {
          onIdle?.();
          resolve();
        };
      });
    }
    if (held.users === 0 && holds.has(environmentId)) await end(pinned, environmentId, held);
  }

  function resume(environmentId: string, token: string): void {
    const hold = holds.get(environmentId);
    if (!hold?.tokens.delete(token) || hold.tokens.size > 0) return;
    holds.delete(environmentId);
    hold.end();
  }

  /** Runs `work` with the lease of an environment that is not held. */
  async function leased<T>(
    environmentRef: EnvironmentRef,
    work: (held: SchemaLease<S>, opening: Opening<S>) => Promise<T>,
  ): Promise<T> {
    const { environmentId } = environmentRef;
    for (let hold = holds.get(environmentId); hold; hold = holds.get(environmentId))
      await hold.over;
    const pinned = pick(environmentRef);
    const held = lease(pinned, environmentRef);
    begin(pinned);
    held.users++;
    try {
      const result = await work(held, await held.taken);
      pinned.waitsSince = performance.now();
      return result;
    } catch (error) {
      // A call that gave up waiting is no progress: the session is still stuck.
      if (!isUnavailable(error)) pinned.waitsSince = performance.now();
      if (errorCode(error) !== LEASE_LOST) throw error;
      throw held.token.over ? over() : unavailable("The connection to the database was lost");
    } finally {
      pinned.busy--;
      if (--held.users === 0) held.onIdle?.();
      renewIfDue(pinned);
    }
  }

  /** Calls of an environment in progress. */
  const callsOf = ({ environmentId }: EnvironmentRef): number =>
    sessions.reduce((sum, { leases }) => sum + (leases.get(environmentId)?.users ?? 0), 0);

  function evict(pinned: PinnedSession<S>): void {
    for (const [environmentId, held] of pinned.leases) {
      if (held.users > 0) continue;
      end(pinned, environmentId, held).catch(() => undefined);
      return;
    }
  }

  return {
    /** Returns the settings of an environment, immediately while its schema is leased. Throws EnvironmentEnded. */
    settings(environmentRef: EnvironmentRef): S | Promise<S> {
      const { environmentId: id } = environmentRef;
      const known = holds.has(id) ? undefined : pick(environmentRef).leases.get(id)?.opening;
      return known ? known.settings : leased(environmentRef, async (_, { settings }) => settings);
    },

    /**
     * Runs `work` on the environment's tables, and names its writes in the log with `mark`. Throws EnvironmentEnded if
     * the environment has ended, before or during the call.
     */
    use: <T>(
      environmentRef: EnvironmentRef,
      work: (session: Session) => Promise<T>,
      mark?: LogMark,
    ): Promise<T> =>
      leased(environmentRef, async (held, { source }) => {
        const { schemaName } = environmentRef;
        const deferral = mark && flusher?.begin(() => callsOf(environmentRef) > 1);
        const sql = mark ? marked(held.sql, { ...mark, ...deferral }) : held.sql;
        const tables = tablesOf(sql, schemaName, environmentRef.tables);
        const ofCall = typeof source === "function" ? await source(held.sql) : source;
        const result = await work(openSession(sql, schemaName, tables, ofCall));
        await deferral?.settle();
        return result;
      }),

    /**
     * Releases the schema of an environment that has ended. Waits for statements that were sent before. The
     * notification may come late: an environment that has the schema by then keeps it.
     */
    async release(environmentId: string): Promise<void> {
      await Promise.all(
        sessions.map(async (pinned) => {
          const held = pinned.leases.get(environmentId);
          if (held) await end(pinned, environmentId, held);
        }),
      );
    },

    /**
     * Makes new calls of an environment wait until `resume` with the same token, and releases its schema. Resolves when
     * the calls in progress have ended.
     */
    async hold(environmentId: string, token: string): Promise<void> {
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      const hold = holds.get(environmentId) ?? { tokens: new Set<string>(), over, end };
      hold.tokens.add(token);
      holds.set(environmentId, hold);
      setTimeout(() => resume(environmentId, token), HOLD_MS_MAX).unref();
      await Promise.all(sessions.map((pinned) => releaseIdle(pinned, environmentId)));
    },

    resume,

    /**
     * Plans what environments with these tables commonly send, on the session that the first call of the schema's next
     * environment will use: it then only has to run the statements. `claim` locks the ready schema in the given
     * transaction; false if it is not ready any more. Stops when `goesOn` returns false. Resolves to the session that
     * has all plans, until it is lost; undefined if there is none.
     */
    async plan(
      { schemaName, tables }: Omit<EnvironmentRef, "environmentId">,
      claim: (tx: Tx) => Promise<boolean>,
      goesOn: () => boolean,
    ): Promise<Readonly<Token> | undefined> {
      const statements = shapesOf(schemaName, tables).common();
      const [pinned] = sessionsOf(schemaName);
      if (statements.length === 0 || pinned.busy > 0 || pinned === retiring) return undefined;
      const { session } = pinned;
      begin(pinned);
      try {
        const isDone = await inTransaction(under(pinned.sql, session), async (tx) => {
          if (!(await claim(tx))) return false;
          await lockAgainstRecycling(tx, schemaName);
          await open(tx, NO_ENVIRONMENT);
          return await planAll(tx, statements, goesOn);
        });
        return isDone ? session : undefined;
      } finally {
        pinned.busy--;
        renewIfDue(pinned);
      }
    },

    /** Ids of the environments whose schemas are leased. */
    held: (): string[] => sessions.flatMap(({ leases }) => [...leases.keys()]),

    async end(): Promise<void> {
      await Promise.all(sessions.map(({ sql }) => sql.end({ timeout: 1 })));
    },
  };
}

function begin(pinned: PinnedSession<unknown>): void {
  if (pinned.busy++ === 0) pinned.waitsSince = performance.now();
}

const isStuck = ({ busy, waitsSince }: PinnedSession<unknown>) =>
  busy > 0 && performance.now() - waitsSince > STUCK_MS;

const over = () => new EnvironmentEnded("the environment has ended");
