/** Forks: environments that begin with the state of another one. */
import type { Pool } from "~/db/connect";
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
import type { Once } from "~/platform/keys/idempotency";
import { createSemaphore } from "~/semaphore";

export type Forking = ReturnType<typeof createForks>;

export function createForks(deps: {
  pool: Pool;
  builders: Builders;
  environments: Environments;
  snapshots: Snapshots;
  /** Schemas that are filled at the same time. */
  concurrency: number;
  startRun: (userId: string, run: { envId: string }) => Promise<{ runId: string }>;
}) {
  const { pool, builders, environments, snapshots, startRun } = deps;
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

  /** Starts a run in each fork. If one fails, removes all forks. */
  async function startRuns(userId: string, forks: readonly Fork[]): Promise<Fork[]> {
    const started = await Promise.allSettled(
      forks.map(async (fork) => {
        const { runId } = await startRun(userId, { envId: fork.environmentId });
        return { ...fork, runId };
      }),
    );
    const failed = started.find((each) => each.status === "rejected");
    if (!failed) return started.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    await Promise.allSettled(
      forks.map(({ environmentId }) => environments.remove(userId, environmentId)),
    );
    throw failed.reason;
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
      const answer = (made: readonly Environment[]) => ({
        environments: made.map(
          (each): Fork => ({ ...each, parentEnvironmentId: parentId, atCall }),
        ),
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
        },
        once && { ...once, keep: (tx, environments) => once.keep(tx, answer(environments)) },
      );
      const forks = answer(made);
      if (wanted.startRun !== true) return forks;
      const running = { environments: await startRuns(userId, forks.environments) };
      await once?.keep(pool, running);
      return running;
    },
  };
}
