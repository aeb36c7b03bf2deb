/**
 * The HTTP application: finds what answers a request, and keeps the rules for every response: request id,
 * authentication before any other check, the envelope on every error, headers.
 */
import type { Config } from "~/config";
import { ApiError } from "~/errors";
import { anyKey, platformKey } from "~/http/auth";
import { createCells } from "~/http/cells";
import { createCors } from "~/http/cors";
import { isDocs } from "~/http/docs";
import { errorAnswer } from "~/http/errors";
import { answerOf } from "~/http/native";
import { publicBase } from "~/http/origin";
import { setPrincipal } from "~/http/principal";
import type { RequestLog, Route } from "~/http/request-log";
import { translated } from "~/http/translated";
import type { Log } from "~/log";
import { createControl } from "~/platform/control";
import { CONTROL, type PlatformCall } from "~/platform/control-tools";
import { createDefaultEnvironments } from "~/platform/default-environments";
import { malformed } from "~/platform/environments/id";
import type { GatewayPath } from "~/platform/gateway";
import { OPENENV } from "~/platform/openenv/trainers";
import type { Platform } from "~/platform/platform";
import { probePath, showsNumbers } from "~/platform/probes";
import type { Principal } from "~/principal";
import { createRouter, HEALTH } from "~/program/router";
import { createServiceCalls } from "~/program/service-calls";
import { REPLICAS } from "~/replicas/index";
import { isConsole } from "~/site/console";
import { protectPage } from "~/site/page-policy";
import { createSite, isSite } from "~/site/site";
import type { IncomingRequest } from "~/wire/incoming";
import type { HttpAnswer, HttpRequest } from "~/wire/message";
import type { OutgoingAnswer } from "~/wire/outgoing";

export type App = ReturnType<typeof createApp>;

const CONSOLE: Route = { name: "/console", kind: "debug" };
const OTHER: Route = { name: "other", kind: "debug" };
/** A content type without a character set, or with an incomplete one. */
const PLAIN_TYPE = /^(application\/json|text\/html)(?:;\s*charset=utf-?8)?$/;
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

export function createApp(parts: {
  platform: Platform;
  requestLog: RequestLog;
  log: Log;
  config: Pick<Config, "CORS_ORIGINS" | "TRUST_PROXY" | "CELL" | "development">;
}) {
  const { platform, requestLog, log, config } = parts;
  const { keys, probes, taskPlace, suitePlace } = platform;
  const cors = createCors(config.CORS_ORIGINS);
  const cells = createCells(config.CELL);
  const router = createRouter(platform);
  const site = createSite(router);
  const control = createControl({ keys, config, callAs });
  const defaults = config.development ? createDefaultEnvironments(callAs) : undefined;
  const serviceCalls = createServiceCalls({ platform, cells, defaults, explain });

  function explain(error: unknown, requestId: string): HttpAnswer {
    return errorAnswer(cells.explained(translated(error)), log, requestId).answer;
  }

  /** Answers a call of the platform that the server makes itself. */
  async function callAs(
    principal: Principal,
    call: PlatformCall,
    requestId: string = crypto.randomUUID(),
  ): Promise<HttpAnswer> {
    try {
      return await router.answerAs(principal, call);
    } catch (error) {
      return explain(error, requestId);
    }
  }

  async function answer(
    request: IncomingRequest,
    place: ReturnType<typeof serviceCalls.find>,
    requestId: string,
  ): Promise<OutgoingAnswer> {
    const { pathname } = request;
    const preflight = cors.preflight(request);
    if (preflight) return preflight;
    const base = () => publicBase(request, config.TRUST_PROXY);
    if (place) return await serviceCalls.answer(request, place, { baseUrl: base(), requestId });
    if (pathname === CONTROL) return await control.answer(request, base(), requestId);
    if (probePath(pathname)) {
      if (showsNumbers(request)) await keys.authenticate(platformKey(request), request);
      return await probes.answer(request, pathname);
    }
    if (isSite(pathname)) return await answerOf(await site.answer(request, base()));
    if (taskPlace.isRoot(pathname)) return taskPlace.describe(request, base());
    if (pathname !== HEALTH) {
      await admit(request);
      requireReadable(request.url);
      requireSingleParameters(request.url);
    }
    return await router.answer(request);
  }

  /** Finds out who calls the platform, and counts the call. */
  async function admit(request: IncomingRequest): Promise<void> {
    if (suitePlace.isAdmitted(request)) return;
    const isOpenEnv = request.pathname.startsWith(`${OPENENV}/`);
    const key = isOpenEnv ? anyKey(request) : platformKey(request);
    const principal = await keys.authenticate(key, request);
    setPrincipal(request, principal);
    await keys.countRequest(principal);
  }

  function routeOf(pathname: string, call: GatewayPath | undefined): Route {
    if (call) {
      const service = REPLICAS.has(call.service) ? call.service : ":service";
      const name = `/api/env/:envId/services/${service}`;
      return { name, kind: "debug", envId: call.envId };
    }
    if (probePath(pathname) || pathname === HEALTH) return { name: pathname, kind: "probe" };
    if (pathname === CONTROL) return { name: CONTROL, kind: "debug" };
    if (isConsole(pathname)) return CONSOLE;
    const route = router.patterns.find(
      ({ path, pattern }) => path === pathname || pattern.test(pathname),
    );
    if (!route) return OTHER;
    return { name: route.path, kind: isDocs(route.path) ? "debug" : "info" };
  }

  function finish({ headers }: HttpAnswer, requestId: string): void {
    headers.set("x-request-id", requestId);
    headers.set("x-content-type-options", "nosniff");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    const type = headers.get("content-type");
    if (type && !type.endsWith("; charset=utf-8"))
      headers.set("content-type", type.replace(PLAIN_TYPE, "$1; charset=utf-8"));
    protectPage(headers);
    // This connection is about to close: a client must not reuse it.
    if (probes.draining()) headers.set("connection", "close");
  }

  return {
    router: router.router,
    document: router.document,
    callAs,
    /** Begins to answer `/task`. */
    place: taskPlace.set,
    /** Begins to play a suite at the root. */
    placeSuite: suitePlace.set,

    /** Every request ends here. Never throws, and every error has the envelope. */
    async fetch(incoming: IncomingRequest): Promise<OutgoingAnswer> {
      const request = suitePlace.admit(incoming);
      const started = requestLog.begin();
      const requestId = idOf(request);
      const { pathname } = request;
      const place = serviceCalls.find(pathname);
      let made: OutgoingAnswer;
      let failure: unknown;
      let code: string | undefined;
      try {
        made = await answer(request, place, requestId);
      } catch (error) {
        failure = cells.explained(translated(error));
        ({ answer: made, code } = errorAnswer(failure, log, requestId));
      }
      finish(made, requestId);
      cors.allow(request, made);
      const { status } = made;
      const route = routeOf(pathname, place?.kind === "environment" ? place.path : undefined);
      requestLog.end({ request, requestId, route, started, status, error: failure, code });
      return made;
    },

    /** The response to bytes that are no valid request. */
    refuse(error: ApiError): HttpAnswer {
      const started = requestLog.begin();
      const requestId = crypto.randomUUID();
      const { answer: made, code } = errorAnswer(error, log, requestId);
      finish(made, requestId);
      const { status } = made;
      requestLog.end({ requestId, route: OTHER, started, status, error, code });
      return made;
    },
  };
}

/** The caller's id if it is valid, otherwise a new one. */
function idOf({ headers }: HttpRequest): string {
  const given = headers.get("x-request-id") ?? "";
  return REQUEST_ID.test(given) ? given : crypto.randomUUID();
}

/** Rejects a path that is not UTF-8, which a route would see as empty, and NUL, which Postgres cannot store. */
function requireReadable({ pathname, search }: URL): void {
  if (isUtf8(pathname) && !/%00/.test(pathname + search)) return;
  throw pathname.startsWith("/api/platform/env/")
    ? malformed()
    : new ApiError("invalid_request", "The address holds NUL, or is not UTF-8");
}

function isUtf8(encoded: string): boolean {
  try {
    return decodeURIComponent(encoded).isWellFormed();
  } catch {
    return false;
  }
}

/** Rejects a repeated query parameter: only its last value would be read. */
function requireSingleParameters({ searchParams }: URL): void {
  for (const name of new Set(searchParams.keys()))
    if (searchParams.getAll(name).length > 1)
      throw new ApiError("invalid_request", `${name.slice(0, 64)}: given more than once`);
}
