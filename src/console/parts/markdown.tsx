/** Markdown as elements, by an allowlist: everything else stays text. */
import type { ComponentChildren, VNode } from "preact";
import { Link } from "~/console/parts/text";

const INLINE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<!\w)_([^_\n]+)_(?!\w)|(?<!\*)\*([^*\n]+)\*(?!\*)|~~([^~\n]+)~~|!?\[([^\]\n]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()]+)/;
/** Limits of nesting and of the parts of a line. */
const DEPTH_MAX = 4;
const PARTS_MAX = 500;

function inline(text: string, depth = 0): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  while (depth < DEPTH_MAX && parts.length < PARTS_MAX) {
    const found = INLINE.exec(rest);
    if (!found) break;
    const [whole, code, bold, italic, slanted, struck, label, target, address] = found;
    parts.push(rest.slice(0, found.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (bold !== undefined) parts.push(<strong>{inline(bold, depth + 1)}</strong>);
    else if (italic !== undefined || slanted !== undefined)
      parts.push(<em>{inline(italic ?? slanted ?? "", depth + 1)}</em>);
    else if (struck !== undefined) parts.push(<s>{inline(struck, depth + 1)}</s>);
    else if (target !== undefined) parts.push(<Link href={target}>{label || target}</Link>);
    else if (address !== undefined) parts.push(<Link href={address}>{address}</Link>);
    rest = rest.slice(found.index + whole.length);
  }
  parts.push(rest);
  return parts;
}

const HEADING = /^#{1,6} +(.*)$/;
const ITEM = /^\s*(?:[-*+]|(\d+)[.)]) +(?:\[([ xX])\] )?(.*)$/;
const QUOTE = /^> ?(.*)$/;
const FENCE = /^\s*```/;

/** Splits the lines into blocks. */
export function Markdown({ text }: { text: string }) {
  const lines = text.split(/\r?\n/);
  const blocks: VNode[] = [];
  let at = 0;
  /** Consumes lines while they match. */
  const take = (matches: (line: string) => boolean) => {
    const from = at;
    while (at < lines.length && matches(lines[at] ?? "")) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const heading = HEADING.exec(line);
    if (FENCE.test(line)) {
      at++;
      const code = take((each) => !FENCE.test(each));
      at++;
      blocks.push(<pre>{code.join("\n")}</pre>);
    } else if (heading) {
      at++;
      blocks.push(
        <p>
          <strong>{inline(heading[1] ?? "")}</strong>
        </p>,
      );
    } else if (ITEM.test(line)) blocks.push(list(take((each) => ITEM.test(each))));
    else if (QUOTE.test(line)) {
      const quoted = take((each) => QUOTE.test(each)).map((each) => QUOTE.exec(each)?.[1] ?? "");
      blocks.push(<blockquote>{inline(quoted.join("\n"))}</blockquote>);
    } else if (line.trim() === "") at++;
    else {
      const paragraph = take(
        (each) =>
          each.trim() !== "" && ![FENCE, HEADING, ITEM, QUOTE].some((kind) => kind.test(each)),
      );
      blocks.push(<p class="words">{inline(paragraph.join("\n"))}</p>);
    }
  }
  return (
    <div class="markdown" dir="auto">
      {blocks}
    </div>
  );
}

function list(lines: readonly string[]): VNode {
  const items = lines.map((line) => ITEM.exec(line) ?? []);
  const shown = items.map(([, , check, text = ""], index) => (
    <li key={index}>
      {check !== undefined && (check === " " ? "☐ " : "☑ ")}
      {inline(text)}
    </li>
  ));
  return items[0]?.[1] === undefined ? <ul>{shown}</ul> : <ol>{shown}</ol>;
}
