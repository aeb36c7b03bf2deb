import { Cursor, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { LIMIT, PAGE_ARGS, readPage } from "~/replicas/chat/paging";
import { requireActor, requireChannel, requireFile, requireMessage } from "~/replicas/chat/require";
import {
  deleteStar,
  insertStar,
  listStars,
  type StarRow,
  type Starred,
} from "~/replicas/chat/store/stars";
import { fileView, seconds } from "~/replicas/chat/views/files";
import { messageView, permalink } from "~/replicas/chat/views/messages";

const PAGE_DEFAULT = 100;

const STAR_ARGS = {
  channel: Maybe(Text()),
  timestamp: Maybe(Text("Timestamp of a message of the channel.")),
  file: Maybe(Text()),
  file_comment: Maybe(Text("Files no longer have comments.")),
};
type StarArgs = { channel?: string; timestamp?: string; file?: string; file_comment?: string };

/** The item that the arguments name, visible to the caller. */
async function requireItem(call: ChatCall, args: StarArgs): Promise<Starred> {
  await requireActor(call);
  if (args.file) {
    await requireFile(call, args.file);
    return { type: "file", channel: "", ts: "", file: args.file };
  }
  if (args.file_comment) throw new ChatError("file_comment_not_found");
  if (!args.channel) throw new ChatError("no_item_specified");
  if (!args.timestamp) {
    await requireChannel(call, args.channel);
    return { type: "channel", channel: args.channel, ts: "", file: "" };
  }
  await requireMessage(call, args.channel, args.timestamp, "bad_timestamp");
  return { type: "message", channel: args.channel, ts: args.timestamp, file: "" };
}

function starView(star: StarRow, call: ChatCall) {
  const date = { date_create: seconds(star.created_at) };
  const { message, file, channel_id: channel } = star;
  if (message)
    return {
      type: "message",
      channel,
      message: { ...messageView(message, call), permalink: permalink(message) },
      ...date,
    };
  if (file) return { type: "file", file: fileView(file, call), ...date };
  if (star.is_im) return { type: "im", channel, ...date };
  return { type: star.is_private ? "group" : "channel", channel, ...date };
}

export const stars = [
  method("stars.add", {
    tier: 2,
    userOnly: true,
    summary: "Saves a message, a file or a channel for the caller.",
    args: STAR_ARGS,
    async handle(args, call) {
      const item = await requireItem(call, args);
      if (!(await insertStar(call.session, call.actor, item)))
        throw new ChatError("already_starred");
      return {};
    },
  }),

  method("stars.remove", {
    tier: 2,
    userOnly: true,
    summary: "Removes an item from the caller's saved items.",
    args: STAR_ARGS,
    async handle(args, call) {
      const item = await requireItem(call, args);
      if (!(await deleteStar(call.session, call.actor, item))) throw new ChatError("not_starred");
      return {};
    },
  }),

  method("stars.list", {
    tier: 2,
    userOnly: true,
    summary: "Lists the caller's saved items, newest first.",
    args: { ...PAGE_ARGS, limit: LIMIT, cursor: Maybe(Cursor()), team_id: Maybe(Text()) },
    async handle(args, call) {
      const page = readPage(args, PAGE_DEFAULT);
      await requireActor(call);
      const rows = await listStars(call.session, call.actor, page.window);
      return { items: rows.map((row) => starView(row, call)), ...page.answer(rows[0]?.total ?? 0) };
    },
  }),
];
