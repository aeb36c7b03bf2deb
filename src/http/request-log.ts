/** Metrics and a log line for every call. They contain no values from the caller except ids. */
import { errorCode } from "~/db/connect";
import { ApiError, LimitExceeded, NotAuthed } from "~/errors";
import { findPrincipal } from "~/http/principal";
import type { Fields, Log } from "~/log";
import type { Metrics } from "~/metrics";
import type { HttpRequest } from "~/wire/message";

export type Route = {
  /** From a fixed list: if a caller could choose the label, each value would be a new series. */
  readonly name: string;
  /** info: a step in the life of an environment or a run. debug: the calls in between. probe: polled continuously. */
  readonly kind: "info" | "debug" | "probe";
  /** As in the path. */
  readonly envId?: string;
};

const ID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/;
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const SQLSTATE = /^[0-9A-Z]{5}$/;

const ENDS: Record<string, string> = {
  "/api/platform/diffRun": "diff",
  "/api/platform/evaluateRun": "evaluate",
};

const named = new WeakMap<HttpRequest, Fields>();

/** Notes the environment and run that a body names, for the log. */
export function noteIds(request: HttpRequest, body: unknown): void {
  const { envId, runId } = (body ?? {}) as Record<string, unknown>;
  named.set(request, { env_id: id(envId), run_id: id(runId) });
}

const id = (value: unknown) => (typeof value === "string" && ID.test(value) ? value : undefined);

export type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog(log: Log, metrics: Metrics) {
  let inFlight = 0;

  function countError(error: unknown, code: string): void {
    metrics.errors.inc({ code });
    if (error instanceof LimitExceeded) metrics.limitRejections.inc({ limit: error.reason });
    else if (error instanceof NotAuthed) metrics.authFailures.inc({ reason: error.reason });
    else if (!(error instanceof ApiError)) {
      const found = errorCode(error);
      if (found !== undefined)
        metrics.dbErrors.inc({
          sqlstate_class: SQLSTATE.test(found) ? found.slice(0, 2) : "connection",
        });
    }
  }

  return {
    /** Calls in progress. */
    inFlight: () => inFlight,

    begin(): number {
      inFlight++;
      metrics.httpInFlight.inc();
      return performance.now();
    },

    /** `error` and `code`: what the call failed with, if it did. No `request`: the bytes were no valid request. */
    end(call: {
      request?: HttpRequest;
      requestId: string;
      route: Route;
      started: number;
      status: number;
      error: unknown;
      code: string | undefined;
    }): void {
      const { request, requestId, route, started, status, error, code } = call;
      const ms = performance.now() - started;
      inFlight--;
      metrics.httpInFlight.dec();
      const method = request && METHODS.has(request.method) ? request.method : "other";
      metrics.countRequest(route.name, method, status);
      metrics.httpSeconds.observe({ route: route.name }, ms / 1000);
      const end = ENDS[route.name];
      if (end && status < 300) metrics.runEndSeconds.observe({ kind: end }, ms / 1000);
      if (code !== undefined) countError(error, code);
      const { userId, keyId } = (request && findPrincipal(request)) ?? {};
      const usual = route.kind === "probe" ? "debug" : route.kind;
      log[status >= 500 && route.kind !== "probe" ? "warn" : usual]("request", {
        request_id: requestId,
        user_id: userId,
        key_id: keyId,
        route: route.name,
        method,
        status,
        code,
        duration_ms: Math.round(ms * 10) / 10,
        env_id: id(route.envId),
        ...(request && named.get(request)),
      });
    },
  };
}
