/** Forks: environments that begin with the state of another one. */
import type { Blueprint } from "~/db/blueprint";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import { applyDelta, type Delta } from "~/db/deltas";
import type { Builders } from "~/db/origins";
import { unavailable } from "~/errors";
import type { Capacity } from "~/platform/environments/capacity";
import type { Fork, NewForks } from "~/platform/environments/control-model";
import type { Reserved } from "~/platform/environments/creation-store";
import type { Environments } from "~/platform/environments/environments";
import { type Environment, TTL_SECONDS_DEFAULT } from "~/platform/environments/model";
import { identities, type Plan, placed } from "~/platform/environments/plan";
import type { SchemaPool } from "~/platform/environments/schema-pool";
import { lockReserved } from "~/platform/environments/schemas-store";
import type { Snapshots } from "~/platform/environments/snapshots";
import type { EnvironmentRow } from "~/platform/environments/store";
import { requireStyle } from "~/platform/environments/token-model";
import { actorsIn } from "~/platform/environments/view";
import type { Once } from "~/platform/idempotency/idempotency";
import { listApps, type StoredApp } from "~/platform/outbox/store";
import type { Principal } from "~/principal";
import { createSemaphore } from "~/semaphore";
import type { NewId } from "~/source";

export type Forking = ReturnType<typeof createForks>;

type PlannedRuns = {
  /** By the environment's id. */
  readonly runOf: ReadonlyMap<string, string>;
  /** Starts them in the transaction of `create`, which inserts the environments. */
  readonly startWith: <T>(create: (tx: Sql) => Promise<T>) => Promise<T>;
};

/** The apps of a fork: an address gets no events of environments that its app does not know. */
const withoutAddresses = (apps: readonly StoredApp[]): StoredApp[] =>
  apps.filter(({ webhook }) => !webhook).map((app) => ({ ...app, requestUrl: null }));

export function createForks(deps: {
  pool: Pool;
  builders: Builders;
  schemaPool: SchemaPool;
  capacity: Capacity;
  environments: Environments;
  snapshots: Snapshots;
  /** Schemas that are filled at the same time. */
  builderCount: number;
  newId: NewId;
  /** Plans a run in each of the new environments. */
  planRuns: (
    userId: string,
    parent: EnvironmentRow,
    places: readonly Reserved[],
  ) => Promise<PlannedRuns>;
}) {
  const { pool, builders, environments, snapshots, schemaPool, capacity, planRuns, newId } = deps;
  const filling = createSemaphore(deps.builderCount);

  /** Fills reserved schemas, which equal their template. Nothing is in progress when it ends, even if it fails. */
  async function fillAll(schemas: readonly string[], blueprint: Blueprint, delta: Delta) {
    const filled = await Promise.allSettled(
      schemas.map((schema) =>
        filling(() =>
          builders.transaction(async (tx) => {
            if (!(await lockReserved(tx, schema)))
              throw unavailable("The environments took too long to prepare");
            await applyDelta(tx, blueprint, schema, delta);
          }),
        ),
      ),
    );
    const failed = filled.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
  }

  return {
    async fork(
      principal: Principal,
      envId: string,
      wanted: NewForks,
      once?: Once,
    ): Promise<{ environments: Fork[] }> {
      const { userId, keyId } = principal;
      const { count = 1, ttlSeconds = TTL_SECONDS_DEFAULT, tokenStyle, snapshotId } = wanted;
      const parent = await environments.requirePath(userId, envId);
      requireStyle(Object.keys(actorsIn(parent)), tokenStyle);
      const { environmentId: parentId, service, templateName, actingUserId, members } = parent;
      const state = await snapshots.state(keyId, parent, snapshotId);
      const { templateSchema, delta, blueprint, familyId, atCall } = state;
      const plan: Plan = {
        common: {
          userId,
          keyId,
          service,
          templateName,
          actingUserId,
          members,
          ttlSeconds,
          allowImpersonation: parent.allowImpersonation,
          timing: state.timing,
        },
        templateSchema,
        identities: identities(newId, count, tokenStyle),
        faults: state.faults,
        counterparts: state.counterparts,
        apps: withoutAddresses(await listApps(pool, parentId)),
        lineage: { parentId, familyId, snapshotId: state.snapshotId, atCall },
      };
      await capacity.require(count); // before schemas are built for them
      const schemas = await schemaPool.reserve(templateSchema, count);
      return await schemaPool.using(schemas, async () => {
        await fillAll(schemas, blueprint, delta);
        const runs =
          wanted.startRun === true
            ? await planRuns(userId, parent, placed(plan, schemas))
            : undefined;
        const answer = (made: readonly Environment[]) => ({
          environments: made.map((each): Fork => {
            const runId = runs?.runOf.get(each.environmentId);
            return { ...each, parentEnvironmentId: parentId, atCall, ...(runId && { runId }) };
          }),
        });
        const insert = (tx: Sql) =>
          environments.insert(tx, { principal, plan, once, answer }, schemas);
        const created = await (runs ? runs.startWith(insert) : inTransaction(pool, insert));
        return created.answer;
      });
    },
  };
}
