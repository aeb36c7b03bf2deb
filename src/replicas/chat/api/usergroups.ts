import { Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { findUsergroup, listUsergroups } from "~/replicas/chat/store/usergroups";
import { usergroupView } from "~/replicas/chat/views/usergroups";

export const usergroups = [
  method("usergroups.list", {
    tier: 1,
    summary: "Lists the user groups by name.",
    args: {
      include_disabled: Maybe(Flag()),
      include_count: Maybe(Flag("Include the number of users.")),
      include_users: Maybe(Flag("Include the users.")),
      team_id: Maybe(Text()),
    },
    async handle(args, { session }) {
      const groups = await listUsergroups(session, args.include_disabled ?? false);
      const shown = { count: args.include_count, users: args.include_users };
      return { usergroups: groups.map((group) => usergroupView(group, shown)) };
    },
  }),

  method("usergroups.users.list", {
    tier: 1,
    summary: "Lists the members of a user group by id.",
    args: { usergroup: Text(), include_disabled: Maybe(Flag()), team_id: Maybe(Text()) },
    async handle({ usergroup: id, include_disabled: withDisabled }, { session }) {
      const group = await findUsergroup(session, id);
      if (!group || (group.date_delete > 0 && !withDisabled))
        throw new ChatError("no_such_subteam");
      return { users: group.users };
    },
  }),
];
