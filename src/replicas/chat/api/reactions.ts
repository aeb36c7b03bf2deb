import { Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { isStandardEmoji } from "~/replicas/chat/emoji";
import { ChatError } from "~/replicas/chat/errors";
import { isTs } from "~/replicas/chat/ids";
import { method } from "~/replicas/chat/method";
import { requireMessage } from "~/replicas/chat/require";
import {
  deleteReaction,
  EMOJI_PER_MESSAGE_MAX,
  insertReaction,
} from "~/replicas/chat/store/reactions";
import { messageView } from "~/replicas/chat/views/messages";

const target = {
  channel: Maybe(Text()),
  timestamp: Maybe(Text("Timestamp of the message.")),
};

/** The message that an item's arguments name. */
function requireItem({ channel, timestamp }: { channel?: string; timestamp?: string }) {
  if (!channel || !timestamp) throw new ChatError("no_item_specified");
  if (!isTs(timestamp)) throw new ChatError("bad_timestamp");
  return { channel, ts: timestamp };
}

export const reactions = [
  method("reactions.add", {
    tier: 1,
    summary: "Adds an emoji to a message.",
    args: { ...target, name: Text("Emoji name without colons.") },
    async handle(args, call) {
      const { channel, ts } = requireItem(args);
      if (!isStandardEmoji(args.name)) throw new ChatError("invalid_name");
      const found = await insertReaction(call.session, {
        channel,
        ts,
        user: call.actor,
        name: args.name,
      });
      if (found.added) return {};
      if (found.channel === null) throw new ChatError("channel_not_found");
      if (found.message === null) throw new ChatError("message_not_found");
      if (found.is_archived) throw new ChatError("is_archived");
      if (found.subtype === "tombstone") throw new ChatError("not_reactable");
      if (!found.has_emoji && found.distinct_emoji >= EMOJI_PER_MESSAGE_MAX)
        throw new ChatError("too_many_emoji");
      throw new ChatError("already_reacted");
    },
  }),

  method("reactions.remove", {
    tier: 1,
    summary: "Takes an emoji of one's own off a message.",
    args: {
      ...target,
      name: Text("Emoji name without colons."),
      file: Maybe(Text()),
      file_comment: Maybe(Text()),
    },
    async handle(args, call) {
      const { channel, ts } = requireItem(args);
      if (!isStandardEmoji(args.name)) throw new ChatError("invalid_name");
      await requireMessage(call, channel, ts);
      const removed = await deleteReaction(call.session, {
        channel,
        ts,
        user: call.actor,
        name: args.name,
      });
      if (!removed) throw new ChatError("no_reaction");
      return {};
    },
  }),

  method("reactions.get", {
    tier: 1,
    summary: "Shows a message with its reactions.",
    args: { ...target, file: Maybe(Text()), file_comment: Maybe(Text()), full: Maybe(Flag()) },
    async handle(args, call) {
      const { channel, ts } = requireItem(args);
      const message = await requireMessage(call, channel, ts);
      return { type: "message", channel, message: messageView(message, call) };
    },
  }),
];
