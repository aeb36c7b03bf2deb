/** The workspace, its emoji, and its bots. */

import { Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { CATEGORIES } from "~/replicas/chat/emoji";
import { ChatError } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { listEmoji } from "~/replicas/chat/store/emoji";
import { findTeam } from "~/replicas/chat/store/team";
import { findBot } from "~/replicas/chat/store/users";
import { teamView } from "~/replicas/chat/views/team";
import { botView } from "~/replicas/chat/views/users";
import { secondsOf } from "~/source";

export const team = [
  method("team.info", {
    tier: 1,
    summary: "Shows the workspace.",
    args: {
      team: Maybe(Text("Id of the workspace; there is only one.")),
      domain: Maybe(Text("Its domain, instead of the id.")),
    },
    async handle({ team: id, domain }, { session }) {
      const found = await findTeam(session);
      const isOther = (id && id !== found.id) || (domain && domain !== found.domain);
      if (isOther) throw new ChatError("team_not_found");
      return { team: teamView(found) };
    },
  }),

  method("emoji.list", {
    tier: 1,
    summary: "Lists the workspace's own emoji by name.",
    args: { include_categories: Maybe(Flag("Add the standard emoji, by category.")) },
    async handle({ include_categories: withCategories }, { session }) {
      const emoji = await listEmoji(session);
      const categories = [...CATEGORIES].map(([name, names]) => ({ name, emoji_names: names }));
      return {
        emoji: Object.fromEntries(emoji.map(({ name, url }) => [name, url])),
        cache_ts: String(secondsOf(session.source)),
        ...(withCategories ? { categories_version: "5", categories } : {}),
      };
    },
  }),

  method("bots.info", {
    tier: 1,
    summary: "Shows the named bot, or the caller.",
    args: { bot: Maybe(Text("Id of the bot, B….")), team_id: Maybe(Text()) },
    async handle({ bot: id }, { session, actor }) {
      const bot = await findBot(session, id ? { bot: id } : { user: actor });
      if (!bot) throw new ChatError("bot_not_found");
      return { bot: botView(bot) };
    },
  }),
];
