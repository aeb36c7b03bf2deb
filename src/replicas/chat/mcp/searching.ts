/** Tools that search messages and files. */
import { searchIn } from "~/replicas/chat/api/search";
import { requireTypes } from "~/replicas/chat/channels";
import { ChatError } from "~/replicas/chat/errors";
import type { Arguments, Tools } from "~/replicas/chat/mcp/tool";
import {
  createReader,
  lines,
  type Reader,
  readLimit,
  readPageCursor,
  results,
  searchPagination,
} from "~/replicas/chat/mcp/words";
import type { ChatCall } from "~/replicas/chat/method";
import type { ChannelType } from "~/replicas/chat/store/channels";
import type { FileRow } from "~/replicas/chat/store/files";
import { listParticipants } from "~/replicas/chat/store/members";
import type { MessageRow } from "~/replicas/chat/store/messages";
import { type ChannelOf, listNeighbours, type Neighbour } from "~/replicas/chat/store/search";
import type { Scope } from "~/replicas/chat/store/search-conditions";
import { fileView } from "~/replicas/chat/views/files";

const ALL_TYPES: readonly ChannelType[] = ["public_channel", "private_channel", "mpim", "im"];
/** On either side of a hit. */
const NEIGHBOURS = 3;
/** Characters of a text in the short form. */
const BRIEF = 100;

type Hit = MessageRow & { readonly channel: ChannelOf };

function readSeconds(value: string | undefined): number | null {
  if (value === undefined || value === "") return null;
  const [, seconds] = /^(\d{1,10})(?:\.\d+)?$/.exec(value) ?? [];
  if (seconds === undefined) throw new ChatError("invalid_arguments");
  return Number(seconds);
}

function readScope(args: Arguments, types: readonly ChannelType[]): Scope {
  return {
    types,
    ownOnly: args["only_my_channels"] ?? false,
    withBots: args["include_bots"] ?? false,
    from: readSeconds(args["after"]),
    to: readSeconds(args["before"]),
    preferred: args["context_channel_id"] ?? null,
  };
}

const listOf = (text: string | undefined) =>
  (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

function readContent(given: string | undefined) {
  const types = listOf(given);
  const has = (type: string) => types.length === 0 || types.includes(type);
  return { messages: has("messages"), files: has("files") };
}

type Written = Pick<MessageRow, "user_id" | "username" | "bot_id" | "text">;

const wire = ({ user_id: user, username, bot_id: bot, text }: Written) => ({
  user,
  text,
  ...(username === null ? {} : { username }),
  ...(bot === null ? {} : { bot_id: bot }),
});

/** `NAME <mail> (ID: U…) `, with two blanks and a mark for a bot. */
function authorOf(message: ReturnType<typeof wire>, reader: Reader): string {
  const author = reader.person(message, "ID: ") ?? ` (ID: ${message.user})`;
  return `${author} ${reader.isBot(message) ? " [BOT]" : ""}`;
}

/** The address of a hit. For members of a thread it names the thread. */
function linkTo({ channel_id: channel, ts, thread_ts: root, thread, team_url: url }: MessageRow) {
  const rootTs = root ?? (thread ? ts : null);
  const query = rootTs === null ? "" : `?thread_ts=${rootTs}&cid=${channel}`;
  return `${url}archives/${channel}/p${ts.replace(".", "")}${query}`;
}

function placeOf({ id, name, is_im: isDirect, is_mpim: isGroup }: ChannelOf): string {
  if (isDirect) return `DM (ID: ${id})`;
  return `${isGroup ? "Group DM" : `#${name}`} (ID: ${id})`;
}

const shorten = (text: string, max: number | undefined) =>
  max !== undefined && text.length > max ? `${text.slice(0, Math.max(max, 0))}…` : text;

type Around = {
  readonly reader: Reader;
  readonly participants: ReadonlyMap<string, readonly string[]>;
  readonly neighbours: readonly Neighbour[];
  readonly maxLength: number | undefined;
  /** Messages that the answer has shown, by conversation and timestamp. */
  readonly shown: Set<string>;
};

const keyOf = (channel: string, ts: string) => `${channel} ${ts}`;

function showNeighbour(neighbour: Neighbour, { reader, shown, maxLength }: Around): string {
  const { channel_id: channel, ts } = neighbour;
  const message = wire(neighbour);
  const author = authorOf(message, reader);
  const key = keyOf(channel, ts);
  if (shown.has(key)) return `- [See result above] From: ${author}Message_ts: ${ts}\n`;
  shown.add(key);
  const text = shorten(reader.text(message.text), maxLength).replaceAll("\n", "\n  ");
  return `- From: ${author}\n  Message_ts: ${ts}\n  ${text}\n`;
}

function showHit(hit: Hit, index: number, count: number, around: Around): string {
  const { reader, participants, neighbours } = around;
  const people = participants.get(hit.channel_id);
  const names = people?.map((user) => `${reader.nameOf({ user }) ?? ""} (ID: ${user})`);
  around.shown.add(keyOf(hit.channel_id, hit.ts));
  const side = (isBefore: boolean, label: string) => {
    const found = neighbours.filter(
      (each) => each.place === index + 1 && each.is_before === isBefore,
    );
    const texts = found.map((neighbour) => showNeighbour(neighbour, around));
    return texts.length === 0 ? "" : `${label} \n${texts.join("")}`;
  };
  return [
    `### Result ${index + 1} of ${count}\n`,
    lines(
      ["Channel", placeOf(hit.channel)],
      ["Participants", names?.join(", ")],
      ["From", authorOf(wire(hit), reader)],
      ["Time", reader.time(hit.ts)],
      ["Message_ts", hit.ts],
      ["Reply count", hit.thread?.reply_count],
      ["Permalink", `[link](${linkTo(hit)})`],
    ),
    `\nText: \n${reader.text(hit.text)}\n`,
    side(true, "Context before:"),
    side(false, "Context after:"),
    "\n---\n\n",
  ].join("");
}

function showBrief(hit: Hit, index: number, reader: Reader): string {
  const place = hit.channel.is_im || hit.channel.is_mpim ? "DM" : `#${hit.channel.name}`;
  const text = shorten(reader.text(hit.text).replaceAll("\n", " "), BRIEF);
  return `${index + 1}. ${place} - ${reader.nameOf(wire(hit)) ?? ""}: ${text} [${reader.day(hit.ts)}]\n`;
}

function showFile(file: FileRow, index: number, count: number, call: ChatCall, reader: Reader) {
  const { name, filetype, created, permalink } = fileView(file, call);
  const { id, user_id: user } = file;
  return `### Result ${index + 1} of ${count}\n${lines(
    ["Name", name],
    ["File ID", id],
    ["Type", filetype],
    ["Author", reader.person({ user }, "ID: ")],
    ["Created", reader.time(Number(created))],
    ["Permalink", `[link](${permalink})`],
  )}\n\n---\n\n`;
}

async function search(args: Arguments, call: ChatCall, types: readonly ChannelType[]) {
  const { limit, cursor, sort, sort_dir: direction, max_context_length: maxLength } = args;
  const isBrief = args["response_format"] === "concise";
  const page = readPageCursor(cursor);
  const { query, messages, files, end } = await searchIn(
    call,
    {
      query: args["query"],
      count: readLimit(limit),
      page,
      sort: sort === "timestamp" ? "timestamp" : "score",
      sort_dir: direction === "asc" ? "asc" : "desc",
    },
    readScope(args, types),
    readContent(args["content_types"]),
  );
  const hits = messages.rows;
  const { session } = call;
  const neighbours =
    isBrief || args["include_context"] === false || hits.length === 0
      ? []
      : await listNeighbours(
          session,
          hits.map(({ channel_id: channel, ts }) => ({ channel, ts })),
          NEIGHBOURS,
        );
  const directs = hits.filter(({ channel }) => channel.is_im || channel.is_mpim);
  const participants = await listParticipants(
    session,
    directs.map(({ channel_id: channel }) => channel),
  );
  const reader = await createReader(call, [...hits, ...neighbours].map(wire), [
    ...[...participants.values()].flat(),
    ...files.rows.map(({ user_id: user }) => user),
  ]);
  const around = { reader, participants, neighbours, maxLength, shown: new Set<string>() };
  const parts = hits.map((hit, index) =>
    isBrief ? showBrief(hit, index, reader) : showHit(hit, index, hits.length, around),
  );
  const fileParts = files.rows.map((file, index) =>
    isBrief
      ? `${index + 1}. ${file.name} (${file.id})\n`
      : showFile(file, index, files.rows.length, call, reader),
  );
  return {
    results: results(query, [
      ...(parts.length > 0 ? [`## Messages (${parts.length} results)\n`, ...parts] : []),
      ...(fileParts.length > 0 ? [`## Files (${fileParts.length} results)\n`, ...fileParts] : []),
    ]),
    pagination_info: searchPagination(
      end < Math.max(messages.total, files.total) ? page + 1 : undefined,
    ),
  };
}

export const searching: Tools = {
  slack_search_public: (args, call) => search(args, call, ["public_channel"]),
  slack_search_public_and_private(args, call) {
    const types = listOf(args["channel_types"]);
    return search(args, call, types.length === 0 ? ALL_TYPES : requireTypes(types));
  },
};
