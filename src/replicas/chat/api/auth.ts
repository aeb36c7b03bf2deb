import { Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { requireActor } from "~/replicas/chat/require";

export const auth = [
  method("api.test", {
    summary: "Echoes its arguments.",
    args: { error: Maybe(Text("Answer with this error.")) },
    async handle({ error }, { raw }) {
      const args = Object.fromEntries(raw);
      if (error) throw new ChatError(error, { args });
      return { args };
    },
  }),

  method("auth.test", {
    summary: "Tells who the caller is.",
    args: {},
    async handle(_, call) {
      const { user, team } = await requireActor(call);
      return {
        url: team.url,
        team: team.name,
        user: user.name,
        team_id: team.id,
        user_id: user.id,
        ...(user.bot_id ? { bot_id: user.bot_id, app_id: user.app_id } : {}),
        is_enterprise_install: false,
      };
    },
  }),
];
