/** Dependencies between projects. */
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import { dependsOn, findRelation } from "~/replicas/tracker/store/projects";

const TYPES = ["dependency"];
const ANCHORS = ["start", "end", "milestone"];

const oneOf = (property: string, value: string | null | undefined, known: readonly string[]) => {
  if (value != null && !known.includes(value))
    throw invalidArgument(
      property,
      value,
      "isIn",
      `${property} must be one of: ${known.join(", ")}`,
    );
};

const rules: Rules<"ProjectRelation"> = {
  operations: ["create", "update", "delete"],
  check: async (input, { session, viewer }, row) => {
    const relation = { ...row, ...input };
    oneOf("type", relation.type, TYPES);
    for (const [anchor, milestone] of [
      ["anchorType", "projectMilestoneId"],
      ["relatedAnchorType", "relatedProjectMilestoneId"],
    ] as const) {
      oneOf(anchor, relation[anchor], ANCHORS);
      if ((relation[anchor] === "milestone") !== (relation[milestone] != null))
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
