/** How a caller reached this server, and from which page. */
import { isLoopback } from "~/config";

/** A name or an address, perhaps a port: it comes back in the addresses that answers hold. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export const isHost = (text: string) => HOST.test(text);

const hostnameOf = (host: string) => host.replace(/:\d+$/, "").toLowerCase();

/** Only a client of HTTP/1.0 names no host. */
const hostOf = (request: Request) => request.headers.get("host") ?? "localhost";

/**
 * True of a call from this machine that no page of another site caused. A page anywhere can call this machine, and
 * with a DNS name that leads here even under an origin of its own; the browser says where a call comes from in `Origin`
 * and `Sec-Fetch-Site`, and what it has called in `Host`. `origins`: the pages that may call all the same.
 */
export function isLocal(request: Request, origins: ReadonlySet<string>): boolean {
  const { headers } = request;
  const host = hostnameOf(hostOf(request));
  if (!isLoopback(host)) return false;
  const origin = headers.get("origin");
  if (origin !== null && origins.has(origin)) return true;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "cross-site";
  return origin === null || (URL.canParse(origin) && new URL(origin).hostname === host);
}

/** Scheme and host by which the caller reached us. `trustProxy`: a proxy in front says it, and clients cannot. */
export function publicBase(request: Request, trustProxy: boolean): string {
  const forwarded = (name: string) =>
    trustProxy
      ? request.headers.get(`x-forwarded-${name}`)?.split(",")[0]?.trim().toLowerCase()
      : undefined;
  const host = forwarded("host");
  return `${forwarded("proto") === "https" ? "https" : "http"}://${host && isHost(host) ? host : hostOf(request)}`;
}
