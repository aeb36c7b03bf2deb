/** Replaces and shows the faults of an environment: which of its calls fail, and how. */
import type { Pool } from "~/db/connect";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import { actorsIn } from "~/platform/environments/view";
import type { Fault, FaultList } from "~/platform/faults/model";
import { requireFaults } from "~/platform/faults/rules";
import * as store from "~/platform/faults/store";

export type FaultControl = ReturnType<typeof createFaults>;

export function createFaults(deps: {
  pool: Pool;
  environments: Environments;
  exclusive: Exclusive;
}) {
  const { pool, environments, exclusive } = deps;

  return {
    /** Replaces the faults between two calls: those that begin after the answer have the new ones, on any server. */
    async put(userId: string, envId: string, faults: readonly Fault[]): Promise<FaultList> {
      const environment = await environments.requirePath(userId, envId);
      requireFaults(Object.keys(actorsIn(environment)), faults);
      const isLive = await exclusive.run(environment, (tx) =>
        store.replace(tx, environment.environmentId, faults),
      );
      if (!isLive) throw notFound();
      return view(environment.environmentId, store.newState(faults));
    },

    async show(userId: string, envId: string): Promise<FaultList> {
      const { environmentId: id } = await environments.requirePath(userId, envId);
      return view(id, (await store.find(pool, id)) ?? store.newState([]));
    },
  };
}

const view = (id: string, { faults, matched, injected }: store.FaultState): FaultList => ({
  environmentId: id,
  faults: faults.map((fault, index) => ({
    ...fault,
    matched: matched[index] ?? 0,
    injected: injected[index] ?? 0,
  })),
});
