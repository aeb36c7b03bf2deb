import { createHash } from "node:crypto";
import { Choice, Cursor, Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { PAGE_ARGS, readPage } from "~/replicas/chat/paging";
import { requireActor } from "~/replicas/chat/require";
import { parseQuery, type Term } from "~/replicas/chat/search-query";
import type { FileRow } from "~/replicas/chat/store/files";
import type { MessageRow } from "~/replicas/chat/store/messages";
import {
  type ChannelOf,
  type Found,
  findNames,
  searchFiles,
  searchMessages,
} from "~/replicas/chat/store/search";
import { escaped, type Scope, type Search } from "~/replicas/chat/store/search-conditions";
import { fileView } from "~/replicas/chat/views/files";
import { messageView, permalink } from "~/replicas/chat/views/messages";
import { present, type Wire } from "~/replicas/chat/views/wire";
import { secondsOf } from "~/source";

const PAGE_DEFAULT = 20;
const PAGE_SIZE_MAX = 100;
const PAGES_MAX = 100;
/** The text around a hit. */
const HIT = { begin: "\uE000", end: "\uE001" };

const SEARCH_ARGS = {
  query: Maybe(Text("Words, and modifiers: in: from: to: with: before: after: on: has: is:")),
  sort: Maybe(Choice("score", "timestamp")),
  sort_dir: Maybe(Choice("asc", "desc")),
  highlight: Maybe(Flag("Mark the matching words.")),
  ...PAGE_ARGS,
  team_id: Maybe(Text()),
};
type SearchArgs = {
  query?: string;
  sort?: "score" | "timestamp";
  sort_dir?: "asc" | "desc";
  highlight?: boolean;
  count?: number;
  page?: number;
  cursor?: string;
};

/** Parses a query and its page. Throws `no_query`. */
async function readSearch(call: ChatCall, args: SearchArgs, scope?: Scope) {
  const { user } = await requireActor(call);
  const query = args.query?.trim();
  if (!query) throw new ChatError("no_query");
  const terms = parseQuery(query, user.tz, secondsOf(call.session.source));
  const names = terms.flatMap(({ condition }) =>
    "name" in condition && condition.kind !== "emoji" ? [condition.name] : [],
  );
  // The client's first cursor is `*`.
  const cursor = args.cursor === "*" ? undefined : args.cursor;
  const page = readPage(
    {
      ...args,
      page: Math.min(args.page ?? 1, PAGES_MAX),
      ...(cursor === undefined ? { cursor: "" } : { cursor }),
    },
    PAGE_DEFAULT,
    PAGE_SIZE_MAX,
  );
  const search: Search = {
    viewer: user.id,
    terms,
    names: await findNames(call.session, user.id, [...new Set(names)]),
    byTime: args.sort === "timestamp",
    ascending: args.sort_dir === "asc",
    ...page.window,
    ...(scope ? { scope } : {}),
  };
  return { query, search, page };
}

type PlacedRow = MessageRow & { readonly channel: ChannelOf };

/** A page of messages and files in a scope, for callers other than methods. */
export async function searchIn(
  call: ChatCall,
  args: SearchArgs,
  scope: Scope,
  wanted: { readonly messages: boolean; readonly files: boolean },
): Promise<{ query: string; messages: Found<PlacedRow>; files: Found<FileRow>; end: number }> {
  const { query, search, page } = await readSearch(call, args, scope);
  const none = { rows: [], total: 0 };
  const messages = wanted.messages ? await searchMessages(call.session, search) : none;
  const files = wanted.files ? await searchFiles(call.session, search) : none;
  return { query, messages, files, end: page.window.offset + page.window.limit };
}

type Page = ReturnType<typeof readPage>;

function resultView<Row>(
  { rows, total }: Found<Row>,
  page: Page,
  view: (row: Row & { score: number }) => Wire,
): Wire {
  const { paging } = page.answer(total);
  const { offset } = page.window;
  return {
    total,
    matches: rows.map(view),
    paging,
    pagination: {
      total_count: total,
      page: paging.page,
      per_page: paging.count,
      page_count: paging.pages,
      first: rows.length > 0 ? offset + 1 : 0,
      last: offset + rows.length,
    },
  };
}

type Match = MessageRow & { readonly channel: ChannelOf; score: number };

function matchView(row: Match, call: ChatCall, mark: (text: string) => string): Wire {
  const { channel, score } = row;
  const message = messageView(row, call);
  return present({
    iid: createHash("md5").update(`${row.channel_id} ${row.ts}`).digest("hex"),
    type: channel.is_im ? "im" : "message",
    team: row.team_id,
    score,
    user: row.user_id,
    username: row.username ?? channel.author,
    ts: row.ts,
    text: mark(row.text),
    blocks: message["blocks"],
    attachments: message["attachments"],
    files: message["files"],
    no_reactions: row.reactions === null,
    permalink: permalink(row),
    is_mpim: channel.is_mpim,
    channel: present({
      id: channel.id,
      name: channel.is_im ? channel.user : channel.name,
      name_normalized: channel.name,
      is_channel: channel.is_channel,
      is_group: channel.is_group,
      is_im: channel.is_im,
      is_mpim: channel.is_mpim,
      is_private: channel.is_private,
      is_shared: false,
      is_org_shared: false,
      is_ext_shared: false,
      is_pending_ext_shared: false,
      pending_shared: [],
      user: channel.user,
    }),
  });
}

/** Characters of words times characters of texts that one answer compares, in about 50 ms. */
const COMPARED_MAX = 200_000_000;

/** Marks the words of a query in the texts of one answer, as long as they are few or short enough. */
export function marker(
  terms: readonly Term[],
  wanted: boolean | undefined,
): (text: string) => string {
  const words = terms.flatMap(({ negated, condition }) =>
    "text" in condition && !negated
      ? [escaped(condition.text) + (condition.kind === "prefix" ? "[\\p{L}\\p{N}]*" : "")]
      : [],
  );
  if (!wanted || words.length === 0) return (text) => text;
  const choice = [...new Set(words)].join("|");
  const hits = new RegExp(`(?<![\\p{L}\\p{N}])(?:${choice})(?![\\p{L}\\p{N}])`, "giu");
  let left = COMPARED_MAX;
  return (text) => {
    left -= choice.length * text.length;
    return left < 0 ? text : text.replace(hits, `${HIT.begin}$&${HIT.end}`);
  };
}

const fileMatch = (file: FileRow, call: ChatCall, mark: (text: string) => string): Wire => ({
  ...fileView(file, call),
  title: mark(file.title),
});

export const search = [
  method("search.messages", {
    tier: 1,
    userOnly: true,
    summary: "Searches the messages that the caller can read.",
    limits: "Words match as they are and by their English stems.",
    args: { ...SEARCH_ARGS, cursor: Maybe(Cursor()) },
    async handle(args, call) {
      const { query, search, page } = await readSearch(call, args);
      const found = await searchMessages(call.session, search);
      const mark = marker(search.terms, args.highlight);
      const { response_metadata } = page.answer(found.total);
      const messages = resultView(found, page, (row) => matchView(row, call, mark));
      return { query, messages, response_metadata };
    },
  }),

  method("search.files", {
    tier: 1,
    userOnly: true,
    summary: "Searches the files that the caller can see, by title, name and content.",
    args: SEARCH_ARGS,
    async handle(args, call) {
      const { query, search, page } = await readSearch(call, args);
      const found = await searchFiles(call.session, search);
      const mark = marker(search.terms, args.highlight);
      return { query, files: resultView(found, page, (row) => fileMatch(row, call, mark)) };
    },
  }),

  method("search.all", {
    tier: 1,
    userOnly: true,
    summary: "Searches messages and files.",
    args: SEARCH_ARGS,
    async handle(args, call) {
      const { query, search, page } = await readSearch(call, args);
      const mark = marker(search.terms, args.highlight);
      const messages = await searchMessages(call.session, search);
      const files = await searchFiles(call.session, search);
      return {
        query,
        messages: resultView(messages, page, (row) => matchView(row, call, mark)),
        files: resultView(files, page, (row) => fileMatch(row, call, mark)),
        posts: { total: 0, matches: [] },
      };
    },
  }),
];
