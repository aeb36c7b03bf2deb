/**
 * Shows and moves the clocks of environments.
 *
 * A clock is moved between two of the environment's calls. Each thing that falls due happens at its own time, in order,
 * all in one transaction that capture attributes to the clock.
 */
import type { Capture } from "~/capture/capture";
import { causeOf } from "~/db/cause";
import { inTransaction, type Pool } from "~/db/connect";
import { type Session, sessionWithin, tablesOf } from "~/db/session";
import { ApiError } from "~/errors";
import { parseDuration } from "~/input/duration";
import { movedTo, nowOf, requireTime, viewClock } from "~/platform/environments/clock";
import type { ClockView } from "~/platform/environments/clock-model";
import * as store from "~/platform/environments/clock-store";
import type { ClockMove } from "~/platform/environments/control-model";
import type { Environments } from "~/platform/environments/environments";
import type { Exclusive } from "~/platform/environments/exclusive";
import { notFound } from "~/platform/environments/id";
import { actorsIn } from "~/platform/environments/view";
import type { Once } from "~/platform/idempotency/idempotency";
import { isNoted, noteNow, setCause } from "~/platform/outbox/store";
import type { Templates } from "~/platform/templates/templates";
import type { DueEffect, Schedule } from "~/replicas/replica";
import { modelOf } from "~/replicas/world";
import { isShown, MICROS, REAL, seededBytes, TIMES } from "~/source";

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
  exclusive: Exclusive;
  capture: Capture;
}) {
  const { pool, replicas, environments, templates, exclusive, capture } = deps;

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
      return await exclusive.run(
        environment,
        async (tx) => {
          await once?.take(tx);
          const timing = await store.lockTiming(tx, id);
          if (!timing) throw notFound();
          const from = nowOf(timing);
          const until = target(wanted, from);
          const moved = movedTo(timing, until);
          const bytes = timing.seed === null ? REAL.bytes : seededBytes(timing.seed, moved.calls);
          const open = (at: number): Session => {
            const named = tablesOf(tx, schemaName, tables);
            return sessionWithin(tx, schemaName, named, { micros: at * MICROS, bytes });
          };
          const noted = await isNoted(tx, id);
          const fire = async (at: number) => {
            if (noted) await setCause(tx, causeOf({ clock: true }, { micros: at * MICROS }));
            const fired = await schedule?.fire(open(at));
            if (noted) await noteNow(tx);
            return fired ?? [];
          };
          const effects = schedule
            ? await capture.as(tx, "clock", schemaName, () =>
                fireAll({ ...schedule, fire }, open, { from, until }),
              )
            : [];
          await store.setClock(tx, id, moved);
          const answer = { ...viewClock(moved), effects };
          await once?.keep(tx, answer);
          return answer;
        },
        (work) => inTransaction(replicas, work),
      );
    },
  };
}

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

/** Does everything that is due until a moment, each at its own time. */
async function fireAll(
  { next, fire }: Pick<Schedule, "next"> & { fire: (at: number) => Promise<readonly DueEffect[]> },
  open: (at: number) => Session,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (let after = from; ; ) {
    const at = await next(open(after), after, until);
    if (at === undefined) return effects;
    const fired = await fire(at);
    if (fired.length === 0) throw new Error("something is due, and nothing happened");
    for (const effect of fired) effects.push({ at: new Date(at).toISOString(), ...effect });
    if (effects.length > EFFECTS_MAX)
      throw new ApiError(
        "invalid_request",
        `More than ${EFFECTS_MAX} effects are due until then; move the clock in smaller steps`,
      );
    after = Math.max(after, at);
  }
}
