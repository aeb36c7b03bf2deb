/** Supplies the pool with ready schemas, and drops those beyond its targets. */
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { dropSchema } from "~/db/schemas";
import type { Capacity } from "~/platform/environments/capacity";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import * as schemas from "~/platform/environments/schemas-store";
import {
  type EmptyTargets,
  emptyTargets,
  poorest,
  READY_MAX,
  type Targets,
} from "~/platform/environments/targets";
import type { Templates } from "~/platform/templates/templates";

const BATCH = 50;
/** Pause between two builds for the pool, as a multiple of the build's duration: calls come first. */
const REST_IDLE = 0.2;
const REST_BUSY = 3;
/** Time without calls after which empty schemas are built. */
const QUIET_MS = 1_000;

export function createSupply(deps: {
  config: Config;
  pool: Pool;
  builders: Builders;
  templates: Pick<Templates, "blueprint">;
  targets: Targets;
  schemaPool: SchemaPool;
  capacity: Pick<Capacity, "diskIsLow">;
  /** Number of calls in progress. */
  inFlight: () => number;
  /** Milliseconds since the last call. */
  idleMs: () => number;
  /** Ends early when the server stops. */
  pause: (ms: number) => Promise<void>;
  isStopping: () => boolean;
}) {
  const { config, pool, builders, templates, targets, schemaPool, capacity } = deps;
  const { inFlight, idleMs, pause, isStopping } = deps;

  const active = () => idleMs() < config.MAINTENANCE_IDLE_TIMEOUT * 1000;

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

  const isQuiet = () => inFlight() === 0 && idleMs() >= QUIET_MS;

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
    while (!isStopping() && active() && performance.now() < deadline) {
      const started = performance.now();
      if (!(await addOne(wanted, empties))) return;
      const took = performance.now() - started;
      await pause(took * (inFlight() > 0 ? REST_BUSY : REST_IDLE));
    }
  }

  /** Works until all targets are reached, or until the deadline. A disk that is full gets no more schemas. */
  return async function supply(deadline: number): Promise<void> {
    const wanted = await targets();
    const empties = await emptyTargets(templates, wanted);
    await trim(wanted, empties, await schemas.countReady(pool));
    if (!(await capacity.diskIsLow())) await fill(wanted, empties, deadline);
  };
}
