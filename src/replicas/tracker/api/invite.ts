/** Invitations. No email is sent. */
import type { Resolvers } from "~/graphql/resolvers";
import {
  changeRow,
  createRow,
  type Given,
  type Optional,
  removeRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import type { Values } from "~/replicas/tracker/store/entities";
import { having } from "~/replicas/tracker/store/lookups";
import { findUserId } from "~/replicas/tracker/store/users";

type Create = Values & {
  readonly email: string;
  readonly role?: Optional<string>;
  readonly teamIds?: Optional<readonly string[]>;
};

async function requireTeams(context: Context, ids: Optional<readonly string[]>): Promise<void> {
  for (const id of ids ?? []) await requireGiven(context, "Team", "teamIds", id);
}

export const organizationInvites: Resolvers<Context> = {
  OrganizationInvite: {
    external: () => false,
    role: ({ role }) => role ?? "user",
  },
  Mutation: {
    organizationInviteCreate: async (_source, { input }: Given<Create>, context) => {
      const email = input.email.trim().toLowerCase();
      if (!/^\S+@\S+$/.test(email))
        throw invalidArgument("email", input.email, "isEmail", "email must be an email");
      if (await findUserId(context.session, { email }))
        throw invalidInput(`${email} is already a member of the workspace`);
      if (await context.read.find("OrganizationInvite", having({ email })))
        throw invalidInput(`${email} has already been invited`);
      await requireTeams(context, input.teamIds);
      const organizationInvite = await createRow(context, "OrganizationInvite", {
        ...input,
        email,
        inviterId: context.viewer.id,
      });
      return { organizationInvite };
    },
    organizationInviteUpdate: async (
      _source,
      { id, input }: Target & Given<{ readonly teamIds: readonly string[] }>,
      context,
    ) => {
      const before = await requireRow(context, "OrganizationInvite", id);
      await requireTeams(context, input.teamIds);
      return { organizationInvite: await changeRow(context, "OrganizationInvite", before, input) };
    },
    organizationInviteDelete: (_source, { id }: Target, context) =>
      removeRow(context, "OrganizationInvite", id),
  },
};
