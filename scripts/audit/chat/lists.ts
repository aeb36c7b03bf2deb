/**
 * Reads chat through its own lists, in the form of its tables: each conversation by the agent if it may, otherwise by
 * one of its members.
 */
import { each } from "../each";
import type { Answer, Call, JsonObject, Surface, Tables } from "../model";
import { textOf } from "../model";

const LIMIT = "200";
const PAGES_MAX = 50;
const TYPES = "public_channel,private_channel,mpim,im";
const AT_A_TIME = 8;

type Read = (name: string, args: JsonObject, list: string, as?: string) => Promise<JsonObject[]>;

/** Every item of a paged list. A method that the service does not have lists nothing. */
function reader(surface: Surface): Read {
  return async (name, args, list, as) => {
    const items: JsonObject[] = [];
    let cursor = "";
    for (let page = 0; page < PAGES_MAX; page++) {
      const call: Call = { name, arguments: { ...args, limit: LIMIT, ...(cursor && { cursor }) } };
      const answer: Answer = await surface.call(call, as);
      if (!answer.ok) {
        if (answer.body.error === undefined || answer.body.error === "unknown_method") return [];
        throw new Error(`${name}: ${JSON.stringify(answer.body)}`);
      }
      items.push(...(answer.body[list] ?? []));
      cursor = answer.body.response_metadata?.next_cursor ?? "";
      if (!cursor) return items;
    }
    throw new Error(`${name}: more than ${PAGES_MAX} pages`);
  };
}

const pick = (row: JsonObject, columns: readonly string[]): JsonObject =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));

const CHANNEL = [
  "id",
  "is_private",
  "is_archived",
  "is_im",
  "is_mpim",
  "creator",
  "topic",
  "purpose",
];
const USER = ["id", "name", "deleted", "real_name", "is_admin", "is_owner", "profile"];

export async function readChat(surface: Surface, agent: string): Promise<Tables> {
  const read = reader(surface);
  const users = await read("users.list", {}, "members");
  const people = users
    .filter(({ deleted, is_bot, id }) => !deleted && !is_bot && id !== "USLACKBOT")
    .map(({ id }) => textOf(id));
  const channels = new Map<string, { row: JsonObject; as: string | undefined }>();
  const list = async (as: string | undefined) => {
    for (const row of await read("conversations.list", { types: TYPES }, "channels", as))
      if (!channels.has(textOf(row["id"]))) channels.set(textOf(row["id"]), { row, as });
  };
  await list(undefined);
  const others = people.filter((id) => id !== agent);
  await each(others, AT_A_TIME, list);

  const tables = new Map<string, JsonObject[]>();
  const add = (table: string, row: JsonObject) => {
    const rows = tables.get(table);
    if (rows) rows.push(row);
    else tables.set(table, [row]);
  };
  for (const user of users) add("users", pick(user, USER));
  await each([...channels.values()], AT_A_TIME, async ({ row, as }) => {
    const channel = textOf(row["id"]);
    add("channels", { ...pick(row, CHANNEL), name: row["is_im"] ? null : (row["name"] ?? null) });
    for (const member of await read("conversations.members", { channel }, "members", as))
      add("channel_members", { channel_id: channel, user_id: member as never });
    await readMessages(read, add, channel, as);
    for (const pin of await read("pins.list", { channel }, "items", as)) {
      const { message, created_by = null } = pin as { message?: JsonObject; created_by?: string };
      if (message) add("pins", { channel_id: channel, ts: message["ts"] ?? null, created_by });
    }
    for (const bookmark of await read("bookmarks.list", { channel_id: channel }, "bookmarks", as))
      add("bookmarks", pick(bookmark, ["id", "channel_id", "title", "link", "emoji"]));
  });
  for (const one of await read("chat.scheduledMessages.list", {}, "scheduled_messages"))
    add("scheduled_messages", pick(one, ["id", "channel_id", "post_at", "text"]));
  for (const one of await read("reminders.list", {}, "reminders"))
    add("reminders", pick(one, ["id", "creator", "text", "time"]));
  for (const one of await read("usergroups.list", {}, "usergroups"))
    add("usergroups", pick(one, ["id", "name", "handle", "description"]));
  for (const one of await read("files.list", {}, "files"))
    add("files", {
      id: one["id"] ?? null,
      name: one["name"] ?? null,
      title: one["title"] ?? null,
      user_id: one["user"] ?? null,
    });
  return tables;
}

/** Messages of a conversation and of its threads, with their reactions. */
async function readMessages(
  read: Read,
  add: (table: string, row: JsonObject) => void,
  channel: string,
  as?: string,
): Promise<void> {
  const seen = new Set<string>();
  const addMessage = (message: JsonObject) => {
    const ts = textOf(message["ts"]);
    if (seen.has(ts)) return;
    seen.add(ts);
    const { thread_ts = null } = message;
    add("messages", {
      channel_id: channel,
      ts,
      // The service shows a root as the first message of its own thread.
      thread_ts: thread_ts === ts ? null : thread_ts,
      // The emulator shows a reply to the channel by a field only.
      subtype: message["subtype"] ?? (message["reply_broadcast"] ? "thread_broadcast" : null),
      user_id: message["user"] ?? null,
      text: message["text"] ?? null,
      ...pick(message, ["bot_id", "app_id", "attachments"]),
    });
    for (const { name = null, users } of (message["reactions"] ?? []) as JsonObject[])
      for (const user of users as string[])
        add("reactions", { channel_id: channel, ts, name, user_id: user });
  };
  const history = await read("conversations.history", { channel }, "messages", as);
  for (const message of history) addMessage(message);
  for (const { ts = null, reply_count } of history)
    if (reply_count)
      for (const reply of await read("conversations.replies", { channel, ts }, "messages", as))
        addMessage(reply);
}
