/** Roadmaps, the predecessors of initiatives. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { deleteRecordsOf, findRecord } from "~/replicas/tracker/store/dependents";
import { pageSlug, workspaceUrl } from "~/replicas/tracker/urls";

const rules: Rules = {
  operations: ["create", "update", "delete", "archive", "unarchive"],
  place: "bottom",
  create: ({ ownerId }, { viewer }) => ({ ownerId: ownerId ?? viewer.id }),
  removed: async ({ id }, { session }) => {
    await deleteRecordsOf(session, "RoadmapToProject", "roadmapId", id);
  },
};

const projectRules: Rules = {
  operations: ["create", "update", "delete"],
  place: "bottom",
  create: async ({ projectId, roadmapId }, { session }) => {
    if (await findRecord(session, "RoadmapToProject", { projectId, roadmapId }))
      throw invalidInput("The project is in this roadmap already");
    return undefined;
  },
};

export const roadmaps: Resolvers<Context> = {
  Roadmap: {
    url: ({ name, slugId }: RowObject, _args, context) =>
      workspaceUrl(context, "roadmap", pageSlug(name, slugId)),
  },
  RoadmapToProject: {
    sortOrder: ({ sortOrder }: RowObject) => String(sortOrder ?? 0),
  },
  Mutation: { ...mutationsOf("Roadmap", rules), ...mutationsOf("RoadmapToProject", projectRules) },
};
