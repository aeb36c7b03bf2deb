/** Ids of users before and after a workspace joins an organization. */
import { Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { requireActor } from "~/replicas/chat/require";
import { findUsers } from "~/replicas/chat/store/users";

const EXCHANGE_MAX = 400;

export const migration = [
  method("migration.exchange", {
    tier: 3,
    summary: "Returns the ids of users in their organization: unchanged, because there is none.",
    args: { users: List(), to_old: Maybe(Flag()), team_id: Maybe(Text()) },
    async handle({ users }, call) {
      if (users.length > EXCHANGE_MAX) throw new ChatError("too_many_users");
      const { team } = await requireActor(call);
      const known = await findUsers(call.session, users);
      return {
        team_id: team.id,
        enterprise_id: "",
        user_id_map: Object.fromEntries([...known.keys()].map((id) => [id, id])),
        invalid_user_ids: users.filter((id) => !known.has(id)),
      };
    },
  }),
];
