/** The handshake of the Real Time Messaging API. */
import { Flag, Maybe } from "~/replicas/chat/arguments";
import { method } from "~/replicas/chat/method";
import { requireActor } from "~/replicas/chat/require";

export const rtm = [
  method("rtm.connect", {
    tier: 3,
    summary: "Returns the address that events would come from.",
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
