/** The routes of the platform, for requests that none of them takes. */
import { ApiError } from "~/errors";

type RoutePattern = {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
};

export const patternsOf = (
  routes: readonly { readonly method: string; readonly path: string }[],
): RoutePattern[] =>
  routes.map(({ method, path }) => ({
    method,
    path,
    pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, "[^/]+")}$`),
  }));

/** `method_not_allowed` with the methods of the path, or `not_found`. */
export function unknownRoute(routes: readonly RoutePattern[], request: Request): ApiError {
  const { pathname } = new URL(request.url);
  const allowed = routes
    .filter(({ pattern }) => pattern.test(pathname))
    .map(({ method }) => method);
  return allowed.length > 0
    ? new ApiError("method_not_allowed", "The path does not take this method", {
        Allow: allowed.join(", "),
      })
    : new ApiError("not_found", "There is no such path");
}
