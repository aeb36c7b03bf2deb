import { Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { isTs } from "~/replicas/chat/ids";
import { method } from "~/replicas/chat/method";
import {
  requireChannel,
  requireMembership,
  requireMessage,
  requireMessageIn,
} from "~/replicas/chat/require";
import { deletePin, insertPin, listPins } from "~/replicas/chat/store/pins";
import { seconds } from "~/replicas/chat/views/files";
import { messageView, permalink } from "~/replicas/chat/views/messages";

const PIN_ARGS = { channel: Text(), timestamp: Maybe(Text("Timestamp of the message.")) };

function requireTimestamp(timestamp: string | undefined): string {
  if (!timestamp) throw new ChatError("no_item_specified");
  if (!isTs(timestamp)) throw new ChatError("bad_timestamp");
  return timestamp;
}

export const pins = [
  method("pins.add", {
    tier: 1,
    summary: "Pins a message to its channel.",
    args: PIN_ARGS,
    async handle({ channel, timestamp }, call) {
      const ts = requireTimestamp(timestamp);
      await requireMembership(call, channel);
      const message = await requireMessageIn(call, channel, ts);
      if (message.subtype === "tombstone") throw new ChatError("not_pinnable");
      if (message.is_pinned) throw new ChatError("already_pinned");
      const outcome = await insertPin(call.session, { channel, ts, user: call.actor });
      if (outcome !== "pinned") throw new ChatError(outcome);
      return {};
    },
  }),

  method("pins.remove", {
    tier: 1,
    summary: "Unpins a message.",
    args: PIN_ARGS,
    async handle({ channel, timestamp }, call) {
      const ts = requireTimestamp(timestamp);
      await requireMessage(call, channel, ts);
      if (!(await deletePin(call.session, channel, ts))) throw new ChatError("no_pin");
      return {};
    },
  }),

  method("pins.list", {
    tier: 1,
    summary: "Lists the pins of a channel, newest first.",
    args: { channel: Text() },
    async handle({ channel }, call) {
      await requireChannel(call, channel);
      const rows = await listPins(call.session, call.actor, channel);
      return {
        items: rows.map(({ message, created_by, created_at }) => ({
          type: "message",
          channel,
          created: seconds(created_at),
          created_by,
          message: { ...messageView(message, call), permalink: permalink(message) },
        })),
      };
    },
  }),
];
