/** The sender of a request: set once, before routing, and read by the routes. */
import type { Principal } from "~/http/auth";

const principals = new WeakMap<Request, Principal>();

export const setPrincipal = (request: Request, principal: Principal) =>
  principals.set(request, principal);

/** Undefined before authentication, and for a call with an environment's token. */
export const findPrincipal = (request: Request): Principal | undefined => principals.get(request);

export function principalOf(request: Request): Principal {
  const principal = principals.get(request);
  if (!principal) throw new Error("a route was reached without authentication");
  return principal;
}
