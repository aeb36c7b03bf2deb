/** The sender of a request: set once, before routing, and read by the routes. */

import { requestOf } from "~/http/native";
import type { Principal } from "~/principal";
import type { IncomingRequest } from "~/wire/incoming";
import type { HttpRequest } from "~/wire/message";

const principals = new WeakMap<HttpRequest, Principal>();

/** Its bytes are the principal's, too. */
export function setPrincipal(request: IncomingRequest, principal: Principal): void {
  principals.set(request, principal);
  request.owner = { keyId: principal.keyId };
}

/** Undefined before authentication, and for a call with an environment's token. */
export const findPrincipal = (request: HttpRequest): Principal | undefined =>
  principals.get(request);

export function principalOf(request: Request): Principal {
  const principal = findPrincipal(requestOf(request));
  if (!principal) throw new Error("a route was reached without authentication");
  return principal;
}
