/** Forks: environments that begin with the state of another one. */
import type { Sql } from "~/db/connect";
import { applyDelta, type Delta } from "~/db/deltas";
import type { Builders } from "~/db/origins";
import type { Blueprint } from "~/db/schemas";
import { unavailable } from "~/errors";
import type { Principal } from "~/http/auth";
import type { Fork, NewForks } from "~/platform/environments/control-model";
import { type Environments, requireStyle } from "~/platform/environments/environments";
import { type Environment, TTL_SECONDS_DEFAULT } from "~/platform/environments/model";
import { lockReserved } from "~/platform/environments/schemas-store";
import type { Snapshots } from "~/platform/environments/snapshots";
import type { EnvironmentRow, Reserved } from "~/platform/environments/store";
import type { Once } from "~/platform/keys/idempotency";
import { createSemaphore } from "~/semaphore";

export type Forking = ReturnType<typeof createForks>;

export function createForks(deps: {
  builders: Builders;
  environments: Environments;
  snapshots: Snapshots;
  /** Schemas that are filled at the same time. */
  concurrency: number;
  /** Starts a run in each new environment, in the transaction of `create`. `runOf`: by the environment's id. */
  startWith: <T>(
    userId: string,
    parent: EnvironmentRow,
    places: readonly Reserved[],
    create: (tx: Sql, runOf: ReadonlyMap<string, string>) => Promise<T>,
  ) => Promise<T>;
}) {
  const { builders, environments, snapshots, startWith } = deps;
  const filling = createSemaphore(deps.concurrency);

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
      requireStyle(parent.service, tokenStyle);
      const { environmentId: parentId, service, templateName, actingUserId } = parent;
      const state = await snapshots.state(keyId, parent, snapshotId);
      const { delta, blueprint, familyId, atCall } = state;
      let runOf: ReadonlyMap<string, string> = new Map();
      const answer = (made: readonly Environment[]) => ({
        environments: made.map((each): Fork => {
          const runId = runOf.get(each.environmentId);
          return { ...each, parentEnvironmentId: parentId, atCall, ...(runId && { runId }) };
        }),
      });
      const made = await environments.createBatch(
        principal,
        {
          common: {
            ...{ userId, keyId, service, templateName, actingUserId, ttlSeconds },
            allowImpersonation: parent.allowImpersonation,
            timing: state.timing,
          },
          templateSchema: state.templateSchema,
          count,
          tokenStyle,
          faults: state.faults,
          lineage: { parentId, familyId, snapshotId: state.snapshotId, atCall },
          prepare: (schemas) => fillAll(schemas, blueprint, delta),
          ...(wanted.startRun === true && {
            transact: (places, insert) =>
              startWith(userId, parent, places, (tx, runs) => {
                runOf = runs;
                return insert(tx);
              }),
          }),
        },
        once && { ...once, keep: (tx, environments) => once.keep(tx, answer(environments)) },
      );
      return answer(made);
    },
  };
}
