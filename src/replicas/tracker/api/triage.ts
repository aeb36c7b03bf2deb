/** Responsibilities for triage. Stored only: nothing is assigned by them. */

import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { create, modelOf, mutationsOf, type Rules, update } from "~/replicas/tracker/api/entity";
import type { Given, Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireGiven, requireOneOf, requireRow } from "~/replicas/tracker/require";
import { having } from "~/replicas/tracker/store/lookups";

type Entry = { readonly startsAt: Date; readonly endsAt: Date; readonly userId?: string | null };

const scheduleRules: Rules = {
  operations: ["create", "update", "delete"],
  check: async ({ entries }: { entries?: readonly Entry[] | null }, context) => {
    for (const { startsAt, endsAt, userId } of entries ?? []) {
      if (startsAt >= endsAt) throw invalidInput("A shift must end after it starts");
      await requireGiven(context, "User", "userId", userId);
    }
    return undefined;
  },
};

const upsertSchedule: Resolver<Context> = async (
  _source,
  { externalId, input }: { externalId: string } & Given<{ name?: string | null }>,
  context,
  info,
) => {
  const model = modelOf("TimeSchedule");
  const known = await context.read.find("TimeSchedule", having({ externalId }));
  if (!known && input.name == null) throw invalidInput("A new schedule needs a name");
  const timeSchedule = known
    ? await update(model, scheduleRules, known, input, context, info)
    : await create(model, scheduleRules, { entries: [], ...input, externalId }, context, info);
  return { timeSchedule };
};

const ACTIONS = ["assign", "notify"];

type Responsibility = {
  readonly action?: string | null;
  readonly teamId?: string;
  readonly manualSelection?: {
    readonly userIds: readonly string[];
    readonly assignmentIndex?: number | null;
  } | null;
};

const responsibilityRules: Rules = {
  operations: ["create", "update", "delete"],
  check: async ({ action, manualSelection }: Responsibility, context) => {
    requireOneOf("action", action, ACTIONS);
    if (manualSelection === undefined) return undefined;
    const { userIds = [], assignmentIndex } = manualSelection ?? {};
    for (const id of userIds) await requireGiven(context, "User", "userIds", id);
    return { currentUserId: userIds[assignmentIndex ?? 0] ?? null };
  },
  create: async ({ teamId = "" }: Responsibility, { read }) => {
    if (await read.find("TriageResponsibility", having({ teamId })))
      throw invalidInput("The team already has a triage responsibility");
    return undefined;
  },
};

export const triage: Resolvers<Context> = {
  Query: {
    slaConfigurations: async (_source, { teamId }: { teamId: string }, context) => {
      await requireRow(context, "Team", teamId);
      return [];
    },
  },
  Mutation: {
    ...mutationsOf("TimeSchedule", scheduleRules),
    ...mutationsOf("TriageResponsibility", responsibilityRules),
    timeScheduleRefreshIntegrationSchedule: async (_source, { id }: Target, context) => ({
      timeSchedule: await requireRow(context, "TimeSchedule", id),
    }),
    timeScheduleUpsertExternal: upsertSchedule,
  },
};
