import { Flag, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor } from "~/replicas/chat/paging";
import { requireUser } from "~/replicas/chat/require";
import { listUsers } from "~/replicas/chat/store/users";
import { SLACKBOT, slackbotView, userView } from "~/replicas/chat/views/users";

const USERS_MAX = 1_000;

export const users = [
  method("users.list", {
    tier: 1,
    summary: "Lists everybody in the workspace, bots and deactivated people included.",
    args: {
      cursor: Maybe(Text()),
      limit: Maybe(Whole()),
      include_locale: Maybe(Flag()),
      team_id: Maybe(Text()),
    },
    async handle({ cursor, limit, include_locale: withLocale }, { session }) {
      const after = decodeCursor(cursor, "user", /^[A-Z0-9]+$/) ?? "";
      const size = clampLimit(limit, USERS_MAX, USERS_MAX);
      const rows = await listUsers(session, { after, limit: size });
      const { page, hasMore, metadata } = cut(rows, size, ({ id }) => encodeCursor("user", id));
      const members = page.map((user) => userView(user, withLocale));
      const teamId = page[0]?.team_id;
      if (!hasMore && after < SLACKBOT && teamId !== undefined) members.push(slackbotView(teamId));
      return { members, cache_ts: Math.floor(Date.now() / 1000), ...metadata };
    },
  }),

  method("users.info", {
    tier: 1,
    summary: "Shows one user.",
    args: { user: Text(), include_locale: Maybe(Flag()) },
    async handle({ user, include_locale: withLocale }, call) {
      return { user: userView(await requireUser(call, user), withLocale) };
    },
  }),
];
