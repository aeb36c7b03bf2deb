/** Waits until nothing happens in an environment any more: the agent, or the bot that received an event, is done. */
import type { Pool } from "~/db/connect";
import { unavailable } from "~/errors";
import type { Activity } from "~/platform/activity";
import type { Environments } from "~/platform/environments/environments";
import { notFound } from "~/platform/environments/id";
import { findOpen } from "~/platform/events/deliveries-store";
import type { Derivation } from "~/platform/events/derivation";
import {
  type NewWait,
  QUIET_MS_DEFAULT,
  TIMEOUT_MS_DEFAULT,
  type Waited,
} from "~/platform/events/model";
import type { Places } from "~/platform/events/place";
import { createQuota } from "~/platform/quota";

/** Between two looks while something is under way. */
const LOOK_MS = 200;
const WAITS_MAX = 1_000;
const WAITS_PER_KEY_MAX = 100;

export function createWaiting(deps: {
  pool: Pool;
  environments: Environments;
  places: Places;
  derivation: Derivation;
  activity: Activity;
}) {
  const { pool, environments, places, derivation, activity } = deps;
  const quota = createQuota(
    { max: WAITS_MAX, perHolder: WAITS_PER_KEY_MAX },
    { limit: "wait", plural: "calls that wait" },
  );
  let isStopping = false;

  /** For how long nothing has happened, and how many deliveries are under way or due. */
  async function look(environmentId: string) {
    const place = await places.open(environmentId);
    if (!place) throw notFound();
    await derivation.now(environmentId);
    const { open, sentMs } = await findOpen(pool, environmentId, await place.now());
    const quiet = Math.min(
      await activity.quietMs(environmentId),
      sentMs ?? Number.POSITIVE_INFINITY,
    );
    return { open, quiet };
  }

  return {
    /** Throws LimitExceeded, or 503, if too many calls wait. */
    async wait(
      { userId, keyId }: { readonly userId: string; readonly keyId: string },
      envId: string,
      { quietMs = QUIET_MS_DEFAULT, timeoutMs = TIMEOUT_MS_DEFAULT }: NewWait,
    ): Promise<Waited> {
      const { environmentId } = await environments.requirePath(userId, envId);
      const giveBack = quota.take(keyId);
      const began = performance.now();
      const passed = () => Math.round(performance.now() - began);
      try {
        for (;;) {
          const { open, quiet } = await look(environmentId);
          // Without any call so far, the wait itself is the quiet time.
          const since = Number.isFinite(quiet) ? quiet : passed();
          const isIdle = open === 0 && since >= quietMs;
          if (isIdle || passed() >= timeoutMs)
            return { environmentId, ended: isIdle ? "idle" : "timeout", ms: passed(), open };
          if (isStopping) throw unavailable("The server stops");
          const rest = open > 0 ? LOOK_MS : Math.max(LOOK_MS, quietMs - since);
          await Bun.sleep(Math.max(0, Math.min(rest, LOOK_MS * 5, timeoutMs - passed())));
        }
      } finally {
        giveBack();
      }
    },

    stop(): void {
      isStopping = true;
    },
  };
}
