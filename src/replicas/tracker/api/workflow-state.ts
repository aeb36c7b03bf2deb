/** Workflow states. Every team keeps at least one of each essential type. */

import type { Resolvers } from "~/graphql/resolvers";
import {
  archiveRow,
  changeRow,
  createRow,
  type Given,
  type Optional,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, userError } from "~/replicas/tracker/errors";
import { requireGiven, requireOneOf, requireRow } from "~/replicas/tracker/require";
import { findStateUse, listStates } from "~/replicas/tracker/store/states";
import { columnsIn } from "~/replicas/tracker/store/write";

type Create = {
  readonly color: string;
  readonly name: string;
  readonly teamId: string;
  readonly type: string;
  readonly position?: Optional<number>;
};
type Update = { readonly name?: Optional<string> };

/** Types that clients can create; a team's triage and duplicate states come by default. */
const TYPES = ["backlog", "unstarted", "started", "completed", "canceled"];

export const workflowStates: Resolvers<Context> = {
  WorkflowState: {
    inheritedFrom: () => null,
  },
  Mutation: {
    workflowStateCreate: async (_source, { input }: Given<Create>, context) => {
      const { teamId, type, name } = input;
      await requireGiven(context, "Team", "teamId", teamId);
      requireOneOf("type", type, TYPES);
      const states = await listStates(context.session, teamId);
      requireFreeName(states, name);
      const last = states.filter((state) => state.type === type).at(-1) ?? states.at(-1);
      const position = input.position ?? (last?.position ?? 0) + 1;
      return {
        workflowState: await createRow(context, "WorkflowState", {
          ...columnsIn("WorkflowState", input),
          position,
        }),
      };
    },

    workflowStateUpdate: async (_source, { id, input }: Target & Given<Update>, context) => {
      const state = await requireRow(context, "WorkflowState", id);
      const states = await listStates(context.session, state["teamId"]);
      if (input.name)
        requireFreeName(
          states.filter((other) => other.id !== state.id),
          input.name,
        );
      const changes = {
        ...columnsIn("WorkflowState", input),
        name: input.name ?? undefined,
      };
      return { workflowState: await changeRow(context, "WorkflowState", state, changes) };
    },

    workflowStateArchive: async (_source, { id }: Target, context) => {
      const state = await requireRow(context, "WorkflowState", id);
      const use = await findStateUse(context.session, state.id);
      if (use.issues > 0) throw userError("A workflow state with issues in it cannot be archived");
      if (use.siblings === 0)
        throw userError("A team keeps at least one workflow state of each type");
      return { entity: await archiveRow(context, "WorkflowState", state) };
    },
  },
};

function requireFreeName(states: readonly { readonly name: string }[], name: string): void {
  if (states.some((state) => state.name.toLowerCase() === name.toLowerCase()))
    throw invalidInput(`The team already has a workflow state named "${name}"`);
}
