/** Tools that write messages and reactions, and open conversations. */

import { postMessage } from "~/replicas/chat/api/chat";
import { MARKDOWN_TEXT } from "~/replicas/chat/compose";
import { ChatError, rejectedTime } from "~/replicas/chat/errors";
import { newId } from "~/replicas/chat/ids";
import { atPlace } from "~/replicas/chat/mcp/reading";
import { runMethod } from "~/replicas/chat/mcp/run";
import { type Arguments, atomically, type Tools, withCodes } from "~/replicas/chat/mcp/tool";
import { createReader, formatTime } from "~/replicas/chat/mcp/words";
import type { ChatCall } from "~/replicas/chat/method";
import { readThreadTs, requirePostable } from "~/replicas/chat/posting";
import { requireActor, requireChannel } from "~/replicas/chat/require";
import { deleteDraft, saveDraft } from "~/replicas/chat/store/drafts";
import { permalink } from "~/replicas/chat/views/messages";
import { secondsOf, uuid } from "~/source";

/** Of one paragraph. */
const ELEMENT_MAX = 5_000;
const AHEAD_SECONDS_MIN = 120;
const NAME_MAX = 80;
/** Of a direct message, without the caller. */
const PARTIES_MAX = 8;

/** The tools' codes for those of the methods that post. */
const CODES = {
  thread_not_found: "thread_reply_not_available",
  invalid_thread_ts: "thread_reply_not_available",
  cannot_reply_to_message: "thread_reply_not_available",
  restricted_action: "permission_denied",
  restricted_action_thread_locked: "permission_denied",
};

function requireMessageText(message: string): void {
  if (message.trim() === "") throw new ChatError("no_text");
  if (message.length > MARKDOWN_TEXT.max) throw new ChatError("msg_too_long");
  if (message.split(/\n[^\S\n]*\n/).some((element) => [...element].length > ELEMENT_MAX))
    throw new ChatError("msg_too_long");
}

async function sendMessage(args: Arguments, call: ChatCall): Promise<object> {
  const { channel_id: channel, message, thread_ts, reply_broadcast } = args;
  requireMessageText(message);
  const posted = await postMessage(call, {
    channel,
    markdown_text: message,
    thread_ts,
    reply_broadcast,
  });
  if (args["draft_id"]) await deleteDraft(call.session, call.actor, args["draft_id"]);
  return {
    message_link: permalink(posted),
    message_context: { message_ts: posted.ts, channel_id: posted.channel_id },
  };
}

async function scheduleMessage(args: Arguments, call: ChatCall): Promise<object> {
  const { message, post_at: at } = args;
  requireMessageText(message);
  const { source } = call.session;
  if (at < secondsOf(source) + AHEAD_SECONDS_MIN) throw rejectedTime("time_in_past", source);
  const answer = await runMethod(call, "chat.scheduleMessage", {
    channel: args["channel_id"],
    markdown_text: message,
    post_at: String(at),
    thread_ts: args["thread_ts"],
    reply_broadcast: args["reply_broadcast"],
  });
  const id = String(answer["channel"]);
  const { is_im: isDirect, name } = await requireChannel(call, id);
  const { user } = await requireActor(call);
  const lines = [
    "Message scheduled successfully!",
    `Scheduled Message ID: ${answer["scheduled_message_id"]}`,
    `Channel: ${isDirect ? "DM" : name} (${id})`,
    `Post at: ${formatTime(at, user.tz)} (${at})`,
  ];
  return { result: lines.join("\n") };
}

function draftMessage(args: Arguments, call: ChatCall): Promise<object> {
  const { message, thread_ts: thread } = args;
  requireMessageText(message);
  return atPlace(call, args["channel_id"], async (inside, id) => {
    const threadTs = readThreadTs(thread);
    await requirePostable(inside, id, threadTs);
    const draft = newId(inside.session, "Dr");
    const isNew = await saveDraft(inside.session, {
      id: draft,
      user: inside.actor,
      channel: id,
      threadTs: threadTs ?? "",
      text: message,
    });
    const channel = await requireChannel(inside, id);
    const { team } = await requireActor(inside);
    const other = channel.is_im ? (channel.other_user ?? inside.actor) : undefined;
    const reader = await createReader(inside, [], other ? [other] : []);
    return {
      channel_link: `${team.url}archives/${id}`,
      widget_id: uuid(inside.session.source),
      ...(isNew ? { draft_id: draft } : {}),
      channel_info: {
        channel_id: id,
        name: other ? reader.nameOf({ user: other }) : channel.name,
        is_dm: channel.is_im,
      },
      result: "Draft message is created. They can edit it before sending.",
    };
  });
}

/** Lower case, hyphens for blanks, at most 80 characters. */
const cleanName = (name: string) =>
  [...name.trim().toLowerCase().replace(/^#/, "").replace(/\s+/g, "-")].slice(0, NAME_MAX).join("");

async function createChannel(name: string, args: Arguments, call: ChatCall): Promise<object> {
  const { user_ids: users = [], is_private: isPrivate = false } = args;
  const { channel } = (await runMethod(call, "conversations.create", {
    name: cleanName(name),
    is_private: isPrivate,
  })) as { channel: { id: string; name: string } };
  const created = { channel_id: channel.id, channel_name: channel.name, is_private: isPrivate };
  if (users.length === 0) return created;
  try {
    await runMethod(call, "conversations.invite", { channel: channel.id, users });
    return created;
  } catch (error) {
    // It is checked before anything is written, and the channel stays without the people.
    if (error instanceof ChatError) return { ...created, invite_error: error.code };
    throw error;
  }
}

async function openDirect(users: readonly string[], call: ChatCall): Promise<object> {
  if (users.length > PARTIES_MAX) throw new ChatError("too_many_users");
  const { channel } = (await withCodes({ invalid_user_combination: "cannot_dm_bot" }, () =>
    runMethod(call, "conversations.open", { users }),
  )) as { channel: { id: string } };
  return { channel_id: channel.id };
}

export const sending: Tools = {
  slack_send_message: (args, call) =>
    withCodes(CODES, () =>
      args["draft_id"]
        ? atomically(call, (inside) => sendMessage(args, inside))
        : sendMessage(args, call),
    ),

  slack_schedule_message: (args, call) => withCodes(CODES, () => scheduleMessage(args, call)),

  slack_send_message_draft: (args, call) => withCodes(CODES, () => draftMessage(args, call)),

  async slack_add_reaction({ channel_id: channel, message_ts: timestamp, emoji }, call) {
    const name = emoji.replace(/^:(.*):$/, "$1");
    try {
      await withCodes(
        { bad_timestamp: "message_not_found", no_item_specified: "message_not_found" },
        () => runMethod(call, "reactions.add", { channel, timestamp, name }),
      );
    } catch (error) {
      if (!(error instanceof ChatError && error.code === "already_reacted")) throw error;
    }
    return { result: `Reaction :${name}: added to message.` };
  },

  slack_create_conversation: (args, call) =>
    atomically(call, async (inside) => {
      const { channel_name: name, user_ids: users = [] } = args;
      if (name) return await createChannel(name, args, inside);
      if (users.length === 0) throw new ChatError("invalid_arguments");
      return await openDirect(users, inside);
    }),
};
