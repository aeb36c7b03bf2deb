/**
 * The rich_text block that the service adds to a message of text only: its mrkdwn as elements. Custom emoji, which only
 * the tables know, stay text.
 */
import { codeOf, isStandardEmoji } from "~/replicas/chat/emoji";
import type { Wire } from "~/replicas/chat/views/wire";

type Style = { readonly bold?: true; readonly italic?: true; readonly strike?: true };
type Kind = "text" | "quote" | "bullet" | "ordered";
type Group = { readonly kind: Kind; readonly lines: string[] };

/** Beyond these a text gets no block, which takes many times its space: pages are limited by their texts. */
const TEXT_MAX = 4_000;
const ELEMENTS_MAX = 100;
/** Limit of nesting. */
const DEPTH_MAX = 4;

const PREFORMATTED = /```\n?([\s\S]+?)\n?```\n?/;
const QUOTE = /^&gt; ?/;
const BULLET = /^• ?/;
const ORDERED = /^(\d{1,4})\. /;
const TOKEN =
  /`([^`\n]+)`|<([^<>\n]+)>|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<!\w)_([^_\n]+)_(?!\w)|(?<![\w~])~([^~\n]+)~(?![\w~])|:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):/g;
/** Text without any of these is one element. */
const MARKS = /[`<*_~:&•\n]/;
const DATE = /^!date\^(\d{1,10})\^([^^]+)(?:\^(.+))?$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };

const plain = (text: string) =>
  text.replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? "");

/** The block's elements; undefined for a text without any, and for one with too many. `isTyped`: by a person, whose editor makes lists. */
export function richText(text: string, isTyped: boolean): Wire[] | undefined {
  if (text === "" || text.length > TEXT_MAX) return undefined;
  if (!MARKS.test(text)) return [section([{ type: "text", text }])];
  const elements = text.split(PREFORMATTED).flatMap((part, place) => {
    if (place % 2 === 0) return grouped(part, isTyped).map(elementOf);
    const content = [{ type: "text", text: plain(part) }];
    return [{ type: "rich_text_preformatted", elements: content, border: 0 }];
  });
  return count(elements) > ELEMENTS_MAX ? undefined : elements;
}

const count = (elements: readonly Wire[]): number =>
  elements.reduce(
    (total, { elements: inner }) => total + 1 + (Array.isArray(inner) ? count(inner) : 0),
    0,
  );

const section = (elements: readonly Wire[]): Wire => ({ type: "rich_text_section", elements });

function grouped(text: string, isTyped: boolean): Group[] {
  const groups: Group[] = [];
  for (const line of text === "" ? [] : text.split("\n")) {
    const last = groups.at(-1);
    const kind = isTyped || QUOTE.test(line) ? kindOf(line, last) : "text";
    if (last?.kind === kind) last.lines.push(line);
    else groups.push({ kind, lines: [line] });
  }
  const last = groups.at(-1);
  if (groups.length > 1 && last?.kind === "text" && last.lines.join("") === "") groups.pop();
  // The line break before another group belongs to the text.
  for (const [place, { kind, lines }] of groups.entries())
    if (kind === "text" && place < groups.length - 1) lines.push("");
  return groups;
}

/** A numbered list counts from 1. */
function kindOf(line: string, last: Group | undefined): Kind {
  if (QUOTE.test(line)) return "quote";
  if (BULLET.test(line)) return "bullet";
  const next = last?.kind === "ordered" ? last.lines.length + 1 : 1;
  return Number(ORDERED.exec(line)?.[1]) === next ? "ordered" : "text";
}

function elementOf({ kind, lines }: Group): Wire {
  if (kind === "text") return section(inline(lines.join("\n")));
  if (kind === "quote") {
    const text = lines.map((line) => line.replace(QUOTE, "")).join("\n");
    return { type: "rich_text_quote", elements: inline(text) };
  }
  const mark = kind === "bullet" ? BULLET : ORDERED;
  const elements = lines.map((line) => section(inline(line.replace(mark, ""))));
  return { type: "rich_text_list", elements, style: kind, indent: 0, border: 0 };
}

function inline(text: string, style: Style = {}, depth = 0): Wire[] {
  const elements: Wire[] = [];
  const styled = (element: Wire, more: object = {}) => {
    const all = { ...style, ...more };
    elements.push(Object.keys(all).length === 0 ? element : { ...element, style: all });
  };
  const write = (part: string) => part !== "" && styled({ type: "text", text: plain(part) });
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, code, construct, bold, italic, strike, emoji] = match;
    const nested = bold ?? italic ?? strike;
    const own = construct === undefined ? emojiOf(emoji) : constructOf(construct);
    if (own === undefined && code === undefined && (nested === undefined || depth === DEPTH_MAX))
      continue;
    write(text.slice(from, match.index));
    from = match.index + whole.length;
    if (own) styled(own);
    else if (code !== undefined) styled({ type: "text", text: plain(code) }, { code: true });
    else if (nested !== undefined)
      elements.push(...inline(nested, { ...style, ...styleOf(bold, italic) }, depth + 1));
  }
  write(text.slice(from));
  return elements;
}

function styleOf(bold: string | undefined, italic: string | undefined): Style {
  if (bold !== undefined) return { bold: true };
  return italic === undefined ? { strike: true } : { italic: true };
}

function emojiOf(name: string | undefined): Wire | undefined {
  if (name === undefined || !isStandardEmoji(name)) return undefined;
  const [base = "", tone] = name.split("::skin-tone-");
  const code = codeOf(base);
  if (tone === undefined) return { type: "emoji", name, unicode: code };
  return { type: "emoji", name: base, unicode: code, skin_tone: Number(tone) };
}

/** The content of `<…>`: a mention, a date or a link. */
function constructOf(inner: string): Wire | undefined {
  const bar = inner.indexOf("|");
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? undefined : plain(inner.slice(bar + 1));
  const id = target.slice(1);
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { type: "user", user_id: id };
  if (/^#[CDG][A-Z0-9]+$/.test(target)) return { type: "channel", channel_id: id };
  if (/^!(?:here|channel|everyone)$/.test(target)) return { type: "broadcast", range: id };
  if (/^!subteam\^S[A-Z0-9]+$/.test(target))
    return { type: "usergroup", usergroup_id: target.slice("!subteam^".length) };
  const [, timestamp, format, url] = DATE.exec(target) ?? [];
  if (timestamp !== undefined)
    return { type: "date", timestamp: Number(timestamp), format, url, fallback: label };
  if (!/^(?:https?:\/\/|mailto:)/.test(target)) return undefined;
  return { type: "link", url: plain(target), text: label };
}
