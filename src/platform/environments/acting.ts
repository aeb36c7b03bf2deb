/**
 * Actions of counterparts. What sets them off is noted with the changes, in the same transaction; an action and
 * the fact that it was done are one transaction, too. So each is done once, whichever server dies when: what a call sets
 * off is done before its answer, and if the server dies before that, ahead of the next call or the end of the run.
 *
 * A call that sets off rules by itself is noted when it has ended, before its answer: one that was not noted, because its
 * server died, has no answer.
 *
 * An action that waits for the clock is stored with the time at which it is due. It is done ahead of the first call at
 * that time or later, by a move of the clock, or in real time (see `waking.ts`).
 *
 * Actions run between the environment's calls, under the actor `counterpart`. They are no calls: they have no line in a
 * journal, and move no clock.
 */
import type { Capture } from "~/capture/capture";
import { causeOf } from "~/db/cause";
import { inTransaction, type Pool, type Tx } from "~/db/connect";
import { ApiError } from "~/errors";
import { isNamed } from "~/evaluation/calls";
import { errorFields, type Log } from "~/log";
import { countByHand } from "~/platform/counterparts/by-hand-store";
import { ACTIONS_MAX } from "~/platform/counterparts/model";
import { findNewest } from "~/platform/counterparts/pending-store";
import type { PersonAct } from "~/platform/counterparts/store";
import * as store from "~/platform/counterparts/store";
import type { CallListener } from "~/platform/environments/call-listener";
import { sourceBetween } from "~/platform/environments/clock";
import { lockTiming, setClock } from "~/platform/environments/clock-store";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import type { Settings } from "~/platform/environments/opening";
import { type Acts, createPerforming, type SessionOf } from "~/platform/environments/performing";
import { createSettling } from "~/platform/environments/settling";
import type { EnvironmentRow } from "~/platform/environments/store";
import { isNoted, setCause } from "~/platform/outbox/store";
import type { Templates } from "~/platform/templates/templates";
import type { Source } from "~/source";

export type Acting = ReturnType<typeof createActing>;

export function createActing(deps: {
  pool: Pool;
  /** For statements on the tables of environments. */
  replicas: Pool;
  templates: Templates;
  exclusive: Exclusive;
  capture: Capture;
  acts: Acts;
  log: Log;
}) {
  const { pool, replicas, templates, exclusive, capture, log } = deps;
  const { prepare, attempt, sessionsIn } = createPerforming(deps);
  const { settle, settled } = createSettling(deps);
  const within = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(replicas, work);

  /** Does what has been set off by something that is done already. If this fails, the next call does it first. */
  const settleAfter = async (environment: EnvironmentRow, baseUrl?: string, isSilent = false) =>
    await settle(environment, baseUrl, { isSilent }).catch((error: unknown) =>
      log.warn("actions wait for the next call", {
        environment_id: environment.environmentId,
        ...errorFields(error),
      }),
    );

  /**
   * Runs work as an action that no rule has set off, and what it sets off. A throw undoes it. Throws 503 if calls do not
   * end in time.
   */
  async function between<T>(
    environment: EnvironmentRow,
    name: string,
    work: (tx: Tx, source: Source) => Promise<T>,
  ): Promise<T> {
    const { environmentId: id, schemaName } = environment;
    const result = await exclusive.run(
      environment,
      async (tx) => {
        const timing = await lockTiming(tx, id);
        if (!timing) throw notFound();
        const state = await store.find(tx, id);
        const { actions } = state?.progress ?? { actions: 0 };
        if (actions >= ACTIONS_MAX)
          throw new ApiError(
            "invalid_request",
            `${ACTIONS_MAX} actions were done; that is the limit`,
          );
        await setClock(tx, id, timing);
        const source = sourceBetween(timing, actions + 1);
        if (store.areOthersSeen(state?.rules ?? []) || (await isNoted(tx, id)))
          await setCause(tx, causeOf({ counterpart: name }, source));
        await store.countAction(tx, id, actions + 1);
        return await capture.as(tx, "counterpart", schemaName, () => work(tx, source));
      },
      within,
    );
    await settleAfter(environment);
    return result;
  }

  return {
    settle,
    settled,

    /** Lets a person act now. Returns why that is rejected, null if it is not. Throws 503 if calls do not end in time. */
    async once(
      environment: EnvironmentRow,
      baseUrl: string,
      rule: PersonAct,
    ): Promise<string | null> {
      await settle(environment, baseUrl); // What is left or overdue precedes it.
      await prepare(environment, [rule]);
      return await between(environment, rule.name, async (tx, source) => {
        const means = { environment, baseUrl, source };
        const rejection = await attempt(tx, means, { rule, row: {} });
        if (rejection === null) await countByHand(tx, environment.environmentId);
        return rejection;
      });
    },

    /**
     * Lets a person change something that no call changes, after `settle`. A throw changes nothing. Throws 503 if calls do
     * not end in time.
     */
    async change<T>(
      environment: EnvironmentRow,
      work: (sessionOf: SessionOf) => Promise<T>,
    ): Promise<T> {
      await templates.tablesOf(environment); // Before a transaction holds a connection.
      return await between(environment, "by hand", async (tx, source) =>
        work(await sessionsIn(tx, environment, source)),
      );
    },

    /** Lets a listener note the calls that rules of an environment name, and do what they set off. */
    listen(
      listener: CallListener,
      environment: EnvironmentRow,
      {
        namedCalls,
        begun,
        baseUrl,
      }: Pick<Settings, "namedCalls" | "begun"> & { readonly baseUrl?: string },
    ): void {
      if (namedCalls.length === 0) return;
      listener.begun = begun;
      listener.onEnd = async (call) => {
        if (!namedCalls.some((pattern) => isNamed(pattern, call))) return;
        const { begun: own = null, newest } = listener;
        await store.insertCall(pool, environment.environmentId, own, { ...call, newest });
        await settleAfter(environment, baseUrl);
      };
    },

    /**
     * Makes a call of an environment with counterparts, and does what it sets off before it returns. `isViewing`: the
     * agent does not make it, so that its silence goes on. Throws 503 if something was left from before and other calls do
     * not end in time.
     */
    async around<T>(
      environment: EnvironmentRow,
      {
        baseUrl,
        listener,
        isViewing = false,
      }: {
        readonly baseUrl?: string;
        readonly listener: CallListener;
        readonly isViewing?: boolean;
      },
      call: () => Promise<T>,
    ): Promise<T> {
      await settle(environment, baseUrl, { ahead: 1 });
      if (listener.onEnd) listener.newest ??= await findNewest(pool, environment.environmentId);
      const result = await call();
      await settleAfter(environment, baseUrl, !isViewing);
      return result;
    },
  };
}
