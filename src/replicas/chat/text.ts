/** Normalizes a message's text as the service does before it stores it. */

/** `<@U…>`, `<#C…|name>`, `<!here>`, `<!subteam^S…|@handle>`, `<!date^…>`, `<https://…|label>`, `<mailto:…>`. */
const CONSTRUCT =
  /<(?:@[UW][A-Z0-9]+|#[CDG][A-Z0-9]+|![a-z]+(?:\^[^<>|]*)?|(?:https?:\/\/|mailto:)[^<>|\s]+)(?:\|[^<>]*)?>/g;
const ENTITY = /&(?!amp;|lt;|gt;)/g;
/** Stops before punctuation that belongs to the sentence, not to the address. */
const BARE_URL = /(?:https?:\/\/|mailto:)[^\s<>|]*[^\s<>|.,;:!?'")\]}*_~]/g;

/**
 * The text as the API returns it: constructs kept, other `&`, `<` and `>` escaped, bare addresses wrapped, and a final
 * newline cut. `link` replaces further words outside constructs: channel names, handles of groups.
 */
export function normalizeText(
  text: string,
  link: (plain: string) => string = (plain) => plain,
): string {
  const trimmed = text.replace(/\n$/, "");
  let normalized = "";
  let from = 0;
  for (const match of trimmed.matchAll(CONSTRUCT)) {
    normalized += plainPart(trimmed.slice(from, match.index), link) + match[0];
    from = match.index + match[0].length;
  }
  return normalized + plainPart(trimmed.slice(from), link);
}

function plainPart(plain: string, link: (plain: string) => string): string {
  let normalized = "";
  let from = 0;
  for (const match of plain.matchAll(BARE_URL)) {
    normalized += `${link(escaped(plain.slice(from, match.index)))}<${match[0].replace(ENTITY, "&amp;")}>`;
    from = match.index + match[0].length;
  }
  return normalized + link(escaped(plain.slice(from)));
}

const escaped = (plain: string) =>
  plain.replace(ENTITY, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Words of a text that link_names or parse=full could turn into links: `@handle`, `#channel`. */
export const findLinkable = (text: string) => ({
  handles: [...text.matchAll(HANDLE)].map(([, , handle]) => handle ?? ""),
  channels: [...text.matchAll(CHANNEL_NAME)].map(([, , name]) => name ?? ""),
});

const HANDLE = /(^|[^\w@])@([a-z0-9][a-z0-9._-]*[a-z0-9]|[a-z0-9])/g;
const CHANNEL_NAME = /(^|[^\w#&])#([\p{Ll}\p{Lo}\p{N}_-]+)/gu;

/** Turns the known ones of these words into links. The maps lead to ids. */
export const linker =
  (groups: ReadonlyMap<string, string>, channels: ReadonlyMap<string, string>) =>
  (plain: string): string =>
    plain
      .replace(HANDLE, (word, before, handle) =>
        groups.has(handle) ? `${before}<!subteam^${groups.get(handle)}|@${handle}>` : word,
      )
      .replace(CHANNEL_NAME, (word, before, name) =>
        channels.has(name) ? `${before}<#${channels.get(name)}|${name}>` : word,
      );

/** Code and what surrounds it: `a`, "`code`", `b`, … */
const CODE = /(```[\s\S]*?```|`[^`\n]*`)/;

/** Markdown as mrkdwn: the service keeps both, one to show and one for clients that do not know blocks. */
export const markdownToMrkdwn = (markdown: string): string =>
  markdown
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : proseToMrkdwn(part)))
    .join("");

/** A heading without its optional closing marks. */
function withoutMarks(title: string): string {
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return title.slice(0, end).trimEnd() || title;
}

const proseToMrkdwn = (prose: string): string =>
  prose
    .replace(/^#{1,6}[^\S\n]+(\S.*)$/gm, (_, title: string) => `**${withoutMarks(title)}**`)
    .replace(/(?<![*\w])\*(?![*\s])([^*\n]+?)(?<!\s)\*(?![*\w])/g, "_$1_")
    .replace(/\*\*(?=\S)([^\n]+?)\*\*/g, "*$1*")
    .replace(/~~(?=\S)([^\n]+?)~~/g, "~$1~")
    .replace(/^([^\S\n]*)[-*+][^\S\n]+/gm, "$1• ")
    .replace(/!?\[([^[\]\n]+)\]\(((?:https?:\/\/|mailto:)[^\s()<>|]+)\)/g, "<$2|$1>");
