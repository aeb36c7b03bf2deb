/** Messages: posted, changed, deleted, and those that mention an app. */
import {
  type Audience,
  type Change,
  type Derived,
  derived,
  rowOf,
  stampOf,
} from "~/replicas/chat/events/change";
import {
  type Channel,
  type Context,
  type Message,
  membersOf,
} from "~/replicas/chat/events/context";
import { links } from "~/replicas/chat/events/links";
import type { MessageRow, Thread } from "~/replicas/chat/store/messages";
import { SYSTEM_SUBTYPES } from "~/replicas/chat/store/posting";
import { messageView } from "~/replicas/chat/views/messages";
import type { Wire } from "~/replicas/chat/views/wire";

/** Addresses of files lack their beginning, the address at which the app reaches the service: the delivery adds it. */
export const ANYWHERE = { baseUrl: "" };

const CHANNEL_TYPES = {
  channel: "message.channels",
  group: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
} as const;

function channelTypeOf(channel: Channel): keyof typeof CHANNEL_TYPES {
  if (channel.is_im) return "im";
  if (channel.is_mpim) return "mpim";
  return channel.is_private ? "group" : "channel";
}

/** A message as it was after the change with the number `at`. */
export function shownMessage(
  context: Context,
  message: Message,
  at: number,
  { thread, root }: { thread?: Thread | undefined; root?: MessageRow | undefined } = {},
): MessageRow {
  const { team } = context;
  const parent =
    message.thread_ts === null
      ? undefined
      : context.message({ channel_id: message.channel_id, ts: message.thread_ts }, at);
  const files = context.filesOf(message, at);
  return {
    ...(message as MessageRow),
    team_id: team.id,
    team_url: team.url,
    bot: (message.bot_id !== null && context.bots.get(message.bot_id)) || null,
    parent_user_id: parent?.user_id ?? null,
    files: files.length > 0 ? files : null,
    is_pinned: false,
    is_starred: false,
    reactions: null,
    thread: thread ?? null,
    root: root ?? null,
  };
}

/** The thread of a root, as nobody in particular sees it. */
function threadOf(context: Context, change: Change<"messages">): Thread | undefined {
  const thread = context.threadOf(change);
  return thread && { ...thread, subscribed: false, last_read: "" };
}

/** The root of a reply that is also shown in the channel. */
function rootOf(context: Context, change: Change<"messages">): MessageRow | undefined {
  const { channel_id, thread_ts: ts, subtype } = rowOf(change);
  if (ts === null || subtype !== "thread_broadcast") return undefined;
  const at = context.endOf(change);
  const root = context.message({ channel_id, ts }, at);
  return root && shownMessage(context, root, at, { thread: threadOf(context, change) });
}

/** The apps that a text mentions, as ids of their users. */
const mentions = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, user]) => user ?? ""));

/** The event for the apps that a new message mentions. In direct messages there is none. */
function mentioned(
  context: Context,
  change: Change<"messages">,
  channel: Channel,
  message: Wire,
): Derived[] {
  const { text, subtype, ts } = rowOf(change);
  const isNotice = subtype !== null && SYSTEM_SUBTYPES.includes(subtype);
  if (isNotice || channel.is_im || channel.is_mpim) return [];
  const users = mentions(text);
  if (!context.apps.some(({ user }) => users.has(user))) return [];
  const isIn = membersOf(context, channel.id, change);
  const audience: Audience = (app) => {
    if (!users.has(app.user)) return "another app is mentioned";
    return channel.is_private ? isIn(app) : undefined;
  };
  const event = { ...message, type: "app_mention", channel: channel.id, event_ts: ts };
  return [{ type: "app_mention", event, audience }];
}

function posted(context: Context, change: Change<"messages">, channel: Channel): Derived[] {
  const row = rowOf(change);
  const message = shownMessage(context, row, context.endOf(change), {
    root: rootOf(context, change),
  });
  const view = messageView(message, ANYWHERE);
  const event = {
    ...view,
    ...(row.subtype === null && message.files ? { subtype: "file_share" } : {}),
    channel: channel.id,
    channel_type: channelTypeOf(channel),
    event_ts: row.ts,
  };
  const audience = membersOf(context, channel.id, change);
  return [
    { type: CHANNEL_TYPES[channelTypeOf(channel)], event, audience },
    ...mentioned(context, change, channel, view),
    ...links(context, change, channel),
  ];
}

/** A message that was changed or deleted. A deleted root with replies is changed: it becomes a tombstone. */
function rewritten(context: Context, change: Change<"messages">, channel: Channel): Derived[] {
  const { before, after } = change;
  if (before === null) return [];
  const thread = before.thread_ts === null ? threadOf(context, change) : undefined;
  const view = (message: Message, at: number) =>
    messageView(
      shownMessage(context, message, at, { thread, root: rootOf(context, change) }),
      ANYWHERE,
    );
  const event = {
    type: "message",
    subtype: after ? "message_changed" : "message_deleted",
    ...(after ? { message: view(after, context.endOf(change)) } : { deleted_ts: before.ts }),
    previous_message: view(before, context.startOf(change)),
    channel: channel.id,
    hidden: true,
    ts: stampOf(change.micros),
    event_ts: stampOf(change.micros),
    channel_type: channelTypeOf(channel),
  };
  const audience = membersOf(context, channel.id, change);
  return [{ type: CHANNEL_TYPES[channelTypeOf(channel)], event, audience }];
}

/** Metadata that an app has attached to its message, replaced or removed. */
function metadata(context: Context, change: Change<"messages">): Derived[] {
  const { before, after } = change;
  const [previous, present] = [before?.metadata ?? null, after?.metadata ?? null];
  const {
    channel_id: channel,
    app_id: app,
    bot_id: bot,
    user_id: user,
    ts,
  } = before ?? rowOf(change);
  if (Bun.deepEquals(previous, present)) return [];
  const fields = {
    app_id: app ?? undefined,
    bot_id: bot ?? undefined,
    user_id: user,
    team_id: context.team.id,
    channel_id: channel,
    message_ts: ts,
    metadata: present ?? undefined,
    previous_metadata: previous ?? undefined,
  };
  const audience = membersOf(context, channel, change);
  if (present === null)
    return [
      derived(
        "message_metadata_deleted",
        change,
        { ...fields, deleted_ts: stampOf(change.micros) },
        audience,
      ),
    ];
  const type = previous === null ? "message_metadata_posted" : "message_metadata_updated";
  return [derived(type, change, fields, audience)];
}

export function messages(change: Change<"messages">, context: Context): Derived[] {
  const channel = context.channels.get(rowOf(change).channel_id);
  if (!channel) return [];
  const derive = change.before === null ? posted : rewritten;
  return [...derive(context, change, channel), ...metadata(context, change)];
}

/** A message was deleted in the transaction of a change. What belonged to it then goes without an event. */
export const isMessageGone = (
  context: Context,
  change: { transaction: string },
  { channel_id: channel, ts }: { channel_id: string; ts: string },
): boolean =>
  context
    .beside(change, "messages")
    .some(
      ({ before, after }) =>
        before?.channel_id === channel &&
        before.ts === ts &&
        (after === null || (after.subtype === "tombstone" && before.subtype !== "tombstone")),
    );
