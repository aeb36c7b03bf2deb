/** The cycles that a team's settings plan. */

import { changeRow, createRow } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { type Moving, moveToCycle } from "~/replicas/tracker/issues/move";
import { findNextCycleNumber, listCycles, listOpenIssues } from "~/replicas/tracker/store/cycles";
import type { Changes, Row } from "~/replicas/tracker/store/entities";

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

/** Plans a cycle of a team, with its next number. */
const planCycle = (
  context: Moving,
  teamId: string,
  cycle: { readonly number: number; readonly startsAt: Date; readonly endsAt: Date },
) => createRow(context, "Cycle", { teamId, ...cycle });

const lengthsOf = (team: Row<"Team">) => ({
  lengthMs: Number(team["cycleDuration"]) * WEEK_MS,
  restMs: Number(team["cycleCooldownTime"]) * WEEK_MS,
  upcoming: Math.min(Number(team["upcomingCycleCount"]), UPCOMING_MAX),
});

/** Creates the current cycle and the upcoming ones, as many as the team wants, after the existing ones. */
export async function planCycles(
  context: Context,
  team: Row<"Team">,
  startDate?: Date | null,
): Promise<void> {
  const { session, now } = context;
  const last = (await listCycles(session, team.id)).at(-1);
  const { lengthMs, restMs, upcoming } = lengthsOf(team);
  const first = startDate ? midnightOf(startDate) : startBefore(now, Number(team["cycleStartDay"]));
  let startsAt = new Date(
    Math.max(first.getTime(), last ? last.endsAt.getTime() + restMs : Number.NEGATIVE_INFINITY),
  );
  let number = await findNextCycleNumber(session, team.id);
  for (let at = 0; at <= upcoming; at++) {
    const endsAt = new Date(startsAt.getTime() + lengthMs);
    await planCycle(context, team.id, { number, startsAt, endsAt });
    startsAt = new Date(endsAt.getTime() + restMs);
    number += 1;
  }
}

/** Moves the open issues of a closing cycle to the next one, and records them. */
export async function closing(cycle: Row<"Cycle">, context: Moving): Promise<Changes<"Cycle">> {
  const { session } = context;
  const open = await listOpenIssues(session, cycle.id);
  const next = (await listCycles(session, cycle.teamId)).find(
    ({ startsAt, completedAt }) => startsAt >= cycle.endsAt && completedAt === null,
  );
  await moveToCycle(context, open, next?.id ?? null);
  return { uncompletedIssueIdsUponClose: open };
}

/** Completes a cycle at its end, after planning upcoming ones: there is always a next one. Returns the planned ones. */
export async function rollOver(
  context: Moving,
  team: Row<"Team">,
  cycle: Row<"Cycle">,
): Promise<Row<"Cycle">[]> {
  const { session } = context;
  const { lengthMs, restMs, upcoming } = lengthsOf(team);
  const later = (await listCycles(session, team.id)).filter(
    ({ startsAt, completedAt }) => startsAt >= cycle.endsAt && completedAt === null,
  );
  const planned: Row<"Cycle">[] = [];
  let number = await findNextCycleNumber(session, team.id);
  let last = later.at(-1) ?? cycle;
  // The next one becomes the current one.
  for (let count = later.length; count <= upcoming; count++) {
    const startsAt = new Date(last.endsAt.getTime() + restMs);
    const endsAt = new Date(startsAt.getTime() + lengthMs);
    last = await planCycle(context, team.id, { number, startsAt, endsAt });
    planned.push(last);
    number += 1;
  }
  const changes = await closing(cycle, context);
  await changeRow(context, "Cycle", cycle, { ...changes, completedAt: cycle.endsAt });
  return planned;
}
