/** The chat's message markup as elements: mentions, links, emphasis, code. */
import type { ComponentChildren } from "preact";
import type { Names } from "~/console/names";
import { Link } from "~/console/parts/text";
import { withEmoji } from "~/console/services/chat/emoji";

const TOKEN =
  /`([^`\n]+)`|<([^<>\n]+)>|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<![\w_])_([^_\n]+)_(?![\w_])|(?<![\w~])~([^~\n]+)~(?![\w~])/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };
const plain = (text: string) =>
  text.replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? "");
/** Limit of nesting. */
const DEPTH_MAX = 4;

function construct(inner: string, names: Names): ComponentChildren {
  const [target = "", label] = inner.split("|", 2);
  const id = target.slice(1);
  if (target.startsWith("@")) return <span class="mention">@{label ?? names.get(id) ?? id}</span>;
  if (target.startsWith("#")) {
    const name = label || names.get(id)?.replace(/^#/, "") || id;
    return <span class="mention">#{name}</span>;
  }
  if (target.startsWith("!subteam")) return <span class="mention">{label ?? target.slice(1)}</span>;
  if (target.startsWith("!date")) return label ?? target;
  if (target.startsWith("!")) return <span class="mention">@{id}</span>;
  return <Link href={plain(target)}>{plain(label ?? target)}</Link>;
}

const shownText = (text: string) => withEmoji(plain(text));

/** A text without blocks, such as a topic. */
export function inline(text: string, names: Names, depth = 0): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  while (depth < DEPTH_MAX) {
    const found = TOKEN.exec(rest);
    if (!found) break;
    const [whole, code, inner, bold, italic, struck] = found;
    parts.push(shownText(rest.slice(0, found.index)));
    const within = (content: string) => inline(content, names, depth + 1);
    if (code !== undefined) parts.push(<code>{plain(code)}</code>);
    else if (inner !== undefined) parts.push(construct(inner, names));
    else if (bold !== undefined) parts.push(<strong>{within(bold)}</strong>);
    else if (italic !== undefined) parts.push(<em>{within(italic)}</em>);
    else if (struck !== undefined) parts.push(<s>{within(struck)}</s>);
    rest = rest.slice(found.index + whole.length);
  }
  parts.push(shownText(rest));
  return parts;
}

const BLOCK = /\n?```\n?([\s\S]+?)```\n?/;
const QUOTE = /^(?:&gt;|>) ?/;

/** Lines of a text, with quotes as blocks. */
function quoted(text: string, names: Names): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const isQuote = QUOTE.test(lines[at] ?? "");
    const from = at;
    while (at < lines.length && QUOTE.test(lines[at] ?? "") === isQuote) at++;
    const group = lines.slice(from, at);
    if (!isQuote) parts.push(inline(group.join("\n"), names));
    else {
      const inside = group.map((line) => line.replace(QUOTE, "")).join("\n");
      parts.push(<blockquote>{inline(inside, names)}</blockquote>);
    }
  }
  return parts;
}

/** A message's text: code and quotes are blocks, as the service shows them. */
export const chatText = (text: string, names: Names): ComponentChildren[] =>
  text
    .split(BLOCK)
    .map((part, index) =>
      index % 2 === 1 ? <pre>{plain(part)}</pre> : part && quoted(part, names),
    );
