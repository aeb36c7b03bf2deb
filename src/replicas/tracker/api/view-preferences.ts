/** Display preferences of lists, for one user or for everyone. */

import type { RowObject } from "~/graphql/page";
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { create, modelOf, mutationsOf, type Rules, update } from "~/replicas/tracker/api/entity";
import type { Given } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { having } from "~/replicas/tracker/store/lookups";

const model = modelOf("ViewPreferences");
const TARGETS = [
  "customViewId",
  "initiativeId",
  "initiativeLabelId",
  "labelId",
  "projectId",
  "projectLabelId",
  "releasePipelineId",
  "teamId",
];

type Preferences = {
  readonly type: string;
  readonly viewType: string;
  readonly [target: string]: unknown;
};

const rules: Rules = {
  operations: ["update", "delete"],
  create: (input: Preferences, { viewer }) => {
    if (TARGETS.filter((name) => input[name] != null).length > 1)
      throw invalidInput("Preferences belong to at most one entity");
    return input.type === "user" ? { userId: viewer.id } : { userId: null };
  },
};

/** The preferences of a view type, or of one view, that belong to the viewer or to everyone. */
async function findKept(
  { read, viewer }: Context,
  wanted: Preferences,
): Promise<RowObject | undefined> {
  const { type, viewType } = wanted;
  const own: Record<string, string> = type === "user" ? { userId: viewer.id } : {};
  const kept = await read.rows("ViewPreferences", {
    args: {},
    where: having({ type, viewType, ...own }),
  });
  return kept.find((row) =>
    TARGETS.every((name) => (row[name] ?? null) === (wanted[name] ?? null)),
  );
}

/** Preferences exist once for each view and user: existing ones are updated. */
const put: Resolver<Context> = async (_source, { input }: Given<Preferences>, context, info) => {
  const kept = await findKept(context, input);
  const { preferences, insights } = input;
  const viewPreferences = kept
    ? await update(model, rules, kept, { preferences, insights }, context, info)
    : await create(model, rules, input, context, info);
  return { viewPreferences };
};

/** The effective preferences: the user's own, then those of everyone. */
const values: Resolver<Context> = async ({ id }: RowObject, _args, { read }) => {
  const view = modelOf("CustomView");
  const kept = await Promise.all(
    ["organizationViewPreferencesId", "userViewPreferencesId"].map(async (name) => {
      const preferencesId = await read.value(view, name, id);
      return preferencesId ? await read.one("ViewPreferences", String(preferencesId)) : undefined;
    }),
  );
  const found = kept.flatMap((row) => (row ? [row["preferences"]] : []));
  return found.length === 0 ? null : Object.assign({}, ...found);
};

export const viewPreferences: Resolvers<Context> = {
  CustomView: { viewPreferencesValues: values },
  Query: {
    userViewPreferences: (_source, { viewType }: { viewType: string }, context) =>
      findKept(context, { type: "user", viewType }),
  },
  Mutation: { ...mutationsOf("ViewPreferences", rules), viewPreferencesCreate: put },
};
