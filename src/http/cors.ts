/** Cross-origin calls from pages whose origin is in the setting CORS_ORIGINS; `*` allows all. */
import { type HttpAnswer, httpAnswer, type RequestHead } from "~/wire/message";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-API-Key, X-Request-Id, User-Agent";
const RESPONSE_HEADERS = "X-Request-Id, Retry-After, Idempotent-Replayed";
const PREFLIGHT_SECONDS = 600;

export function createCors(origins: ReadonlySet<string>) {
  const allows = (origin: string) => origins.has(origin) || origins.has("*");

  return {
    /** The answer to a preflight request; undefined for any other request. */
    preflight({ method, headers }: RequestHead): HttpAnswer | undefined {
      const origin = headers.get("origin");
      const isPreflight = method === "OPTIONS" && headers.has("access-control-request-method");
      if (!isPreflight || origin === null || !allows(origin)) return undefined;
      return httpAnswer(204, {
        "Access-Control-Allow-Methods": METHODS,
        "Access-Control-Allow-Headers": REQUEST_HEADERS,
        "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
      });
    },

    /** Lets the page that sent `request` read the response. */
    allow(request: RequestHead, { headers }: HttpAnswer): void {
      if (origins.size === 0) return;
      headers.append("vary", "Origin");
      const origin = request.headers.get("origin");
      if (origin === null || !allows(origin)) return;
      headers.set("access-control-allow-origin", origin);
      headers.set("access-control-expose-headers", RESPONSE_HEADERS);
    },
  };
}
