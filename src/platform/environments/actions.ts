/** Performs actions of counterparts: those that changes set off, and those that waited for the clock. */
import { causeOf } from "~/db/cause";
import type { Sql, Tx } from "~/db/connect";
import type { Row } from "~/evaluation/predicate";
import { parseDuration } from "~/input/duration";
import { ACTIONS_MAX } from "~/platform/counterparts/model";
import * as pending from "~/platform/counterparts/pending-store";
import { followerOf, takenFrom } from "~/platform/counterparts/rules";
import {
  areOthersSeen,
  type CounterpartState,
  deleteChanges,
  find,
  insert,
  newState,
  type Progress,
  replace,
  type Schema,
  type StoredRule,
  setProgress,
  startNoting,
  stopNoting,
} from "~/platform/counterparts/store";
import { filledFrom } from "~/platform/counterparts/values";
import { nowOf, realTimeOf, sourceBetween } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import type { Performing, SetOff } from "~/platform/environments/performing";
import type { EnvironmentRow } from "~/platform/environments/store";
import { isNoted, noteNow, setCause } from "~/platform/outbox/store";

/** Of the values that an action takes from a row, and of all that are kept, as JSON: characters. */
const TAKEN_MAX = 16 * 1024;
const TOO_LONG = `what it takes from the row has more than ${TAKEN_MAX} characters`;

const TOGETHER = 50;

/** Due actions that are read together: where others are seen, the first may set off one that is due ahead of the second. */
export const togetherIn = (rules: readonly StoredRule[]): number =>
  areOthersSeen(rules) ? 1 : TOGETHER;

/** The action of a rule of an environment. */
export type Act = SetOff & {
  readonly rule: StoredRule;
  /** The place of the rule. */
  readonly index: number;
  /** When it was due, in milliseconds since 1970 by the environment's clock; undefined: now. */
  readonly due?: number | undefined;
  /** Set off by a change, and counted as such; pending until now; set off by another action. */
  readonly state: "found" | "pending" | "following";
};

type Means = {
  readonly environment: EnvironmentRow;
  readonly baseUrl: string;
  readonly timing: Timing;
};

/** The counterparts of new environments, and what they will do. */
export type CounterpartPlan = CounterpartState & {
  readonly pending: readonly pending.PendingAction[];
};

/**
 * Counterparts that have not acted yet: those of a rule with `at` or `quiet` wait from now on. `done`: earlier actions, from
 * whose number the ids of later ones derive.
 */
export function beginning(rules: readonly StoredRule[], timing: Timing, done = 0): CounterpartPlan {
  const now = nowOf(timing);
  return {
    ...newState(rules, done),
    pending: rules
      .flatMap(({ at, quiet }, rule) => {
        const first = at ?? quiet;
        if (first === undefined) return [];
        return [{ rule, due: later(now, first), row: {}, quietMs: quietIn(quiet, now) }];
      })
      .sort((one, other) => one.due - other.due),
  };
}

/** A duration from a moment on, in milliseconds. */
const quietIn = (quiet: string | undefined, now: number): number | null =>
  quiet === undefined ? null : later(now, quiet) - now;

/** That much later. Both times are milliseconds since 1970. */
const later = (time: number, duration: string): number =>
  Math.ceil(parseDuration(duration)?.after(new Date(time)).getTime() ?? time);

/** Gives an environment whose calls wait other counterparts. */
export async function replaceCounterparts(
  tx: Tx,
  environment: Schema,
  timing: Timing,
  rules: readonly StoredRule[],
): Promise<CounterpartPlan> {
  const { environmentId: id } = environment;
  const before = await find(tx, id);
  const { pending: actions, ...state } = beginning(rules, timing, before?.progress.actions);
  if (before) await stopNoting(tx, environment, before.rules);
  await startNoting(tx, environment, rules);
  await replace(tx, id, state);
  await pending.insert(tx, [id], timed(actions, timing));
  return { ...state, pending: actions };
}

/**
 * Lets the counterparts of an environment that has been reset, which has dropped the triggers, begin anew. `done`:
 * actions until the state to which it has returned.
 */
export async function restartCounterparts(
  tx: Tx,
  environment: Schema,
  timing: Timing,
  done: number,
): Promise<void> {
  const { environmentId: id } = environment;
  const state = await find(tx, id);
  if (!state) {
    if (done > 0) await insert(tx, [id], newState([], done));
    return;
  }
  const { rules } = state;
  const { progress, pending: actions } = beginning(rules, timing, done);
  await setProgress(tx, id, progress); // From now on no earlier call is noted.
  await deleteChanges(tx, id);
  await pending.removeAll(tx, id);
  await startNoting(tx, environment, rules);
  await pending.insert(tx, [id], timed(actions, timing));
}

/** The pending actions of an environment, for others that continue from its state. */
export const keptActions = (sql: Sql, environmentId: string): Promise<pending.StoredPending[]> =>
  pending.list(sql, environmentId, { until: Number.MAX_SAFE_INTEGER, limit: ACTIONS_MAX });

/** Gives new environments their counterparts. */
export async function giveCounterparts(
  tx: Sql,
  places: readonly Schema[],
  timing: Timing,
  { pending: actions, ...state }: CounterpartPlan,
): Promise<void> {
  const ids = places.map(({ environmentId }) => environmentId);
  await insert(tx, ids, state);
  await pending.insert(tx, ids, timed(actions, timing));
  for (const each of places) await startNoting(tx, each, state.rules);
}

const timed = (actions: readonly pending.PendingAction[], timing: Timing) =>
  actions.map((action) => ({ ...action, wakesAt: realTimeOf(timing, action.due) }));

/** Pending actions as their rules have them. */
export const actsOf = (
  rules: readonly StoredRule[],
  actions: readonly pending.PendingAction[],
): Act[] =>
  actions.flatMap(({ rule: index, due, row }) => {
    const rule = rules[index];
    return rule ? [{ index, rule, row, due, state: "pending" }] : [];
  });

type Performed = {
  readonly progress: Progress;
  readonly done: readonly Act[];
  readonly following: readonly Act[];
  readonly left: number;
};

/** The counts of a progress, to be changed. */
const countsIn = ({ fired, waiting = [], errors, actions }: Progress) => ({
  fired: [...fired],
  waiting: [...waiting],
  errors: [...errors],
  actions,
});

const add = (counts: number[], index: number, count: number) => {
  counts[index] = Math.max((counts[index] ?? 0) + count, 0);
};

/**
 * Performs actions in their order, each with those that follow it immediately. Nobody else may write meanwhile. Returns
 * the progress with them, and those that follow some time later. These may be due ahead of actions that are overdue as
 * well: so it stops after a pending action with such, and `left` others have not been done.
 */
export async function performAll(
  { attempt }: Pick<Performing, "attempt">,
  tx: Tx,
  { environment, baseUrl, timing }: Means,
  { rules, progress }: CounterpartState,
  acts: readonly Act[],
): Promise<Performed> {
  const counts = countsIn(progress);
  let kept = progress.kept ?? {};
  const isCauseNoted = areOthersSeen(rules) || (await isNoted(tx, environment.environmentId));
  const done: Act[] = [];
  const following: Act[] = [];
  let left = acts.length;
  for (const first of acts) {
    if (first.state === "pending" && following.length > 0) break;
    left--;
    let act: Act | undefined = first;
    while (act) {
      const { index, rule, row, due, state } = act;
      const source = sourceBetween(timing, ++counts.actions, due);
      if (isCauseNoted) await setCause(tx, causeOf({ counterpart: rule.name }, source));
      const error: string | null = await attempt(
        tx,
        { environment, baseUrl, source },
        { rule, row, kept },
      );
      const keeping: Row | undefined = error === null ? keptWith(kept, act) : kept;
      counts.errors[index] = keeping ? error : TOO_LONG;
      kept = keeping ?? kept;
      if (isCauseNoted) await noteNow(tx);
      if (state === "pending") add(counts.waiting, index, -1);
      if (state !== "found") add(counts.fired, index, 1);
      done.push(act);
      const next: Act | undefined = error === null ? nextOf(act, rules) : undefined;
      const isLater: boolean = next?.rule.after !== undefined;
      if (next && isLater) {
        add(counts.waiting, next.index, 1);
        following.push(next);
      }
      if (rule.quiet !== undefined && (counts.fired[index] ?? 0) < (rule.times ?? 1)) {
        add(counts.waiting, index, 1);
        following.push({ ...act, state: "following" });
      }
      act = isLater ? undefined : next;
    }
  }
  return { progress: { ...progress, ...counts, kept }, done, following, left };
}

/** The values that are kept after an action; undefined: they would be too long. */
function keptWith(kept: Row, { rule: { keep }, row }: Act): Row | undefined {
  if (!keep) return kept;
  const all = { ...kept, ...(filledFrom(row, keep) as Row) };
  return JSON.stringify(all).length <= TAKEN_MAX ? all : undefined;
}

/** The action that another one sets off. */
function nextOf({ rule, row, due }: Act, rules: readonly StoredRule[]): Act | undefined {
  const next = followerOf(rule, rules);
  return next && { index: rules.indexOf(next), rule: next, row, due, state: "following" };
}

/** Lets actions wait until they are due. Returns the progress: those that take too much from their rows are rejected. */
export async function postpone(
  sql: Sql,
  environmentId: string,
  timing: Timing,
  { rules, progress }: CounterpartState,
  acts: readonly Act[],
): Promise<Progress> {
  const counts = countsIn(progress);
  const now = nowOf(timing);
  const kept: pending.PendingAction[] = [];
  for (const { index, rule, row, due = now } of acts) {
    const taken = takenFrom(row, rule, rules);
    const action = {
      ...{ rule: index, row: taken, quietMs: quietIn(rule.quiet, due) },
      due: later(due, rule.after ?? rule.quiet ?? "PT0S"),
    };
    if (JSON.stringify(action.row).length <= TAKEN_MAX) {
      kept.push(action);
      continue;
    }
    counts.errors[index] = TOO_LONG;
    add(counts.fired, index, 1);
    add(counts.waiting, index, -1);
  }
  await pending.insert(sql, [environmentId], timed(kept, timing));
  return { ...progress, ...counts };
}
