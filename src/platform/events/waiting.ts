/** Waits for an event, or until nothing happens in an environment any more: the agent, or a bot that was sent something, is done. */
import type { Pool } from "~/db/connect";
import { unavailable } from "~/errors";
import type { Activity } from "~/platform/activity";
import type { Environments } from "~/platform/environments/environments";
import { asNotFound, notFound } from "~/platform/environments/id";
import { findOpen } from "~/platform/events/deliveries-store";
import type { Derivation } from "~/platform/events/derivation";
import type { OpenPlace, Places } from "~/platform/events/place";
import { createSearch } from "~/platform/events/until";
import {
  type NewWait,
  QUIET_MS_DEFAULT,
  TIMEOUT_MS_DEFAULT,
  type Waited,
} from "~/platform/events/waiting-model";
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

  /** The open deliveries of an environment, and for how many milliseconds nothing has happened in it. */
  async function look(place: OpenPlace) {
    const { environmentId } = place.environment;
    const { open, sentMs } = await findOpen(pool, environmentId, await place.now());
    const quiet = await Promise.all([
      activity.quietMs(environmentId),
      activity.undeliveredMs(environmentId),
    ]);
    return { open, quiet: Math.min(...quiet, sentMs ?? Number.POSITIVE_INFINITY) };
  }

  async function requireOpen(environmentId: string): Promise<OpenPlace> {
    const place = await places.open(environmentId);
    if (!place) throw notFound();
    return place;
  }

  /** Waits for one of the three ends. `began`: by performance.now(). */
  async function waited(environmentId: string, given: NewWait, began: number): Promise<Waited> {
    const { until, quietMs = until ? undefined : QUIET_MS_DEFAULT } = given;
    const deadline = began + (given.timeoutMs ?? TIMEOUT_MS_DEFAULT);
    let place = await requireOpen(environmentId);
    const search = until && (await createSearch(pool, { environmentId, ...place }, until));
    for (;;) {
      await derivation.now(environmentId);
      const event = (await search?.(deadline)) ?? null;
      const { open, quiet } = await look(place);
      const ms = Math.round(performance.now() - began);
      const answer = (ended: Waited["ended"], busy: string | null) => ({
        ...{ environmentId, ended, event, ms, open, busy },
      });
      if (event !== null) return answer("event", await place.busySign());
      // Without any call so far, the wait itself is the quiet time.
      const since = Number.isFinite(quiet) ? quiet : ms;
      const isQuiet = quietMs !== undefined && open === 0 && since >= quietMs;
      const isLate = performance.now() >= deadline;
      if (isQuiet || isLate) {
        const busy = await place.busySign();
        const isIdle = isQuiet && busy === null;
        if (isIdle || isLate) return answer(isIdle ? "idle" : "timeout", busy);
      }
      if (isStopping) throw unavailable("The server stops");
      const isSoon = quietMs === undefined || open > 0 || until || isQuiet;
      const rest = isSoon ? LOOK_MS : Math.max(LOOK_MS, quietMs - since);
      await Bun.sleep(Math.max(0, Math.min(rest, LOOK_MS * 5, deadline - performance.now())));
      place = await requireOpen(environmentId);
    }
  }

  return {
    /** Throws `invalid_request`; LimitExceeded, or 503, if too many calls wait. */
    async wait(
      { userId, keyId }: { readonly userId: string; readonly keyId: string },
      envId: string,
      given: NewWait,
    ): Promise<Waited> {
      const { environmentId } = await environments.requirePath(userId, envId);
      const giveBack = quota.take(keyId);
      try {
        return await waited(environmentId, given, performance.now());
      } catch (error) {
        throw asNotFound(error);
      } finally {
        giveBack();
      }
    },

    stop(): void {
      isStopping = true;
    },
  };
}
