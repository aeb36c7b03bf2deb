/**
 * The HTTP application: routes by Elysia, and around them the rules for every response: request id, authentication
 * before any other check, the envelope on every error, headers.
 */
import { Elysia } from "elysia";
import type { Config } from "~/config";
import { ApiError } from "~/errors";
import { anyKey, authorization, type Principal, platformKey } from "~/http/auth";
import { PLATFORM_BODY_MAX, readBody, readJson, wholeBody } from "~/http/body";
import { createCache } from "~/http/cached";
import { answerClients, isClients } from "~/http/clients";
import { answerRoot, consoleAsset, consoleFile, isConsole } from "~/http/console";
import { createCors } from "~/http/cors";
import { answerDocs, createDocument, docs, explorerAsset, isDocs } from "~/http/docs";
import { errorAnswer, requireReading } from "~/http/errors";
import { fitCall, type Parts, type Shapes } from "~/http/fitting";
import { IncomingRequest } from "~/http/incoming";
import { createLongReads } from "~/http/long-reads";
import { controlTools, type PlatformCall } from "~/http/mcp/control";
import { answerMcp } from "~/http/mcp/endpoint";
import { rejectPage } from "~/http/mcp/pages";
import { answerOf, nativeOf, requestOf } from "~/http/native";
import { publicBase } from "~/http/origin";
import type { OutgoingAnswer } from "~/http/outgoing";
import { protectPage } from "~/http/page-policy";
import { principalOf, setPrincipal } from "~/http/principal";
import { createRequestLog, noteIds, type Route } from "~/http/request-log";
import { patternsOf, unknownRoute } from "~/http/routes";
import { translated } from "~/http/translated";
import type { Log } from "~/log";
import { HeaderList, type HttpAnswer, type HttpRequest, isOk, textOf } from "~/message";
import type { Metrics } from "~/metrics";
import type { Audits } from "~/platform/audit/audits";
import { auditRoutes } from "~/platform/audit/routes";
import type { Clocks } from "~/platform/environments/clocks";
import { controlRoutes } from "~/platform/environments/control-routes";
import type { Details } from "~/platform/environments/details";
import type { Environments } from "~/platform/environments/environments";
import type { FaultControl } from "~/platform/environments/faults";
import type { Forking } from "~/platform/environments/forks";
import { malformed } from "~/platform/environments/id";
import {
  detailRoutes,
  environmentRoutes,
  savingRoutes,
  triggerRoutes,
} from "~/platform/environments/routes";
import type { Saving } from "~/platform/environments/saving";
import type { Snapshots } from "~/platform/environments/snapshots";
import type { Triggers } from "~/platform/environments/triggers";
import type { Feed } from "~/platform/feed/feed";
import { feedRoutes } from "~/platform/feed/routes";
import { type Gateway, type GatewayPath, gatewayPath } from "~/platform/gateway";
import type { healthRoutes } from "~/platform/health";
import type { JournalListing } from "~/platform/journal/listing";
import { journalRoutes } from "~/platform/journal/routes";
import type { Idempotency } from "~/platform/keys/idempotency";
import { type Keys, SERVER } from "~/platform/keys/keys";
import type { MetricsCollector } from "~/platform/metrics-collector";
import type { Episodes } from "~/platform/openenv/episodes";
import type { Players } from "~/platform/openenv/players";
import { openEnvRoutes } from "~/platform/openenv/routes";
import type { Sessions } from "~/platform/openenv/sessions";
import { createTasks } from "~/platform/openenv/tasks";
import { overviewRoutes } from "~/platform/overview";
import { METRICS_PATH, type Probes, probePath } from "~/platform/probes";
import type { Regrading } from "~/platform/runs/grading";
import { runRoutes } from "~/platform/runs/routes";
import type { Runs } from "~/platform/runs/runs";
import { createSuitePlace } from "~/platform/suite-place";
import type { SuiteChanges } from "~/platform/suites/changes";
import { suiteRoutes } from "~/platform/suites/routes";
import type { Suites } from "~/platform/suites/suites";
import { createTaskPlace } from "~/platform/task-place";
import type { TemplateChanges } from "~/platform/templates/changes";
import { templateRoutes } from "~/platform/templates/routes";
import type { Templates } from "~/platform/templates/templates";
import { challenged } from "~/platform/tools";
import { REPLICAS } from "~/replicas/index";

export type App = ReturnType<typeof createApp>;

const HEALTH = "/api/platform/health";
const CONTROL = "/mcp";
const OPENENV = "/openenv";
const ROOT = "/";
const CONSOLE: Route = { name: "/console", kind: "debug" };
const OTHER: Route = { name: "other", kind: "debug" };
/** A content type without a character set, or with an incomplete one. */
const PLAIN_TYPE = /^(application\/json|text\/html)(?:;\s*charset=utf-?8)?$/;
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;

export function createApp(parts: {
  keys: Keys;
  templates: Templates;
  templateChanges: TemplateChanges;
  suites: Suites;
  suiteChanges: SuiteChanges;
  audits: Audits;
  environments: Environments;
  details: Details;
  saving: Saving;
  triggers: Triggers;
  snapshots: Snapshots;
  clocks: Clocks;
  faults: FaultControl;
  forks: Forking;
  runs: Runs;
  journal: JournalListing;
  feed: Feed;
  regrading: Regrading;
  idempotency: Idempotency;
  gateway: Gateway;
  players: Players;
  episodes: Episodes;
  sessions: Sessions;
  health: ReturnType<typeof healthRoutes>;
  probes: Probes;
  metricsCollector: MetricsCollector;
  metrics: Metrics;
  log: Log;
  config: Pick<Config, "CORS_ORIGINS" | "TRUST_PROXY">;
}) {
  const { keys, gateway, health, probes, log, config } = parts;
  const requestLog = createRequestLog(log, parts.metrics);
  const cors = createCors(config.CORS_ORIGINS);
  const cache = createCache();
  const task = createTaskPlace();
  const suite = createSuitePlace();
  const inTurn = createLongReads();

  // By default it takes the first ten characters of a URL as the scheme and the host: `http://api/` is shorter.
  const router = new Elysia({ name: "diorama", handler: { standardHostname: false } })
    .onError(({ code, error, request }) => {
      // Rethrown, so that errors become responses in one place. A returned value would be the response.
      throw code === "NOT_FOUND" ? unknownRoute(routes, request) : error;
    })
    .parser("strict", async ({ request }) => {
      if (!WITH_BODY.has(request.method)) return undefined;
      const incoming = requestOf(request);
      const body = await readJson(incoming);
      noteIds(incoming, body);
      return body;
    })
    .use(docs())
    .group("/api/platform", (app) =>
      app.use(health).guard({ parse: "strict", transform: fitContext }, (guarded) =>
        guarded
          .use(environmentRoutes(parts.environments, parts.idempotency))
          .use(detailRoutes(parts.details))
          .use(runRoutes(parts.runs, parts.regrading, parts.idempotency))
          .use(journalRoutes(parts.journal))
          .use(overviewRoutes(parts.metricsCollector, probes))
          .use(feedRoutes(parts.feed, keys))
          .use(templateRoutes(parts.templates, parts.templateChanges))
          .use(savingRoutes(parts.saving))
          .use(triggerRoutes(parts.triggers))
          .use(controlRoutes(parts))
          .use(suiteRoutes(parts.suites, parts.suiteChanges))
          .use(auditRoutes(parts.audits)),
      ),
    )
    .group(OPENENV, (app) =>
      app.guard({ parse: "strict", transform: fitContext }, (guarded) =>
        guarded.use(
          openEnvRoutes({
            ...{ ...parts, tasks: createTasks(parts.suites) },
            byOf: (request) => ({
              keyId: principalOf(request).keyId,
              authenticate: async () =>
                suite.isAdmitted(requestOf(request))
                  ? SERVER
                  : await keys.authenticate(anyKey(request), requestOf(request)),
              baseUrl: publicBase(request, config.TRUST_PROXY),
            }),
            rootOf: (request, named) => {
              const base = publicBase(request, config.TRUST_PROXY);
              if (suite.isAdmitted(requestOf(request))) return base;
              return `${base}${OPENENV}/${encodeURIComponent(named)}`;
            },
          }),
        ),
      ),
    );

  const shapes = new Map(
    router.routes.map(({ method, path, hooks }) => [`${method} ${path}`, hooks as Shapes]),
  );

  type Context = Parts & { request: Request; route: string };
  /** Names what it reads: with the context as a whole, Elysia prepares everything and copies each answer. */
  function fitContext(context: Context): void {
    const found = shapes.get(`${context.request.method} ${context.route}`);
    if (!found) return;
    const { params, query, body } = fitCall(found, {
      params: context.params,
      query: context.query,
      body: context.body,
    });
    context.params = params;
    context.query = query;
    context.body = body;
  }

  const routes = patternsOf(router.routes);
  const document = createDocument(router.routes, HEALTH);
  async function perform(request: IncomingRequest): Promise<HttpAnswer> {
    document();
    return await inTurn(request, async () => answerOf(await router.fetch(nativeOf(request))));
  }

  /** Answers a call of the platform that the server makes itself. */
  async function performAs(
    principal: Principal,
    { method, path, body }: PlatformCall,
    requestId = crypto.randomUUID() as string,
  ): Promise<HttpAnswer> {
    const headers = HeaderList.of({ "Content-Type": "application/json" });
    const request = new IncomingRequest(method, `/api/platform${path}`, headers);
    if (body) request.body = wholeBody(Buffer.from(JSON.stringify(body)));
    setPrincipal(request, principal);
    try {
      return await perform(request);
    } catch (error) {
      return errorAnswer(translated(error), log, requestId).answer;
    }
  }

  /** The platform as tools. A key is also accepted as a bearer token, as clients of the protocol send it. */
  async function answerControl(request: IncomingRequest, requestId: string): Promise<HttpAnswer> {
    const base = publicBase(request, config.TRUST_PROXY);
    const rejected = rejectPage(request, base, config.CORS_ORIGINS);
    if (rejected) return rejected;
    const key = platformKey(request) ?? authorization(request);
    const principal = await challenged(keys.authenticate(key, request));
    request.owner = { keyId: principal.keyId };
    await keys.countRequest(principal);
    const performCall = async (call: PlatformCall) => {
      const made = await performAs(principal, call, requestId);
      return { text: textOf(made), ...(isOk(made) ? {} : { isError: true }) };
    };
    return await answerMcp(
      request,
      await readBody(request, PLATFORM_BODY_MAX),
      controlTools(performCall),
    );
  }

  async function answer(
    request: IncomingRequest,
    call: GatewayPath | undefined,
    requestId: string,
  ): Promise<OutgoingAnswer> {
    const { pathname } = request;
    const preflight = cors.preflight(request);
    if (preflight) return preflight;
    if (call) {
      task.admit(request, pathname);
      const baseUrl = publicBase(request, config.TRUST_PROXY);
      return await gateway.handle(request, call, { baseUrl, requestId });
    }
    if (pathname === CONTROL) return await answerControl(request, requestId);
    if (probePath(pathname)) {
      if (pathname === METRICS_PATH) await keys.authenticate(platformKey(request), request);
      return await probes.answer(request, pathname);
    }
    if (isDocs(pathname)) {
      requireReading(request);
      document();
      const produce = async () =>
        explorerAsset(pathname) ?? answerDocs(new Request(request.url.href), pathname, router);
      return await answerOf(await cache.answer(request, pathname, produce));
    }
    if (isConsole(pathname)) {
      requireReading(request);
      const file = consoleFile(pathname);
      return await answerOf(await cache.answer(request, file, () => consoleAsset(file)));
    }
    if (task.isRoot(pathname))
      return task.describe(request, publicBase(request, config.TRUST_PROXY));
    if (pathname === ROOT) {
      requireReading(request);
      return await answerOf(answerRoot(request));
    }
    if (isClients(pathname)) {
      requireReading(request);
      return await answerOf(await answerClients(pathname, publicBase(request, config.TRUST_PROXY)));
    }
    if (pathname !== HEALTH) {
      const key = pathname.startsWith(`${OPENENV}/`) ? anyKey(request) : platformKey(request);
      if (!suite.isAdmitted(request)) {
        const principal = await keys.authenticate(key, request);
        setPrincipal(request, principal);
        await keys.countRequest(principal);
      }
      requireReadable(request.url);
      requireSingleParameters(request.url);
      return await perform(request);
    }
    return await answerOf(await router.fetch(nativeOf(request)));
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
    const route = routes.find(({ path, pattern }) => path === pathname || pattern.test(pathname));
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
    router,
    performAs,
    document,
    /** Begins to answer `/task`. */
    place: task.set,
    /** Begins to play a suite at the root. */
    placeSuite: suite.set,

    /** Every request ends here. Never throws, and every error has the envelope. */
    async fetch(incoming: IncomingRequest): Promise<OutgoingAnswer> {
      const request = suite.admit(incoming);
      const started = requestLog.begin();
      const requestId = idOf(request);
      const { pathname } = request;
      const call = gatewayPath(pathname) ?? task.callOf(pathname);
      let made: OutgoingAnswer;
      let failure: unknown;
      let code: string | undefined;
      try {
        made = await answer(request, call, requestId);
      } catch (error) {
        failure = translated(error);
        ({ answer: made, code } = errorAnswer(failure, log, requestId));
      }
      finish(made, requestId);
      cors.allow(request, made);
      const { status } = made;
      const route = routeOf(pathname, call);
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

    /** Requests in progress. */
    inFlight: requestLog.inFlight,
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
