/** The state of an issue for each event of its pull request. Stored only: there are no pull requests. */
import type { Resolvers } from "~/graphql/resolvers";
import { mutationsOf, type Rules } from "~/replicas/tracker/api/entity";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { deleteRecordsOf } from "~/replicas/tracker/store/dependents";
import type { Values } from "~/replicas/tracker/store/entities";
import { having } from "~/replicas/tracker/store/lookups";

const stateRules: Rules = {
  operations: ["create", "update", "delete"],
  check: async (input, { read }, row) => {
    const rule = { ...row, ...input };
    const known = await read.rows("GitAutomationState", {
      args: {},
      where: having({ teamId: rule.teamId, event: rule.event }),
    });
    const branchOf = (one: Values) => one["targetBranchId"] ?? null;
    if (known.some((other) => other.id !== row?.id && branchOf(other) === branchOf(rule)))
      throw invalidInput("The team already has a state for this event");
    return undefined;
  },
};

const branchRules: Rules = {
  operations: ["create", "update", "delete"],
  check: async (input, { read }, row) => {
    const branch = { ...row, ...input };
    const known = await read.rows("GitAutomationTargetBranch", {
      args: {},
      where: having({ teamId: branch.teamId, branchPattern: branch.branchPattern }),
    });
    if (known.some(({ id }) => id !== row?.id))
      throw invalidInput("The team already has this target branch");
    return { isRegex: branch.isRegex ?? false };
  },
  removed: async ({ id }, { session }) => {
    await deleteRecordsOf(session, "GitAutomationState", "targetBranchId", id);
  },
};

export const gitAutomations: Resolvers<Context> = {
  Mutation: {
    ...mutationsOf("GitAutomationState", stateRules),
    ...mutationsOf("GitAutomationTargetBranch", branchRules),
  },
};
