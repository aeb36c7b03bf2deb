/** The sender of a request: set once, before routing, and read by the routes. */
import type { Principal } from "~/http/auth";
import { requestOf } from "~/http/native";
import type { HttpRequest } from "~/message";

const principals = new WeakMap<HttpRequest, Principal>();

export const setPrincipal = (request: HttpRequest, principal: Principal) =>
  principals.set(request, principal);

/** Undefined before authentication, and for a call with an environment's token. */
export const findPrincipal = (request: HttpRequest): Principal | undefined =>
  principals.get(request);

export function principalOf(request: Request): Principal {
  const principal = findPrincipal(requestOf(request));
  if (!principal) throw new Error("a route was reached without authentication");
  return principal;
}
