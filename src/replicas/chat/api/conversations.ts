import { Flag, List, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { newId, padTs } from "~/replicas/chat/ids";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor } from "~/replicas/chat/paging";
import { requireChannel } from "~/replicas/chat/require";
import {
  type ChannelRow,
  type ChannelType,
  findChannel,
  insertChannel,
  listChannels,
} from "~/replicas/chat/store/channels";
import { insertMembers, listMembers, memberStates } from "~/replicas/chat/store/members";
import { listHistory, listReplies, type Page } from "~/replicas/chat/store/messages";
import { insertNotices } from "~/replicas/chat/store/posting";
import { channelView } from "~/replicas/chat/views/channels";
import { messageView } from "~/replicas/chat/views/messages";

const CHANNELS_DEFAULT = 100;
const PAGE_MAX = 999;
const MESSAGES_DEFAULT = 100;
const REPLIES_DEFAULT = 1_000;
const MEMBERS_DEFAULT = 100;
const INVITE_MAX = 1_000;
const NAME_MAX = 80;
const TYPES: readonly ChannelType[] = ["public_channel", "private_channel", "mpim", "im"];
const RESERVED_NAMES = new Set([
  "here",
  "channel",
  "everyone",
  "group",
  "all",
  "slack",
  "archive",
  "archived",
]);

export function requireTypes(types: readonly string[] | undefined): ChannelType[] {
  const wanted = types === undefined || types.length === 0 ? ["public_channel"] : types;
  if (!wanted.every((type): type is ChannelType => TYPES.some((known) => known === type)))
    throw new ChatError("invalid_types");
  return [...wanted] as ChannelType[];
}

/** A channel's name as it is stored. Throws the service's code for each way in which it can be wrong. */
export function requireName(given: string): string {
  const name = given.replace(/^#/, "");
  if (name === "") throw new ChatError("invalid_name_required");
  if ([...name].length > NAME_MAX) throw new ChatError("invalid_name_maxlength");
  if (!/^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}_-]+$/u.test(name))
    throw new ChatError("invalid_name_specials");
  if (/^[_-]+$/.test(name)) throw new ChatError("invalid_name_punctuation");
  if (RESERVED_NAMES.has(name)) throw new ChatError("name_taken");
  return name;
}

/** `channel_join` in public channels, `group_join` in private ones. */
export const noticeType = (channel: ChannelRow, event: string) =>
  `${channel.is_private ? "group" : "channel"}_${event}`;

const refuseDirect = ({ is_im: isIm, is_mpim: isMpim }: ChannelRow) => {
  if (isIm || isMpim) throw new ChatError("method_not_supported_for_channel_type");
};

const window = {
  oldest: Maybe(Text("Only messages after this timestamp.")),
  latest: Maybe(Text("Only messages before this timestamp.")),
  inclusive: Maybe(Flag("Include the messages at the bounds themselves.")),
  cursor: Maybe(Text()),
  limit: Maybe(Whole()),
  include_all_metadata: Maybe(Flag()),
};

const bound = (value: string | undefined, name: "oldest" | "latest"): string | undefined => {
  if (value === undefined || value === "") return undefined;
  const padded = padTs(value);
  if (padded === undefined) throw new ChatError(`invalid_ts_${name}`);
  return padded;
};

const TS_PATTERN = /^\d{10}\.\d{6}$/;
type Bounds = { readonly oldest?: string; readonly latest?: string; readonly inclusive?: boolean };

const readBounds = ({ oldest, latest, inclusive }: Bounds) => ({
  oldest: bound(oldest, "oldest"),
  latest: bound(latest, "latest"),
  inclusive: inclusive ?? false,
});

/** People read public channels without joining them, bots do not. */
function requireReadable(page: Page | undefined): asserts page is Page {
  if (!page) throw new ChatError("channel_not_found");
  if (!page.is_member && page.viewer_is_bot) throw new ChatError("not_in_channel");
}

/** Metadata is shown to those who ask for it. */
const withMetadata = (view: Record<string, unknown>, wanted: boolean | undefined) => {
  const { metadata, ...rest } = view;
  return wanted && metadata !== undefined ? { ...rest, metadata } : rest;
};

const requireAgain = async (
  session: ChatSession,
  viewer: string,
  id: string,
): Promise<ChannelRow> => {
  const channel = await findChannel(session, viewer, id, true);
  if (!channel) throw new ChatError("channel_not_found");
  return channel;
};

export const conversations = [
  method("conversations.list", {
    tier: 1,
    summary: "Lists the conversations that the caller can see.",
    args: {
      types: Maybe(List("public_channel, private_channel, mpim, im")),
      exclude_archived: Maybe(Flag()),
      cursor: Maybe(Text()),
      limit: Maybe(Whole()),
      team_id: Maybe(Text()),
    },
    async handle(
      { types, exclude_archived: excludeArchived = false, cursor, limit },
      { session, actor },
    ) {
      const after = decodeCursor(cursor, "channel", /^[A-Z0-9]+$/) ?? "";
      const size = clampLimit(limit, CHANNELS_DEFAULT, PAGE_MAX);
      const rows = await listChannels(session, actor, {
        types: requireTypes(types),
        excludeArchived,
        after,
        limit: size,
      });
      const { page, metadata } = cut(rows, size, ({ id }) => encodeCursor("channel", id));
      return { channels: page.map(channelView), ...metadata };
    },
  }),

  method("conversations.info", {
    tier: 1,
    summary: "Shows one conversation.",
    args: { channel: Text(), include_num_members: Maybe(Flag()), include_locale: Maybe(Flag()) },
    async handle(
      { channel, include_num_members: count, include_locale: locale },
      { session, actor },
    ) {
      const found = await findChannel(session, actor, channel, count);
      if (!found) throw new ChatError("channel_not_found");
      return {
        channel: {
          ...channelView(found),
          ...(found.is_member && !found.is_im ? { last_read: found.last_read } : {}),
          ...(locale ? { locale: "en-US" } : {}),
        },
      };
    },
  }),

  method("conversations.create", {
    tier: 1,
    summary: "Creates a channel.",
    args: { name: Text(), is_private: Maybe(Flag()), team_id: Maybe(Text()) },
    async handle({ name, is_private: isPrivate = false }, { session, actor }) {
      const id = newId("C");
      const created = await insertChannel(session, {
        id,
        name: requireName(name),
        isPrivate,
        creator: actor,
      });
      if (!created) throw new ChatError("name_taken");
      return { channel: channelView(await requireAgain(session, actor, id)) };
    },
  }),

  method("conversations.history", {
    tier: 1,
    summary: "Lists the messages of a conversation, newest first, without replies.",
    args: { channel: Text(), ...window },
    async handle(args, call) {
      const { session, actor } = call;
      const { channel, cursor, limit, include_all_metadata: metadataWanted } = args;
      const size = clampLimit(limit, MESSAGES_DEFAULT, PAGE_MAX);
      const found = await listHistory(session, actor, channel, {
        ...readBounds(args),
        limit: size,
        before: decodeCursor(cursor, "next_ts", TS_PATTERN),
      });
      requireReadable(found);
      const { page, hasMore, metadata } = cut(found.messages, size, ({ ts }) =>
        encodeCursor("next_ts", ts),
      );
      return {
        ...(args.latest ? { latest: args.latest } : {}),
        ...(args.oldest ? { oldest: args.oldest } : {}),
        messages: page.map((message) => withMetadata(messageView(message, call), metadataWanted)),
        has_more: hasMore,
        pin_count: 0,
        ...metadata,
      };
    },
  }),

  method("conversations.replies", {
    tier: 1,
    summary: "Lists a thread: its root, then its replies, oldest first.",
    args: { channel: Text(), ts: Text("Timestamp of any message of the thread."), ...window },
    async handle(args, call) {
      const { session, actor } = call;
      const { channel, cursor, limit, include_all_metadata: metadataWanted } = args;
      const ts = padTs(args.ts);
      if (ts === undefined) throw new ChatError("thread_not_found");
      const size = clampLimit(limit, REPLIES_DEFAULT, REPLIES_DEFAULT);
      const found = await listReplies(session, actor, channel, ts, {
        ...readBounds(args),
        limit: size,
        after: decodeCursor(cursor, "next_ts", TS_PATTERN),
      });
      requireReadable(found);
      if (found.messages.length === 0 && !cursor) throw new ChatError("thread_not_found");
      const { page, hasMore, metadata } = cut(found.messages, size, ({ ts }) =>
        encodeCursor("next_ts", ts),
      );
      return {
        messages: page.map((message) => withMetadata(messageView(message, call), metadataWanted)),
        has_more: hasMore,
        ...metadata,
      };
    },
  }),

  method("conversations.members", {
    tier: 1,
    summary: "Lists the members of a conversation.",
    args: { channel: Text(), cursor: Maybe(Text()), limit: Maybe(Whole()) },
    async handle({ channel, cursor, limit }, call) {
      const [joinedAt = "0", user = ""] =
        decodeCursor(cursor, "member", /^\d{1,19}-[A-Z0-9]+$/)?.split("-") ?? [];
      const size = clampLimit(limit, MEMBERS_DEFAULT, PAGE_MAX);
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
      const { session, actor } = call;
      const channel = await requireChannel(call, id);
      if (channel.is_private) throw new ChatError("method_not_supported_for_channel_type");
      if (channel.is_archived) throw new ChatError("is_archived");
      const joined = await session.transaction(async (tx) => {
        const added = await insertMembers(tx, id, [actor]);
        if (added.length > 0) await insertNotices(tx, id, [joinNotice(channel, actor)]);
        return added.length > 0;
      });
      if (!joined) call.warn("already_in_channel");
      return { channel: channelView(await requireAgain(session, actor, id)) };
    },
  }),

  method("conversations.invite", {
    tier: 1,
    summary: "Adds people to a channel.",
    args: { channel: Text(), users: List("Ids of users, up to 1000."), force: Maybe(Flag()) },
    async handle({ channel: id, users, force = false }, call) {
      const { session, actor } = call;
      const channel = await requireChannel(call, id);
      refuseDirect(channel);
      if (!channel.is_member) throw new ChatError("not_in_channel");
      if (channel.is_archived) throw new ChatError("is_archived");
      if (users.length === 0) throw new ChatError("no_user");
      if (users.length > INVITE_MAX) throw new ChatError("cant_invite");
      await invite(session, channel, actor, [...new Set(users)], force);
      return { channel: channelView(await requireAgain(session, actor, id)) };
    },
  }),
];

const joinNotice = (channel: ChannelRow, user: string, inviter?: string) => ({
  user,
  subtype: noticeType(channel, "join"),
  text: `<@${user}> has joined the ${channel.is_private ? "group" : "channel"}`,
  ...(inviter === undefined ? {} : { extra: { inviter } }),
});

/** Adds all of them or none; with `force` those who can be added. */
async function invite(
  session: ChatCall["session"],
  channel: ChannelRow,
  inviter: string,
  users: readonly string[],
  force: boolean,
): Promise<void> {
  const states = await memberStates(session, channel.id, users);
  const errors = states.flatMap(({ id, deleted, restricted, member }) => {
    const error = inviteError(id, inviter, deleted, restricted, member);
    return error ? [{ ok: false, error, user: id }] : [];
  });
  const [first] = errors;
  const addable = users.filter((user) => !errors.some((error) => error.user === user));
  if (first && (!force || addable.length === 0))
    throw new ChatError(first.error, users.length > 1 ? { errors } : {});
  await session.transaction(async (tx) => {
    const added = await insertMembers(tx, channel.id, addable);
    await insertNotices(
      tx,
      channel.id,
      added.map((user) => joinNotice(channel, user, inviter)),
    );
  });
}

function inviteError(
  user: string,
  inviter: string,
  deleted: boolean | null,
  restricted: boolean | null,
  member: boolean,
): string | undefined {
  if (user === inviter) return "cant_invite_self";
  if (deleted === null) return "user_not_found";
  if (member) return "already_in_channel";
  if (deleted) return "cant_invite";
  return restricted ? "user_is_restricted" : undefined;
}
