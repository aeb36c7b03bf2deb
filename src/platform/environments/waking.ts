/**
 * Does what is due in real time, when no call comes: pending actions of counterparts, of environments whose clock runs.
 *
 * Every server looks. What one has found is its own for a while; if it dies or fails, another one finds it again. An
 * environment with much to do does not hold up others.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { ApiError } from "~/errors";
import { errorFields, type Log } from "~/log";
import { takeWaking } from "~/platform/counterparts/pending-store";
import type { Acting } from "~/platform/environments/acting";
import type { Environments } from "~/platform/environments/environments";

/** Between two looks. */
const LOOK_MS = 500;
/** How long a server has to do what it has found. */
const TAKEN_MS = 15_000;
/** Actions that are found by one look, and environments that are under way together. */
const TOGETHER = 50;

export function createWaking(deps: {
  pool: Pool;
  environments: Pick<Environments, "find">;
  acting: Pick<Acting, "settle">;
  log: Log;
}) {
  const { pool, environments, acting, log } = deps;
  let isStopping = false;
  let looking: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();
  const underWay = new Map<string, Promise<void>>();

  async function wake(environmentId: string): Promise<void> {
    try {
      const environment = await environments.find(environmentId);
      if (environment?.state === "live") await acting.settle(environment);
    } catch (error) {
      const isExpected = error instanceof ApiError || isUnavailable(error);
      log[isExpected ? "debug" : "error"]("actions are late", {
        environment_id: environmentId,
        ...errorFields(error),
      });
    }
  }

  async function look(): Promise<void> {
    try {
      const now = Date.now();
      const limit = TOGETHER - underWay.size;
      const taking = { now, nextAt: now + TAKEN_MS, limit, underWay: underWay.keys() };
      for (const id of limit > 0 ? await takeWaking(pool, taking) : [])
        underWay.set(
          id,
          wake(id).finally(() => underWay.delete(id)),
        );
    } catch (error) {
      if (!isUnavailable(error)) log.error("actions not looked for", errorFields(error));
    }
    if (!isStopping) plan();
  }

  function plan(): void {
    looking = setTimeout(() => {
      work = look();
    }, LOOK_MS);
  }
  plan();

  return {
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(looking);
      await work;
      await Promise.all(underWay.values());
    },
  };
}
