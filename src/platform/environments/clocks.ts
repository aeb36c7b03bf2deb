/**
 * Shows and moves the clocks of environments.
 *
 * A clock is moved between two of the environment's calls. Each thing that falls due happens at its own time, in order,
 * all in one transaction. Capture attributes it to the clock, and the actions of counterparts to them.
 */
import type { Actor } from "~/capture/actor";
import type { Capture } from "~/capture/capture";
import { causeOf } from "~/db/cause";
import { inTransaction, type Pool } from "~/db/connect";
import { type Session, sessionWithin, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import { parseDuration } from "~/input/duration";
import type { Log } from "~/log";
import type { Acting } from "~/platform/environments/acting";
import { movedTo, nowOf, requireTime, viewClock } from "~/platform/environments/clock";
import type { ClockView, Timing } from "~/platform/environments/clock-model";
import * as store from "~/platform/environments/clock-store";
import type { ClockMove } from "~/platform/environments/control-model";
import { createDueActions, type Queue } from "~/platform/environments/due-actions";
import type { Environments } from "~/platform/environments/environments";
import { notFound } from "~/platform/environments/id";
import type { Acts } from "~/platform/environments/performing";
import { actorsIn } from "~/platform/environments/view";
import type { Once } from "~/platform/idempotency/idempotency";
import { isNoted, noteNow, setCause } from "~/platform/outbox/store";
import type { Templates } from "~/platform/templates/templates";
import type { DueEffect } from "~/replicas/replica";
import { modelOf } from "~/replicas/world";
import { isShown, LAST_SHOWN, MICROS, REAL, seededBytes, TIMES } from "~/source";

export type Clocks = ReturnType<typeof createClocks>;

/** In one move of a clock. */
const EFFECTS_MAX = 1_000;

/** An effect, and when it was due. */
type Effect = DueEffect & { readonly at: string };

export function createClocks(deps: {
  pool: Pool;
  /** For statements on the tables of environments. */
  replicas: Pool;
  environments: Environments;
  templates: Templates;
  capture: Capture;
  acting: Pick<Acting, "settled">;
  acts: Acts;
  log: Log;
}) {
  const { pool, replicas, environments, templates, capture, acting } = deps;
  const { prepareCounterparts, counterpartsIn } = createDueActions(deps);

  return {
    async show(userId: string, envId: string): Promise<ClockView> {
      const { environmentId: id } = await environments.requirePath(userId, envId);
      const live = await store.findOpening(pool, id);
      if (!live) throw notFound();
      return viewClock(live.timing);
    },

    /** Moves a clock forward, and does what is due until then. */
    async move(userId: string, envId: string, wanted: ClockMove, once?: Once) {
      const environment = await environments.requirePath(userId, envId);
      const { environmentId: id, schemaName, service } = environment;
      const tables = await templates.tablesOf(environment);
      const { schedule } = modelOf(service, Object.keys(actorsIn(environment)));
      const areExpected = await prepareCounterparts(environment);
      return await acting.settled(
        environment,
        async (tx) => {
          await once?.take(tx);
          const timing = await store.lockTiming(tx, id);
          if (!timing) throw notFound();
          const people = await counterpartsIn(tx, environment, timing, areExpected);
          const from = nowOf(timing);
          const { bytes } = sourceOfMove(timing);
          const open = (at: number): Session => {
            const named = tablesOf(tx, schemaName, tables);
            return sessionWithin(tx, schemaName, named, { micros: at * MICROS, bytes });
          };
          const isCauseNoted = people?.areOthersSeen || (await isNoted(tx, id));
          const fire = async (at: number) => {
            if (isCauseNoted) await setCause(tx, causeOf({ clock: true }, { micros: at * MICROS }));
            const fired = await schedule?.fire(open(at));
            if (isCauseNoted) await noteNow(tx);
            await people?.look();
            return fired ?? [];
          };
          const queues: Queue[] = [];
          if (schedule)
            queues.push({
              actor: "clock",
              next: (after, last) => schedule.next(open(after), after, last),
              fire,
            });
          if (people) queues.push(people.queue);
          // What is left from before is due at the time that the clock shows.
          const until =
            wanted.to === "next" && wanted.advance === undefined
              ? Math.max(from, (await firstOf(queues, from, LAST_SHOWN))?.at ?? from)
              : target(wanted, from);
          const moved = movedTo(timing, until);
          const effects = await fireAll(queues, { from, until }, (actor, work) =>
            capture.as(tx, actor, schemaName, work),
          );
          await store.setClock(tx, id, moved);
          await people?.end(moved);
          const answer = { ...viewClock(moved), effects };
          await once?.keep(tx, answer);
          return answer;
        },
        (work) => inTransaction(replicas, work),
      );
    },
  };
}

/** The random bytes of what happens during a move, which counts as a call. */
const sourceOfMove = ({ seed, calls }: Timing) => ({
  bytes: seed === null ? REAL.bytes : seededBytes(seed, calls + 1),
});

/** The time to move to. Throws `invalid_request`. */
function target({ to, advance }: ClockMove, now: number): number {
  if ((to === undefined) === (advance === undefined))
    throw new ApiError("invalid_request", "to: either to or advance is needed");
  if (to !== undefined) {
    const until = requireTime(to, "to");
    if (until >= now) return until;
    throw new ApiError(
      "invalid_request",
      `to: the clock shows ${new Date(now).toISOString()}, and goes only forward; a reset returns to an earlier time`,
    );
  }
  const until = parseDuration(advance ?? "")
    ?.after(new Date(now))
    .getTime();
  if (until === undefined || !(until >= now))
    throw new ApiError("invalid_request", "advance: a duration like P1D or PT2H30M is needed");
  if (isShown(until)) return until;
  throw new ApiError("invalid_request", `advance: the clock must stay in ${TIMES}`);
}

/** The queue in which something is due first: after `after` or from before, and not after `last`. */
async function firstOf(queues: readonly Queue[], after: number, last: number) {
  let first: { readonly queue: Queue; readonly at: number } | undefined;
  for (const queue of queues) {
    const at = await queue.next(after, first ? first.at : last);
    if (at !== undefined && (!first || at < first.at)) first = { queue, at };
  }
  return first;
}

/** Does everything that is due until a moment, each at its own time; at the same time, in the order of the queues. */
async function fireAll(
  queues: readonly Queue[],
  { from, until }: { readonly from: number; readonly until: number },
  as: (actor: Actor, work: () => Promise<void>) => Promise<void>,
): Promise<Effect[]> {
  const effects: Effect[] = [];
  let after = from;
  const next = () => firstOf(queues, after, until);
  async function fire({ queue, at }: { readonly queue: Queue; readonly at: number }) {
    const fired = await queue.fire(at);
    if (fired.length === 0) throw new Error("something is due, and nothing happened");
    for (const effect of fired) effects.push({ at: new Date(at).toISOString(), ...effect });
    if (effects.length > EFFECTS_MAX)
      throw new ApiError(
        "invalid_request",
        `More than ${EFFECTS_MAX} effects are due until then; move the clock in smaller steps`,
      );
    after = Math.max(after, at);
  }
  let due = await next();
  while (due) {
    const { actor } = due.queue;
    await as(actor, async () => {
      while (due?.queue.actor === actor) {
        await fire(due);
        due = await next();
      }
    });
  }
  return effects;
}
