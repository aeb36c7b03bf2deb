/** A session of the pool: one connection, whose backend may be lost, or be replaced when it is old. */
import { type Backend, createBackend } from "~/db/backend";
import { connect, type Pool } from "~/db/connect";

export type PinnedSession<S> = ReturnType<typeof createPinnedSession<S>>;

export type Wear = {
  readonly lifetimeMs: number;
  /** A backend keeps some 0.6 MB for every schema it has used; a new one starts empty. */
  readonly schemasMax: number;
  /** Characters of prepared statements. Each takes some 10 bytes, in filters with many conditions 90. */
  readonly statementsMax: number;
};

/** A session on which no call has ended for this long is stuck behind a slow statement or a lock. */
const STUCK_MS = 250;

export function createPinnedSession<S>(
  url: string,
  name: string,
  { lifetimeMs, schemasMax, statementsMax }: Wear,
) {
  let busy = 0;
  /** performance.now() since which no call in progress has ended. */
  let waitsSince = 0;
  let openedAt = 0;
  let backend: Backend<S> = createBackend(openPool());

  function openPool(): Pool {
    openedAt = performance.now();
    const sql = connect(url, {
      max: 1,
      name,
      onClose() {
        if (backend.sql === sql) replace(sql); // the driver connects again
      },
    });
    return sql;
  }

  function replace(sql: Pool): void {
    backend.lose();
    backend = createBackend(sql);
  }

  return {
    get backend(): Backend<S> {
      return backend;
    },
    /** Calls in progress. */
    busy: () => busy,
    isStuck: () => busy > 0 && performance.now() - waitsSince > STUCK_MS,
    isWorn: () =>
      performance.now() - openedAt > lifetimeMs ||
      backend.schemas.size > schemasMax ||
      backend.statements.characters > statementsMax,

    begin(): void {
      if (busy++ === 0) waitsSince = performance.now();
    },
    /** Ends a call. One that gave up waiting is no progress: the session is still stuck. */
    finish({ isProgress }: { isProgress: boolean }): void {
      busy--;
      if (isProgress) waitsSince = performance.now();
    },

    /** Replaces the backend. No call may be in progress on the old one. */
    renew(): void {
      const old = backend.sql;
      replace(openPool());
      old.end({ timeout: 1 }).catch(() => undefined);
    },
    end: () => backend.sql.end({ timeout: 1 }),
  };
}
