import { Cursor, Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { clampLimit, decodeCursor, LIMIT } from "~/replicas/chat/paging";
import { requireActor } from "~/replicas/chat/require";
import { teamIcon } from "~/replicas/chat/views/team";

const TEAMS_MAX = 1_000;

export const auth = [
  method("api.test", {
    tier: 1,
    summary: "Echoes its arguments.",
    args: { error: Maybe(Text("Return this error.")) },
    async handle({ error }, { raw }) {
      const args = Object.fromEntries(raw);
      if (error) throw new ChatError(error, { args });
      return { args };
    },
  }),

  method("auth.test", {
    tier: 1,
    summary: "Returns the caller's identity.",
    args: {},
    async handle(_, call) {
      const { user, team } = await requireActor(call);
      return {
        url: `${call.baseUrl}/`,
        team: team.name,
        user: user.name,
        team_id: team.id,
        user_id: user.id,
        ...(user.bot_id ? { bot_id: user.bot_id, app_id: user.app_id } : {}),
        is_enterprise_install: false,
      };
    },
  }),

  method("auth.revoke", {
    tier: 2,
    summary: "Revokes nothing: the platform issues and revokes credentials.",
    args: { test: Maybe(Flag()) },
    async handle() {
      return { revoked: false };
    },
  }),

  method("auth.teams.list", {
    tier: 2,
    summary: "Lists the only workspace.",
    args: { cursor: Maybe(Cursor()), limit: LIMIT, include_icon: Maybe(Flag()) },
    async handle({ cursor, limit, include_icon: withIcon }, call) {
      clampLimit(limit, TEAMS_MAX, TEAMS_MAX);
      decodeCursor(cursor, "team", /^(?!)/);
      const { team } = await requireActor(call);
      const icon = withIcon ? { icon: teamIcon(team) } : {};
      return {
        teams: [{ id: team.id, name: team.name, ...icon }],
        response_metadata: { next_cursor: "" },
      };
    },
  }),
];
