/** Dependencies between projects. */
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireOneOf } from "~/replicas/tracker/require";
import { dependsOn, findRelation } from "~/replicas/tracker/store/projects";

const TYPES = ["dependency"];
const ANCHORS = ["start", "end", "milestone"];

const rules: Rules<"ProjectRelation"> = {
  operations: ["create", "update", "delete"],
  check: async (input, { session, viewer }, row) => {
    const relation = { ...row, ...input };
    requireOneOf("type", relation.type, TYPES);
    for (const [anchor, milestone] of [
      ["anchorType", "projectMilestoneId"],
      ["relatedAnchorType", "relatedProjectMilestoneId"],
    ] as const) {
      requireOneOf(anchor, relation[anchor], ANCHORS);
      const isMilestone = relation[anchor] === "milestone";
      if (isMilestone && relation[milestone] == null)
        throw invalidInput("A milestone is required for a dependency with a milestone anchor");
      if (!isMilestone && relation[milestone] != null)
        throw invalidInput(`${milestone} belongs to an anchor of type "milestone"`);
    }
    const { projectId, relatedProjectId } = relation;
    if (projectId === relatedProjectId) throw invalidInput("A project cannot be related to itself");
    const known = await findRelation(session, relation.type, projectId, relatedProjectId);
    if (known !== undefined && known !== row?.id)
      throw invalidInput("These projects are related already");
    if (!known && (await dependsOn(session, projectId, relatedProjectId)))
      throw invalidInput("A project cannot depend on itself, directly or indirectly");
    return { userId: viewer.id };
  },
};

export const projectRelations: Resolvers<Context> = {
  Mutation: mutationsOf("ProjectRelation", rules),
};
