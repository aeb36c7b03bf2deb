/** One process of Postgres, which may be lost, and the leases that it holds. */
import type { Pool } from "~/db/connect";
import { type Fence, fenced } from "~/db/driver";
import type { Opening } from "~/db/opening";
import { unavailable } from "~/errors";

/** Its locks, and the statements that it has prepared, end with it. */
export type Backend<S> = {
  readonly sql: Pool;
  /** Statements for this backend, and not for the next one: a lock is only released where it was taken. */
  readonly own: Pool;
  /** By environment. */
  readonly leases: Map<string, Lease<S>>;
  /** Those that it has prepared. */
  readonly statements: { characters: number };
  /** Those that it has used. */
  readonly schemas: Set<string>;
  /** The error of statements that were not sent before it was lost. */
  readonly refusal: () => Error | undefined;
  readonly lose: () => void;
};

/** Lets the calls of an environment use a backend. */
export type Lease<S> = {
  readonly environmentId: string;
  readonly schema: string;
  readonly backend: Backend<S>;
  readonly taken: Promise<Opening<S>>;
  /** Once it is taken. */
  opening?: Opening<S>;
  /** Rejects statements once the lease is ended or lost. */
  readonly fence: Fence;
  /** The backend's statements behind the fence. Made once: it takes longer than to send a short statement. */
  readonly sql: Pool;
  /** Calls in progress. */
  users: number;
  /** Resolves when no call is in progress, if somebody waits for that. */
  idle?: PromiseWithResolvers<void> | undefined;
  /** Once it is ended. Resolves when the schema is unlocked. */
  ended?: Promise<void>;
};

export function createBackend<S>(sql: Pool): Backend<S> {
  let isLost = false;
  const refusal = () =>
    isLost ? unavailable("The connection to the database was lost") : undefined;
  const leases: Backend<S>["leases"] = new Map();
  return {
    ...{ sql, leases, refusal },
    own: fenced(sql, { refusal }),
    statements: { characters: 0 },
    schemas: new Set(),
    lose() {
      isLost = true;
      leases.clear();
    },
  };
}
