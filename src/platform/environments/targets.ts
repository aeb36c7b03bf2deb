/**
 * The number of ready schemas to keep for each template.
 *
 * Where ENVIRONMENT_POOL_TARGETS does not say it, demand does: as many as were created at the same moment in the last
 * hour, and as many as arrive while others are being built. A group of rollouts that starts again finds its schemas
 * ready, and a template that nobody uses costs little.
 */
import type { Config } from "~/config";
import type { Pool } from "~/db/connect";
import { type Demand, readDemand } from "~/platform/environments/demand-store";
import { emptyOf } from "~/platform/environments/schema-building";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import type { Templates } from "~/platform/templates/templates";

export type Targets = ReturnType<typeof createTargets>;

/** The most that demand asks for, if the setting names no number. */
export const READY_MAX = 100;
/** Without any demand: enough for a suite that runs a few tests at a time. */
const READY_MIN = 20;
/** A single developer rarely needs more. Schemas built on demand join the pool when they are recycled. */
const READY_IN_DEVELOPMENT = 2;
/** For a user's template: there may be hundreds. */
const READY_PER_OWN_TEMPLATE = 2;
/** Builds take longer when calls come in meanwhile. */
const BUILD_MARGIN = 2;

const NO_DEMAND: Demand = { burst: 0, perSecond: 0 };

/** Ready schemas wanted, by the template's schema. `buildSeconds`: how long one takes to build. */
export function readyTargets(
  config: Config,
  templates: Awaited<ReturnType<Templates["list"]>>,
  demand: ReadonlyMap<string, Demand>,
  buildSeconds: number,
): Map<string, number> {
  const wanted = config.ENVIRONMENT_POOL_TARGETS;
  const byDemand = (name: string) => {
    const { burst, perSecond } = demand.get(name) ?? NO_DEMAND;
    const needed = burst + Math.ceil(perSecond * buildSeconds * BUILD_MARGIN);
    return Math.min(Math.max(needed, READY_MIN), READY_MAX);
  };
  const byDefault = (name: string, userId: string | null) => {
    if (userId !== null) return READY_PER_OWN_TEMPLATE;
    return config.development ? READY_IN_DEVELOPMENT : byDemand(name);
  };
  return new Map(
    templates.map(({ name, schemaName, userId }) => [
      schemaName,
      wanted ? (wanted.get(name) ?? 0) : byDefault(name, userId),
    ]),
  );
}

/** Empty schemas for each ready one of the largest target: a burst may be larger, or on another template. */
const EMPTY_PER_READY = 2;
const EMPTY_MAX = 200;
/** A template with fewer ready schemas needs no empty ones. */
const READY_WITH_EMPTY = 3;

/** Empty schemas wanted, and a template with their tables, by their name in the register. */
export type EmptyTargets = ReadonlyMap<string, { readonly count: number; readonly like: string }>;

/** Returns the empty schemas that are wanted beside these ready ones. */
export async function emptyTargets(
  templates: Pick<Templates, "blueprint">,
  ready: ReadonlyMap<string, number>,
): Promise<EmptyTargets> {
  const wanted = new Map<string, { count: number; like: string }>();
  for (const [like, target] of ready) {
    if (target < READY_WITH_EMPTY) continue;
    const blueprint = await templates.blueprint(like).catch(() => undefined); // deleted meanwhile
    if (!blueprint) continue;
    const name = emptyOf(blueprint);
    const count = Math.min(target * EMPTY_PER_READY, EMPTY_MAX);
    if (count > (wanted.get(name)?.count ?? 0)) wanted.set(name, { count, like });
  }
  return wanted;
}

/** The key whose count is the smallest share of its target; undefined if all have been reached. */
export function poorest(
  targets: ReadonlyMap<string, number>,
  have: ReadonlyMap<string, number>,
): string | undefined {
  const [first] = [...targets]
    .map(([key, target]) => ({ key, count: have.get(key) ?? 0, target }))
    .filter(({ count, target }) => count < target)
    .sort((a, b) => a.count / a.target - b.count / b.target);
  return first?.key;
}

export function createTargets(deps: {
  config: Config;
  pool: Pool;
  templates: Templates;
  schemaPool: Pick<SchemaPool, "buildSeconds">;
}) {
  const { config, pool, templates, schemaPool } = deps;
  const isByDemand = config.ENVIRONMENT_POOL_TARGETS === undefined && !config.development;

  /** The targets of now, for the demand on all servers. */
  return async (): Promise<Map<string, number>> => {
    const [list, demand] = await Promise.all([
      templates.list(),
      isByDemand ? readDemand(pool) : new Map<string, Demand>(),
    ]);
    return readyTargets(config, list, demand, schemaPool.buildSeconds());
  };
}
