/** Who plays a suite, and the address that they call it at. */
import { anyKey } from "~/http/auth";
import { requestOf } from "~/http/native";
import { publicBase } from "~/http/origin";
import { principalOf } from "~/http/principal";
import { type Keys, SERVER } from "~/platform/keys/keys";
import type { By } from "~/platform/openenv/player";
import type { HttpRequest } from "~/wire/message";

export type Trainers = ReturnType<typeof createTrainers>;

export const OPENENV = "/openenv";

export function createTrainers(deps: {
  keys: Keys;
  /** Whether a request came to the root of a server that exists for one suite. */
  isAdmitted: (request: HttpRequest) => boolean;
  trustProxy: boolean;
}) {
  const { keys, isAdmitted, trustProxy } = deps;

  return {
    byOf: (request: Request): By => ({
      keyId: principalOf(request).keyId,
      authenticate: async () =>
        isAdmitted(requestOf(request))
          ? SERVER
          : await keys.authenticate(anyKey(request), requestOf(request)),
      baseUrl: publicBase(request, trustProxy),
    }),

    /** The address below which a client calls a suite. */
    rootOf(request: Request, suite: string): string {
      const base = publicBase(request, trustProxy);
      if (isAdmitted(requestOf(request))) return base;
      return `${base}${OPENENV}/${encodeURIComponent(suite)}`;
    },
  };
}
