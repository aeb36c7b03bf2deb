/** Tools that read conversations. */
import { resolveChannel, resolveDestination } from "~/replicas/chat/destination";
import { isUserId } from "~/replicas/chat/ids";
import { profileLines } from "~/replicas/chat/mcp/people";
import { runMethod } from "~/replicas/chat/mcp/run";
import { type Arguments, atomically, type Tools, withCodes } from "~/replicas/chat/mcp/tool";
import {
  createReader,
  formatSize,
  listPagination,
  type Message,
  type Reader,
  readLimit,
} from "~/replicas/chat/mcp/words";
import type { ChatCall } from "~/replicas/chat/method";
import { refuseDirect, requireChannel, requireMessage } from "~/replicas/chat/require";

const HISTORY_MAX = 100;
const REPLIES_DEFAULT = 100;
const MEMBERS_MAX = 30;
const EMOJI_MAX = 50;

type Page = {
  readonly messages: readonly Message[];
  readonly response_metadata: { readonly next_cursor: string };
};

const isConcise = ({ response_format: format }: Arguments) => format === "concise";

/** Whether a page follows. The service's sentence on the last page differs between channels and threads. */
const pagination = ({ response_metadata: { next_cursor: cursor } }: Page, last: string) =>
  cursor === ""
    ? `${last}\n`
    : `There are more messages available. To view the next page, use cursor: \`${cursor}\`\n`;

/** A conversation by id, by name, or as the direct message with a user. */
export const atPlace = <T>(
  call: ChatCall,
  given: string,
  work: (inside: ChatCall, channel: string) => Promise<T>,
): Promise<T> =>
  isUserId(given)
    ? atomically(call, async (inside) =>
        work(inside, await resolveDestination(inside.session, inside.actor, given)),
      )
    : resolveChannel(call.session, call.actor, given).then((channel) => work(call, channel));

const filesLine = ({ files }: Message) =>
  files?.length
    ? [
        `Files: ${files
          .map(
            ({ id, name, mimetype, size = 0 }) =>
              `${name ?? ""} (ID: ${id}, ${mimetype ?? ""}, ${formatSize(size)})`,
          )
          .join(", ")}`,
      ]
    : [];

const reactionsLine = ({ reactions }: Message) =>
  reactions?.length
    ? [`Reactions: ${reactions.map(({ name, count }) => `${name} (${count})`).join(", ")}`]
    : [];

const threadLine = ({ reply_count: count, latest_reply: latest }: Message, { time }: Reader) =>
  count && latest ? [`Thread: ${count} replies (latest: ${time(latest)})`] : [];

const textLine = ({ text }: Message, reader: Reader) => (text === "" ? [] : [reader.text(text)]);

const inBrief = (message: Message, reader: Reader) =>
  `${reader.nameOf(message) ?? ""}: ${reader.text(message.text)} [${reader.time(message.ts)}]`;

function inChannel(message: Message, reader: Reader): string {
  const author = reader.person(message);
  return [
    `=== Message ${author === undefined ? "" : `from ${author} `}at ${reader.time(message.ts)} === `,
    `Message TS: ${message.ts}`,
    ...textLine(message, reader),
    ...filesLine(message),
    ...reactionsLine(message),
    ...threadLine(message, reader),
  ].join("\n");
}

const inThread = (message: Message, reader: Reader) =>
  [
    `From: ${reader.person(message) ?? ""}${reader.isBot(message) ? " [BOT]" : ""}`,
    `Time: ${reader.time(message.ts)}`,
    `Message TS: ${message.ts}`,
    ...textLine(message, reader),
    ...filesLine(message),
    ...reactionsLine(message),
  ].join("\n");

/** The root and its replies. The number of replies is that of the page. */
function threadText(root: Message, replies: readonly Message[], reader: Reader): string {
  const parts = replies.map(
    (reply, index) =>
      `--- Reply ${index + 1} of ${replies.length} ---\n${inThread(reply, reader)}\n`,
  );
  const rest =
    parts.length === 0
      ? "No thread messsages\n"
      : `=== THREAD REPLIES (${parts.length} total) ===\n\n${parts.join("\n")}`;
  return `=== THREAD PARENT MESSAGE ===\n${inThread(root, reader)}\n\n${rest}`;
}

export const reading: Tools = {
  slack_read_channel: (args, call) =>
    atPlace(call, args["channel_id"], async (inside, channel) => {
      const page = (await runMethod(inside, "conversations.history", {
        channel,
        limit: args["limit"] === undefined ? HISTORY_MAX : readLimit(args["limit"], HISTORY_MAX),
        cursor: args["cursor"],
        latest: args["latest"],
        oldest: args["oldest"],
        inclusive: true,
      })) as Page;
      const { is_im: isDirect, name } = await requireChannel(inside, channel);
      const reader = await createReader(inside, page.messages);
      const show = isConcise(args) ? inBrief : inChannel;
      const shown = page.messages.map((message) => show(message, reader));
      const separator = isConcise(args) ? "\n" : "\n\n";
      return {
        messages: `Channel: ${isDirect ? "DM" : `#${name}`} (${channel})\n\n${shown.map((text, index) => text + (index === shown.length - 1 ? "\n" : separator)).join("")}`,
        pagination_info: pagination(page, "There are no more messages available."),
      };
    }),

  async slack_read_thread(args, call) {
    const { channel_id: given, message_ts: ts } = args;
    const channel = await resolveChannel(call.session, call.actor, given);
    const page = (await runMethod(call, "conversations.replies", {
      channel,
      ts,
      limit: args["limit"] ?? REPLIES_DEFAULT,
      cursor: args["cursor"],
      latest: args["latest"],
      oldest: args["oldest"],
      inclusive: true,
    })) as Page;
    const rootTs = page.messages[0]?.thread_ts ?? page.messages[0]?.ts ?? ts;
    const [root, replies] = await withRoot(call, channel, rootTs, page.messages);
    const reader = await createReader(call, [root, ...replies]);
    const brief = [root, ...replies].map((message) => `${inBrief(message, reader)}\n`);
    return {
      messages: isConcise(args) ? brief.join("") : threadText(root, replies, reader),
      pagination_info: pagination(page, "There are no more messages in this thread."),
    };
  },

  async slack_get_reactions({ channel_id: given, message_ts: timestamp }, call) {
    const channel = await resolveChannel(call.session, call.actor, given);
    const { message } = (await withCodes({ bad_timestamp: "message_not_found" }, () =>
      runMethod(call, "reactions.get", { channel, timestamp }),
    )) as { message: { reactions?: { name: string; count: number; users: string[] }[] } };
    const reactions = (message.reactions ?? []).slice(0, EMOJI_MAX);
    if (reactions.length === 0) return { result: "No reactions found on this message." };
    const reader = await createReader(
      call,
      [],
      reactions.flatMap(({ users }) => users),
    );
    const shown = reactions.map(({ name, count, users }) => {
      const people = users.map((user) => `${reader.nameOf({ user }) ?? ""} (${user})`);
      return `:${name}: × ${count} — ${people.join(", ")}`;
    });
    return { result: `Reactions on message:\n\n${shown.join("\n")}` };
  },

  async slack_list_channel_members(args, call) {
    const { include_deleted: deleted, include_bots: bots } = args;
    const format: unknown = args["response_format"];
    const channel = await resolveChannel(call.session, call.actor, args["channel_id"]);
    refuseDirect(await requireChannel(call, channel));
    const { members, response_metadata: page } = (await runMethod(call, "conversations.members", {
      channel,
      limit: readLimit(args["limit"], MEMBERS_MAX),
      cursor: args["cursor"],
    })) as { members: string[]; response_metadata: { next_cursor: string } };
    const reader = await createReader(call, [], members);
    const wanted = members.flatMap((id) => {
      const user = reader.userOf(id);
      return user && (deleted || !user.deleted) && (bots || !user.is_bot) ? [user] : [];
    });
    const texts = {
      ids_only: () => members.join("\n"),
      concise: () =>
        wanted
          .map(
            ({ name, profile, real_name: real }) => `@${name} (${profile["display_name"] || real})`,
          )
          .join("\n"),
      detailed: () => wanted.map((user) => profileLines(user)).join("\n\n"),
    };
    const show = format === "ids_only" || format === "concise" ? texts[format] : texts.detailed;
    return { members: show(), pagination_info: listPagination(page.next_cursor) };
  },
};

/** The root of a thread, which later pages do not have, and the replies of a page. */
async function withRoot(
  call: ChatCall,
  channel: string,
  ts: string,
  messages: readonly Message[],
): Promise<[Message, readonly Message[]]> {
  const replies = messages.filter((message) => message.ts !== ts);
  const root = messages.find((message) => message.ts === ts);
  if (root) return [root, replies];
  await requireMessage(call, channel, ts);
  const { messages: first } = (await runMethod(call, "conversations.replies", {
    channel,
    ts,
    limit: 1,
  })) as Page;
  if (!first[0]) throw new Error("a thread has no root");
  return [first[0], replies];
}
