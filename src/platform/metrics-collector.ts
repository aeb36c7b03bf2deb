/** Updates the gauges for each scrape, and measures the delay of the event loop. */
import type { Capture } from "~/capture/capture";
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import { CALL_SECONDS, type Metrics } from "~/metrics";
import type { Capacity } from "~/platform/environments/capacity";
import { countReady } from "~/platform/environments/schemas-store";
import type { Targets } from "~/platform/environments/targets";
import { type Found, type PoolState, setGauges } from "~/platform/gauges";
import * as store from "~/platform/metrics-store";
import { unreadBytes } from "~/platform/runs/leader-store";
import type { Templates } from "~/platform/templates/templates";
import { VERSION } from "~/version";

/** The newest migration in the database, and the bytes of unread log. */
type Readiness = { readonly version: number; readonly unread: number };

export type MetricsCollector = ReturnType<typeof createMetricsCollector>;

/** A database that does not answer must not hide the other metrics. */
const READ_MS = 3_000;
const LAG_EVERY_MS = 250;
const PRIVATE = "private";
export function createMetricsCollector(deps: {
  config: Config;
  pool: Pool;
  /** A connection that calls do not queue for: a busy server is still ready. */
  probe: Pool;
  templates: Templates;
  targets: Targets;
  capture: Capture;
  capacity: Capacity;
  metrics: Metrics;
}) {
  const { config, pool, probe, templates, targets, capture, capacity, metrics } = deps;
  let scraping: Promise<string> | undefined;
  let shared: Promise<Found> | undefined;
  let pending: Promise<Readiness> | undefined;
  let expected = performance.now() + LAG_EVERY_MS;
  let lagMs = 0;
  let worstMs = 0;
  const watching = setInterval(() => {
    lagMs = Math.max(0, performance.now() - expected);
    worstMs = Math.max(worstMs, lagMs);
    expected = performance.now() + LAG_EVERY_MS;
  }, LAG_EVERY_MS);

  async function readPools(): Promise<PoolState[]> {
    const [list, ready, wanted] = await Promise.all([
      templates.list(),
      countReady(pool),
      targets(),
    ]);
    return list.map(({ name, schemaName, visibility }) => ({
      template: visibility === "public" ? name : PRIVATE,
      ready: ready.get(schemaName) ?? 0,
      target: wanted.get(schemaName) ?? 0,
    }));
  }

  async function readDatabase(): Promise<Found> {
    const started = performance.now();
    await store.ping(pool);
    const waited = performance.now() - started;
    const [environments, runs, log, connections, pools, room] = await Promise.all([
      store.countEnvironments(pool),
      store.countRuns(pool),
      store.readLogState(pool),
      store.countConnections(pool),
      readPools(),
      capacity.read(),
    ]);
    return { waited, environments, runs, log, connections, pools, capacity: room };
  }

  /** The calls to this server. */
  async function readCalls() {
    const [times, errors, inFlight] = await Promise.all([
      metrics.httpSeconds.get(),
      metrics.errors.get(),
      metrics.httpInFlight.get(),
    ]);
    const routes = new Map<string, { count: number; seconds: number; buckets: number[] }>();
    for (const { labels, value, metricName } of times.values) {
      const route = String(labels.route);
      const times = routes.get(route) ?? { count: 0, seconds: 0, buckets: [] };
      routes.set(route, times);
      if (metricName?.endsWith("_sum")) times.seconds = value;
      else if (metricName?.endsWith("_count")) times.count = value;
      else if ("le" in labels && labels.le !== "+Inf") times.buckets.push(value);
    }
    return {
      inFlight: inFlight.values[0]?.value ?? 0,
      errors: errors.values.map(({ labels, value }) => ({
        code: String(labels.code),
        count: value,
      })),
      bucketSeconds: CALL_SECONDS,
      routes: [...routes].map(([route, times]) => ({ route, ...times })),
    };
  }

  async function read(): Promise<string> {
    const reading = readDatabase().catch(() => undefined);
    const found = await Promise.race([reading, Bun.sleep(READ_MS)]);
    if (found) setGauges(metrics, found, config);
    metrics.loopLag.set(worstMs / 1000);
    worstMs = 0;
    return await metrics.registry.metrics();
  }

  return {
    /** Returns all metrics in Prometheus' format. Concurrent scrapes share one answer. */
    async scrape(): Promise<string> {
      scraping ??= read().finally(() => {
        scraping = undefined;
      });
      return await scraping;
    },

    /** Returns the same numbers for a page, and those of this user. Concurrent calls share what is not the user's. */
    async overview(userId: string) {
      shared ??= readDatabase().finally(() => {
        shared = undefined;
      });
      const [found, own, calls] = await Promise.all([
        shared,
        store.countOwn(pool, userId),
        readCalls(),
      ]);
      const { environments, runs, log, connections, pools } = found;
      const { holdSeconds, ...active } = runs;
      return {
        version: VERSION,
        postgres: log?.postgres ?? null,
        own,
        environments: environments.map(({ name: service, ...rest }) => ({ service, ...rest })),
        runs: active,
        pool: summed(pools),
        capture: log
          ? {
              lagBytes: log.lag,
              retainedBytes: log.retained,
              budgetBytes: config.CAPTURE_WAL_BUDGET,
              holdSeconds,
              slot: log.walStatus,
            }
          : null,
        connections,
        calls,
      };
    },

    /** Delay of the event loop a moment ago. */
    loopLagMs: () => Math.max(lagMs, performance.now() - expected),

    captureState: capture.local,

    /** Room for new environments, and the ready schemas of each template. Throws if the database is not available. */
    async capacity() {
      const [room, pools] = await Promise.all([capacity.read(), readPools()]);
      const ready = summed(pools).map(({ template, ready }) => [template, ready]);
      return { ...room, ready: Object.fromEntries(ready) };
    },

    /** Checks what a server needs from the database. Concurrent checks share one answer. */
    async readiness(): Promise<Readiness> {
      pending ??= Promise.all([store.schemaVersion(probe), unreadBytes(probe)])
        .then(([version, unread]) => ({ version, unread }))
        .finally(() => {
          pending = undefined;
        });
      return await pending;
    },

    stop: () => clearInterval(watching),
  };
}

/** Private templates together. */
function summed(pools: readonly PoolState[]): PoolState[] {
  const byName = Map.groupBy(pools, ({ template }) => template);
  return [...byName].map(([template, all]) => ({
    template,
    ready: all.reduce((sum, { ready }) => sum + ready, 0),
    target: all.reduce((sum, { target }) => sum + target, 0),
  }));
}
