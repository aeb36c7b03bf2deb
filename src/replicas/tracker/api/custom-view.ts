/** Custom views: stored filters, and the lists that use them. */

import { coerceInputValue } from "graphql";
import { compileFilter } from "~/graphql/filter";
import { requireModel } from "~/graphql/model";
import type { RowObject } from "~/graphql/page";
import { EMPTY, type PageArguments } from "~/graphql/page";
import { filterTypeOf, type Resolver, type Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import type { Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { requireRow } from "~/replicas/tracker/require";
import { CATALOG } from "~/replicas/tracker/store/comparators";
import {
  deleteFollowers,
  deleteRecordsOf,
  hasSubscribers,
} from "~/replicas/tracker/store/dependents";
import type { Row } from "~/replicas/tracker/store/entities";

/** The model of a view, by its filter. */
const SHOWN = [
  ["projectFilterData", "Project"],
  ["initiativeFilterData", "Initiative"],
  ["feedItemFilterData", "FeedItem"],
  ["filterData", "Issue"],
] as const;

const rules: Rules<"CustomView"> = {
  operations: ["create", "update", "delete"],
  create: (input, { viewer }) => ({
    ownerId: input.ownerId ?? viewer.id,
    updatedById: viewer.id,
    modelName: SHOWN.find(([key]) => input[key] != null)?.[1] ?? "Issue",
  }),
  update: (_view, input, { viewer }) => {
    const shown = SHOWN.find(([key]) => input[key] != null)?.[1];
    return { updatedById: viewer.id, ...(shown && { modelName: shown }) };
  },
  removed: async ({ id }, { session }) => {
    await deleteFollowers(session, "customViewId", id);
    await deleteRecordsOf(session, "ViewPreferences", "customViewId", id);
  },
};

type Shown = PageArguments & { readonly includeSubTeams?: boolean | null };

/** The rows of a view: those that match its filter, in its team or project. */
const shownBy =
  (type: "Issue" | "Project" | "Initiative", key: string): Resolver<Context> =>
  async (view: RowObject, args: Shown, context, info) => {
    const filterType = filterTypeOf(info);
    if (!filterType || view["modelName"] !== type) return EMPTY;
    const stored = coerceInputValue(
      { and: [view[key] ?? {}, ...scopeOf(view, type, args)] },
      filterType,
    );
    const model = requireModel(CATALOG.models, type);
    return await context.read.page(type, {
      args,
      filterType,
      fields: info.nodes.fields,
      where: (row, scope) =>
        compileFilter({ ...CATALOG, scope, args, nodes: 0 }, filterType, stored, model, row),
    });
  };

function scopeOf(
  { teamId, projectId, initiativeId }: RowObject,
  type: string,
  { includeSubTeams }: Shown,
): object[] {
  const is = (id: unknown) => ({ id: { eq: id } });
  const team = includeSubTeams ? { or: [is(teamId), { ancestors: is(teamId) }] } : is(teamId);
  return [
    ...(teamId ? [type === "Issue" ? { team } : { accessibleTeams: team }] : []),
    ...(projectId && type === "Issue" ? [{ project: is(projectId) }] : []),
    ...(initiativeId && type === "Project" ? [{ initiatives: is(initiativeId) }] : []),
  ];
}

export const customViews: Resolvers<Context> = {
  CustomView: {
    filters: ({ filterData }: Row<"CustomView">) => filterData,
    initiatives: shownBy("Initiative", "initiativeFilterData"),
    issues: shownBy("Issue", "filterData"),
    projects: shownBy("Project", "projectFilterData"),
  },
  Query: {
    customViewHasSubscribers: async (_source, { id }: Target, context) => {
      const view = await requireRow(context, "CustomView", id);
      return { hasSubscribers: await hasSubscribers(context.session, view.id) };
    },
  },
  Mutation: mutationsOf("CustomView", rules),
};
