/** Shows and moves the clocks of environments. */
import type { Pool } from "~/db/connect";
import { viewClock } from "~/platform/environments/clock";
import * as store from "~/platform/environments/clock-store";
import {
  type Environments,
  environmentId,
  malformed,
  notFound,
} from "~/platform/environments/environments";
import type { ClockView } from "~/platform/environments/model";

export type Clocks = ReturnType<typeof createClocks>;

export function createClocks(deps: { pool: Pool; environments: Environments }) {
  const { pool, environments } = deps;

  async function require(userId: string, envId: string) {
    if (environmentId(envId) === undefined) throw malformed();
    return await environments.require(userId, envId);
  }

  return {
    async show(userId: string, envId: string): Promise<ClockView> {
      const environment = await require(userId, envId);
      const timing = await store.findTiming(pool, environment.environmentId);
      if (!timing) throw notFound();
      return viewClock(timing);
    },
  };
}
