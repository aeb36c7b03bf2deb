/** What belongs to no family. */
import { Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { requireActor } from "~/replicas/chat/require";
import { findUserByEmail, findUsers } from "~/replicas/chat/store/users";

const EXCHANGE_MAX = 400;

export const odds = [
  method("users.discoverableContacts.lookup", {
    tier: 3,
    summary: "Tells whether somebody can be found by their address.",
    args: { email: Text() },
    async handle({ email }, { session }) {
      return { is_discoverable: (await findUserByEmail(session, email.trim())) !== undefined };
    },
  }),

  method("migration.exchange", {
    tier: 3,
    summary: "Tells the ids that users have in an organisation: the same, as there is none.",
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

  method("rtm.connect", {
    tier: 3,
    summary: "Tells where events would be.",
    limits: "Nothing listens at the address: there are no events.",
    args: { batch_presence_aware: Maybe(Flag()), presence_sub: Maybe(Flag()) },
    async handle(_, call) {
      const { user, team } = await requireActor(call);
      return {
        url: `${call.baseUrl.replace(/^http/, "ws")}/events`,
        self: { id: user.id, name: user.name },
        team: { id: team.id, name: team.name, domain: team.domain },
      };
    },
  }),
];
