/** Channels: listing, creating, renaming, archiving and describing them. */
import { errorCode, UNIQUE_VIOLATION } from "~/db/connect";
import { Cursor, Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { NAME_ARG, requireName, requireTypes } from "~/replicas/chat/channels";
import { ChatError } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import {
  isAdmin,
  isGuest,
  refuseDirect,
  requireActor,
  requireChannel,
  requireFullMember,
  requireMembership,
} from "~/replicas/chat/require";
import { findChannelCanvas } from "~/replicas/chat/store/canvases";
import {
  type ChannelRow,
  findChannel,
  insertChannel,
  listChannels,
  renameChannel,
  setArchived,
  setNote,
} from "~/replicas/chat/store/channels";
import { findLastRead, findReadState } from "~/replicas/chat/store/messages";
import { insertNotices, noticeType } from "~/replicas/chat/store/posting";
import { requireNoneDue } from "~/replicas/chat/store/scheduled";
import { normalizeText } from "~/replicas/chat/text";
import { channelView, propertiesView } from "~/replicas/chat/views/channels";
import { messageView } from "~/replicas/chat/views/messages";
import { present, type Wire } from "~/replicas/chat/views/wire";

const CHANNELS_DEFAULT = 100;
const CHANNELS_MAX = 999;
const NOTE_MAX = 250;
const NOTE = { tooLong: "too_long" };

/** A member's read mark and unread counts, and the last message. */
async function readState(call: ChatCall, id: string) {
  const state = await findReadState(call.session, call.actor, id);
  if (!state) return {};
  const { latest, is_due: isDue, ...counts } = state;
  requireNoneDue(call.session, id, isDue);
  return { ...counts, ...(latest ? { latest: messageView(latest, call) } : {}) };
}

/** A channel that the caller has just created or changed. */
async function changedChannel(call: ChatCall, id: string): Promise<Wire> {
  const channel = channelView(await requireChannel(call, id));
  return present({ ...channel, last_read: await findLastRead(call.session, call.actor, id) });
}

/** Sets topic or purpose, with a notice when it changes. */
async function describe(
  call: ChatCall,
  id: string,
  which: "topic" | "purpose",
  given: string,
): Promise<{ channel: object } & Record<string, unknown>> {
  const channel = await requireMembership(call, id);
  if (channel.is_im) throw new ChatError("method_not_supported_for_channel_type");
  if (channel.is_archived) throw new ChatError("is_archived");
  if ([...given].length > NOTE_MAX) throw new ChatError("too_long");
  if (isGuest((await requireActor(call)).user)) throw new ChatError("user_is_restricted");
  const value = normalizeText(given);
  if (value !== channel[which].value)
    await call.session.transaction(async (inside) => {
      await setNote(inside, id, which, value, call.actor);
      const text = value
        ? `<@${call.actor}> set the channel ${which}: ${value}`
        : `<@${call.actor}> cleared the channel ${which}`;
      const notice = { user: call.actor, subtype: noticeType(channel, which), text };
      await insertNotices(inside, id, [{ ...notice, extra: { [which]: value } }]);
    });
  return { channel: await changedChannel(call, id), [which]: value };
}

export const conversations = [
  method("conversations.list", {
    tier: 1,
    summary: "Lists the conversations that the caller can see, by id.",
    args: {
      types: Maybe(List("public_channel, private_channel, mpim, im")),
      exclude_archived: Maybe(Flag()),
      cursor: Maybe(Cursor()),
      limit: LIMIT,
      team_id: Maybe(Text()),
    },
    async handle({ types, exclude_archived: excludeArchived = false, cursor, limit }, call) {
      const after = decodeCursor(cursor, "channel", /^[A-Z0-9]+$/) ?? "";
      const size = clampLimit(limit, CHANNELS_DEFAULT, CHANNELS_MAX);
      const rows = await listChannels(call.session, call.actor, {
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
    async handle({ channel: id, include_num_members: countMembers, include_locale: locale }, call) {
      const channel = await findChannel(call.session, call.actor, id, { countMembers });
      if (!channel) throw new ChatError("channel_not_found");
      return {
        channel: {
          ...channelView(channel),
          properties: propertiesView(channel, await findChannelCanvas(call.session, id)),
          ...(channel.is_member ? await readState(call, id) : {}),
          ...(locale ? { locale: "en-US" } : {}),
        },
      };
    },
  }),

  method("conversations.create", {
    tier: 1,
    summary: "Creates a channel.",
    args: { name: Maybe(NAME_ARG), is_private: Maybe(Flag()), team_id: Maybe(Text()) },
    async handle({ name: given = "", is_private: isPrivate = false }, call) {
      if (given === "#") throw new ChatError("no_channel");
      const name = requireName(given);
      await requireFullMember(call);
      const id = newId(call.session, "C");
      const created = await insertChannel(call.session, {
        id,
        name,
        isPrivate,
        creator: call.actor,
      });
      if (!created) throw new ChatError("name_taken");
      return { channel: await changedChannel(call, id) };
    },
  }),

  method("conversations.rename", {
    tier: 1,
    summary: "Renames a channel.",
    args: { channel: Text(), name: Maybe(NAME_ARG) },
    async handle({ channel: id, name: given = "" }, call) {
      const name = requireName(given);
      const channel = await requireMembership(call, id);
      refuseDirect(channel);
      const { user } = await requireActor(call);
      if (channel.creator !== user.id && !isAdmin(user)) throw new ChatError("not_authorized");
      if (channel.is_archived) throw new ChatError("is_archived");
      const rename = call.session.transaction(async (inside) => {
        if (!(await renameChannel(inside, id, name))) throw new ChatError("name_taken");
        await insertNotices(inside, id, [
          {
            user: user.id,
            subtype: noticeType(channel, "name"),
            text: `<@${user.id}> has renamed the channel from "${channel.name}" to "${name}"`,
            extra: { old_name: channel.name, name },
          },
        ]);
      });
      await rename.catch((error) => {
        // Another channel took the name after this call had checked it.
        throw errorCode(error) === UNIQUE_VIOLATION ? new ChatError("name_taken") : error;
      });
      return { channel: await changedChannel(call, id) };
    },
  }),

  method("conversations.archive", {
    tier: 1,
    summary: "Archives a channel: it becomes read-only.",
    args: { channel: Text() },
    async handle({ channel: id }, call) {
      const channel = await requireMembership(call, id);
      refuseDirect(channel);
      if (isGuest((await requireActor(call)).user)) throw new ChatError("restricted_action");
      if (channel.is_general) throw new ChatError("cant_archive_general");
      await archive(call, channel, true);
      return {};
    },
  }),

  method("conversations.unarchive", {
    tier: 1,
    summary: "Unarchives a channel.",
    args: { channel: Text() },
    async handle({ channel: id }, call) {
      const channel = await requireChannel(call, id);
      refuseDirect(channel);
      await archive(call, channel, false);
      return {};
    },
  }),

  method("conversations.setTopic", {
    tier: 1,
    summary: "Sets the topic of a channel.",
    args: { channel: Text(), topic: Text("At most 250 characters.", NOTE) },
    handle: ({ channel, topic }, call) => describe(call, channel, "topic", topic),
  }),

  method("conversations.setPurpose", {
    tier: 1,
    summary: "Sets the purpose of a channel.",
    args: { channel: Text(), purpose: Text("At most 250 characters.", NOTE) },
    handle: ({ channel, purpose }, call) => describe(call, channel, "purpose", purpose),
  }),
];

export async function archive(
  { session, actor }: ChatCall,
  channel: ChannelRow,
  archived: boolean,
) {
  const [event, done, refusal] = archived
    ? (["archive", "archived", "already_archived"] as const)
    : (["unarchive", "un-archived", "not_archived"] as const);
  await session.transaction(async (inside) => {
    if (!(await setArchived(inside, channel.id, archived))) throw new ChatError(refusal);
    await insertNotices(inside, channel.id, [
      {
        user: actor,
        subtype: noticeType(channel, event),
        text: `<@${actor}> ${done} the channel`,
      },
    ]);
  });
}
