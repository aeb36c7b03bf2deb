/** The platform as a whole: its parts, wired. The outside gets its routes, its gateway, its probes, and its end. */
import { createCapture } from "~/capture/capture";
import { type Plugin, publish } from "~/capture/slot";
import type { Config } from "~/config";
import type { Tx } from "~/db/connect";
import type { Log, LogOptions } from "~/log";
import type { Metrics } from "~/metrics";
import { createAudits } from "~/platform/audit/audits";
import { auditRoutes } from "~/platform/audit/routes";
import type { Connections } from "~/platform/connections";
import { createActing } from "~/platform/environments/acting";
import { createCapacity } from "~/platform/environments/capacity";
import { createClocks } from "~/platform/environments/clocks";
import { controlRoutes } from "~/platform/environments/control-routes";
import { counterpartRoutes } from "~/platform/environments/counterpart-routes";
import { createCounterparts } from "~/platform/environments/counterparts";
import { createDetails } from "~/platform/environments/details";
import { createDueCalls } from "~/platform/environments/due-calls";
import { createEnvironments } from "~/platform/environments/environments";
import { createExclusive } from "~/platform/environments/exclusive";
import { createFaults } from "~/platform/environments/faults";
import { createForks } from "~/platform/environments/forks";
import { createPast } from "~/platform/environments/past";
import {
  detailRoutes,
  environmentRoutes,
  savingRoutes,
  triggerRoutes,
} from "~/platform/environments/routes";
import { createSaving } from "~/platform/environments/saving";
import { createSchemaPool } from "~/platform/environments/schema-pool";
import { createSnapshots } from "~/platform/environments/snapshots";
import { createTargets } from "~/platform/environments/targets";
import { createTriggers } from "~/platform/environments/triggers";
import { createWaking } from "~/platform/environments/waking";
import { createEvents } from "~/platform/events/events";
import { raiseAct } from "~/platform/events/raising";
import { eventRoutes } from "~/platform/events/routes";
import { createInjection } from "~/platform/faults/injection";
import { createFeed } from "~/platform/feed/feed";
import { feedRoutes } from "~/platform/feed/routes";
import { createGateway } from "~/platform/gateway";
import { healthRoutes } from "~/platform/health";
import { createIdempotency } from "~/platform/idempotency/idempotency";
import { createCounting } from "~/platform/journal/counting";
import { createJournal } from "~/platform/journal/journal";
import { createJournalListing } from "~/platform/journal/listing";
import { createNumbering } from "~/platform/journal/numbering";
import { journalRoutes } from "~/platform/journal/routes";
import { createKeys } from "~/platform/keys/keys";
import { createMaintenance } from "~/platform/maintenance";
import { createMetricsCollector } from "~/platform/metrics-collector";
import { createEpisodes } from "~/platform/openenv/episodes";
import { createPlayers } from "~/platform/openenv/players";
import { openEnvRoutes } from "~/platform/openenv/routes";
import { createSessions } from "~/platform/openenv/sessions";
import { createTrainers } from "~/platform/openenv/trainers";
import { overviewRoutes } from "~/platform/overview";
import { createProbes } from "~/platform/probes";
import { createEvaluation } from "~/platform/runs/evaluation";
import { createExpiry } from "~/platform/runs/expiry";
import { createRegrading } from "~/platform/runs/grading";
import { forgetCallMarks, runClosing } from "~/platform/runs/lifecycle-store";
import { createOverdueVerdicts } from "~/platform/runs/overdue-verdicts";
import { createReasons } from "~/platform/runs/reasons";
import { reasonRoutes } from "~/platform/runs/reasons-routes";
import { records } from "~/platform/runs/records";
import { resultRoutes } from "~/platform/runs/result-routes";
import { runRoutes } from "~/platform/runs/routes";
import { createRuns } from "~/platform/runs/runs";
import { createStarting } from "~/platform/runs/starting";
import { createSuitePlace } from "~/platform/suite-place";
import { storeBuiltinSuites } from "~/platform/suites/builtin";
import { createSuiteChanges } from "~/platform/suites/changes";
import { suiteRoutes } from "~/platform/suites/routes";
import { createSuites } from "~/platform/suites/suites";
import { createTaskPlace } from "~/platform/task-place";
import { buildBuiltins } from "~/platform/templates/builtin";
import { createTemplateChanges } from "~/platform/templates/changes";
import { templateRoutes } from "~/platform/templates/routes";
import { createTemplates } from "~/platform/templates/templates";
import { createUploads } from "~/platform/uploads/uploads";
import { idsIn } from "~/source";
import { threadUrl } from "~/thread";

export type Platform = Awaited<ReturnType<typeof createPlatform>>;

/** Expects a database that is migrated. */
export async function createPlatform(deps: {
  config: Config;
  connections: Connections;
  /** Decodes the log. */
  plugin: Plugin;
  log: Log;
  logOptions: LogOptions;
  metrics: Metrics;
  /** Number of calls in progress. */
  inFlight: () => number;
  /** The ports that this server listens on, its own first. */
  ownPorts: () => readonly number[];
}) {
  const { config, connections, plugin, log, logOptions, metrics } = deps;
  const { pool, replicas, builders, sessionPool } = connections;
  /** For the parts that need some of them. */
  const { ownPorts } = deps;
  const base = { ...connections, config, log, metrics, ownPorts, newId: idsIn(config.CELL) };

  const templates = createTemplates(base);
  if (config.SEED) {
    await buildBuiltins(pool, builders, log);
    await storeBuiltinSuites(pool, templates, log);
  }
  const keys = createKeys(pool, config, log, metrics);
  const suites = createSuites({ ...base, templates });
  const capture = await openCapture({ ...base, plugin, logOptions });
  const onBuild = async (tx: Tx, schema: string) => {
    if (capture.kind === "log" && plugin === "pgoutput") await publish(tx, schema);
  };

  const schemaPool = createSchemaPool({ ...base, templates, onBuild });
  const targets = createTargets({ ...base, templates, schemaPool });
  const capacity = createCapacity(base);
  const environments = createEnvironments({
    ...base,
    capacity,
    templates,
    suites,
    schemaPool,
    keys,
    runClosing,
  });
  const exclusive = createExclusive(base);
  const spans = await openSpans(config, log);
  const journal = createJournal({ pool, log, ...(spans && { spans }) });
  const numbering = createNumbering({ pool, journal, forgetMarks: forgetCallMarks });
  const listing = createJournalListing({ pool, numbering });
  const { callsOf } = createCounting({ pool, numbering, pageOf: listing.pageOf });
  const { begin: beginCall } = journal;
  const acts = { raise: raiseAct, ready: (id: string) => events.ready(id) };
  const acting = createActing({ ...base, templates, exclusive, capture, acts });
  const events = createEvents({ ...base, environments, templates, exclusive, acting, beginCall });
  const overdue = createOverdueVerdicts(base);
  const { kept } = events;
  const evaluation = createEvaluation({ ...base, environments, templates, callsOf, overdue, kept });
  const audits = createAudits({ pool, replicas, suites, templates, callsOf });
  const expiry = createExpiry({ pool, capture, log });
  const starting = createStarting({ ...base, templates, capture });
  const runParts = { environments, acting, starting, suites, evaluation, capture, expiry, kept };
  const runs = createRuns({ ...base, ...runParts });
  const grading = { ...base, runs, suites, evaluation };
  const reasons = createReasons({ ...grading, environments, templates, numbering, listing });
  const snapshots = createSnapshots({
    ...base,
    environments,
    templates,
    exclusive,
    acting,
    runClosing,
    onBuild,
    discard: capture.discard,
    flushJournal: journal.flush,
  });
  const { planRuns } = starting;
  const forks = createForks({ ...base, capacity, environments, snapshots, schemaPool, planRuns });
  const control = { ...base, environments, templates, exclusive, acting };
  const clocks = createClocks({ ...control, capture, acts });
  const waking = createWaking(control);
  const past = createPast({ pool, replicas, templates, schemaPool });
  const injection = createInjection({ pool, readState: past.state });
  const gateway = createGateway({
    ...{ sessionPool, injection, past, environments, keys, templates, journal, events, acting },
    dueCalls: createDueCalls({ ...base, exclusive, capture }),
    uploadCalls: createUploads({ pool }),
    origins: config.CORS_ORIGINS,
  });
  const suitePlace = createSuitePlace();
  const players = createPlayers({ suites, environments, runs, gateway });
  const episodes = createEpisodes(players);
  const sessions = createSessions(players);
  const trainers = createTrainers({ keys, ...suitePlace, trustProxy: config.TRUST_PROXY });
  const feed = createFeed(base);
  const collector = createMetricsCollector({ ...base, templates, targets, capture, capacity });
  const probes = createProbes(collector, config.CELL);
  const idempotency = createIdempotency(pool);
  const maintenance = createMaintenance({
    ...base,
    capacity,
    templates,
    targets,
    schemaPool,
    evaluation,
    expiry,
    kept,
    inFlight: deps.inFlight,
  });

  return {
    keys,
    gateway,
    events,
    probes,
    maintenance,
    suitePlace,
    taskPlace: createTaskPlace(),
    captureKind: capture.kind,

    /** Below `/api/platform`; `public` without a key. */
    routes: {
      public: healthRoutes(pool, capture),
      keyed: [
        environmentRoutes(environments, idempotency, config),
        detailRoutes(createDetails({ pool, templates })),
        runRoutes(runs, idempotency),
        resultRoutes(runs, createRegrading(grading)),
        reasonRoutes(reasons),
        journalRoutes(listing),
        overviewRoutes(collector, probes),
        feedRoutes(feed, keys),
        templateRoutes(templates, createTemplateChanges({ ...base, templates })),
        savingRoutes(createSaving({ builders, templates, environments })),
        triggerRoutes(createTriggers({ sessionPool, environments, templates })),
        controlRoutes({ snapshots, forks, clocks, faults: createFaults(control), idempotency }),
        counterpartRoutes(createCounterparts(control), config),
        eventRoutes(events, keys, config),
        suiteRoutes(suites, createSuiteChanges({ ...base, templates })),
        auditRoutes(audits),
      ],
    },
    /** Below `/openenv`. */
    openEnvRoutes: openEnvRoutes({ suites, players, episodes, sessions, trainers, log }),

    /** Ends the waiting of calls that faults delay. */
    endDelays: injection.stop,

    /** Hands over to other servers. The connections close after it. */
    async stop() {
      await maintenance.stop();
      for (const part of [feed, events, episodes, sessions, players, journal]) await part.stop();
      await spans?.stop();
      for (const part of [environments, waking, exclusive, capture, evaluation, audits, collector])
        await part.stop();
    },
  };
}

type CaptureParts = Parameters<typeof createCapture>[0];

/** Captures the changes of runs, as the settings say. */
const openCapture = ({
  config,
  plugin,
  ...parts
}: Omit<CaptureParts, "kind" | "options" | "records" | "worker"> & {
  readonly config: Config;
  readonly plugin: Plugin;
}) =>
  createCapture({
    ...parts,
    kind: config.LOGICAL_REPLICATION_ENABLED ? "log" : "snapshot",
    options: {
      url: config.DATABASE_URL,
      plugin,
      walBudgetBytes: config.CAPTURE_WAL_BUDGET,
      idleSeconds: config.REPLICATION_IDLE_TIMEOUT,
    },
    records,
    worker: threadUrl("platform/runs"),
  });

/** The exporter is loaded only where it is used. */
async function openSpans(config: Config, log: Log) {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { createSpans } = await import("~/platform/journal/spans");
  const { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_SERVICE_NAME: serviceName } = config;
  return createSpans({ endpoint, headers, serviceName, log });
}
