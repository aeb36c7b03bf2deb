/** Cycles: consecutive periods of a team that never overlap. */

import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { hasPlainYear } from "~/replicas/tracker/api/scalars";
import { changeRow, type Given, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { closing, midnightOf } from "~/replicas/tracker/cycles";
import { invalidArgument, invalidInput, notEnabled, userError } from "~/replicas/tracker/errors";
import { moveToCycle } from "~/replicas/tracker/issues/move";
import { requireRow } from "~/replicas/tracker/require";
import { findNextCycleNumber, listCycleIssues, listCycles } from "~/replicas/tracker/store/cycles";
import type { Row } from "~/replicas/tracker/store/entities";

const DAY_MS = 24 * 60 * 60 * 1000;

type Span = { readonly startsAt?: Date | null; readonly endsAt?: Date | null };

const rules: Rules<"Cycle"> = {
  operations: ["create", "update", "archive"],
  check: async (input: Span & { teamId?: string }, { session }, row) => {
    const teamId = input.teamId ?? (row?.teamId as string);
    const startsAt = input.startsAt ?? (row?.startsAt as Date);
    const endsAt = input.endsAt ?? (row?.endsAt as Date);
    const others = (await listCycles(session, teamId)).filter(({ id }) => id !== row?.id);
    requireFree(others, startsAt, endsAt);
    return undefined;
  },
  create: async ({ teamId }, context) => {
    const team = await requireRow(context, "Team", teamId);
    if (team["cyclesEnabled"] !== true)
      throw notEnabled(`Cycles are not enabled for the team ${team["name"]}`);
    return { number: await findNextCycleNumber(context.session, teamId) };
  },
  update: (cycle, { completedAt }, context) =>
    completedAt != null && cycle["completedAt"] === null ? closing(cycle, context) : undefined,
  leaves: async (cycle, context) => {
    await moveToCycle(context, await listCycleIssues(context.session, cycle.id), null);
  },
};

function requireFree(others: readonly Row<"Cycle">[], startsAt: Date, endsAt: Date): void {
  if (startsAt >= endsAt) throw invalidInput("A cycle must end after it starts");
  if (others.some((other) => other.startsAt < endsAt && startsAt < other.endsAt))
    throw invalidInput("Cycles of a team cannot overlap");
}

/** Shifts a cycle and all later ones of its team by days, including fractions. */
async function shiftAll(
  context: Context,
  { id, daysToShift }: { id: string; daysToShift: number },
) {
  const cycle = await requireRow(context, "Cycle", id);
  if (cycle.completedAt !== null) throw userError("A completed cycle cannot be moved");
  const cycles = await listCycles(context.session, cycle.teamId);
  const moving = cycles.filter(({ startsAt }) => startsAt >= cycle.startsAt);
  const staying = cycles.filter(({ startsAt }) => startsAt < cycle.startsAt);
  const moved = (moment: Date) => new Date(moment.getTime() + daysToShift * DAY_MS);
  let shifted: Row<"Cycle"> = cycle;
  for (const one of moving) {
    const span = { startsAt: moved(one.startsAt), endsAt: moved(one.endsAt) };
    if (![span.startsAt, span.endsAt].every(hasPlainYear))
      throw invalidArgument(
        "daysToShift",
        daysToShift,
        "max",
        "daysToShift must leave the cycles in the years 1 to 9999",
      );
    requireFree(staying, span.startsAt, span.endsAt);
    const row = await changeRow(context, "Cycle", one, span);
    if (one.id === cycle.id) shifted = row;
  }
  return shifted;
}

/** Starts the next cycle at the last midnight. The current cycle is completed then. */
async function startToday(context: Context, id: string): Promise<Row<"Cycle">> {
  const { now } = context;
  const cycle = await requireRow(context, "Cycle", id);
  const cycles = await listCycles(context.session, cycle.teamId);
  const next = cycles.find(({ startsAt }) => startsAt > now);
  if (next?.id !== cycle.id) throw userError("Only the next cycle can be started today");
  const midnight = midnightOf(now);
  const active = cycles.find(
    ({ startsAt, endsAt, completedAt }) => startsAt <= now && endsAt > now && completedAt === null,
  );
  if (active && active.startsAt >= midnight)
    throw userError("The current cycle was itself started today");
  if (active)
    await changeRow(context, "Cycle", active, {
      ...(await closing(active, context)),
      endsAt: midnight,
      completedAt: now,
    });
  return await changeRow(context, "Cycle", cycle, { startsAt: midnight });
}

export const cycles: Resolvers<Context> = {
  Mutation: {
    ...mutationsOf("Cycle", rules),
    cycleShiftAll: async (
      _source,
      { input }: Given<{ id: string; daysToShift: number }>,
      context,
    ) => ({
      cycle: await shiftAll(context, input),
    }),
    cycleStartUpcomingCycleToday: async (_source, { id }: Target, context) => ({
      cycle: await startToday(context, id),
    }),
  },
};
