import { errorCode, UNIQUE_VIOLATION } from "~/db/connect";
import { Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import { CONTENT_ARGS, hasContent, METADATA_ARG, readContent } from "~/replicas/chat/compose";
import { resolveDestination } from "~/replicas/chat/destination";
import { ChatError } from "~/replicas/chat/errors";
import { isTs, isUserId } from "~/replicas/chat/ids";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { requireActor, requireMessage } from "~/replicas/chat/require";
import { findMessage } from "~/replicas/chat/store/messages";
import {
  deleteMessage,
  findObstacles,
  insertMessage,
  type NewMessage,
  type Obstacles,
  SYSTEM_SUBTYPES,
  updateMessage,
} from "~/replicas/chat/store/posting";
import { messageView, SLACKBOT } from "~/replicas/chat/views";

/** Posts that take the same microsecond of a channel whose clock went back; each finds the next one free. */
const POST_ATTEMPTS = 5;

const invalidThreadTs = (ts: string) =>
  new ChatError("invalid_thread_ts", {
    response_metadata: { messages: [`[ERROR] ${ts.slice(0, 100)} is not a valid thread_ts`] },
  });

/** Why a message was not posted. */
function refusal({
  channel,
  is_private,
  is_archived,
  is_member,
  actor_deleted,
  actor_is_bot,
  root_ts,
  root_subtype,
}: Obstacles) {
  if (actor_deleted === null) return new ChatError("invalid_auth");
  if (actor_deleted) return new ChatError("account_inactive");
  if (channel === null || (is_private && !is_member)) return new ChatError("channel_not_found");
  if (is_archived) return new ChatError("is_archived");
  if (!is_member && !actor_is_bot) return new ChatError("not_in_channel");
  if (root_ts === null) return new ChatError("thread_not_found");
  if (SYSTEM_SUBTYPES.some((subtype) => subtype === root_subtype))
    return new ChatError("cannot_reply_to_message");
  return new Error("a message was not posted for no reason that is known");
}

/**
 * Posts to `to` (`C…`, `#name`, or a user's id for the direct message with them) and returns what was stored. A
 * direct message that had to be opened for it is part of the same transaction.
 */
export async function post(call: ChatCall, to: string, message: Omit<NewMessage, "channel">) {
  const send = async (session: ChatSession) => {
    const channel = await resolveDestination(session, call.actor, to);
    const posted = await insertMessage(session, { ...message, channel });
    if (!posted) throw refusal(await findObstacles(session, { ...message, channel }));
    return posted;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await (isUserId(to) ? call.session.transaction(send) : send(call.session));
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION || attempt === POST_ATTEMPTS) throw error;
    }
  }
}

export const chat = [
  method("chat.postMessage", {
    summary: "Posts a message, or a reply with thread_ts.",
    args: {
      channel: Text("Id or name of a channel, or a user's id for a direct message."),
      ...CONTENT_ARGS,
      ...METADATA_ARG,
      thread_ts: Maybe(Text("Timestamp of the message to reply to.")),
      reply_broadcast: Maybe(Flag("Show the reply in the channel too.")),
      username: Maybe(Text("Name to post under.")),
      icon_emoji: Maybe(Text("Emoji for a picture.")),
      icon_url: Maybe(Text("Address of a picture.")),
      as_user: Maybe(Flag()),
      mrkdwn: Maybe(Flag()),
      unfurl_links: Maybe(Flag()),
      unfurl_media: Maybe(Flag()),
    },
    async handle(args, call) {
      const { thread_ts: threadTs, username, icon_emoji: emoji, icon_url: url } = args;
      const content = readContent(args);
      if (!hasContent(content)) throw new ChatError("no_text");
      if (threadTs !== undefined && !isTs(threadTs)) throw invalidThreadTs(threadTs);
      const disguised = username !== undefined || emoji !== undefined || url !== undefined;
      const message = await post(call, args.channel, {
        user: call.actor,
        text: content.text ?? "",
        threadTs: threadTs ?? null,
        broadcast: args.reply_broadcast ?? false,
        subtype: disguised ? "bot_message" : null,
        username: username ?? null,
        icons:
          emoji || url ? { ...(emoji ? { emoji } : {}), ...(url ? { image_48: url } : {}) } : null,
        blocks: content.blocks ?? null,
        attachments: content.attachments ?? null,
        metadata:
          content.metadata && Object.keys(content.metadata).length > 0 ? content.metadata : null,
      });
      return { channel: message.channel_id, ts: message.ts, message: messageView(message) };
    },
  }),

  method("chat.update", {
    summary: "Edits a message of one's own.",
    args: {
      channel: Text(),
      ts: Text("Timestamp of the message."),
      ...CONTENT_ARGS,
      ...METADATA_ARG,
      file_ids: Maybe(List()),
      reply_broadcast: Maybe(Flag("Show an existing reply in the channel too.")),
      as_user: Maybe(Flag()),
    },
    async handle(args, call) {
      const content = readContent(args);
      const given =
        args.text ?? args.markdown_text ?? args.blocks ?? args.attachments ?? args.metadata;
      if (given === undefined && args.file_ids === undefined && !args.reply_broadcast)
        throw new ChatError("no_text");
      const message = await requireMessage(call, args.channel, args.ts);
      if (
        message.user_id !== call.actor ||
        SYSTEM_SUBTYPES.some((subtype) => subtype === message.subtype)
      )
        throw new ChatError("cant_update_message");
      const text = content.text;
      // A text without blocks replaces them; blocks and attachments that are empty are removed.
      const blocks = content.blocks ?? (text === undefined ? undefined : []);
      const remaining = {
        text: text ?? message.text,
        blocks: blocks ?? message.blocks ?? [],
        attachments: content.attachments ?? message.attachments ?? [],
      };
      if (
        !remaining.text.trim() &&
        remaining.blocks.length === 0 &&
        remaining.attachments.length === 0
      )
        throw new ChatError("no_text");
      await updateMessage(call.session, args.channel, args.ts, call.actor, {
        text,
        blocks: orNull(blocks),
        attachments: orNull(content.attachments),
        metadata:
          content.metadata && Object.keys(content.metadata).length === 0 ? null : content.metadata,
        broadcast: args.reply_broadcast ?? false,
      });
      const edited = await findMessage(call.session, call.actor, args.channel, args.ts);
      if (!edited) throw new ChatError("message_not_found");
      return {
        channel: args.channel,
        ts: args.ts,
        text: edited.text,
        message: messageView(edited),
      };
    },
  }),

  method("chat.delete", {
    summary: "Deletes a message.",
    args: { channel: Text(), ts: Text("Timestamp of the message."), as_user: Maybe(Flag()) },
    async handle({ channel, ts }, call) {
      const message = await requireMessage(call, channel, ts);
      const { user } = await requireActor(call);
      const mayDelete = message.user_id === call.actor || (user.is_admin && !user.is_bot);
      if (!mayDelete || message.subtype === "tombstone") throw new ChatError("cant_delete_message");
      await call.session.transaction((session) => deleteMessage(session, channel, ts, SLACKBOT));
      return { channel, ts };
    },
  }),
];

/** An empty list is stored as none. */
const orNull = <T>(list: T[] | undefined) => (list?.length === 0 ? null : list);
