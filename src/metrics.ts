/**
 * Every metric, by its Prometheus name. Counters and histograms are updated where events happen; gauges are read at a
 * scrape (`platform/metrics-collector.ts`).
 *
 * No label has an id of an environment, a run or a user as its value: each value of a label is a permanent series.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** Bounds of the buckets of calls' times. */
export const CALL_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
const CHANGES = [0, 1, 3, 10, 30, 100, 300, 1_000, 10_000, 100_000];

/** For the process rather than for a program, because an unhandled rejection cannot be attributed to one. */
let unhandled = 0;
export const noteUnhandled = () => {
  unhandled++;
};

/** Counts in a map until the next scrape: the library would sort and check the labels at every call. */
function requestCounter(registry: Registry) {
  type Labels = { readonly route: string; readonly method: string; readonly status: number };
  const pending = new Map<string, { readonly labels: Labels; count: number }>();
  new Counter({
    name: "diorama_http_requests_total",
    help: "Calls answered",
    labelNames: ["route", "method", "status"],
    registers: [registry],
    collect() {
      for (const { labels, count } of pending.values()) this.inc(labels, count);
      pending.clear();
    },
  });
  return (route: string, method: string, status: number): void => {
    const key = `${status} ${method} ${route}`;
    const known = pending.get(key);
    if (known) known.count++;
    else pending.set(key, { labels: { route, method, status }, count: 1 });
  };
}

/** A separate registry per program, so that two in one process do not mix their counts. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `diorama_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name: `diorama_${name}`, help, labelNames, registers });
  const histogram = <L extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: L[]
  ) => new Histogram<L>({ name: `diorama_${name}`, help, buckets, labelNames, registers });

  new Counter({
    name: "diorama_unhandled_total",
    help: "Unhandled rejections and exceptions",
    registers,
    collect() {
      this.reset();
      this.inc(unhandled);
    },
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory of the process",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });

  return {
    registry,

    /** Counts one answered call. */
    countRequest: requestCounter(registry),
    httpSeconds: histogram(
      "http_request_duration_seconds",
      "Time from a call's arrival to its answer",
      CALL_SECONDS,
      "route",
    ),
    httpInFlight: gauge("http_in_flight", "Calls being answered"),
    connectionsRejected: counter(
      "http_connections_rejected_total",
      "Connections over the limit that were answered 503 or closed",
    ),
    feedReaders: gauge("feed_readers", "Open streams of events"),
    errors: counter("errors_total", "Rejected or failed calls, by code", "code"),
    authFailures: counter("auth_failures_total", "Calls without a valid credential", "reason"),
    limitRejections: counter("limit_rejections_total", "Calls over a limit", "limit"),

    environments: gauge(
      "envs",
      "Environments of all servers that are not ended",
      "service",
      "state",
    ),
    environmentCreateSeconds: histogram(
      "env_create_seconds",
      "Time until an environment had its schema: from the pool, or built for it",
      CALL_SECONDS,
      "source",
    ),
    environmentLimit: gauge("env_limit", "Environments that there may be", "limited_by"),
    diskFree: gauge("db_disk_free_bytes", "Free space of the database's disk, if it is known"),
    expiredBacklog: gauge(
      "env_expired_backlog",
      "Expired environments that are not cleaned up yet",
    ),
    maintenanceSeconds: gauge(
      "maintenance_seconds",
      "Duration of the last maintenance cycle, without filling the pool",
    ),
    poolReady: gauge("pool_ready", "Ready schemas", "template"),
    poolTarget: gauge("pool_target", "Target number of ready schemas", "template"),
    poolBuilds: counter(
      "pool_builds_total",
      "Schemas built, or filled from an empty one",
      "result",
    ),
    orphanSchemas: counter("orphan_schemas_total", "Unreferenced schemas that were dropped"),

    runs: gauge("runs", "Runs of all servers that are not ended", "state"),
    runEndSeconds: histogram(
      "run_end_seconds",
      "Time from a run's end to its result",
      CALL_SECONDS,
      "kind",
    ),
    runChanges: histogram("run_changes", "Changed rows of a run, net", CHANGES),
    runsFailed: counter(
      "runs_failed_total",
      "Runs that ended without a result; failed assertions are a result",
      "reason",
    ),

    captureState: gauge("capture_state", "1 for the state this server's capture is in", "state"),
    captureLeader: gauge("capture_leader", "1 on the server that reads the log"),
    captureEpoch: gauge("capture_epoch", "Counts leaders"),
    captureLag: gauge("capture_lag_bytes", "Log written since the acknowledged position"),
    captureUnneeded: gauge(
      "capture_unneeded_lag_bytes",
      "Log written since the acknowledged position while no run needs it",
    ),
    captureRetained: gauge("capture_retained_bytes", "Log retained by the slot"),
    captureBudget: gauge("capture_wal_budget_ratio", "Lag in units of CAPTURE_WAL_BUDGET"),
    captureHold: gauge("capture_hold_seconds", "Age of the oldest run that holds the position"),
    captureMarker: histogram(
      "capture_marker_seconds",
      "Time until a start mark was read from the log",
      CALL_SECONDS,
    ),
    captureReconnects: counter("capture_reconnects_total", "Streams that ended early", "reason"),
    captureMessages: counter("capture_messages_total", "Messages of the log read", "action"),
    captureSkipped: counter("capture_skipped_total", "Messages that belong to no run"),
    captureWalStatus: gauge("capture_slot_wal_status", "1 for the slot's current status", "status"),
    captureSpill: counter("capture_spill_bytes_total", "Decoded transactions spilled to disk"),
    capturePoison: counter("capture_poison_total", "Transactions skipped as undecodable"),

    dbConnections: gauge("db_pool_connections", "Connections of all servers", "state"),
    dbWait: gauge(
      "db_pool_wait_seconds",
      "Time of a trivial statement at this scrape, including the wait for a connection",
    ),
    dbErrors: counter("db_errors_total", "Database errors during calls", "sqlstate_class"),
    controlPlane: counter(
      "control_plane_requests_total",
      "Keys validated by the control plane",
      "result",
    ),

    loopLag: gauge("event_loop_lag_seconds", "Worst delay of a timer since the last scrape"),
    buildInfo: gauge("build_info", "Always 1", "version", "bun", "pg", "cell"),
  };
}
