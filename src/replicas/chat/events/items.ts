/** Reactions, pins and stars: what people attach to messages. */
import {
  type Change,
  type Derived,
  derived,
  PEOPLE_ONLY,
  rowOf,
  secondsOf,
} from "~/replicas/chat/events/change";
import { type Context, membersOf } from "~/replicas/chat/events/context";
import { ANYWHERE, isMessageGone, shownMessage } from "~/replicas/chat/events/messages";
import { messageView, permalink } from "~/replicas/chat/views/messages";

export function reactions(change: Change<"reactions">, context: Context): Derived[] {
  const { channel_id: channel, ts, name, user_id: user } = rowOf(change);
  if (change.after === null && isMessageGone(context, change, { channel_id: channel, ts }))
    return [];
  const message = context.message({ channel_id: channel, ts }, context.startOf(change));
  const fields = {
    user,
    reaction: name,
    item: { type: "message", channel, ts },
    item_user: message?.user_id,
  };
  const type = change.after ? "reaction_added" : "reaction_removed";
  return [derived(type, change, fields, membersOf(context, channel, change))];
}

export function pins(change: Change<"pins">, context: Context): Derived[] {
  const row = rowOf(change);
  const { channel_id: channel, created_by: user } = row;
  const at = context.endOf(change);
  const message = context.message(row, context.startOf(change));
  if (!message || (change.after === null && isMessageGone(context, change, row))) return [];
  const shown = shownMessage(context, message, at);
  const view = messageView({ ...shown, is_pinned: change.after !== null }, ANYWHERE);
  const created = secondsOf(Number(row.created_at));
  const count = context.pinsOf(channel, at);
  const fields = {
    user,
    channel_id: channel,
    item: {
      type: "message",
      channel,
      created,
      created_by: user,
      message: { ...view, permalink: permalink(shown) },
    },
    item_user: message.user_id,
    pin_count: count,
    pinned_info: { channel, pinned_by: user, pinned_ts: created },
    ...(change.after ? {} : { has_pins: count > 0 }),
  };
  const type = change.after ? "pin_added" : "pin_removed";
  return [derived(type, change, fields, membersOf(context, channel, change))];
}

export function stars(change: Change<"stars">, context: Context): Derived[] {
  const row = rowOf(change);
  if (change.after === null && isMessageGone(context, change, row)) return [];
  const item = {
    type: row.type,
    channel: row.channel_id || undefined,
    message: row.ts === "" ? undefined : { type: "message", ts: row.ts },
    file: row.file_id === "" ? undefined : { id: row.file_id },
    date_create: secondsOf(Number(row.created_at)),
  };
  const type = change.after ? "star_added" : "star_removed";
  return [derived(type, change, { user: row.user_id, item }, PEOPLE_ONLY)];
}
