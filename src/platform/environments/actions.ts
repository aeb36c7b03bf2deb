/** Performs actions of counterparts: those that changes set off, and those that waited for the clock. */
import { causeOf } from "~/db/cause";
import type { Sql, Tx } from "~/db/connect";
import { parseDuration } from "~/input/duration";
import { ACTIONS_MAX } from "~/platform/counterparts/model";
import * as pending from "~/platform/counterparts/pending-store";
import { takenFrom } from "~/platform/counterparts/rules";
import {
  type CounterpartState,
  insert,
  type Progress,
  type StoredRule,
  startNoting,
} from "~/platform/counterparts/store";
import { nowOf, realTimeOf, sourceBetween } from "~/platform/environments/clock";
import type { Timing } from "~/platform/environments/clock-model";
import type { Performing, SetOff } from "~/platform/environments/performing";
import type { EnvironmentRow } from "~/platform/environments/store";
import { isNoted, noteNow, setCause } from "~/platform/outbox/store";

/** Of the values that an action takes from a row, as JSON: characters. */
const TAKEN_MAX = 16 * 1024;

/** The action of a rule of an environment. */
export type Act = SetOff & {
  readonly rule: StoredRule;
  /** The place of the rule. */
  readonly index: number;
  /** When it was due, in milliseconds since 1970 by the environment's clock; undefined: now. */
  readonly due?: number;
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

/** The pending actions of an environment, for others that continue from its state. */
export const keptActions = (sql: Sql, environmentId: string): Promise<pending.StoredPending[]> =>
  pending.list(sql, environmentId, { until: Number.MAX_SAFE_INTEGER, limit: ACTIONS_MAX });

/** Gives new environments their counterparts. */
export async function giveCounterparts(
  tx: Sql,
  places: readonly { readonly environmentId: string; readonly schemaName: string }[],
  timing: Timing,
  { pending: actions, ...state }: CounterpartPlan,
): Promise<void> {
  const ids = places.map(({ environmentId }) => environmentId);
  await insert(tx, ids, state);
  await pending.insert(tx, ids, timed(actions, timing));
  for (const each of places) await startNoting(tx, each, state.rules);
}

const timed = (actions: readonly pending.PendingAction[], timing: Timing) =>
  actions.map(({ rule, due, row }) => ({ rule, due, row, wakesAt: realTimeOf(timing, due) }));

/** Pending actions as their rules have them. */
export const actsOf = (
  rules: readonly StoredRule[],
  actions: readonly pending.PendingAction[],
): Act[] =>
  actions.flatMap(({ rule: index, due, row }) => {
    const rule = rules[index];
    return rule ? [{ index, rule, row, due }] : [];
  });

/** Performs actions in their order. Returns the progress with them. Nobody else may write meanwhile. */
export async function performAll(
  { attempt }: Pick<Performing, "attempt">,
  tx: Tx,
  { environment, baseUrl, timing }: Means,
  progress: Progress,
  acts: readonly Act[],
): Promise<Progress> {
  let { actions } = progress;
  const errors = [...progress.errors];
  const fired = [...progress.fired];
  const waiting = [...(progress.waiting ?? [])];
  const isCauseNoted = await isNoted(tx, environment.environmentId);
  for (const { index, rule, row, due } of acts) {
    const source = sourceBetween(timing, ++actions, due);
    if (isCauseNoted) await setCause(tx, causeOf({ counterpart: rule.name }, source));
    errors[index] = await attempt(tx, { environment, baseUrl, source }, { rule, row });
    if (isCauseNoted) await noteNow(tx);
    if (due === undefined) continue;
    fired[index] = (fired[index] ?? 0) + 1;
    waiting[index] = Math.max((waiting[index] ?? 0) - 1, 0);
  }
  return { ...progress, fired, waiting, errors, actions };
}

/** Lets actions wait until they are due. Returns the progress: those that take too much from their rows are rejected. */
export async function postpone(
  sql: Sql,
  environmentId: string,
  timing: Timing,
  progress: Progress,
  acts: readonly Act[],
): Promise<Progress> {
  const errors = [...progress.errors];
  const fired = [...progress.fired];
  const waiting = [...(progress.waiting ?? [])];
  const now = new Date(nowOf(timing));
  const kept: pending.PendingAction[] = [];
  for (const { index, rule, row } of acts) {
    const due =
      parseDuration(rule.after ?? "")
        ?.after(now)
        .getTime() ?? now.getTime();
    const action = { rule: index, due: Math.ceil(due), row: takenFrom(row, rule) };
    if (JSON.stringify(action.row).length <= TAKEN_MAX) {
      kept.push(action);
      continue;
    }
    errors[index] = `what it takes from the row has more than ${TAKEN_MAX} characters`;
    fired[index] = (fired[index] ?? 0) + 1;
    waiting[index] = Math.max((waiting[index] ?? 0) - 1, 0);
  }
  await pending.insert(sql, [environmentId], timed(kept, timing));
  return { ...progress, errors, fired, waiting };
}
