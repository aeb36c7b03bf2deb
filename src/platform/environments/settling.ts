/** Does what changes set off, and actions that are due: see `acting.ts`. */
import type { Capture } from "~/capture/capture";
import { inTransaction, type Pool, type Tx } from "~/db/connect";
import type { Log } from "~/log";
import * as pending from "~/platform/counterparts/pending-store";
import * as store from "~/platform/counterparts/store";
import {
  type Act,
  actsOf,
  performAll,
  postpone,
  togetherIn,
} from "~/platform/environments/actions";
import { aheadOf, nowOf } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import { findTiming, lockTiming, setClock } from "~/platform/environments/clock-store";
import type { Exclusive, Opening } from "~/platform/environments/exclusive";
import {
  createLooking,
  type Excuses,
  isUsedUp,
  type Looked,
} from "~/platform/environments/looking";
import { type Acts, createPerforming } from "~/platform/environments/performing";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";
import { createFairSemaphore } from "~/semaphore";

/** How often work that is to be done between two calls waits for changes that others make meanwhile. */
const UNSETTLED_MAX = 20;

type Moment = {
  /** 1 ahead of a call, so that what is due until then precedes it. */
  readonly ahead?: number;
  /** After a call: the silence of the agent begins. */
  readonly isSilent?: boolean;
};

type Settling = {
  readonly baseUrl: string;
  /** Calls that the clock is read after. */
  readonly ahead: number;
  readonly excuses: Excuses;
};

/** The time that an environment shows after so many further calls. */
const nowAfter = ({ clock, calls }: Timing, ahead: number): number =>
  nowOf({ clock, calls: calls + ahead });

export function createSettling(deps: {
  pool: Pool;
  /** For statements on the tables of environments. */
  replicas: Pool;
  templates: Templates;
  exclusive: Exclusive;
  capture: Capture;
  acts: Acts;
  log: Log;
}) {
  const { pool, replicas, templates, exclusive, capture } = deps;
  const { prepare, attempt } = createPerforming(deps);
  const look = createLooking(templates);
  const within = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(replicas, work);
  /** One call of an environment looks for all that wait. */
  const inTurn = createFairSemaphore({ limit: Number.POSITIVE_INFINITY });

  /** Does what the next changes set off, and what is due. The environment's calls wait. Returns whether there is more. */
  async function act(
    tx: Tx,
    environment: EnvironmentRow,
    { baseUrl, ahead, excuses }: Settling,
  ): Promise<boolean> {
    const { environmentId: id, schemaName } = environment;
    const timing = await lockTiming(tx, id);
    const state = timing && (await store.find(tx, id));
    if (!timing || !state) return false;
    const looked = await look(tx, environment, state, { excuses });
    const { rules } = state;
    const isLater = ({ rule }: Act) => rule.after !== undefined;
    const later = looked.found.filter(isLater);
    let { progress } = looked;
    const wait = async (acts: readonly Act[]) => {
      if (acts.length > 0) progress = await postpone(tx, id, timing, { rules, progress }, acts);
    };
    const note = async ({ numbers, ended }: Looked) => {
      await pending.remove(tx, id, ended);
      if (numbers.length > 0) await store.deleteChanges(tx, id, numbers);
    };
    await note(looked);
    await wait(later);
    const immediate = looked.found.filter((each) => !isLater(each));
    const areOthersSeen = store.areOthersSeen(rules);
    // What was changed before something is due is looked at before that.
    const isBefore = looked.hasMore || (areOthersSeen && immediate.length > 0);
    const until = isBefore ? Number.NEGATIVE_INFINITY : nowAfter(timing, ahead);
    const limit = togetherIn(rules);
    const due = await pending.list(tx, id, { until, limit });
    const acts = [...immediate, ...actsOf(rules, due)];
    let isMore = looked.hasMore || due.length === limit;
    if (acts.length > 0) {
      // Otherwise a run that waits for this transaction to start would compare with the state before it.
      await setClock(tx, id, timing);
      const means = { environment, baseUrl, timing };
      const performed = await capture.as(tx, "counterpart", schemaName, () =>
        performAll({ attempt }, tx, means, { rules, progress }, acts),
      );
      ({ progress } = performed);
      await pending.remove(tx, id, due.slice(0, due.length - performed.left));
      // What an action itself has changed does not end what follows it.
      if (areOthersSeen && performed.following.length > 0) {
        await store.setProgress(tx, id, progress);
        const own = await look(tx, environment, { rules, progress }, { only: "others", excuses });
        ({ progress } = own);
        await note(own);
        await wait(own.found);
      }
      await wait(performed.following);
      isMore ||= performed.following.length > 0 || areOthersSeen;
    }
    await store.setProgress(tx, id, progress);
    return isMore;
  }

  /** The work that is left: changes to look at, up to `last`, and actions that are due. Undefined: nothing. */
  async function workIn(id: string, { last, due }: pending.Left, ahead: number) {
    const timing = due === null ? undefined : await findTiming(pool, id);
    const isDue = due !== null && timing !== undefined && due <= nowAfter(timing, ahead);
    return last !== null || isDue ? { last, isDue } : undefined;
  }

  /** Lets the silence of the agent begin now. */
  async function restartSilence(id: string): Promise<void> {
    const timing = await findTiming(pool, id);
    if (timing) await pending.restartQuiet(pool, id, nowOf(timing), aheadOf(timing));
  }

  /** Returns whether there is more. */
  async function settleNext(environment: EnvironmentRow, settling: Settling): Promise<boolean> {
    const { environmentId: id } = environment;
    const { ahead, excuses } = settling;
    const work = await workIn(id, await pending.findLeft(pool, id), ahead);
    if (!work) return false;
    const { last, isDue } = work;
    const state = await store.find(replicas, id);
    if (!state || isUsedUp(state)) {
      // Only those from before: the rules may be replaced meanwhile.
      if (last !== null) await store.deleteUntil(pool, id, last);
      return false;
    }
    if (last !== null) {
      const { isIdle, numbers, hasMore } = await look(replicas, environment, state, { excuses });
      // Most changes set off nothing: the environment's other calls need not wait for that.
      if (isIdle) {
        if (numbers.length > 0) await store.deleteChanges(pool, id, numbers);
        if (hasMore || !isDue) return hasMore;
      }
    }
    await prepare(environment, state.rules);
    return await exclusive.run(environment, (tx) => act(tx, environment, settling), within);
  }

  /**
   * Does what the changes so far set off, and what is due. Throws 503 if calls in progress do not end in time. `baseUrl`
   * is that of links in answers to actions, which nobody reads: any does where no request gives one.
   */
  async function settle(
    environment: EnvironmentRow,
    baseUrl = "",
    { ahead = 0, isSilent = false }: Moment = {},
  ): Promise<void> {
    const { environmentId: id } = environment;
    const left = await pending.findLeft(pool, id);
    if (isSilent && left.awaitsQuiet) await restartSilence(id);
    if (!(await workIn(id, left, ahead))) return;
    await inTurn(id, async () => {
      const excuses: Excuses = new Map();
      while (await settleNext(environment, { baseUrl, ahead, excuses }));
    });
  }

  return {
    settle,

    /**
     * Runs work between two of the environment's calls, once what its changes set off is done. After several
     * attempts, between which others change something, it runs anyway. Throws 503 if calls in progress do not end in time.
     */
    async settled<T>(
      environment: EnvironmentRow,
      work: (tx: Tx) => Promise<T>,
      transaction?: Opening,
    ): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        await settle(environment);
        const found = await exclusive.run(
          environment,
          async (tx) => {
            const { last } = await pending.findLeft(tx, environment.environmentId);
            const isLast = attempt === UNSETTLED_MAX;
            return last === null || isLast ? { result: await work(tx) } : undefined;
          },
          transaction,
        );
        if (found) return found.result;
      }
    },
  };
}
