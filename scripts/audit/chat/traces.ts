/** The traces that acknowledged calls of chat must have left. */
import { type Answer, type Call, type JsonObject, type Trace, textOf } from "../model";

export function traces({ name, arguments: given }: Call, { body }: Answer, actor: string): Trace[] {
  const { channel = null, timestamp = null, ts = null } = given;
  const one = (kind: Trace["kind"], table: string, key: JsonObject, values: JsonObject = {}) => [
    { kind, table, key, values },
  ];
  const reaction = {
    channel_id: channel,
    ts: timestamp,
    name: given["name"] ?? null,
    user_id: actor,
  };
  switch (name) {
    case "chat.postMessage":
      return one(
        "added",
        "messages",
        { channel_id: body.channel, ts: body.ts },
        { text: given["text"] ?? null, user_id: actor },
      );
    case "chat.postEphemeral":
      return one(
        "added",
        "ephemeral_messages",
        { channel_id: channel, message_ts: body.message_ts },
        { text: given["text"] ?? null },
      );
    case "chat.update":
      return one(
        "changed",
        "messages",
        { channel_id: channel, ts },
        { text: given["text"] ?? null },
      );
    case "chat.delete":
      return one("removed", "messages", { channel_id: channel, ts });
    case "chat.scheduleMessage":
      return one("added", "scheduled_messages", {
        channel_id: channel,
        id: body.scheduled_message_id,
      });
    case "reactions.add":
      return one("added", "reactions", reaction);
    case "reactions.remove":
      return one("removed", "reactions", reaction);
    case "pins.add":
      return one("added", "pins", { channel_id: channel, ts: timestamp });
    case "bookmarks.add":
      return one("added", "bookmarks", { id: body.bookmark.id });
    case "bookmarks.remove":
      return one("removed", "bookmarks", { id: given["bookmark_id"] ?? null });
    case "conversations.create":
      return one("added", "channels", { id: body.channel.id });
    case "conversations.setTopic":
      return one(
        "changed",
        "channels",
        { id: channel },
        { topic: { value: given["topic"] ?? null } },
      );
    case "conversations.setPurpose":
      return one(
        "changed",
        "channels",
        { id: channel },
        { purpose: { value: given["purpose"] ?? null } },
      );
    case "conversations.invite":
      return textOf(given["users"])
        .split(",")
        .flatMap((user) => one("added", "channel_members", { channel_id: channel, user_id: user }));
    case "conversations.leave":
      return one("removed", "channel_members", { channel_id: channel, user_id: actor });
    default:
      throw new Error(`${name}: nothing says what it leaves`);
  }
}
