/** The cause of a change, for environments whose changes are noted. */
import type { Source } from "~/source";

/** A call, by its X-Request-Id and the user that it acts as, the clock, a counterpart, by its rule, or the owner of the environment. */
type Maker =
  | { readonly request: string; readonly user?: string | undefined }
  | { readonly clock: true }
  | { readonly counterpart: string }
  | { readonly hand: true };

/** A maker, and the environment's time in microseconds since 1970. */
export type Cause = Maker & { readonly micros: number };

/** As JSON. */
export const causeOf = (maker: Maker, { micros }: Pick<Source, "micros">): string =>
  JSON.stringify({ ...maker, micros });
