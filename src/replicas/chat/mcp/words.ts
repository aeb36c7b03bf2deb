/** Text for reading: times in the caller's zone, people by name, mentions with their current names. */
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall } from "~/replicas/chat/method";
import { findChannels } from "~/replicas/chat/store/channels";
import { findUsers, type UserRow } from "~/replicas/chat/store/users";
import { SLACKBOT } from "~/replicas/chat/views/users";
import { formatIn } from "~/replicas/chat/zones";

/** A message as methods answer it. */
export type Message = {
  readonly ts: string;
  readonly user?: string;
  readonly username?: string;
  readonly bot_id?: string;
  readonly text: string;
  readonly thread_ts?: string;
  readonly files?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly mimetype?: string;
    readonly size?: number;
  }[];
  readonly reactions?: readonly { readonly name: string; readonly count: number }[];
  readonly reply_count?: number;
  readonly latest_reply?: string;
};

export type Reader = Awaited<ReturnType<typeof createReader>>;

const MENTION = /<([@#])([A-Z0-9]+)(?:\|[^<>]*)?>/g;

const mentioned = (texts: readonly string[], sign: string) =>
  texts.flatMap((text) =>
    [...text.matchAll(MENTION)].flatMap(([, found, id = ""]) => (found === sign ? [id] : [])),
  );

const displayName = (user: UserRow) => String(user.profile["display_name"] || user.real_name);

/** Looks up everyone whom these messages show. `ids`: further people. */
export async function createReader(
  call: ChatCall,
  messages: readonly Pick<Message, "user" | "text">[],
  ids: readonly string[] = [],
) {
  const { session, actor } = call;
  const texts = messages.map(({ text }) => text);
  const authors = messages.flatMap(({ user }) => user ?? []);
  const people = new Set([actor, ...ids, ...authors, ...mentioned(texts, "@")]);
  const users = await findUsers(session, [...people]);
  const places = new Set(mentioned(texts, "#"));
  const found = places.size > 0 ? await findChannels(session, actor, [...places]) : [];
  const channels = new Map(found.map(({ id, name }) => [id, name]));
  const tz = users.get(actor)?.tz ?? "UTC";

  /** Undefined for an author without a name. */
  const nameOf = ({ user, username }: Pick<Message, "user" | "username">): string | undefined =>
    username ?? (user === SLACKBOT ? "Slackbot" : users.get(user ?? "")?.real_name);

  /** `NAME <mail> (U…)`. `label` stands before the id. */
  function person(author: Pick<Message, "user" | "username">, label = ""): string | undefined {
    const name = nameOf(author);
    if (name === undefined) return undefined;
    const mail = author.username === undefined && users.get(author.user ?? "")?.profile["email"];
    return `${name}${mail ? ` <${mail}>` : ""} (${label}${author.user})`;
  }

  return {
    nameOf,
    person,
    isBot: ({ user, bot_id: bot }: Pick<Message, "user" | "bot_id">) =>
      bot !== undefined || users.get(user ?? "")?.is_bot === true,
    userOf: (id: string) => users.get(id),
    time: (ts: string | number) => formatTime(Number(ts), tz),
    day: (ts: string | number) => formatDay(Number(ts), tz),
    /** Mentions get the current name. */
    text: (stored: string) =>
      stored.replace(MENTION, (whole, sign, id) => {
        const user = users.get(id);
        const name = sign === "@" ? user && displayName(user) : channels.get(id);
        return name ? `<${sign}${id}|${name}>` : whole;
      }),
  };
}

/** Abbreviations that no English locale has, from the time zone database. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  "Asia/Tokyo": "JST",
  "Asia/Seoul": "KST",
  "Asia/Shanghai": "CST",
  "Asia/Hong_Kong": "HKT",
  "Asia/Taipei": "CST",
  "Asia/Manila": "PST",
  "Asia/Karachi": "PKT",
  "Asia/Jakarta": "WIB",
  "Africa/Lagos": "WAT",
  "Africa/Nairobi": "EAT",
  "Europe/Moscow": "MSK",
};
/** Each knows the abbreviations of its own region. */
const LOCALES = ["en-US", "en-GB", "en-IN", "en-AU", "en-ZA"];

type Formats = { readonly date: Intl.DateTimeFormat; readonly zones: Intl.DateTimeFormat[] };
const formats = new Map<string, Formats>();

function formatsOf(timeZone: string): Formats {
  const known = formats.get(timeZone);
  if (known) return known;
  const two = "2-digit" as const;
  const made = {
    date: formatIn(
      timeZone,
      { year: "numeric", month: two, day: two, hour: two, minute: two, second: two },
      "sv-SE",
    ),
    zones: LOCALES.map((locale) => formatIn(timeZone, { timeZoneName: "short" }, locale)),
  };
  formats.set(timeZone, made);
  return made;
}

/** `CEST`; `+03` for a zone whose hours have no abbreviation. */
function abbreviation(tz: string, { zones }: Formats, date: Date): string {
  if (ABBREVIATIONS[tz]) return ABBREVIATIONS[tz];
  const names = zones.map(
    (format) => format.formatToParts(date).find(({ type }) => type === "timeZoneName")?.value ?? "",
  );
  const letters = names.find((name) => !/[+-]/.test(name));
  if (letters) return letters;
  const [, sign = "+", hours = "", minutes = ""] =
    /([+-])(\d+)(?::(\d+))?/.exec(names[0] ?? "") ?? [];
  return `${sign}${hours.padStart(2, "0")}${minutes}`;
}

/** `2026-06-23 12:58:39 EDT`. */
export function formatTime(seconds: number, tz: string): string {
  const date = new Date(Math.floor(seconds) * 1000);
  const known = formatsOf(tz);
  return `${known.date.format(date)} ${abbreviation(tz, known, date)}`;
}

const formatDay = (seconds: number, timeZone: string) =>
  formatIn(timeZone, { month: "short", day: "numeric" }).format(new Date(seconds * 1000));

const KB = 1024;

/** `512 B`, `393.6 KB`, `1.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  return bytes < KB * KB ? `${(bytes / KB).toFixed(1)} KB` : `${(bytes / KB / KB).toFixed(1)} MB`;
}

/** A page of a search, by number. Its cursor is the same for every query, as in the service. */
const PAGE = "CURRENT_PAGE";

export function readPageCursor(cursor: string | undefined): number {
  if (cursor === undefined || cursor === "") return 1;
  const [, page] = /^CURRENT_PAGE:(\d{1,5})$/.exec(Buffer.from(cursor, "base64").toString()) ?? [];
  if (page === undefined) throw new ChatError("invalid_cursor");
  return Number(page);
}

/** The sentence about the next page of a search. On the last page it ends in a backslash and an n, as in the service. */
export const searchPagination = (next: number | undefined): string =>
  next === undefined
    ? "End of results - No more pages available.\\n"
    : listPagination(Buffer.from(`${PAGE}:${next}`).toString("base64"));

/** The same for a list with cursors of its own; empty: the last page. */
export const listPagination = (cursor: string): string =>
  cursor === ""
    ? searchPagination(undefined)
    : `For the next page of results use cursor \`${cursor}\`\n`;

const SEARCH_LIMIT_MAX = 20;

/** A limit: more than the maximum is reduced to it. */
export function readLimit(limit: number | undefined, max = SEARCH_LIMIT_MAX): number {
  if (limit !== undefined && limit < 1) throw new ChatError("invalid_limit");
  return Math.min(limit ?? max, max);
}

/** The page of a search among items that are all in memory. */
export function pageOf<T>(
  items: readonly T[],
  { cursor, limit }: { readonly cursor?: string; readonly limit?: number },
) {
  const size = readLimit(limit);
  const page = readPageCursor(cursor);
  const shown = items.slice((page - 1) * size, page * size);
  const next = page * size < items.length ? page + 1 : undefined;
  return { shown, pagination_info: searchPagination(next) };
}

/** The head of a search's results, and its hits; or that nothing was found. */
export const results = (query: string, parts: readonly string[]) =>
  `# Search Results for: ${query}\n\n${parts.length > 0 ? parts.join("") : "No results found.\n"}`;

/** `Label: value` lines; those without a value are left out. */
export const lines = (...pairs: readonly (readonly [string, unknown])[]) =>
  pairs
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([label, value]) => `${label}: ${value}`)
    .join("\n");
