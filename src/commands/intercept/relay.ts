/** The HTTPS endpoint of the intercepted hosts: forwards every request to the environment of its host. */
import type { Certificates } from "~/commands/intercept/certificates";
import type { Targets } from "~/commands/intercept/targets";
import { CALLED_ORIGIN } from "~/replicas/kit/called-origin";

/** They concern one connection only (RFC 9110, section 7.6.1), or are set again. */
const HOP_BY_HOP = [
  "connection",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
const IDLE_SECONDS = 255;

/** Throws when the address cannot be used. `port` 0: any free one. */
export function startRelay(
  targets: Targets,
  { certificate, key }: Certificates,
  address: { readonly hostname: string; readonly port: number },
) {
  return Bun.serve({
    ...address,
    idleTimeout: IDLE_SECONDS,
    tls: { cert: certificate, key },
    fetch: (request) => forward(targets, request),
  });
}

async function forward(targets: Targets, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const host = (request.headers.get("host") ?? url.host).replace(/:\d+$/, "");
  const target = targets.find(host, url.pathname);
  if (!target)
    return Response.json({ error: "host_not_intercepted", detail: host }, { status: 421 });
  const headers = new Headers(request.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set("X-API-Key", target.token);
  headers.set(CALLED_ORIGIN, `https://${host}`);
  try {
    const answer = await fetch(`${target.serviceUrl}${url.pathname}${url.search}`, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
      decompress: false,
    });
    const answered = new Headers(answer.headers);
    for (const name of HOP_BY_HOP) answered.delete(name);
    return new Response(answer.body, { status: answer.status, headers: answered });
  } catch {
    const detail = `nothing answers at ${target.serviceUrl}`;
    return Response.json({ error: "upstream_unreachable", detail }, { status: 502 });
  }
}
