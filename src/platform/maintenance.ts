/**
 * Background jobs: ends expired environments, recycles their schemas, fills the pool, cleans up.
 *
 * One server at a time runs them: it holds an advisory lock on its own connection. Correctness does not depend on that,
 * because every step locks the rows it takes; it only avoids contention between servers.
 */
import type { Config } from "~/config";
import { isUnavailable, type Pool } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { dropSchema } from "~/db/schemas";
import { errorFields, type Log } from "~/log";
import type { Metrics } from "~/metrics";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import * as schemas from "~/platform/environments/schemas-store";
import {
  deleteUnusedHidden,
  deleteUnused as deleteUnusedSnapshots,
} from "~/platform/environments/snapshots-store";
import * as environments from "~/platform/environments/store";
import {
  type EmptyTargets,
  emptyTargets,
  poorest,
  READY_MAX,
  type Targets,
} from "~/platform/environments/targets";
import { deleteEndedStates } from "~/platform/faults/store";
import { deleteOldAnswers, RETENTION_HOURS } from "~/platform/keys/idempotency-store";
import { deleteOldUsage } from "~/platform/keys/store";
import type { Evaluation } from "~/platform/runs/evaluation";
import type { Expiry } from "~/platform/runs/expiry";
import { deleteOld as deleteOldRuns, runClosing } from "~/platform/runs/lifecycle-store";
import { createOverdue } from "~/platform/runs/overdue";
import type { Templates } from "~/platform/templates/templates";
import { createSemaphore } from "~/semaphore";

export type Maintenance = ReturnType<typeof createMaintenance>;

const LOCK = "diorama maintenance";
/** A used schema that its server should have recycled by now. */
const STRANDED_SECONDS = 5;
/** A reserved schema whose server has died: building the others takes less. */
const RESERVED_SECONDS = 300;
const BATCH = 50;
/** An orphan is dropped if it is still one this long after it was first seen. */
const ORPHAN_MS = 600_000;
const RETENTION_DAYS = 30;
/** Pause between two builds for the pool, as a multiple of the build's duration: calls come first. */
const REST_IDLE = 0.2;
const REST_BUSY = 3;
/** Time without calls after which empty schemas are built and statements are planned ahead. */
const QUIET_MS = 1_000;

export function createMaintenance(deps: {
  config: Config;
  pool: Pool;
  /** The connection that holds the lock. */
  lock: Pool;
  builders: Builders;
  templates: Pick<Templates, "blueprint">;
  targets: Targets;
  schemaPool: SchemaPool;
  evaluation: Evaluation;
  expiry: Expiry;
  log: Log;
  metrics: Metrics;
  /** Number of calls in progress. */
  inFlight: () => number;
}) {
  const { config, pool, lock, builders, templates, targets, schemaPool, log, metrics } = deps;
  const { evaluation, expiry } = deps;
  const overdue = createOverdue({ pool, log, metrics });
  const orphanSince = new Map<string, number>();
  const cycles = createSemaphore(1);
  let stopping = false;
  let touchedAt = performance.now();
  /** Ends of the pauses: the loop, and a cycle that was asked for, pause at the same time. */
  const pauses = new Set<() => void>();

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      pauses.add(end);
    });

  async function leads(): Promise<boolean> {
    const [row] = await lock`select pg_try_advisory_lock(hashtext(${LOCK})) as held`;
    return row?.["held"] === true;
  }

  async function expire() {
    await expiry.end("all");
    for (;;) {
      const ended = await environments.removeExpired(pool, runClosing);
      if (ended.length === 0) return;
      log.debug("environments expired", { count: ended.length });
      await Promise.all(ended.map(({ schemaName }) => schemaPool.recycle(schemaName)));
    }
  }

  /** Ends environments whose schema is missing. Call it after `sweepOrphans`, which removes the schemas' entries. */
  async function endWithoutSchema() {
    const ended = await environments.endWithoutSchema(pool, runClosing);
    if (ended.length > 0) log.warn("environments without a schema ended", { count: ended.length });
  }

  async function recycleStranded() {
    await schemas.unreserve(pool, { olderThanSeconds: RESERVED_SECONDS });
    const stranded = await schemas.listUsed(pool, STRANDED_SECONDS, BATCH);
    await Promise.all(stranded.map((schema) => schemaPool.recycle(schema)));
  }

  /** Whether the pool may grow: a development server keeps recycled schemas while calls come in. */
  const grows = () =>
    config.development && config.ENVIRONMENT_POOL_TARGETS === undefined && active();

  /**
   * Drops ready schemas beyond twice the target of their template: recycling after a burst leaves more than the target,
   * and the next burst needs them.
   */
  async function trim(
    wanted: ReadonlyMap<string, number>,
    empties: EmptyTargets,
    ready: ReadonlyMap<string, number>,
  ) {
    for (const [templateSchema, count] of ready) {
      const target = wanted.get(templateSchema) ?? 0;
      const reserve = target > 0 && grows() ? READY_MAX : target * 2;
      const empty = empties.get(templateSchema)?.count;
      if (count <= (empty ?? reserve)) continue;
      const keep = empty ?? (config.development ? target : reserve);
      const retired = await schemas.retire(pool, templateSchema, keep, BATCH);
      for (const schema of retired) {
        await dropSchema(builders.sql, schema);
        await schemas.forget(pool, schema);
      }
    }
  }

  const active = () => performance.now() - touchedAt < config.MAINTENANCE_IDLE_TIMEOUT * 1000;

  const isQuiet = () => deps.inFlight() === 0 && performance.now() - touchedAt >= QUIET_MS;

  /** Builds one schema where most are missing; empty ones last, in a quiet moment. Returns false if there is none to build. */
  async function addOne(wanted: ReadonlyMap<string, number>, empties: EmptyTargets) {
    const have = await schemas.countReady(pool);
    const template = poorest(wanted, have);
    if (template !== undefined) {
      await schemaPool.addSchema(template);
      return true;
    }
    if (!isQuiet()) return false;
    const counts = new Map([...empties].map(([name, { count }]) => [name, count]));
    const { like } = empties.get(poorest(counts, have) ?? "") ?? {};
    if (like === undefined) return false;
    await schemaPool.addEmpty(like);
    return true;
  }

  /** Builds schemas until all targets are reached or the cycle is over. */
  async function fill(
    wanted: ReadonlyMap<string, number>,
    empties: EmptyTargets,
    deadline: number,
  ) {
    while (!stopping && active() && performance.now() < deadline) {
      const started = performance.now();
      if (!(await addOne(wanted, empties))) return;
      const took = performance.now() - started;
      await pause(took * (deps.inFlight() > 0 ? REST_BUSY : REST_IDLE));
    }
  }

  async function sweepOrphans() {
    const { schemas: found, entries } = await schemas.listOrphans(pool);
    for (const entry of entries) await schemas.forget(pool, entry);
    for (const known of orphanSince.keys()) if (!found.includes(known)) orphanSince.delete(known);
    for (const schema of found) {
      const since = orphanSince.get(schema) ?? performance.now();
      orphanSince.set(schema, since);
      if (performance.now() - since < ORPHAN_MS) continue;
      log.warn("orphan schema dropped", { schema });
      await dropSchema(builders.sql, schema);
      metrics.orphanSchemas.inc();
    }
  }

  async function forgetOld() {
    await deleteOldUsage(pool);
    await deleteOldAnswers(pool, RETENTION_HOURS);
    await deleteOldRuns(pool, RETENTION_DAYS);
    await environments.deleteOld(pool, RETENTION_DAYS);
    await deleteUnusedSnapshots(pool);
    await deleteEndedStates(pool);
    for (const schema of await deleteUnusedHidden(pool, RESERVED_SECONDS))
      await dropSchema(builders.sql, schema);
  }

  /** One at a time: a caller who asks for a cycle gets a whole one, after the one in progress. */
  const cycle = () => cycles(once);

  async function once() {
    if (!(await leads())) return;
    const deadline = performance.now() + config.MAINTENANCE_CYCLE_INTERVAL * 1000;
    const steps = [
      overdue.fail,
      expire,
      recycleStranded,
      evaluation.concludeOverdue,
      sweepOrphans,
      endWithoutSchema,
      forgetOld,
      () => supply(deadline),
    ];
    for (const step of steps) if (!stopping) await step();
  }

  async function supply(deadline: number) {
    const wanted = await targets();
    const empties = await emptyTargets(templates, wanted);
    await trim(wanted, empties, await schemas.countReady(pool));
    await fill(wanted, empties, deadline);
  }

  async function run() {
    while (!stopping) {
      const started = performance.now();
      await cycle().catch((error) => {
        if (!stopping)
          log[isUnavailable(error) ? "warn" : "error"]("maintenance failed", errorFields(error));
      });
      const rest = config.MAINTENANCE_CYCLE_INTERVAL * 1000 - (performance.now() - started);
      if (!stopping && rest > 0) await pause(rest);
    }
  }

  let running: Promise<void> | undefined;
  return {
    start() {
      running = run();
    },
    /** Notes a call: the pool stays worth filling for a while. */
    touch() {
      touchedAt = performance.now();
    },
    /** No call is in progress, and none was made for a while. */
    isQuiet,
    /** Runs one cycle now, whatever the interval. */
    cycle,
    async stop() {
      stopping = true;
      for (const end of pauses) end();
      await running;
      await schemaPool.settle();
    },
  };
}
