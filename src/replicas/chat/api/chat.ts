import { Flag, List, Maybe, Text } from "~/replicas/chat/arguments";
import {
  AUTHOR_ARGS,
  CONTENT_ARGS,
  contentColumns,
  MESSAGE_TEXT,
  METADATA_ARG,
  readAuthor,
  readContent,
  requireContent,
} from "~/replicas/chat/compose";
import { resolveChannel } from "~/replicas/chat/destination";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, type ChatSession, method } from "~/replicas/chat/method";
import { PLAIN, post, readThreadTs, requirePostable } from "~/replicas/chat/posting";
import {
  isAdmin,
  requireActor,
  requireChannel,
  requireFiles,
  requireMessage,
  requireMessageIn,
} from "~/replicas/chat/require";
import { deleteMessage, replaceFiles, updateMessage } from "~/replicas/chat/store/editing";
import { insertEphemeral } from "~/replicas/chat/store/ephemeral";
import { memberStates } from "~/replicas/chat/store/members";
import { findMessage, type MessageRow } from "~/replicas/chat/store/messages";
import { SYSTEM_SUBTYPES } from "~/replicas/chat/store/posting";
import type { TeamRow } from "~/replicas/chat/store/team";
import { messageView, permalink } from "~/replicas/chat/views/messages";
import { SLACKBOT } from "~/replicas/chat/views/users";
import { secondsOf } from "~/source";

const asUser = { as_user: Maybe(Flag()) };

/** The caller's own message, and not a notice. Otherwise throws the reason. */
function requireEditable(message: MessageRow, { actor, session }: ChatCall, team: TeamRow): void {
  const isNotice = message.subtype !== null && SYSTEM_SUBTYPES.includes(message.subtype);
  if (message.user_id !== actor || isNotice) throw new ChatError("cant_update_message");
  const { msg_edit_window_mins: minutes } = team;
  const age = secondsOf(session.source) - Number(message.ts);
  if (minutes >= 0 && age > minutes * 60) throw new ChatError("edit_window_closed");
}

/** An empty list is stored as null. */
const orNull = <T>(items: readonly T[] | undefined) =>
  items === undefined || items.length > 0 ? items : null;

type NewPost = Parameters<typeof requireContent>[1] &
  Parameters<typeof readAuthor>[0] & {
    readonly channel: string;
    readonly thread_ts?: string;
    readonly reply_broadcast?: boolean;
    readonly mrkdwn?: boolean;
  };

/** Posts a message and returns what was stored. */
export async function postMessage(call: ChatCall, args: NewPost): Promise<MessageRow> {
  const content = await requireContent(call, args);
  const threadTs = readThreadTs(args.thread_ts);
  const isPlain = args.mrkdwn === false || args.parse === "full";
  return await post(call, args.channel, {
    ...contentColumns(content),
    ...readAuthor(args),
    threadTs,
    broadcast: args.reply_broadcast ?? false,
    extra: isPlain ? { mrkdwn: false } : null,
  });
}

export const chat = [
  method("chat.postMessage", {
    tier: 1,
    summary: "Posts a message, or a reply with thread_ts.",
    limits: "Nothing unfurls.",
    args: {
      channel: Text("Id or name of a channel, or a user's id for a direct message."),
      ...CONTENT_ARGS,
      ...METADATA_ARG,
      thread_ts: Maybe(Text("Timestamp of the message to reply to.")),
      reply_broadcast: Maybe(Flag("Show the reply in the channel too.")),
      ...AUTHOR_ARGS,
      ...asUser,
      mrkdwn: Maybe(Flag("False: the text is shown without formatting.")),
      unfurl_links: Maybe(Flag("Ignored: nothing is fetched, so nothing unfurls.")),
      unfurl_media: Maybe(Flag()),
    },
    async handle(args, call) {
      const message = await postMessage(call, args);
      return { channel: message.channel_id, ts: message.ts, message: messageView(message, call) };
    },
  }),

  method("chat.meMessage", {
    tier: 1,
    summary: "Posts a /me message.",
    args: { channel: Text(), text: Maybe(Text(undefined, MESSAGE_TEXT)) },
    async handle(args, call) {
      const content = await requireContent(call, args);
      const message = await post(call, args.channel, {
        ...PLAIN,
        ...contentColumns(content),
        subtype: "me_message",
      });
      return { channel: message.channel_id, ts: message.ts };
    },
  }),

  method("chat.postEphemeral", {
    tier: 1,
    summary: "Shows a message to one member of a channel, outside the history.",
    args: {
      channel: Text(),
      user: Text("The user who sees it."),
      ...CONTENT_ARGS,
      thread_ts: Maybe(Text()),
      ...AUTHOR_ARGS,
      ...asUser,
    },
    async handle(args, call) {
      const content = await requireContent(call, args);
      const threadTs = readThreadTs(args.thread_ts);
      const { session, actor } = call;
      const channel = await resolveChannel(session, actor, args.channel);
      await requirePostable(call, channel, threadTs);
      const [reader] = await memberStates(session, channel, [args.user]);
      if (!reader?.member) throw new ChatError("user_not_in_channel");
      const { username, icons } = readAuthor(args);
      const ts = await insertEphemeral(session, {
        channel,
        user: args.user,
        author: actor,
        threadTs,
        username,
        icons,
        ...contentColumns(content),
      });
      return { message_ts: ts };
    },
  }),

  method("chat.update", {
    tier: 1,
    summary: "Edits a message of the caller.",
    args: {
      channel: Text(),
      ts: Text("Timestamp of the message."),
      ...CONTENT_ARGS,
      ...METADATA_ARG,
      file_ids: Maybe(List("The new files of the message.")),
      reply_broadcast: Maybe(Flag("Show an existing reply in the channel too.")),
      ...asUser,
    },
    async handle(args, call) {
      const { session, actor } = call;
      const { channel, ts, file_ids: fileIds } = args;
      const content = await readContent(call, args);
      const { text, attachments, metadata } = content;
      const given =
        args.text ?? args.markdown_text ?? args.blocks ?? args.attachments ?? args.metadata;
      if (given === undefined && fileIds === undefined && !args.reply_broadcast)
        throw new ChatError("no_text");
      const { is_archived: isArchived } = await requireChannel(call, channel);
      const message = await requireMessageIn(call, channel, ts);
      const { team } = await requireActor(call);
      requireEditable(message, call, team);
      if (isArchived) throw new ChatError("is_inactive");
      if (fileIds) await requireFiles(call, fileIds);
      // A text without blocks replaces them; blocks and attachments that are empty are removed.
      const blocks = content.blocks ?? (text === undefined ? undefined : []);
      const remaining = [
        (text ?? message.text).trim(),
        blocks ?? message.blocks,
        attachments ?? message.attachments,
        fileIds ?? message.files,
      ];
      if (!remaining.some((part) => part?.length)) throw new ChatError("no_text");
      const write = async (inside: ChatSession) => {
        const updated = await updateMessage(inside, channel, ts, actor, {
          text,
          blocks: orNull(blocks),
          attachments: orNull(attachments),
          metadata: metadata && Object.keys(metadata).length === 0 ? null : metadata,
          broadcast: args.reply_broadcast ?? false,
        });
        if (!updated) throw new ChatError("message_not_found");
        if (fileIds) await replaceFiles(inside, channel, ts, fileIds);
      };
      await (fileIds ? session.transaction(write) : write(session));
      const edited = await findMessage(session, actor, channel, ts);
      if (!edited) throw new ChatError("message_not_found");
      return { channel, ts, text: edited.text, message: messageView(edited, call) };
    },
  }),

  method("chat.delete", {
    tier: 1,
    summary: "Deletes a message.",
    args: { channel: Text(), ts: Text("Timestamp of the message."), ...asUser },
    async handle({ channel, ts }, call) {
      const message = await requireMessage(call, channel, ts);
      const { user, team } = await requireActor(call);
      const mayDelete = isAdmin(user) && !user.is_bot;
      const isOwn = message.user_id === call.actor && team.allow_message_deletion;
      if ((!isOwn && !mayDelete) || message.subtype === "tombstone")
        throw new ChatError("cant_delete_message");
      await call.session.transaction((session) => deleteMessage(session, channel, ts, SLACKBOT));
      return { channel, ts };
    },
  }),

  method("chat.getPermalink", {
    tier: 1,
    summary: "Returns the address of a message.",
    args: { channel: Text(), message_ts: Text() },
    async handle({ channel, message_ts: ts }, call) {
      return { channel, permalink: permalink(await requireMessage(call, channel, ts)) };
    },
  }),
];
