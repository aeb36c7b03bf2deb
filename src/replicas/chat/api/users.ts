import { Cursor, Flag, List, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { requireTypes } from "~/replicas/chat/channels";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import { requireActor, requireUser } from "~/replicas/chat/require";
import { listChannels } from "~/replicas/chat/store/channels";
import { findTeam } from "~/replicas/chat/store/team";
import { findUserByEmail, findUserFor, listUsers, updateUser } from "~/replicas/chat/store/users";
import { channelView } from "~/replicas/chat/views/channels";
import { SLACKBOT, slackbotView, userView } from "~/replicas/chat/views/users";
import type { Wire } from "~/replicas/chat/views/wire";
import { secondsOf } from "~/source";

/** Workspaces with more people are listed in pages only. */
const USERS_MAX = 1_000;
/** Per call of users.info. */
const INFO_USERS_MAX = 30;
const cursorOf = ({ id }: { readonly id: string }) => encodeCursor("user", id);
const CHANNELS_DEFAULT = 100;
const CHANNELS_MAX = 999;

/** A user who is visible to the caller. */
async function requireVisibleUser({ session, actor }: ChatCall, id: string) {
  const user = await findUserFor(session, actor, id);
  if (!user) throw new ChatError("user_not_found");
  if (!user.is_visible) throw new ChatError("user_not_visible");
  return user;
}

async function shown(call: ChatCall, id: string, withLocale: boolean | undefined): Promise<Wire> {
  if (id === SLACKBOT) return slackbotView((await findTeam(call.session)).id);
  return userView(await requireVisibleUser(call, id), secondsOf(call.session.source), withLocale);
}

export const users = [
  method("users.list", {
    tier: 1,
    summary: "Lists everybody in the workspace by id, including bots and deactivated people.",
    args: {
      cursor: Maybe(Cursor()),
      limit: Maybe(Whole()),
      include_locale: Maybe(Flag()),
      team_id: Maybe(Text()),
    },
    async handle({ cursor, limit, include_locale: withLocale }, { session }) {
      const after = decodeCursor(cursor, "user", /^[A-Z0-9]+$/) ?? "";
      const size = clampLimit(limit || undefined, USERS_MAX, USERS_MAX);
      const rows = await listUsers(session, { after, limit: size });
      const { page, hasMore, metadata } = cut(rows, size, cursorOf);
      if (hasMore && !limit) throw new ChatError("limit_required");
      const now = secondsOf(session.source);
      const members = page.map((user) => userView(user, now, withLocale));
      if (hasMore) return { members, cache_ts: now, ...metadata };
      // Slackbot is last. If the page has no room, it is on one of its own.
      const last = page.at(-1);
      if (limit && last && members.length === size)
        return { members, cache_ts: now, response_metadata: { next_cursor: cursorOf(last) } };
      members.push(slackbotView(last?.team_id ?? (await findTeam(session)).id));
      return { members, cache_ts: now, ...metadata };
    },
  }),

  method("users.info", {
    tier: 1,
    summary: "Shows one user, or those of a list.",
    args: {
      user: Maybe(Text()),
      users: Maybe(List("Instead of user: up to 30 ids. The answer then has users.")),
      include_locale: Maybe(Flag()),
    },
    async handle({ user, users: ids, include_locale: withLocale }, call) {
      if (user) return { user: await shown(call, user, withLocale) };
      if (!ids?.length) throw invalidArguments("missing required field: user");
      if (ids.length > INFO_USERS_MAX) throw new ChatError("too_many_users");
      const found: Wire[] = [];
      for (const id of ids) found.push(await shown(call, id, withLocale));
      return { users: found };
    },
  }),

  method("users.lookupByEmail", {
    tier: 1,
    summary: "Finds a user by email address.",
    args: { email: Text() },
    async handle({ email }, { session }) {
      const user = await findUserByEmail(session, email.trim());
      if (!user) throw new ChatError("users_not_found");
      return { user: userView(user, secondsOf(session.source)) };
    },
  }),

  method("users.conversations", {
    tier: 1,
    summary: "Lists the conversations that a user is in and the caller can see, by id.",
    args: {
      user: Maybe(Text("The user; the caller by default.")),
      types: Maybe(List("public_channel, private_channel, mpim, im")),
      exclude_archived: Maybe(Flag()),
      cursor: Maybe(Cursor()),
      limit: LIMIT,
      team_id: Maybe(Text()),
    },
    async handle({ user, types, exclude_archived: excludeArchived = false, cursor, limit }, call) {
      const after = decodeCursor(cursor, "channel", /^[A-Z0-9]+$/) ?? "";
      const size = clampLimit(limit, CHANNELS_DEFAULT, CHANNELS_MAX);
      const wanted = requireTypes(types);
      if (user) await requireUser(call, user);
      const rows = await listChannels(call.session, call.actor, {
        types: wanted,
        excludeArchived,
        after,
        limit: size,
        member: user || call.actor,
      });
      const { page, metadata } = cut(rows, size, ({ id }) => encodeCursor("channel", id));
      return {
        channels: page.map((channel) => {
          const { is_member: _, num_members: __, ...shown } = channelView(channel);
          return shown;
        }),
        ...metadata,
      };
    },
  }),

  method("users.getPresence", {
    tier: 1,
    summary: "Reports whether a user is active.",
    args: { user: Maybe(Text("The user; the caller by default.")) },
    async handle({ user: id }, call) {
      if (id === SLACKBOT) return { presence: "active" };
      const user = await requireUser(call, id || call.actor);
      const isAway = user.presence === "away" || user.deleted;
      const presence = isAway ? "away" : "active";
      if (user.id !== call.actor) return { presence };
      return {
        presence,
        online: true,
        auto_away: false,
        manual_away: isAway,
        connection_count: 1,
        last_activity: secondsOf(call.session.source),
      };
    },
  }),

  method("users.setPresence", {
    tier: 1,
    summary: "Sets the caller's presence to away, or back to automatic.",
    args: { presence: Text("auto or away.") },
    async handle({ presence }, call) {
      if (presence !== "auto" && presence !== "away") throw new ChatError("invalid_presence");
      const { user } = await requireActor(call);
      if (user.presence !== presence) await updateUser(call.session, user.id, { presence });
      return {};
    },
  }),

  method("users.discoverableContacts.lookup", {
    tier: 3,
    summary: "Reports whether an email address belongs to a user.",
    args: { email: Text() },
    async handle({ email }, { session }) {
      return { is_discoverable: (await findUserByEmail(session, email.trim())) !== undefined };
    },
  }),
];
