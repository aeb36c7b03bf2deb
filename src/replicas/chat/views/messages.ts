import { richText } from "~/replicas/chat/rich-text";
import type { MessageRow } from "~/replicas/chat/store/messages";
import { type FileUrls, fileView } from "~/replicas/chat/views/files";
import { blockId, clientMessageId } from "~/replicas/chat/views/message-ids";
import { botIcons } from "~/replicas/chat/views/users";
import { present, type Wire } from "~/replicas/chat/views/wire";

/** The service's own limits. */
const REPLY_USERS_MAX = 5;
const REACTION_USERS_MAX = 50;

/**
 * `full`: lists every user of every reaction. A field without a value is undefined, so that JSON leaves it out: removing
 * it takes longer than all the rest.
 */
export function messageView(message: MessageRow, place: FileUrls, full = false): Wire {
  const { bot, thread, files } = message;
  const isReply = message.thread_ts !== null;
  const isPersonal = message.bot_id === null && message.subtype === null;
  return {
    subtype: message.subtype ?? undefined,
    user: message.user_id ?? undefined,
    type: "message",
    ts: message.ts,
    client_msg_id: isPersonal ? clientMessageId(message) : undefined,
    text: message.text,
    team: message.team_id,
    username: message.username ?? undefined,
    icons: message.icons ?? undefined,
    bot_id: message.bot_id ?? undefined,
    app_id: message.app_id ?? undefined,
    bot_profile: bot
      ? {
          id: bot.bot_id,
          deleted: bot.deleted,
          name: bot.real_name,
          updated: bot.updated,
          app_id: bot.app_id,
          user_id: bot.id,
          icons: botIcons(bot),
          team_id: bot.team_id,
        }
      : undefined,
    blocks: message.blocks ?? richTextOf(message),
    attachments: message.attachments ?? undefined,
    ...(files && {
      files: files.map((file) => fileView(file, place, false)),
      upload: true,
      display_as_bot: false,
    }),
    metadata: message.metadata ?? undefined,
    edited: message.edited ?? undefined,
    ...(message.subtype === "tombstone" && { hidden: true }),
    thread_ts: message.thread_ts ?? (thread ? message.ts : undefined),
    parent_user_id: (isReply && message.parent_user_id) || undefined,
    ...(thread && {
      reply_count: thread.reply_count,
      reply_users_count: thread.reply_users_count,
      latest_reply: thread.latest_reply,
      reply_users: thread.reply_users.slice(0, REPLY_USERS_MAX),
      is_locked: false,
      subscribed: thread.subscribed,
      last_read: thread.subscribed ? thread.last_read : undefined,
    }),
    ...(message.extra && present(message.extra)),
    root: message.root ? messageView(message.root, place) : undefined,
    pinned_to: message.is_pinned ? [message.channel_id] : undefined,
    is_starred: message.is_starred || undefined,
    reactions: message.reactions?.map(({ name, users, count }) => ({
      name,
      users: full ? users : users.slice(0, REACTION_USERS_MAX),
      count,
    })),
  };
}

/** Notices of the service have no block, and what an app attaches stands for itself. */
function richTextOf(message: MessageRow): Wire[] | undefined {
  const { subtype, text, attachments, bot_id: botId } = message;
  const isWritten = subtype === null || subtype === "thread_broadcast" || subtype === "bot_message";
  if (!isWritten || attachments) return undefined;
  const elements = richText(text, botId === null);
  return elements && [{ type: "rich_text", block_id: blockId(message), elements }];
}

export const permalink = ({
  channel_id: channel,
  ts,
  thread_ts: root,
  team_url: url,
}: MessageRow) =>
  `${url}archives/${channel}/p${ts.replace(".", "")}${root === null ? "" : `?thread_ts=${root}&cid=${channel}`}`;
