/** Labels of projects and of initiatives. */
import type { Resolvers } from "~/graphql/resolvers";
import { labelMutations } from "~/replicas/tracker/api/labels";
import type { Context } from "~/replicas/tracker/context";
import { INITIATIVE_LABELS, PROJECT_LABELS } from "~/replicas/tracker/store/labels";

export const planningLabels: Resolvers<Context> = {
  Mutation: {
    ...labelMutations("ProjectLabel", PROJECT_LABELS),
    ...labelMutations("InitiativeLabel", INITIATIVE_LABELS),
  },
};
