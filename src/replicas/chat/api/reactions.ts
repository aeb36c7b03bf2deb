import { Cursor, Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { isStandardEmoji } from "~/replicas/chat/emoji";
import { ChatError } from "~/replicas/chat/errors";
import { isTs } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { LIMIT, PAGE_ARGS, readPage } from "~/replicas/chat/paging";
import { requireFile, requireMessage, requireUser } from "~/replicas/chat/require";
import { hasEmoji } from "~/replicas/chat/store/emoji";
import {
  deleteReaction,
  EMOJI_PER_MESSAGE_MAX,
  insertReaction,
  listReactedMessages,
  REACTIONS_PER_USER_MAX,
  type ReactionTarget,
} from "~/replicas/chat/store/reactions";
import { fileView } from "~/replicas/chat/views/files";
import { messageView } from "~/replicas/chat/views/messages";

const PAGE_DEFAULT = 100;

const MESSAGE_ARGS = {
  channel: Maybe(Text()),
  timestamp: Maybe(Text("Timestamp of the message.")),
};
const ITEM_ARGS = { ...MESSAGE_ARGS, file: Maybe(Text()), file_comment: Maybe(Text()) };

/** The message that the arguments name. */
function requireItem({ channel, timestamp }: { channel?: string; timestamp?: string }) {
  if (!channel || !timestamp) throw new ChatError("no_item_specified");
  if (!isTs(timestamp)) throw new ChatError("bad_timestamp");
  return { channel, ts: timestamp };
}

/** Without colons: the service accepts no others. Custom emoji are looked up when the name is not a standard one. */
async function requireName({ session }: ChatCall, name: string): Promise<string> {
  if (isStandardEmoji(name) || (await hasEmoji(session, name))) return name;
  throw new ChatError("invalid_name");
}

function refusal(found: ReactionTarget): ChatError {
  if (found.channel === null) return new ChatError("channel_not_found");
  if (found.message === null) return new ChatError("message_not_found");
  if (found.is_archived) return new ChatError("is_archived");
  if (found.subtype === "tombstone") return new ChatError("not_reactable");
  if (found.is_locked) return new ChatError("thread_locked");
  if (found.has_reacted) return new ChatError("already_reacted");
  if (!found.has_emoji && found.distinct_emoji >= EMOJI_PER_MESSAGE_MAX)
    return new ChatError("too_many_emoji");
  if (found.own_reactions >= REACTIONS_PER_USER_MAX) return new ChatError("too_many_reactions");
  // The same call arrived twice concurrently, and the other one won.
  return new ChatError("already_reacted");
}

export const reactions = [
  method("reactions.add", {
    tier: 1,
    summary: "Adds an emoji to a message.",
    args: { ...MESSAGE_ARGS, name: Text("Name of the emoji, without colons.") },
    async handle(args, call) {
      const { channel, ts } = requireItem(args);
      const name = await requireName(call, args.name);
      const found = await insertReaction(call.session, { channel, ts, user: call.actor, name });
      if (!found.added) throw refusal(found);
      return {};
    },
  }),

  method("reactions.remove", {
    tier: 1,
    summary: "Removes a reaction of the caller from a message.",
    args: { ...ITEM_ARGS, name: Text("Name of the emoji, without colons.") },
    async handle(args, call) {
      const { channel, ts } = requireItem(args);
      const name = await requireName(call, args.name);
      await requireMessage(call, channel, ts);
      const reaction = { channel, ts, user: call.actor, name };
      if (!(await deleteReaction(call.session, reaction))) throw new ChatError("no_reaction");
      return {};
    },
  }),

  method("reactions.get", {
    tier: 1,
    summary: "Shows a message with its reactions, or a file.",
    args: { ...ITEM_ARGS, full: Maybe(Flag("List every user.")) },
    async handle(args, call) {
      if (args.file)
        return { type: "file", file: fileView(await requireFile(call, args.file), call) };
      const { channel, ts } = requireItem(args);
      const message = await requireMessage(call, channel, ts);
      return { type: "message", channel, message: messageView(message, call, args.full) };
    },
  }),

  method("reactions.list", {
    tier: 1,
    summary: "Lists the messages with a reaction of a user, newest first.",
    args: {
      user: Maybe(Text("The user; the caller by default.")),
      full: Maybe(Flag("List every user.")),
      ...PAGE_ARGS,
      cursor: Maybe(Cursor()),
      limit: LIMIT,
      team_id: Maybe(Text()),
    },
    async handle({ user, full, ...wanted }, call) {
      const page = readPage(wanted, PAGE_DEFAULT);
      if (user) await requireUser(call, user);
      const { messages, total } = await listReactedMessages(call.session, call.actor, {
        user: user || call.actor,
        ...page.window,
      });
      return {
        items: messages.map((message) => ({
          type: "message",
          channel: message.channel_id,
          message: messageView(message, call, full),
        })),
        ...page.answer(total),
      };
    },
  }),
];
