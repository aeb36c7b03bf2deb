/** Tools that find people, channels and emoji. */
import { runMethod } from "~/replicas/chat/mcp/run";
import type { Arguments, Tools } from "~/replicas/chat/mcp/tool";
import { createReader, lines, pageOf, results } from "~/replicas/chat/mcp/words";
import type { ChatCall } from "~/replicas/chat/method";
import { findTeam } from "~/replicas/chat/store/team";
import { findUser, type Profile } from "~/replicas/chat/store/users";

const LIST_LIMIT = 999;
/** Of a workspace's people or channels; later ones are not searched. */
const LIST_PAGES_MAX = 20;
const EMOJI_MAX = 200;

type User = {
  readonly id: string;
  readonly name: string;
  readonly real_name?: string;
  readonly tz?: string;
  readonly locale?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly is_restricted?: boolean;
  readonly profile: Profile;
};

type Channel = {
  readonly id: string;
  readonly name: string;
  readonly creator: string;
  readonly created: number;
  readonly is_private: boolean;
  readonly is_archived: boolean;
  readonly topic: { readonly value: string };
  readonly purpose: { readonly value: string };
};

const yesNo = (flag: boolean | undefined) => (flag ? "Yes" : "No");
const field = (profile: Profile, name: string) => String(profile[name] ?? "");

const namesOf = ({ id, name, real_name: real, profile }: User): [string, unknown][] => [
  ["User ID", id],
  ["Username", name],
  ["Display Name", field(profile, "display_name")],
  ["Real Name", real ?? field(profile, "real_name")],
  ["Pronouns", field(profile, "pronouns")],
  ["Title", field(profile, "title")],
  ["Email", field(profile, "email")],
];

const labelled = (pairs: readonly (readonly [string, unknown])[]) =>
  pairs.map(([label, value]) => `${label}: ${value}`).join("\n");

/** A person as a list of members shows them: the lines of the profile, with empty ones kept. */
export const profileLines = (user: User, organization?: string) =>
  labelled([
    ...namesOf(user),
    ...(organization === undefined ? [] : [["Organization Name", organization] as const]),
    ["Phone", field(user.profile, "phone")],
    [
      "Status",
      `${field(user.profile, "status_emoji")} ${field(user.profile, "status_text")}`.trim(),
    ],
    ["Timezone", user.tz ?? ""],
    ["Admin", yesNo(user.is_admin)],
    ["Owner", yesNo(user.is_owner)],
    ["Bot", yesNo(user.is_bot)],
    ["Restricted", yesNo(user.is_restricted)],
  ]);

/** Every item of a list that a method answers in pages. */
async function listAll<T>(
  call: ChatCall,
  method: string,
  key: string,
  args: Arguments,
): Promise<T[]> {
  const items: T[] = [];
  let cursor = "";
  for (let page = 0; page < LIST_PAGES_MAX; page++) {
    const answer = await runMethod(call, method, { ...args, limit: LIST_LIMIT, cursor });
    items.push(...(answer[key] as T[]));
    ({ next_cursor: cursor } = answer["response_metadata"] as { next_cursor: string });
    if (cursor === "") break;
  }
  return items;
}

/** Different words, in lower case. */
const wordsOf = (query: string) => [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];

/** Texts to find words in. No word has a line end, so none is found across two texts. */
const joined = (texts: readonly string[]) => texts.join("\n").toLowerCase();

/** The hits of a page as Markdown. `concise`: one line each. */
function showHits<T>(
  { query, response_format: format }: Arguments,
  what: string,
  hits: readonly T[],
  show: { readonly detailed: (hit: T) => string; readonly concise: (hit: T) => string },
): string {
  if (hits.length === 0) return results(query, []);
  const head = `## ${what} (${hits.length} results)\n`;
  if (format === "concise")
    return results(query, [
      head,
      ...hits.map((hit, index) => `${index + 1}. ${show.concise(hit)}\n`),
    ]);
  const parts = hits.map(
    (hit, index) => `### Result ${index + 1} of ${hits.length}\n${show.detailed(hit)}\n\n---\n\n`,
  );
  return results(query, [head, ...parts]);
}

/** Names that are, begin with, or hold the words come before topics and purposes that do. */
function placeOf(name: string, query: string): number {
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  return name.includes(query) ? 2 : 3;
}

const searchable = ({ name, real_name: real = "", profile }: User) => [
  name,
  real,
  ...["display_name", "first_name", "last_name", "email", "title", "department"].map((key) =>
    field(profile, key),
  ),
];

export const people: Tools = {
  async slack_search_channels(args, call) {
    const query = String(args["query"]).trim().toLowerCase().replace(/^#/, "");
    const words = wordsOf(query);
    const channels = await listAll<Channel>(call, "conversations.list", "channels", {
      types: args["channel_types"] ?? "public_channel",
      exclude_archived: !args["include_archived"],
    });
    const hits = channels
      .filter(({ name, topic, purpose }) => {
        const text = joined([name, topic.value, purpose.value]);
        return words.every((word) => text.includes(word));
      })
      .toSorted((a, b) => placeOf(a.name, query) - placeOf(b.name, query));
    const { shown, pagination_info } = pageOf(hits, args);
    const { url } = await findTeam(call.session);
    const creators = shown.map(({ creator }) => creator);
    const reader = await createReader(call, [], creators);
    const text = showHits(args, "Channels", shown, {
      concise: ({ id, name }) => `#${name} (${id})`,
      detailed: (hit) =>
        lines(
          ["Name", `#${hit.name}`],
          ["Creator", `${reader.nameOf({ user: hit.creator }) ?? ""} (<@${hit.creator})`],
          ["Created", reader.time(hit.created)],
          ["Topic", hit.topic.value],
          ["Purpose", hit.purpose.value],
          ["Permalink", `[link](${url}archives/${hit.id})`],
          ["Is Archived", hit.is_archived],
          ["Channel Type", hit.is_private ? "private_channel" : "public_channel"],
        ),
    });
    return { results: text, pagination_info };
  },

  async slack_search_users(args, call) {
    const words = wordsOf(args["query"]);
    const wanted = words
      .filter((word) => !word.startsWith("-"))
      .map((word) => word.replace(/^@/, ""));
    const unwanted = words.filter((word) => /^-./.test(word)).map((word) => word.slice(1));
    const users = await listAll<User>(call, "users.list", "members", {});
    const hits = users.filter((user) => {
      if (user.deleted || user.is_bot) return false;
      const text = joined(searchable(user));
      return (
        wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
      );
    });
    const { shown, pagination_info } = pageOf(hits, args);
    const { url } = await findTeam(call.session);
    const text = showHits(args, "Users", shown, {
      concise: ({ id, name, real_name: real }) => `${real ?? name} (${id})`,
      detailed: ({ id, name, real_name: real, tz, profile }) =>
        lines(
          ["Name", real ?? name],
          ["User ID", id],
          ["Title", profile["title"]],
          ["Email", profile["email"]],
          ["Timezone", tz],
          ["Profile Pic", `[Photo](${profile["image_512"]})`],
          ["Permalink", `[link](${url}team/${id})`],
        ),
    });
    return { results: text, pagination_info };
  },

  async slack_search_emojis({ query }, call) {
    const terms = String(query)
      .toLowerCase()
      .split(",")
      .map((term) => term.trim())
      .filter(Boolean);
    const { emoji } = (await runMethod(call, "emoji.list", {})) as {
      emoji: Record<string, string>;
    };
    const hits = Object.entries(emoji)
      .filter(([name]) => terms.some((term) => name.toLowerCase().includes(term)))
      .slice(0, EMOJI_MAX)
      .map(([name, url]) => {
        const target = /^alias:(.+)$/.exec(url)?.[1];
        return `:${name}:${target ? ` (alias for :${target}:)` : ""}\n`;
      });
    const head = `## Emojis (${hits.length} results)\n`;
    return { results: results(query, hits.length > 0 ? [head, ...hits] : []) };
  },

  async slack_read_user_profile(args, call) {
    const id = args["user_id"] || call.actor;
    const { user } = (await runMethod(call, "users.info", {
      user: id,
      include_locale: args["include_locale"],
    })) as { user: User };
    if (args["response_format"] === "concise") return { result: labelled(namesOf(user)) };
    const { name } = await findTeam(call.session);
    // The method leaves most fields of a deactivated user out.
    const row = user.deleted ? await findUser(call.session, id) : undefined;
    const whole = row ? { ...user, real_name: row.real_name, tz: row.tz } : user;
    const locale = args["include_locale"] ? `\nLocale: ${user.locale ?? ""}` : "";
    return { result: profileLines(whole, name) + locale };
  },
};
