/** Links from a project, initiative, team, cycle or release to somewhere else. */
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import { requireUrl } from "~/replicas/tracker/api/webhook";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";

const OWNERS = ["projectId", "initiativeId", "teamId", "cycleId", "releaseId", "resourceFolderId"];

const rules: Rules<"EntityExternalLink"> = {
  operations: ["create", "update", "delete"],
  place: "bottom",
  check: ({ url }) => {
    requireUrl("url", url);
    return undefined;
  },
  create: (input) => {
    if (OWNERS.filter((name) => input[name] != null).length !== 1)
      throw invalidInput("A link belongs to one project, initiative, team, cycle or release");
    return undefined;
  },
};

export const externalLinks: Resolvers<Context> = {
  Mutation: mutationsOf("EntityExternalLink", rules),
};
