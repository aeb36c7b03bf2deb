/**
 * Protection from pages of other sites. Browsers send the page's origin with every POST; other clients send none.
 *
 * A page of the server's own address may call. That includes a page whose name resolves to this machine (DNS rebinding):
 * it has no credential, and a development server answers without one only under the names of this machine.
 */
import { isLoopback } from "~/input/settings";
import { type HttpAnswer, jsonAnswer, type RequestHead } from "~/wire/message";

/**
 * Returns the protocol's response to a call by a page that may not make it; undefined for any other call. `base`: the
 * address that the call used. `origins`: the setting CORS_ORIGINS. Pages of this machine, such as inspectors, may call it
 * under one of its own names.
 */
export function rejectPage(
  request: RequestHead,
  base: string,
  origins: ReadonlySet<string>,
): HttpAnswer | undefined {
  const origin = request.headers.get("origin");
  if (origin === null || origins.has(origin) || origins.has("*")) return undefined;
  const [page, server] = [URL.parse(origin), URL.parse(base)];
  if (page && server) {
    // Not the scheme: a proxy may have added it.
    if (page.host !== "" && page.host === server.host) return undefined;
    if (isLoopback(page.hostname) && isLoopback(server.hostname)) return undefined;
  }
  return jsonAnswer(
    {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_000, message: "This page may not call the server: see CORS_ORIGINS" },
    },
    403,
  );
}
