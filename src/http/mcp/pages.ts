/**
 * Protection from DNS rebinding: a page of another site can call this machine under its own name. Browsers send the
 * page's origin with every POST; other clients send none.
 */
import { isLoopback } from "~/config";

const hostnameOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).hostname : "");

/**
 * Returns the protocol's response to a call by a page that may not make it; undefined for any other call. `origins`: the
 * setting CORS_ORIGINS. Pages of this machine, such as inspectors, may call it under one of its own names.
 */
export function rejectPage(request: Request, origins: ReadonlySet<string>): Response | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || origins.has(origin) || origins.has("*")) return undefined;
  const host = hostnameOf(`http://${request.headers.get("host") ?? ""}`);
  if (isLoopback(hostnameOf(origin)) && isLoopback(host)) return undefined;
  return Response.json(
    {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_000, message: "This page may not call the server: see CORS_ORIGINS" },
    },
    { status: 403 },
  );
}
