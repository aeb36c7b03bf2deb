/** Members of conversations. */
import { Cursor, Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import {
  isGuest,
  refuseDirect,
  requireActor,
  requireChannel,
  requireMembership,
} from "~/replicas/chat/require";
import type { ChannelRow } from "~/replicas/chat/store/channels";
import {
  countMembers,
  deleteMember,
  insertMembers,
  listMembers,
  type MemberState,
  memberStates,
} from "~/replicas/chat/store/members";
import { insertNotices, type Notice, noticeType } from "~/replicas/chat/store/posting";
import { channelView } from "~/replicas/chat/views/channels";

const MEMBERS_DEFAULT = 100;
const MEMBERS_MAX = 999;
const INVITE_MAX = 1_000;

const noun = (channel: ChannelRow) => (channel.is_private ? "group" : "channel");

const joinNotice = (channel: ChannelRow, user: string, inviter?: string): Notice => ({
  user,
  subtype: noticeType(channel, "join"),
  text: `<@${user}> has joined the ${noun(channel)}`,
  ...(inviter === undefined ? {} : { extra: { inviter } }),
});

const leaveNotice = (channel: ChannelRow, user: string): Notice => ({
  user,
  subtype: noticeType(channel, "leave"),
  text: `<@${user}> has left the ${noun(channel)}`,
});

/** Adds users with a notice for each. Returns those who were not members before. */
const addMembers = (
  session: ChatSession,
  channel: ChannelRow,
  users: readonly string[],
  inviter?: string,
): Promise<string[]> =>
  session.transaction(async (inside) => {
    const added = await insertMembers(inside, channel.id, users);
    const notices = added.map((user) => joinNotice(channel, user, inviter));
    if (notices.length > 0) await insertNotices(inside, channel.id, notices);
    return added;
  });

/** Removes a member with a notice. Returns false when the user was not a member. */
const removeMember = (session: ChatSession, channel: ChannelRow, user: string): Promise<boolean> =>
  session.transaction(async (inside) => {
    const removed = await deleteMember(inside, channel.id, user);
    if (removed) await insertNotices(inside, channel.id, [leaveNotice(channel, user)]);
    return removed;
  });

/** The reason why a user cannot be added; undefined when there is none. */
function inviteError({ id, deleted, restricted, member }: MemberState, inviter: string) {
  if (id === inviter) return "cant_invite_self";
  if (deleted === null) return "user_not_found";
  if (member) return "already_in_channel";
  if (deleted) return "cant_invite";
  return restricted ? "user_is_restricted" : undefined;
}

/** The users who can be added: all of them or, with `force`, as many as possible. */
async function requireInvitable(
  { session, actor }: ChatCall,
  channel: string,
  users: readonly string[],
  force: boolean,
): Promise<string[]> {
  const states = await memberStates(session, channel, users);
  const errors = states.flatMap((state) => {
    const error = inviteError(state, actor);
    return error ? [{ ok: false, error, user: state.id }] : [];
  });
  const addable = users.filter((id) => !errors.some(({ user }) => user === id));
  const [first] = errors;
  if (first && (!force || addable.length === 0))
    throw new ChatError(first.error, users.length > 1 ? { errors } : {});
  return addable;
}

export const conversationsMembers = [
  method("conversations.members", {
    tier: 1,
    summary: "Lists the members of a conversation in the order in which they joined.",
    args: { channel: Text(), cursor: Maybe(Cursor()), limit: LIMIT },
    async handle({ channel, cursor, limit }, call) {
      const [joinedAt = "0", user = ""] =
        decodeCursor(cursor, "member", /^\d{1,18}-[A-Z0-9]+$/)?.split("-") ?? [];
      const size = clampLimit(limit, MEMBERS_DEFAULT, MEMBERS_MAX);
      await requireChannel(call, channel);
      const rows = await listMembers(call.session, channel, {
        after: { joinedAt, user },
        limit: size,
      });
      const { page, metadata } = cut(rows, size, (last) =>
        encodeCursor("member", `${last.joined_at}-${last.user_id}`),
      );
      return { members: page.map((member) => member.user_id), ...metadata };
    },
  }),

  method("conversations.join", {
    tier: 1,
    summary: "Joins a public channel.",
    args: { channel: Text() },
    async handle({ channel: id }, call) {
      const channel = await requireChannel(call, id);
      refuseDirect(channel);
      if (channel.is_private) throw new ChatError("method_not_supported_for_channel_type");
      if (channel.is_archived) throw new ChatError("is_archived");
      const added = await addMembers(call.session, channel, [call.actor]);
      if (added.length === 0) call.warn("already_in_channel");
      return { channel: channelView(await requireChannel(call, id)) };
    },
  }),

  method("conversations.leave", {
    tier: 1,
    summary: "Leaves a channel.",
    args: { channel: Text() },
    async handle({ channel: id }, call) {
      const channel = await requireChannel(call, id);
      refuseDirect(channel);
      if (!channel.is_member) return { not_in_channel: true };
      if (channel.is_archived) throw new ChatError("is_archived");
      if (channel.is_general) throw new ChatError("cant_leave_general");
      // Without members, nobody could ever see a private channel again.
      if (channel.is_private && (await countMembers(call.session, id)) === 1)
        throw new ChatError("last_member");
      const left = await removeMember(call.session, channel, call.actor);
      return left ? {} : { not_in_channel: true };
    },
  }),

  method("conversations.invite", {
    tier: 1,
    summary: "Adds people to a channel.",
    args: {
      channel: Text(),
      users: Maybe(List("Ids of users, up to 1000.")),
      force: Maybe(Flag("Add those who can be added, even if others cannot.")),
    },
    async handle({ channel: id, users = [], force = false }, call) {
      const channel = await requireMembership(call, id);
      refuseDirect(channel);
      if (channel.is_archived) throw new ChatError("is_archived");
      if (users.length === 0) throw new ChatError("no_user");
      if (users.length > INVITE_MAX) throw new ChatError("cant_invite");
      const addable = await requireInvitable(call, id, [...new Set(users)], force);
      await addMembers(call.session, channel, addable, call.actor);
      return { channel: channelView(await requireChannel(call, id)) };
    },
  }),

  method("conversations.kick", {
    tier: 1,
    summary: "Removes a user from a channel.",
    args: { channel: Text(), user: Text() },
    async handle({ channel: id, user }, call) {
      const channel = await requireMembership(call, id);
      refuseDirect(channel);
      if (channel.is_archived) throw new ChatError("is_archived");
      if (user === call.actor) throw new ChatError("cant_kick_self");
      const [state] = await memberStates(call.session, id, [user]);
      if (!state || state.deleted === null) throw new ChatError("user_not_found");
      if (!state.member) throw new ChatError("not_in_channel");
      if (channel.is_general) throw new ChatError("cant_kick_from_general");
      if (isGuest((await requireActor(call)).user)) throw new ChatError("restricted_action");
      if (!(await removeMember(call.session, channel, user))) throw new ChatError("not_in_channel");
      return { errors: {} };
    },
  }),
];
