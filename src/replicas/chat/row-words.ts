/** How the chat calls its rows in sentences. */
import {
  onOneLine,
  quoteText,
  type RowWords,
  type Say,
  type TableWords,
} from "~/replicas/row-words";

type Row = { readonly [column: string]: unknown };
const text = (value: unknown) => (typeof value === "string" ? value : "");
const NAME_MAX = 80;

/** Mentions by name, and characters as people see them. */
const read = (given: string, say: Say) =>
  given
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${say("users", id)}`)
    .replace(/<#(\w+)(?:\|[^>]*)?>/g, (_, id: string) => say("channels", id))
    .replace(/<!(\w+)(?:[|^][^>]*)?>/g, "@$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

const quoted = (row: Row, say: Say, max?: number) => quoteText(read(text(row["text"]), say), max);

const channel = { label: "channel", of: { table: "channels" }, is: "in" } as const;
const user = { label: "user", of: { table: "users" }, is: "by" } as const;
const message = {
  label: "message",
  of: { table: "messages", by: "ts", within: "channel_id" },
  is: "on",
} as const;
/** The message of a row's conversation with this time. */
const messageAt = (row: Row, ts: unknown, say: Say) =>
  say("messages", text(ts), { by: "ts", within: ["channel_id", text(row["channel_id"])] });
const body = { label: "text", isText: true, read } as const;
const plain = { none: "" } as const;
const inChannel = (row: Row) => ({
  table: "channels",
  id: row["channel_id"],
});

const onMessage = (what: string): TableWords => ({
  one: what,
  tells: (row, say) =>
    `on ${messageAt(row, row["ts"], say)} in ${say("channels", text(row["channel_id"]))}`,
  columns: { channel_id: channel, ts: message, created_by: user, user_id: user },
  place: inChannel,
});

export const rowWords: RowWords = {
  users: {
    name: (row) => onOneLine(text(row["real_name"]) || text(row["name"]), NAME_MAX),
    named: ["name", "real_name"],
    columns: { id: { label: "user", of: { table: "users" }, is: "" } },
  },
  channels: {
    one: "conversation",
    many: "conversations",
    name: (row, say) => {
      const members = text(row["member_key"]).split(",").filter(Boolean);
      if (members.length === 0) return `#${onOneLine(text(row["name"]), NAME_MAX)}`;
      return `the conversation of ${members.map((id) => say("users", id)).join(", ")}`;
    },
    named: ["name", "member_key"],
    columns: {
      id: { label: "channel", of: { table: "channels" }, is: "" },
      creator: { label: "creator", of: { table: "users" }, is: "by" },
      is_private: { yes: "that is private", no: "that is public" },
      is_archived: { yes: "that is archived", no: "that is not archived" },
      name: { is: "named" },
      topic: { part: "value" },
      purpose: { part: "value" },
      "topic.value": { label: "topic" },
      "purpose.value": { label: "purpose" },
    },
    place: (row) => ({ table: "channels", id: row["id"] }),
  },
  channel_members: {
    one: "membership",
    many: "memberships",
    tells: (row, say) =>
      `of ${say("users", text(row["user_id"]))} in ${say("channels", text(row["channel_id"]))}`,
    columns: { channel_id: channel, user_id: { ...user, is: "of" } },
    place: inChannel,
  },
  messages: {
    name: (row, say) => `${say("users", text(row["user_id"]))}’s ${quoted(row, say, 60)}`,
    named: ["user_id", "text"],
    tells: (row, say) => {
      const thread = text(row["thread_ts"]);
      const place = say("channels", text(row["channel_id"]));
      const inThread = thread === "" ? "" : `, in the thread of ${messageAt(row, thread, say)}`;
      return `in ${place}${inThread}: ${quoted(row, say)}`;
    },
    columns: {
      channel_id: channel,
      user_id: user,
      text: body,
      ts: { ...message, is: "namely" },
      thread_ts: { ...message, label: "thread", is: "in the thread of", none: "outside threads" },
      subtype: {
        label: "kind",
        none: "",
        is: "of the kind",
        values: { thread_broadcast: "also sent to the channel" },
        says: { thread_broadcast: "also sent to the channel" },
      },
      bot_id: plain,
      app_id: plain,
      username: plain,
      attachments: plain,
      "attachments.0": plain,
      blocks: plain,
      metadata: plain,
    },
    place: inChannel,
  },
  reactions: {
    tells: (row, say) =>
      `:${onOneLine(text(row["name"]), NAME_MAX)}: on ${messageAt(row, row["ts"], say)} in ${say("channels", text(row["channel_id"]))}`,
    columns: {
      channel_id: channel,
      user_id: user,
      ts: message,
      name: { label: "emoji", is: "with" },
    },
    place: inChannel,
  },
  pins: onMessage("pin"),
  stars: onMessage("star"),
  bookmarks: {
    name: (row) => quoteText(text(row["title"])),
    named: ["title"],
    columns: { channel_id: channel },
    place: inChannel,
  },
  reminders: {
    tells: (row, say) => `for ${say("users", text(row["user_id"]))}: ${quoted(row, say)}`,
    columns: { user_id: { ...user, is: "for" }, creator: user, text: body },
  },
  files: {
    name: (row) => quoteText(text(row["title"]) || text(row["name"])),
    named: ["title", "name"],
    columns: { id: { of: { table: "files" }, is: "" }, user_id: user },
  },
  scheduled_messages: {
    one: "scheduled message",
    many: "scheduled messages",
    tells: (row, say) => `for ${say("channels", text(row["channel_id"]))}: ${quoted(row, say)}`,
    columns: { channel_id: { ...channel, is: "for" }, user_id: user, text: body },
    place: inChannel,
  },
  ephemeral_messages: {
    tells: (row, say) =>
      `in ${say("channels", text(row["channel_id"]))}, for ${say("users", text(row["user_id"]))}: ${quoted(row, say)}`,
    columns: { channel_id: channel, user_id: { ...user, is: "for" }, author_id: user, text: body },
    place: inChannel,
  },
  usergroups: {
    ...{ one: "user group", many: "user groups" },
    name: (row) => `@${text(row["handle"])}`,
    named: ["handle"],
  },
  canvases: { many: "canvases", columns: { file_id: { of: { table: "files" }, is: "" } } },
  drafts: {
    tells: (row, say) => `in ${say("channels", text(row["channel_id"]))}: ${quoted(row, say)}`,
    columns: { channel_id: channel, user_id: user, text: body },
    place: inChannel,
  },
};
