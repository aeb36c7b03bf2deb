/** The chat's message markup as elements: mentions, links, emphasis, code. */
import type { ComponentChildren } from "preact";
import type { Names } from "~/console/names";
import { Link } from "~/console/parts/text";

const TOKEN =
  /```([\s\S]+?)```|`([^`\n]+)`|<([^<>\n]+)>|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<![\w_])_([^_\n]+)_(?![\w_])|(?<![\w~])~([^~\n]+)~(?![\w~])/;
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

export function chatText(text: string, names: Names, depth = 0): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  while (depth < DEPTH_MAX) {
    const found = TOKEN.exec(rest);
    if (!found) break;
    const [whole, block, code, inner, bold, italic, struck] = found;
    parts.push(plain(rest.slice(0, found.index)));
    const within = (content: string) => chatText(content, names, depth + 1);
    if (block !== undefined) parts.push(<pre>{plain(block)}</pre>);
    else if (code !== undefined) parts.push(<code>{plain(code)}</code>);
    else if (inner !== undefined) parts.push(construct(inner, names));
    else if (bold !== undefined) parts.push(<strong>{within(bold)}</strong>);
    else if (italic !== undefined) parts.push(<em>{within(italic)}</em>);
    else if (struck !== undefined) parts.push(<s>{within(struck)}</s>);
    rest = rest.slice(found.index + whole.length);
  }
  parts.push(plain(rest));
  return parts;
}

const EMOJI: Readonly<Record<string, string>> = {
  "+1": "👍",
  thumbsup: "👍",
  "-1": "👎",
  thumbsdown: "👎",
  wave: "👋",
  eyes: "👀",
  heart: "❤️",
  tada: "🎉",
  rocket: "🚀",
  fire: "🔥",
  pray: "🙏",
  clap: "👏",
  smile: "😄",
  joy: "😂",
  thinking_face: "🤔",
  white_check_mark: "✅",
  heavy_check_mark: "✔️",
  x: "❌",
  warning: "⚠️",
  "100": "💯",
  raised_hands: "🙌",
  ok_hand: "👌",
  bulb: "💡",
  bug: "🐛",
  star: "⭐",
  sob: "😭",
  sunglasses: "😎",
  muscle: "💪",
  coffee: "☕",
  pizza: "🍕",
};

export const emoji = (name: string) => EMOJI[name] ?? `:${name}:`;
