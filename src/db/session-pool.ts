/**
 * The connections that environments' own calls run on, and what keeps a schema's lives apart.
 *
 * A schema is used by one environment after the other under the same name, so that what Postgres has prepared for it
 * stays prepared (another name each time made every backend plan everything anew: 148 against 82 lives a second).
 * Therefore a call of an environment that has ended must never reach the next one, on whichever server it was under way.
 *
 * Every session that runs an environment's statements holds a shared advisory lock on its schema, which it takes before
 * the first of them, together with a look whether the environment is still alive. The session that recycles the schema takes the
 * lock exclusively. Lock and statements share one session: a session that dies takes its statements with it, and a
 * statement that waited for a connection is refused rather than moved to another one.
 *
 * A lane is one such session. A schema keeps to two of them, so that a slow call holds up few others; where both are held
 * up by others, it goes elsewhere.
 */
import {
  connect,
  errorCode,
  type Fragment,
  isUnavailable,
  type Pool,
  type Sql,
} from "~/db/connect";
import { openSession, type Preface, type Session, tablesOf } from "~/db/session";
import { unavailable } from "~/errors";

/** What an environment's call needs to find its schema. */
export type EnvironmentRef = {
  readonly environmentId: string;
  readonly schemaName: string;
  readonly tables: readonly { readonly name: string }[];
};

/** The environment has ended: its schema may have been given to another one. */
export class EnvironmentEnded extends Error {
  override readonly name = "TenancyOver";
}

/** Set once; from then on the driver refuses whatever is sent under it. */
type Token = { lost: boolean };

/** One environment's hold on its schema. */
type SchemaLease = {
  readonly schema: string;
  readonly taken: Promise<void>;
  /** `over`: it was given back because the environment ended. Otherwise its session was lost. */
  readonly token: Token & { over: boolean };
  /** Calls under way. */
  users: number;
};

type PinnedSession = {
  readonly sql: Pool;
  /** By environment. */
  readonly leases: Map<string, SchemaLease>;
  /** Of the session as a whole: a lock is never given back on another session than the one that took it. */
  session: Token;
  busy: number;
  /** By performance.now(): since when the calls under way have seen none of them end. */
  waitsSince: number;
  /** Its session has been in use for long. */
  isOld(): boolean;
  /** Gives it a new session in place of the old one, on which nothing may be under way. */
  renew(): void;
};

export type SessionPool = ReturnType<typeof createSessionPool>;

/** Advisory locks stand in a table of limited size; beyond this many a lane gives back those it used longest ago. */
const LEASES_PER_SESSION_MAX = 100;
const LIFETIME_MS = 300_000;
/** A lane on which no call has ended for this long is held up, by a slow statement or a lock. */
const HELD_UP_MS = 250;
const LEASE_LOST = "FENCE_LOST";

const under = (sql: Pool, token: Token) =>
  (sql as unknown as { fence(token: Token): Pool }).fence(token);

function createPinnedSession(url: string, name: string, lifetimeMs: number): PinnedSession {
  const leases: PinnedSession["leases"] = new Map();
  let opened = performance.now();

  function open(): Pool {
    opened = performance.now();
    const opening: Pool = connect(url, {
      max: 1,
      name,
      onClose: () => {
        if (sql === opening) forget();
      },
    });
    return opening;
  }

  /** The session has ended, and with it every lock that it held. */
  function forget() {
    pinned.session.lost = true;
    pinned.session = { lost: false };
    for (const { token } of leases.values()) token.lost = true;
    leases.clear();
  }

  let sql = open();
  const pinned: PinnedSession = {
    get sql() {
      return sql;
    },
    leases,
    session: { lost: false },
    busy: 0,
    waitsSince: 0,
    isOld: () => performance.now() - opened > lifetimeMs,
    renew() {
      const old = sql;
      forget();
      sql = open();
      old.end({ timeout: 1 }).catch(() => undefined);
    },
  };
  return pinned;
}

/** Looks up whether an environment has neither ended nor expired. */
export type IsLive = (sql: Sql, environmentId: string) => Promise<boolean>;

/** `lifetimeMs`: a backend keeps about 100 kB for every environment it has touched; a new one starts empty. */
export function createSessionPool(
  url: string,
  count: number,
  isLive: IsLive,
  lifetimeMs = LIFETIME_MS,
) {
  const sessions = Array.from({ length: count }, (_, index) =>
    createPinnedSession(url, `lane ${index}`, lifetimeMs),
  );
  /** Gets no more calls, until those under way are done and it has a new session. One at a time: see `pick`. */
  let retiring: PinnedSession | undefined;

  /**
   * What would be refused if the driver closed the session by itself, as it refuses everything that waits for a session
   * that is gone: under load that were calls every five minutes.
   */
  function renewIfOld(pinned: PinnedSession): void {
    if (retiring === undefined && pinned.isOld()) retiring = pinned;
    if (retiring !== pinned || pinned.busy > 0) return;
    retiring = undefined;
    pinned.renew();
  }

  function pick({ schemaName, environmentId }: EnvironmentRef): PinnedSession {
    const place = Bun.hash.crc32(schemaName) % count;
    const [first, second] = [sessions[place], sessions[(place + 1) % count]];
    if (!first || !second) throw new Error("there are no lanes");
    renewIfOld(first);
    const usual = leastBusy([first, second]);
    const isOthers = (pinned: PinnedSession) => !pinned.leases.get(environmentId)?.users;
    // An environment that is held up by itself stays, so that it does not hold up all.
    return isHeldUp(usual) && isOthers(first) && isOthers(second) ? leastBusy(sessions) : usual;
  }

  function leastBusy(among: PinnedSession[]): PinnedSession {
    const open = among.filter((pinned) => pinned !== retiring);
    return (open.length > 0 ? open : among).reduce((a, b) => (b.busy < a.busy ? b : a));
  }

  function lease(
    pinned: PinnedSession,
    { schemaName, environmentId }: EnvironmentRef,
  ): SchemaLease {
    const known = pinned.leases.get(environmentId);
    if (known) {
      pinned.leases.delete(environmentId);
      pinned.leases.set(environmentId, known); // as the one used last
      return known;
    }
    const token = { lost: false, over: false };
    const entry: SchemaLease = {
      schema: schemaName,
      taken: take(pinned, schemaName, environmentId),
      token,
      users: 0,
    };
    pinned.leases.set(environmentId, entry);
    entry.taken.then(
      () => endOthers(pinned, entry),
      () => {
        token.lost = true;
        if (pinned.leases.get(environmentId) === entry) pinned.leases.delete(environmentId);
      },
    );
    if (pinned.leases.size > LEASES_PER_SESSION_MAX) evict(pinned);
    return entry;
  }

  /** Locks the schema and then, in a statement of its own that sees what came before, looks for the environment. */
  async function take(pinned: PinnedSession, schema: string, environmentId: string): Promise<void> {
    const sql = under(pinned.sql, pinned.session);
    await sql`select pg_advisory_lock_shared(hashtextextended(${schema}, 0))`;
    try {
      if (!(await isLive(sql, environmentId))) throw over();
    } catch (error) {
      await sql`select pg_advisory_unlock_shared(hashtextextended(${schema}, 0))`;
      throw error;
    }
  }

  /** Refuses what is still to be sent, and gives the lock back behind what was sent. */
  async function end(
    pinned: PinnedSession,
    environmentId: string,
    held: SchemaLease,
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
    // A lost session has given back everything already.
    await sql`select pg_advisory_unlock_shared(hashtextextended(${held.schema}, 0))`.catch(
      () => undefined,
    );
  }

  /** The schema is this environment's: whichever had it before has ended, without our having heard of it. */
  function endOthers(pinned: PinnedSession, mine: SchemaLease): void {
    for (const [environmentId, held] of pinned.leases)
      if (held !== mine && held.schema === mine.schema)
        end(pinned, environmentId, held).catch(() => undefined);
  }

  function evict(pinned: PinnedSession): void {
    for (const [environmentId, held] of pinned.leases) {
      if (held.users > 0) continue;
      end(pinned, environmentId, held).catch(() => undefined);
      return;
    }
  }

  return {
    /** Runs `work` on the environment's tables. Throws TenancyOver when it has ended, before or meanwhile. */
    async use<T>(
      environmentRef: EnvironmentRef,
      work: (session: Session) => Promise<T>,
      preface?: Preface,
    ): Promise<T> {
      const pinned = pick(environmentRef);
      const held = lease(pinned, environmentRef);
      if (pinned.busy++ === 0) pinned.waitsSince = performance.now();
      held.users++;
      try {
        await held.taken;
        const sql = under(pinned.sql, held.token);
        const tables = tablesOf(sql, environmentRef.schemaName, environmentRef.tables);
        const result = await work(openSession(sql, environmentRef.schemaName, tables, preface));
        pinned.waitsSince = performance.now();
        return result;
      } catch (error) {
        // A call that gave up waiting shows no progress: the lane is as held up as it was.
        if (!isUnavailable(error)) pinned.waitsSince = performance.now();
        if (errorCode(error) !== LEASE_LOST) throw error;
        throw held.token.over ? over() : unavailable("The connection to the database was lost");
      } finally {
        pinned.busy--;
        held.users--;
        renewIfOld(pinned);
      }
    },

    /**
     * Lets go of the schema of an environment that has ended. Statements that were sent before are waited for. The word
     * may come late: whatever environment has the schema by then keeps it.
     */
    async release(environmentId: string): Promise<void> {
      await Promise.all(
        sessions.map(async (pinned) => {
          const held = pinned.leases.get(environmentId);
          if (held) await end(pinned, environmentId, held);
        }),
      );
    },

    /** The environments whose schemas are held. */
    held: (): string[] => sessions.flatMap(({ leases }) => [...leases.keys()]),

    async end(): Promise<void> {
      await Promise.all(sessions.map(({ sql }) => sql.end({ timeout: 1 })));
    },
  };
}

const isHeldUp = ({ busy, waitsSince }: PinnedSession) =>
  busy > 0 && performance.now() - waitsSince > HELD_UP_MS;

const over = () => new EnvironmentEnded("the environment has ended");

/** Takes a schema for the caller's transaction alone. False while any server holds it for an environment. */
export async function tryLockSchema(tx: Sql, schema: string): Promise<boolean> {
  const [row] = await tx<
    { schemaIdle: boolean }[]
  >`select ${schemaIdle(tx, tx`${schema}::text`)} as "schemaIdle"`;
  return row?.schemaIdle === true;
}

/** Keeps a schema from being given to another environment for as long as the caller's transaction lasts. */
export const lockAgainstRecycling = async (tx: Sql, schema: string) =>
  await tx`select pg_advisory_xact_lock_shared(hashtextextended(${schema}, 0))`;

/** The same as part of a statement. */
export const schemaIdle = (sql: Sql, schema: Fragment): Fragment =>
  sql`pg_try_advisory_xact_lock(hashtextextended(${schema}, 0))`;
