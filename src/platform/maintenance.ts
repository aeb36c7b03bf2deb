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
import { deleteEnded as deleteEndedActions } from "~/platform/counterparts/pending-store";
import { deleteEnded as deleteEndedChanges } from "~/platform/counterparts/store";
import type { Capacity } from "~/platform/environments/capacity";
import * as environments from "~/platform/environments/ending-store";
import { createOrphans } from "~/platform/environments/orphans";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import * as schemas from "~/platform/environments/schemas-store";
import {
  deleteUnusedHidden,
  deleteUnused as deleteUnusedSnapshots,
} from "~/platform/environments/snapshots-store";
import type { Targets } from "~/platform/environments/targets";
import { deleteOldTickets } from "~/platform/events/deliveries-store";
import type { KeptEvents } from "~/platform/events/kept";
import { deleteEndedStates } from "~/platform/faults/store";
import { deleteOldAnswers, RETENTION_HOURS } from "~/platform/idempotency/store";
import { deleteOldUsage } from "~/platform/keys/store";
import { deleteEnded as deleteEndedEvents } from "~/platform/outbox/store";
import type { Evaluation } from "~/platform/runs/evaluation";
import type { Expiry } from "~/platform/runs/expiry";
import { deleteOld as deleteOldRuns, runClosing } from "~/platform/runs/lifecycle-store";
import { createOverdue } from "~/platform/runs/overdue";
import { createSupply } from "~/platform/supply";
import type { Templates } from "~/platform/templates/templates";
import { deleteOldUploads } from "~/platform/uploads/store";
import { createSemaphore } from "~/semaphore";

export type Maintenance = ReturnType<typeof createMaintenance>;

const LOCK = "diorama maintenance";
/** A used schema that its server should have recycled by now. */
const STRANDED_SECONDS = 5;
/** A reserved schema whose server has died: building the others takes less. */
const RESERVED_SECONDS = 300;
const BATCH = 50;
const RETENTION_DAYS = 30;
export function createMaintenance(deps: {
  config: Config;
  pool: Pool;
  /** The connection that holds the lock. */
  lock: Pool;
  builders: Builders;
  templates: Pick<Templates, "blueprint">;
  targets: Targets;
  schemaPool: SchemaPool;
  capacity: Pick<Capacity, "diskIsLow">;
  evaluation: Evaluation;
  expiry: Expiry;
  kept: Pick<KeptEvents, "keepOverdue">;
  log: Log;
  metrics: Metrics;
  /** Number of calls in progress. */
  inFlight: () => number;
}) {
  const { config, pool, lock, builders, schemaPool, log, metrics } = deps;
  const { evaluation, expiry } = deps;
  const overdue = createOverdue({ pool, log, metrics });
  const sweepOrphans = createOrphans({ ...deps, runClosing });
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

  const supply = createSupply({
    ...deps,
    pause,
    idleMs: () => performance.now() - touchedAt,
    isStopping: () => stopping,
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

  async function recycleStranded() {
    await schemas.unreserve(pool, { olderThanSeconds: RESERVED_SECONDS });
    const stranded = await schemas.listUsed(pool, STRANDED_SECONDS, BATCH);
    await Promise.all(stranded.map((schema) => schemaPool.recycle(schema)));
  }

  async function forgetOld() {
    await deleteOldUsage(pool);
    await deleteOldAnswers(pool, RETENTION_HOURS);
    await deleteOldUploads(pool);
    await deleteOldRuns(pool, RETENTION_DAYS);
    await environments.deleteOld(pool, RETENTION_DAYS);
    await deleteUnusedSnapshots(pool);
    await deleteEndedStates(pool);
    await deleteEndedChanges(pool);
    await deleteEndedActions(pool);
    await deleteEndedEvents(pool);
    await deleteOldTickets(pool);
    for (const schema of await deleteUnusedHidden(pool, RESERVED_SECONDS))
      await dropSchema(builders.sql, schema);
  }

  /** One at a time: a caller who asks for a cycle gets a whole one, after the one in progress. */
  const cycle = () => cycles(once);

  async function once() {
    if (!(await leads())) return;
    const started = performance.now();
    const deadline = started + config.MAINTENANCE_CYCLE_INTERVAL * 1000;
    const steps = [
      overdue.fail,
      expire,
      recycleStranded,
      evaluation.concludeOverdue,
      deps.kept.keepOverdue,
      sweepOrphans,
      forgetOld,
    ];
    for (const step of steps) if (!stopping) await step();
    metrics.maintenanceSeconds.set((performance.now() - started) / 1000);
    if (!stopping) await supply(deadline);
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
