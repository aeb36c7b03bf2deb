/**
 * The whole program as a value: connects, wires, starts, stops. `serve` runs it, tests start the same one on port 0.
 */
import { createApp } from "~/app";
import { createCapture } from "~/capture/capture";
import { publish } from "~/capture/slot";
import { type Config, describe } from "~/config";
import { connect, type Tx } from "~/db/connect";
import { createFlusher } from "~/db/flusher";
import { migrate } from "~/db/migrate";
import { createBuilders } from "~/db/origins";
import { createSessionPool } from "~/db/session-pool";
import { checkDatabase, requireKnownTargets } from "~/doctor";
import { ApiError } from "~/errors";
import { errorAnswer } from "~/http/errors";
import { LIMITS } from "~/http/limits";
import { listening, requireFreePorts } from "~/http/ports";
import { serve } from "~/http/server";
import { chooseFormat, createLog, type Log } from "~/log";
import type { HttpAnswer, HttpRequest } from "~/message";
import { createMetrics } from "~/metrics";
import { createAudits } from "~/platform/audit/audits";
import { createAhead } from "~/platform/environments/ahead";
import { createClocks } from "~/platform/environments/clocks";
import { createDetails } from "~/platform/environments/details";
import { createEnvironments } from "~/platform/environments/environments";
import { createExclusive } from "~/platform/environments/exclusive";
import { createFaults } from "~/platform/environments/faults";
import { createForks } from "~/platform/environments/forks";
import { openEnvironment } from "~/platform/environments/opening";
import { createPast } from "~/platform/environments/past";
import { createSaving } from "~/platform/environments/saving";
import { createSchemaPool } from "~/platform/environments/schema-pool";
import { createSnapshots } from "~/platform/environments/snapshots";
import { reconcileMissingSchemas } from "~/platform/environments/store";
import { createTargets } from "~/platform/environments/targets";
import { createTriggers } from "~/platform/environments/triggers";
import { createInjection } from "~/platform/faults/injection";
import { createFeed } from "~/platform/feed/feed";
import { createGateway } from "~/platform/gateway";
import { healthRoutes } from "~/platform/health";
import { createCounting } from "~/platform/journal/counting";
import { createJournal } from "~/platform/journal/journal";
import { createJournalListing } from "~/platform/journal/listing";
import { createNumbering } from "~/platform/journal/numbering";
import { createIdempotency } from "~/platform/keys/idempotency";
import { createKeys } from "~/platform/keys/keys";
import { createMaintenance } from "~/platform/maintenance";
import { createMetricsCollector } from "~/platform/metrics-collector";
import { createEpisodes } from "~/platform/openenv/episodes";
import { createPlayers } from "~/platform/openenv/players";
import { createSessions } from "~/platform/openenv/sessions";
import { createProbes, type Probes, probePath } from "~/platform/probes";
import { createEvaluation } from "~/platform/runs/evaluation";
import { createExpiry } from "~/platform/runs/expiry";
import { createRegrading } from "~/platform/runs/grading";
import { forgetCallMarks, runClosing } from "~/platform/runs/lifecycle-store";
import { createOverdueVerdicts } from "~/platform/runs/overdue-verdicts";
import { records } from "~/platform/runs/records";
import { createRuns } from "~/platform/runs/runs";
import { createStarting } from "~/platform/runs/starting";
import { storeBuiltinSuites } from "~/platform/suites/builtin";
import { createSuiteChanges } from "~/platform/suites/changes";
import { createSuites } from "~/platform/suites/suites";
import { buildBuiltins } from "~/platform/templates/builtin";
import { createTemplateChanges } from "~/platform/templates/changes";
import { createTemplates } from "~/platform/templates/templates";
import { threadUrl } from "~/thread";
import { VERSION } from "~/version";

export type Program = Awaited<ReturnType<typeof startProgram>>;

const PLATFORM_CONNECTIONS = 6;
const TEMPLATE_CONNECTIONS = 2;
/** Sessions that environments' calls run on. */
const SESSIONS = 8;
const DRAIN_MS = 25_000;
const DRAIN_POLL_MS = 20;
/** The OpenAPI document takes 0.1 s, which the first healthy answer does not wait for. */
const DOCUMENT_AFTER_MS = 200;

/** Starts serving. Throws ConfigError for a used port, and PreflightError when the database misses a requirement. */
export async function startProgram(config: Config, limits = LIMITS) {
  requireFreePorts(config);
  const logOptions = { level: config.LOG_LEVEL, format: chooseFormat(config.LOG_FORMAT) };
  const log = createLog(logOptions);
  const metrics = createMetrics();
  const url = config.DATABASE_URL;
  const cores = navigator.hardwareConcurrency;
  const builderCount = Math.max(1, Math.min(config.POOL_REFILL_CONCURRENCY, cores));
  const pool = connect(url, { max: PLATFORM_CONNECTIONS, name: "platform", camel: true });
  const replicas = connect(url, { max: TEMPLATE_CONNECTIONS, name: "templates" });
  const flusher = createFlusher(url);
  const sessionPool = createSessionPool(url, SESSIONS, openEnvironment, { flusher });
  const builders = createBuilders(
    connect(url, { max: builderCount + 1, name: "builders", patient: true }),
    config.LOGICAL_REPLICATION_ENABLED,
  );
  const lock = connect(url, { max: 1, name: "maintenance", patient: true });
  const probe = connect(url, { max: 1, name: "probe", camel: true });
  const closePools = () =>
    Promise.all([
      sessionPool.end(),
      flusher.end(),
      ...[pool, replicas, builders.sql, lock, probe].map((each) => each.end({ timeout: 1 })),
    ]);

  /** Stops the started parts, in this order; the pools close after them. */
  const parts: (() => unknown)[] = [];
  const close = async () => {
    for (const stop of parts) await stop();
    await closePools();
  };

  try {
    const { plugin, warnings } = await checkDatabase(pool, config);
    for (const warning of warnings) log.warn(warning);
    const applied = await migrate(pool);
    if (applied.length > 0) log.info("migrations applied", { versions: applied.join(", ") });
    const missing = await reconcileMissingSchemas(pool, runClosing);
    if (missing > 0) log.warn("ended environments whose schemas are missing", { count: missing });
    const templates = createTemplates(pool, replicas, builders);
    const templateChanges = createTemplateChanges({
      pool,
      builders,
      templates,
      poolTargets: config.ENVIRONMENT_POOL_TARGETS,
    });
    if (config.SEED) {
      await buildBuiltins(pool, builders, log);
      await storeBuiltinSuites(pool, templates, log);
    }

    const keys = createKeys(pool, config, log, metrics);
    const suites = createSuites(pool, templates);
    const suiteChanges = createSuiteChanges(pool, templates);
    await requireKnownTargets(pool, config);
    const capture = await createCapture({
      kind: config.LOGICAL_REPLICATION_ENABLED ? "log" : "snapshot",
      options: {
        url,
        plugin,
        walBudgetBytes: config.CAPTURE_WAL_BUDGET,
        idleSeconds: config.REPLICATION_IDLE_TIMEOUT,
      },
      records,
      worker: threadUrl("platform/runs"),
      logOptions,
      pool,
      log,
      metrics,
    });
    const onBuild = async (tx: Tx, schema: string) => {
      if (capture.kind === "log" && plugin === "pgoutput") await publish(tx, schema);
    };
    const ahead = createAhead({ pool, sessionPool, templates, log });
    const schemaPool = createSchemaPool({
      pool,
      builders,
      templates,
      ahead,
      concurrency: builderCount,
      log,
      metrics,
      onBuild,
    });
    const targets = createTargets({ config, pool, templates, schemaPool });
    const environments = createEnvironments({
      pool,
      sessionPool,
      templates,
      suites,
      schemaPool,
      keys,
      runClosing,
    });
    const saving = createSaving({ builders, templates, environments });
    const exclusive = createExclusive({ pool, builders, sessionPool });
    const spans = await openSpans(config, log);
    const journal = createJournal({ pool, log, ...(spans && { spans }) });
    const snapshots = createSnapshots({
      pool,
      environments,
      templates,
      exclusive,
      runClosing,
      onBuild,
      discard: capture.discard,
      flushJournal: journal.flush,
    });
    const numbering = createNumbering({ pool, journal, forgetMarks: forgetCallMarks });
    const listing = createJournalListing({ pool, numbering });
    const { callsOf } = createCounting({ pool, numbering, pageOf: listing.pageOf });
    const overdue = createOverdueVerdicts({ pool, lock, log });
    const evaluation = createEvaluation({ pool, environments, templates, callsOf, overdue });
    const audits = createAudits({ pool, replicas, suites, templates, callsOf });
    const expiry = createExpiry({ pool, capture, log });
    const starting = createStarting({ pool, templates, capture });
    const runs = createRuns({ pool, environments, starting, suites, evaluation, capture, expiry });
    const feed = createFeed({ pool, log, metrics });
    const forks = createForks({
      builders,
      environments,
      snapshots,
      concurrency: builderCount,
      startWith: starting.startWith,
    });
    const past = createPast({ pool, replicas, templates, schemaPool });
    const injection = createInjection({ pool, readState: past.state });
    const gateway = createGateway({
      sessionPool,
      ...{ injection, past },
      environments,
      keys,
      templates,
      origins: config.CORS_ORIGINS,
      journal,
    });
    const players = createPlayers({ suites, environments, runs, gateway });
    const episodes = createEpisodes(players);
    const sessions = createSessions(players);
    const metricsCollector = createMetricsCollector({
      config,
      pool,
      probe,
      templates,
      targets,
      capture,
      metrics,
    });
    parts.push(
      feed.stop,
      episodes.stop,
      sessions.stop,
      players.stop,
      journal.stop,
      () => spans?.stop(),
      environments.stop,
      exclusive.stop,
      capture.stop,
      evaluation.stop,
      audits.stop,
      metricsCollector.stop,
    );
    const probes = createProbes(metricsCollector);
    const app = createApp({
      keys,
      templates,
      suites,
      suiteChanges,
      audits,
      templateChanges,
      environments,
      details: createDetails({ pool, templates }),
      saving,
      triggers: createTriggers({ sessionPool, environments, templates }),
      snapshots,
      clocks: createClocks({ pool, replicas, environments, templates, exclusive, capture }),
      faults: createFaults({ pool, environments, exclusive }),
      forks,
      runs,
      journal: listing,
      feed,
      regrading: createRegrading({ pool, runs, suites, evaluation }),
      idempotency: createIdempotency(pool),
      gateway,
      players,
      episodes,
      sessions,
      health: healthRoutes(pool, capture),
      probes,
      metricsCollector,
      metrics,
      log,
      config,
    });
    const maintenance = createMaintenance({
      config,
      pool,
      lock,
      builders,
      templates,
      targets,
      schemaPool,
      evaluation,
      expiry,
      log,
      metrics,
      inFlight: app.inFlight,
    });
    const server = await listening("PORT", config, () =>
      serve(
        { hostname: config.HOST, port: config.PORT, limits },
        {
          fetch(request) {
            maintenance.touch();
            return app.fetch(request);
          },
          refuse: app.refuse,
          onRejected: () => metrics.connectionsRejected.inc(),
        },
      ),
    );
    parts.push(() => server.cut());
    const { ADMIN_PORT } = config;
    const admin =
      ADMIN_PORT === undefined
        ? undefined
        : await listening("ADMIN_PORT", config, () =>
            serve(
              { hostname: config.HOST, port: ADMIN_PORT, limits },
              { fetch: (request) => answerProbe(probes, request, log), refuse: app.refuse },
            ),
          );
    maintenance.start();
    setTimeout(app.document, DOCUMENT_AFTER_MS).unref();
    parts.push(ahead.start(maintenance.isQuiet));
    const addressOf = (port: number | undefined) =>
      `http://${config.HOST === "0.0.0.0" ? "127.0.0.1" : config.HOST}:${port}`;
    const address = addressOf(server.port);
    log.info("started", {
      url: address,
      settings: describe(config),
      environment: config.ENVIRONMENT,
      capture: capture.kind,
      version: VERSION,
    });

    return {
      url: address,
      adminUrl: admin && addressOf(admin.port),
      developerKey: keys.developerKey,
      app,
      maintenance,
      /** Makes load balancers send calls elsewhere. Until `stop`, calls are still answered. */
      drain: probes.drain,
      /** Finishes calls in progress, hands over to other servers, and closes every connection. */
      async stop() {
        probes.drain();
        const closed = server.stop();
        injection.stop();
        const deadline = performance.now() + DRAIN_MS;
        while (app.inFlight() > 0 && performance.now() < deadline) await Bun.sleep(DRAIN_POLL_MS);
        await maintenance.stop();
        await close();
        await closed;
        await admin?.cut();
        log.info("stopped");
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The exporter is loaded only where it is used. */
async function openSpans(config: Config, log: Log) {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { createSpans } = await import("~/platform/journal/spans");
  const { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_SERVICE_NAME: serviceName } = config;
  return createSpans({ endpoint, headers, serviceName, log });
}

async function answerProbe(probes: Probes, request: HttpRequest, log: Log): Promise<HttpAnswer> {
  try {
    const { pathname } = request;
    if (!probePath(pathname)) throw new ApiError("not_found", "There is no such path");
    return await probes.answer(request, pathname);
  } catch (error) {
    return errorAnswer(error, log, crypto.randomUUID()).answer;
  }
}
