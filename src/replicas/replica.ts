/**
 * What a simulated service has to offer. A third one is a folder beside `chat` with these files, a seed, and a line in
 * `index.ts`; the platform knows nothing of it but this.
 */

import type { TObject, TSchema } from "@sinclair/typebox";
import type { Tx } from "~/db/connect";
import type { Session, Tables } from "~/db/session";

export type Replica = {
  /** The value of `service` on the wire. */
  readonly service: string;
  /**
   * The DDL of one environment, with bare table names. Its order is the order in which diffs list tables. Every
   * table has a primary key; there are no enum, domain or composite types, no views, triggers or functions.
   */
  readonly tables: string;
  /** Columns that the service computes by itself. They appear in diffs; strict assertions ignore them. */
  readonly derived: { readonly [table: string]: readonly string[] };
  /**
   * Turns the parsed content of a seed file into rows. Throws SeedError with the path of the first mistake. The same
   * seed gives the same rows: nothing is random and nothing is "now". Returns notes on what it changed or ignored.
   */
  readonly seed: (tx: Tx, t: Tables, seed: unknown) => Promise<readonly string[]>;
  /** The id of a user of the environment, by id or by email; undefined when there is none. */
  readonly findUser: (
    session: Session,
    by: { readonly id: string } | { readonly email: string },
  ) => Promise<string | undefined>;
  /** A credential that a client of this service sends elsewhere than in a header. `beginning`: that of the body. */
  readonly credential?: (
    call: Pick<ReplicaCall, "request" | "url"> & { readonly beginning: () => Promise<Uint8Array> },
  ) => Promise<string | undefined>;
  /** True of a path that holds a secret of its own: it is answered without a credential. */
  readonly carriesSecret?: (path: string) => boolean;
  /** True if a body is expected at such a path, whose secret is right. Otherwise `handle` gets an empty one. */
  readonly awaits?: (session: Session, path: string) => Promise<boolean>;
  /** Makes what a click of a user gives an app, if this service has such a thing. `secret`: see ReplicaCall. */
  readonly issueTrigger?: (secret: Uint8Array, user: string, expiresAt: Date) => string;
  /** Answers a call. A throw is a bug, and has been rolled back; refusals are answered in the service's own words. */
  readonly handle: (call: ReplicaCall) => Promise<Response>;
  /** The calls of this service, for the OpenAPI document. */
  readonly operations: () => readonly ServiceOperation[];
};

/** One call as the OpenAPI document shows it. */
export type ServiceOperation = {
  /** Of a service: what follows the prefix of the environment. */
  readonly path: string;
  readonly method: string;
  /** The name of the call in generated clients: `chatPostMessage`. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly query?: TObject | undefined;
  /** The shape of the body in each media type. */
  readonly body?: { readonly [type: string]: TSchema } | undefined;
  readonly answers: { readonly [status: string]: TSchema };
};

/** One call to an environment, after authentication. */
export type ReplicaCall = {
  readonly request: Request;
  readonly url: URL;
  /** What follows `/services/<service>/`: `chat.postMessage`, `graphql`, or nothing. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly session: Session;
  /** The user that the environment's agent acts as. */
  readonly actor: string;
  /** What stood in `Authorization`, if that was not the credential: a user's token of the service. */
  readonly userToken: string | undefined;
  /** The caller may name another user than `actor`. A caller who may not and does is refused. */
  readonly mayImpersonate: boolean;
  /** Where the caller reached this environment's service, without a slash at the end. */
  readonly baseUrl: string;
  /** Of the environment: signs what the platform issues and the replica accepts. */
  readonly secret: Uint8Array;
};

/** For the refusal of a call that names a user it may not act as, whether there is such a user or not. */
export const OWN_USER_ONLY =
  "An environment's token acts as the environment's own user; another one takes an API key, or allowImpersonation at initEnv.";

/** A seed that cannot become rows. `path` leads to the first mistake: `channels[2].members[0]`. */
export class SeedError extends Error {
  override readonly name = "SeedError";
  readonly path: string;
  constructor(path: string, problem: string) {
    super(`${path || "the seed"}: ${problem}`);
    this.path = path;
  }
}

/** The path of a mistake from its JSON pointer: `/users/0/name` → `users[0].name`. */
export const seedPath = (pointer: string) =>
  pointer
    .replace(/\/(\d+)/g, "[$1]")
    .replace(/\//g, ".")
    .replace(/^\./, "");
