/** The gauges, from what a look into the database has found. */
import type { Config } from "~/config";
import type { Metrics } from "~/metrics";
import type { CapacityView } from "~/platform/environments/capacity";
import type { ActiveRuns, Counted, LogState } from "~/platform/metrics-store";
import { VERSION } from "~/version";

const WAL_STATUSES = ["reserved", "extended", "unreserved", "lost"] as const;

export type PoolState = {
  readonly template: string;
  readonly ready: number;
  readonly target: number;
};

export type Found = {
  /** Milliseconds that a statement waited for a connection. */
  readonly waited: number;
  readonly environments: readonly Counted[];
  readonly runs: ActiveRuns;
  readonly log: LogState | undefined;
  readonly connections: Omit<Counted, "name">[];
  readonly pools: readonly PoolState[];
  readonly capacity: CapacityView;
};

export function setGauges(
  metrics: Metrics,
  { waited, environments, runs, log, connections, pools, capacity }: Found,
  config: Config,
): void {
  metrics.dbWait.set(waited / 1000);
  metrics.environments.reset();
  let backlog = 0;
  for (const { name: service, state, count } of environments) {
    metrics.environments.set({ service, state }, count);
    if (state === "expired") backlog += count;
  }
  metrics.expiredBacklog.set(backlog);
  metrics.runs.set({ state: "running" }, runs.running);
  metrics.runs.set({ state: "ending" }, runs.ending);
  metrics.runs.set({ state: "evaluating" }, runs.evaluating);
  metrics.captureHold.set(runs.holdSeconds);
  metrics.poolReady.reset();
  metrics.poolTarget.reset();
  for (const { template, ready, target } of pools) {
    metrics.poolReady.inc({ template }, ready);
    metrics.poolTarget.inc({ template }, target);
  }
  metrics.environmentLimit.reset();
  metrics.environmentLimit.set({ limited_by: capacity.limitedBy }, capacity.limit);
  if (capacity.disk) metrics.diskFree.set(capacity.disk.freeBytes);
  metrics.dbConnections.reset();
  for (const { state, count } of connections) metrics.dbConnections.set({ state }, count);
  if (!log) return;
  metrics.captureEpoch.set(log.epoch);
  metrics.captureLag.set(log.lag);
  metrics.captureUnneeded.set(runs.holdSeconds === 0 ? log.lag : 0);
  metrics.captureRetained.set(log.retained);
  metrics.captureBudget.set(log.lag / config.CAPTURE_WAL_BUDGET);
  metrics.captureSpill.reset();
  metrics.captureSpill.inc(log.spilled);
  for (const status of WAL_STATUSES)
    metrics.captureWalStatus.set({ status }, status === log.walStatus ? 1 : 0);
  const build = { version: VERSION, bun: Bun.version, pg: log.postgres, cell: config.CELL ?? "" };
  metrics.buildInfo.set(build, 1);
}
