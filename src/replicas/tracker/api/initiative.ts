/** Initiatives: names, statuses, hierarchy and projects. */

import type { PageArguments } from "~/graphql/page";
import { pageOf, type Resolvers } from "~/graphql/resolvers";
import { modelOf, mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { type Labelled, labellingMutations, setLabels } from "~/replicas/tracker/api/labels";
import { formerIdentifiers } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import type { Row } from "~/replicas/tracker/store/entities";
import {
  findHolder,
  hasInitiativeRelation,
  isAbove,
  levelsWith,
} from "~/replicas/tracker/store/initiatives";
import { INITIATIVE_LABELS, listLabelIds } from "~/replicas/tracker/store/labels";
import { findNextNumber } from "~/replicas/tracker/store/sort-order";
import { timesOf } from "~/replicas/tracker/times";
import { initiativeUrl } from "~/replicas/tracker/urls";

const PREFIX = "I-";
const LEVELS_MAX = 5;
const PRIORITY_MAX = 4;

/** Statuses, as the types that determine the times of a row. */
const TYPE_OF: Readonly<Record<string, string>> = {
  Active: "started",
  Completed: "completed",
  Canceled: "canceled",
};

const rules: Rules<"Initiative"> = {
  operations: ["create", "update", "delete", "archive", "unarchive"],
  place: "top",
  check: ({ priority }) => {
    if (priority != null && (priority < 0 || priority > PRIORITY_MAX))
      throw invalidArgument("priority", priority, "max", "priority must be from 0 to 4");
    return undefined;
  },
  create: async ({ status }, { session, now }) => {
    return {
      status: status ?? "Planned",
      ...timesOf(TYPE_OF[status] ?? "planned", now),
      identifier: `${PREFIX}${await findNextNumber(session, "Initiative", PREFIX)}`,
    };
  },
  update: (initiative, { status, customIdentifier }, { now }) => ({
    ...(status != null &&
      status !== initiative["status"] &&
      timesOf(TYPE_OF[status] ?? "planned", now, initiative)),
    ...(customIdentifier != null &&
      customIdentifier !== initiative["identifier"] && {
        identifier: customIdentifier,
        previousIdentifiers: formerIdentifiers(initiative),
      }),
  }),
  written: async (initiative, { labelIds }, context) => {
    if (labelIds != null)
      await setLabels(context, INITIATIVE_LABELS, labelIds, await labelledOf(initiative, context));
  },
};

const relationRules: Rules<"InitiativeRelation"> = {
  operations: ["create", "update", "delete"],
  place: "bottom",
  create: async ({ initiativeId: above, relatedInitiativeId: below }, { session, viewer }) => {
    if (above === below || (await isAbove(session, below, above)))
      throw invalidInput("An initiative cannot be below itself");
    if (await hasInitiativeRelation(session, above, below))
      throw invalidInput("These initiatives are related already");
    if ((await levelsWith(session, above, below)) > LEVELS_MAX)
      throw invalidInput(`Initiatives have at most ${LEVELS_MAX} levels`);
    return { userId: viewer.id };
  },
};

const projectRules: Rules<"InitiativeToProject"> = {
  operations: ["create", "update", "delete"],
  place: "bottom",
  create: async ({ initiativeId, projectId }, { session }) => {
    const holder = await findHolder(session, initiativeId, projectId);
    if (holder === initiativeId) throw invalidInput("The project is in this initiative already");
    if (holder !== undefined)
      throw invalidInput("The project is in another initiative of this hierarchy already");
    return undefined;
  },
};

const labelledOf = async (
  { id }: { readonly id: string },
  { session }: Context,
): Promise<Labelled> => ({
  id,
  had: await listLabelIds(session, INITIATIVE_LABELS, id),
});

export const initiatives: Resolvers<Context> = {
  Initiative: {
    facets: () => [],
    projects: pageOf(
      modelOf("Initiative"),
      (args: PageArguments & { includeSubInitiatives?: boolean }) =>
        args.includeSubInitiatives === false ? "projects" : "projectsWithSubInitiatives",
    ),
    url: (initiative: Row<"Initiative">, _args, context) => initiativeUrl(context, initiative),
  },
  Mutation: {
    ...mutationsOf("Initiative", rules),
    ...mutationsOf("InitiativeRelation", relationRules),
    ...mutationsOf("InitiativeToProject", projectRules),
    ...labellingMutations("Initiative", INITIATIVE_LABELS, labelledOf),
  },
};
