/** The identity and the means of a call to an environment, however it arrived. */

import type { Session } from "~/db/session";
import type { Aliases } from "~/input/aliases";

export type Caller<Name extends string = string> = {
  readonly session: Session<Name>;
  /** The user that the environment's agent acts as. */
  readonly actor: string;
  /** The address at which the caller reached this environment's service, without a trailing slash. */
  readonly baseUrl: string;
  /** The environment's key for signing secrets that the platform issues and the replica accepts. */
  readonly secret: Uint8Array;
  /** Earlier ids that calls may use for rows of the environment. */
  readonly aliases: Aliases;
};
