/** Reading conversations: history, threads and read marks. */
import { sizeOf } from "~/input/json";
import { Cursor, Flag, Maybe, Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { padTs } from "~/replicas/chat/ids";
import { type ChatCall, method } from "~/replicas/chat/method";
import { clampLimit, cut, decodeCursor, encodeCursor, LIMIT } from "~/replicas/chat/paging";
import { requireMembership } from "~/replicas/chat/require";
import { setLastRead } from "~/replicas/chat/store/members";
import { listHistory, listReplies, type Page } from "~/replicas/chat/store/pages";
import { requireNoneDue } from "~/replicas/chat/store/scheduled";
import { messageView } from "~/replicas/chat/views/messages";

const HISTORY_DEFAULT = 100;
const HISTORY_MAX = 999;
const REPLIES_MAX = 1_000;
const TS_PATTERN = /^\d{10}\.\d{6}$/;

const WINDOW_ARGS = {
  oldest: Maybe(Text("Only messages after this timestamp.")),
  latest: Maybe(Text("Only messages before this timestamp.")),
  inclusive: Maybe(Flag("Include the messages at the bounds themselves.")),
  cursor: Maybe(Cursor()),
  limit: LIMIT,
  include_all_metadata: Maybe(Flag()),
};

type Bounds = { readonly oldest?: string; readonly latest?: string; readonly inclusive?: boolean };

const readBounds = ({ oldest, latest, inclusive }: Bounds) => ({
  oldest: readBound(oldest, "oldest"),
  latest: readBound(latest, "latest"),
  inclusive: inclusive ?? false,
});

function readBound(value: string | undefined, name: "oldest" | "latest"): string | undefined {
  if (value === undefined || value === "") return undefined;
  const padded = padTs(value);
  if (padded === undefined) throw new ChatError(`invalid_ts_${name}`);
  return padded;
}

/** A page that the caller may read: people read public channels without joining, bots do not. */
async function requirePage(
  { session }: ChatCall,
  channel: string,
  read: () => Promise<Page | undefined>,
): Promise<Page> {
  const found = await read();
  if (!found) throw new ChatError("channel_not_found");
  if (!found.is_member && found.viewer_is_bot) throw new ChatError("not_in_channel");
  requireNoneDue(session, channel, found.is_due);
  return found;
}

/** Messages read per statement: each may be 200 kB long. */
const MESSAGES_AT_ONCE = 100;
/** Per page. A page may then have fewer messages than its limit, as in the service. */
const PAGE_LENGTH_MAX = 4 * 1024 * 1024;

/** Up to `size` messages after `from`, and the start of the next page. `read` reads one more than its limit. */
async function readPage(
  call: ChatCall,
  channel: string,
  { size, from }: { readonly size: number; readonly from: string | undefined },
  read: (limit: number, from: string | undefined) => Promise<Page | undefined>,
) {
  let asked = Math.min(size, MESSAGES_AT_ONCE);
  const found = await requirePage(call, channel, () => read(asked, from));
  let { messages: rows } = found;
  while (rows.length > asked && asked < size && sizeOf(rows, PAGE_LENGTH_MAX) <= PAGE_LENGTH_MAX) {
    const kept = rows.slice(0, asked);
    const more = Math.min(size - asked, MESSAGES_AT_ONCE);
    const next = await read(more, kept.at(-1)?.ts);
    rows = [...kept, ...(next?.messages ?? [])];
    asked += more;
  }
  return {
    pinCount: found.pin_count,
    ...cut(rows, asked, ({ ts }) => encodeCursor("next_ts", ts)),
  };
}

/** Metadata is included on request only. */
function messages(page: Page["messages"], call: ChatCall, withMetadata = false) {
  return page.map((message) =>
    messageView(
      withMetadata || message.metadata === null ? message : { ...message, metadata: null },
      call,
    ),
  );
}

export const conversationsReading = [
  method("conversations.history", {
    tier: 1,
    summary: "Lists the messages of a conversation, newest first, without replies.",
    args: { channel: Text(), ...WINDOW_ARGS },
    async handle(args, call) {
      const { channel, cursor, limit, oldest, latest } = args;
      const size = clampLimit(limit, HISTORY_DEFAULT, HISTORY_MAX);
      const bounds = readBounds(args);
      const from = decodeCursor(cursor, "next_ts", TS_PATTERN);
      const { page, hasMore, metadata, pinCount } = await readPage(
        call,
        channel,
        { size, from },
        (rows, before) =>
          listHistory(call.session, call.actor, channel, { ...bounds, limit: rows, before }),
      );
      return {
        ...(latest ? { latest } : {}),
        ...(oldest ? { oldest } : {}),
        messages: messages(page, call, args.include_all_metadata),
        has_more: hasMore,
        pin_count: pinCount,
        ...metadata,
      };
    },
  }),

  method("conversations.replies", {
    tier: 1,
    summary: "Lists a thread: its root, then its replies, oldest first.",
    args: { channel: Text(), ts: Text("Timestamp of any message of the thread."), ...WINDOW_ARGS },
    async handle(args, call) {
      const { channel, cursor, limit } = args;
      const size = clampLimit(limit, REPLIES_MAX, REPLIES_MAX);
      const bounds = readBounds(args);
      const from = decodeCursor(cursor, "next_ts", TS_PATTERN);
      const ts = padTs(args.ts);
      if (ts === undefined) throw new ChatError("thread_not_found");
      const { page, hasMore, metadata } = await readPage(
        call,
        channel,
        { size, from },
        (rows, after) =>
          listReplies(call.session, call.actor, channel, ts, { ...bounds, limit: rows, after }),
      );
      if (page.length === 0 && from === undefined) throw new ChatError("thread_not_found");
      return {
        messages: messages(page, call, args.include_all_metadata),
        has_more: hasMore,
        ...metadata,
      };
    },
  }),

  method("conversations.mark", {
    tier: 1,
    summary: "Moves the caller's read mark.",
    args: { channel: Text(), ts: Text("Timestamp of the last message read.") },
    async handle({ channel, ts: given }, call) {
      const ts = padTs(given);
      if (ts === undefined) throw new ChatError("invalid_timestamp");
      await requireMembership(call, channel);
      await setLastRead(call.session, channel, call.actor, ts);
      return {};
    },
  }),
];
