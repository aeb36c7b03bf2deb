/** The cycles that a team's settings plan. */

import { createRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { findNextCycleNumber, listCycles } from "~/replicas/tracker/store/cycles";
import type { Row } from "~/replicas/tracker/store/entities";

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;
const UPCOMING_MAX = 10;

export const midnightOf = (moment: Date) =>
  new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);

/** The last day, not after a moment, on which cycles start. */
function startBefore(moment: Date, weekday: number): Date {
  const midnight = midnightOf(moment);
  const days = (midnight.getUTCDay() - weekday + 7) % 7;
  return new Date(midnight.getTime() - days * DAY_MS);
}

/**
 * Creates the current cycle and the upcoming ones, as many as the team wants, after the existing ones. Nothing else
 * creates cycles: a clock would add changes to the diff of a run that only waits.
 */
export async function planCycles(
  context: Context,
  team: Row<"Team">,
  startDate?: Date | null,
): Promise<void> {
  const { session, now } = context;
  const last = (await listCycles(session, team.id)).at(-1);
  const lengthMs = Number(team["cycleDuration"]) * WEEK_MS;
  const restMs = Number(team["cycleCooldownTime"]) * WEEK_MS;
  const first = startDate ? midnightOf(startDate) : startBefore(now, Number(team["cycleStartDay"]));
  let startsAt = new Date(
    Math.max(first.getTime(), last ? last.endsAt.getTime() + restMs : Number.NEGATIVE_INFINITY),
  );
  let number = await findNextCycleNumber(session, team.id);
  for (let at = 0; at <= Math.min(Number(team["upcomingCycleCount"]), UPCOMING_MAX); at++) {
    const endsAt = new Date(startsAt.getTime() + lengthMs);
    await createRow(context, "Cycle", { teamId: team.id, number, startsAt, endsAt });
    startsAt = new Date(endsAt.getTime() + restMs);
    number += 1;
  }
}
