/** The address that a caller used for this server, and the page that made the call. */
import { isLoopback } from "~/input/settings";
import { isHost } from "~/wire/head";
import type { IncomingRequest } from "~/wire/incoming";
import type { RequestHead } from "~/wire/message";

const hostnameOf = (host: string) => host.replace(/:\d+$/, "").toLowerCase();

/** Only HTTP/1.0 clients send no host. */
const hostOf = (request: RequestHead) => request.headers.get("host") ?? "localhost";

/** A socket that listens on `::` gives IPv4 addresses the prefix. */
const LOOPBACK_PEER = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1)$/i;

/**
 * True for a call from this machine that was not made by a page of another site. Any page can call this machine, even
 * under its own origin, with a DNS name that resolves to this machine. Browsers send the source of a call in `Origin` and
 * `Sec-Fetch-Site`, and its target in `Host`. Other clients choose these headers freely, but not the address that they
 * call from. `origins`: pages that may call anyway.
 *
 * A page of another port may call, but cannot read the answer without CORS. WebSockets know no CORS: the page must be
 * one of this server.
 */
export function isLocal(
  request: Pick<IncomingRequest, "headers" | "method" | "peer">,
  origins: ReadonlySet<string>,
): boolean {
  const { headers, peer } = request;
  if (peer === undefined || !LOOPBACK_PEER.test(peer)) return false;
  const host = hostnameOf(hostOf(request));
  if (!isLoopback(host)) return false;
  const origin = headers.get("origin");
  if (origin !== null && origins.has(origin)) return true;
  if (origin !== null && headers.has("upgrade"))
    return URL.parse(origin)?.host === hostOf(request).toLowerCase();
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "cross-site";
  return origin === null || (URL.canParse(origin) && new URL(origin).hostname === host);
}

/** The scheme and host that the caller used. `trustProxy`: take them from the headers of a proxy. */
export function publicBase(request: RequestHead, trustProxy: boolean): string {
  const forwarded = (name: string) =>
    trustProxy
      ? request.headers.get(`x-forwarded-${name}`)?.split(",")[0]?.trim().toLowerCase()
      : undefined;
  const host = forwarded("host");
  return `${forwarded("proto") === "https" ? "https" : "http"}://${host && isHost(host) ? host : hostOf(request)}`;
}
