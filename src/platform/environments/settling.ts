/** Does what the agent's changes set off, and actions that are due: see `acting.ts`. */
import type { Capture } from "~/capture/capture";
import { inTransaction, type Pool, type Tx } from "~/db/connect";
import type { Log } from "~/log";
import * as pending from "~/platform/counterparts/pending-store";
import * as store from "~/platform/counterparts/store";
import { type Act, actsOf, performAll, postpone } from "~/platform/environments/actions";
import { aheadOf, nowOf } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import { findTiming, lockTiming, setClock } from "~/platform/environments/clock-store";
import type { Exclusive } from "~/platform/environments/exclusive";
import {
  createLooking,
  type Excuses,
  isUsedUp,
  type Looked,
} from "~/platform/environments/looking";
import { createPerforming } from "~/platform/environments/performing";
import type { EnvironmentRow } from "~/platform/environments/store";
import type { Templates } from "~/platform/templates/templates";
import { createFairSemaphore } from "~/semaphore";

/** Due actions that are done in one transaction. */
const TOGETHER = 50;

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
    // Of several, the first may set off others that are due ahead of the second.
    const limit = areOthersSeen ? 1 : TOGETHER;
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

  /**
   * The work that is left: changes to look at, up to `last`, and actions that are due. Undefined: nothing. `isSilent`: the
   * agent is, from now on.
   */
  async function findWork(id: string, { ahead = 0, isSilent = false }: Moment) {
    const { last, due, awaitsQuiet } = await pending.findLeft(pool, id);
    const timing = due === null ? undefined : await findTiming(pool, id);
    if (isSilent && awaitsQuiet && timing)
      await pending.restartQuiet(pool, id, nowOf(timing), aheadOf(timing));
    const isDue = due !== null && timing !== undefined && due <= nowAfter(timing, ahead);
    return last !== null || isDue ? { last, isDue } : undefined;
  }

  /** Returns whether there is more. */
  async function settleNext(environment: EnvironmentRow, settling: Settling): Promise<boolean> {
    const { environmentId: id } = environment;
    const { ahead, excuses } = settling;
    const work = await findWork(id, { ahead });
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
  return async function settle(
    environment: EnvironmentRow,
    baseUrl = "",
    moment: Moment = {},
  ): Promise<void> {
    const { environmentId: id } = environment;
    if (!(await findWork(id, moment))) return;
    const { ahead = 0 } = moment;
    await inTurn(id, async () => {
      const excuses: Excuses = new Map();
      while (await settleNext(environment, { baseUrl, ahead, excuses }));
    });
  };
}
