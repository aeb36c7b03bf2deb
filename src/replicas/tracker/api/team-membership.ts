/** The mutations of the members of teams. */

import type { Resolvers } from "~/graphql/resolvers";
import { audit } from "~/replicas/tracker/api/audit";
import {
  changeRow,
  createRow,
  type Given,
  type Optional,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import type { NewValues, Values } from "~/replicas/tracker/store/entities";
import {
  deleteMemberships,
  listAncestors,
  nextMembershipOrder,
} from "~/replicas/tracker/store/teams";
import { columnsIn, deleteRows } from "~/replicas/tracker/store/write";

type Membership = {
  readonly id?: Optional<string>;
  readonly teamId: string;
  readonly userId: string;
};

const memberOf = ({ teamId, userId }: Values) => ({
  teamId: String(teamId),
  userId: String(userId),
});

export async function addMember(
  context: Context,
  values: NewValues<"TeamMembership"> & { userId: string },
) {
  const sortOrder =
    values["sortOrder"] ?? (await nextMembershipOrder(context.session, values.userId));
  return await createRow(context, "TeamMembership", { ...values, sortOrder });
}

export const teamMembershipChanges: Resolvers<Context> = {
  Mutation: {
    teamMembershipCreate: async (_source, { input }: Given<Membership & Values>, context) => {
      await requireGiven(context, "Team", "teamId", input.teamId);
      await requireGiven(context, "User", "userId", input.userId);
      const { teamId, userId } = input;
      const teamMembership = await addMember(context, {
        ...columnsIn("TeamMembership", input),
        teamId,
        userId,
      });
      await audit(context, "teamMembershipCreated", {
        entityType: "TeamMembership",
        entityId: teamMembership.id,
        ...memberOf(teamMembership),
      });
      return { teamMembership };
    },

    teamMembershipUpdate: async (
      _source,
      { id, input }: Target & Given<NewValues<"TeamMembership">>,
      context,
    ) => {
      const before = await requireRow(context, "TeamMembership", id);
      const changes = {
        owner: input.owner ?? undefined,
        sortOrder: input.sortOrder ?? undefined,
      };
      const teamMembership = await changeRow(context, "TeamMembership", before, changes);
      if (before["owner"] !== teamMembership["owner"])
        await audit(context, "teamMembershipUpdated", {
          entityType: "TeamMembership",
          entityId: teamMembership.id,
          ...memberOf(teamMembership),
        });
      return { teamMembership };
    },

    teamMembershipDelete: async (
      _source,
      { id, alsoLeaveParentTeams }: Target & { alsoLeaveParentTeams?: Optional<boolean> },
      context,
    ) => {
      const membership = await requireRow(context, "TeamMembership", id);
      const { teamId, userId } = memberOf(membership);
      await deleteRows(context.session, "TeamMembership", [membership.id]);
      if (alsoLeaveParentTeams)
        await deleteMemberships(
          context.session,
          userId,
          await listAncestors(context.session, teamId),
        );
      const entity = { entityType: "TeamMembership", entityId: membership.id, teamId, userId };
      await audit(context, "teamMembershipDeleted", entity);
      return { entityId: membership.id };
    },
  },
};
