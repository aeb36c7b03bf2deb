/** A session with the leases of schemas that it holds. It may be lost, or be replaced when it is old. */
import { connect, type Pool } from "~/db/connect";
import type { Shapes } from "~/db/shapes";
import type { Source } from "~/source";

/** The source of an environment's calls: one for all, or a new one for each. */
export type SourceOf = Source | ((sql: Pool) => Promise<Source>);

/** Facts about an environment that change only between its calls, while none is in progress on any server. */
export type Opening<S> = { readonly source: SourceOf; readonly settings: S };

/** Once it is set, the driver rejects everything sent with it. */
export type Token = { lost: boolean; readonly shapes?: Shapes };

/** One environment's lease of its schema. */
export type SchemaLease<S> = {
  readonly schema: string;
  readonly taken: Promise<Opening<S>>;
  /** Once it is taken. */
  opening?: Opening<S>;
  /** The session's statements under `token`. Made once: it takes longer than to send a short statement. */
  readonly sql: Pool;
  /** `over`: released because the environment ended. Otherwise its session was lost. */
  readonly token: Token & { over: boolean };
  /** Calls in progress. */
  users: number;
  /** Called when no call is in progress any more. */
  onIdle?: () => void;
};

export type PinnedSession<S> = {
  readonly sql: Pool;
  /** By environment. */
  readonly leases: Map<string, SchemaLease<S>>;
  /** Token of the whole session: a lock is only ever released on the session that took it. */
  session: Token;
  busy: number;
  /** performance.now() since which no call in progress has ended. */
  waitsSince: number;
  /** Those that its backend has prepared. */
  statements: { characters: number };
  /** The session has reached its maximum lifetime. */
  isOld(): boolean;
  /** Replaces the session. No call may be in progress on the old one. */
  renew(): void;
};

/** The same session, for statements that are only sent while `token` is not lost. */
export const under = (sql: Pool, token: Token) =>
  (sql as unknown as { fence(token: Token): Pool }).fence(token);

export function createPinnedSession<S>(
  url: string,
  name: string,
  lifetimeMs: number,
): PinnedSession<S> {
  const leases: PinnedSession<S>["leases"] = new Map();
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

  /** The session has ended, and its locks with it. */
  function forget() {
    pinned.session.lost = true;
    pinned.session = { lost: false };
    pinned.statements = { characters: 0 };
    for (const { token } of leases.values()) token.lost = true;
    leases.clear();
  }

  let sql = open();
  const pinned: PinnedSession<S> = {
    get sql() {
      return sql;
    },
    leases,
    session: { lost: false },
    busy: 0,
    waitsSince: 0,
    statements: { characters: 0 },
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
