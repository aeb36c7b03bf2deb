/** The text of a message: decoded, without markup, and shortened. */
import { allParts, type Part } from "~/replicas/mail/mime/parse";

/** The text of a part of any charset. One without a known charset is UTF-8, or else the usual one of Windows. */
export function textOf({ bytes, charset }: Pick<Part, "bytes" | "charset">): string {
  for (const label of [charset, "utf-8"])
    try {
      if (label !== "")
        return new TextDecoder(label as "utf-8", { fatal: label === "utf-8" }).decode(bytes);
    } catch {
      // The next one.
    }
  return new TextDecoder("windows-1252").decode(bytes);
}

const isText = (type: string) => (part: Part) => part.mimeType === type && part.filename === "";

/** Of the message itself, without messages inside it. */
const ownParts = (part: Part): Part[] => [
  part,
  ...(part.mimeType === "message/rfc822" ? [] : part.parts.flatMap(ownParts)),
];

/** The HTML, undefined if there is none. */
export const bodyHtml = (root: Part): string | undefined => firstText(root, "text/html");

function firstText(root: Part, type: string): string | undefined {
  const part = ownParts(root).find(isText(type));
  return part && textOf(part);
}

/** The readable text: the plain one, or else that of the HTML. */
export function bodyText(root: Part): string {
  const plain = firstText(root, "text/plain");
  if (plain !== undefined) return plain;
  const html = bodyHtml(root);
  return html === undefined ? "" : textOfHtml(html);
}

const BLOCKS = "br,p,div,tr,li,ul,ol,table,blockquote,pre,hr,h1,h2,h3,h4,h5,h6";
const UNREAD = "script,style,title,template,noscript";

/** The text of HTML without its markup. */
export function textOfHtml(html: string): string {
  let text = "";
  let hidden = 0;
  new HTMLRewriter()
    .on(UNREAD, {
      element(element) {
        hidden++;
        element.onEndTag(() => {
          hidden--;
        });
      },
    })
    .on(BLOCKS, {
      element() {
        text += "\n";
      },
    })
    .onDocument({
      text(chunk) {
        if (hidden === 0) text += chunk.text;
      },
    })
    .transform(html);
  return (
    unescaped(text)
      .replace(/[ \t]+/g, " ")
      // Not by what surrounds a line break: that takes the square of the length of a space without one.
      .replace(/\s+/g, (space) => (space.includes("\n") ? "\n" : space))
      .trim()
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", mdash: "—", ndash: "–" },
  ...{ hellip: "…", copy: "©", reg: "®", euro: "€", laquo: "«", raquo: "»", zwnj: "", shy: "" },
};

const unescaped = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : whole;
  });

const SNIPPET_MAX = 200;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
};

/** The beginning of a text in one line, escaped for HTML. */
export function snippetOf(body: string): string {
  const line = body
    .slice(0, SNIPPET_MAX * 5)
    .replace(/\s+/g, " ")
    .trim();
  const short = line.length <= SNIPPET_MAX ? line : line.slice(0, SNIPPET_MAX).trimEnd();
  return short.toWellFormed().replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter);
}

export type Attachment = {
  readonly partId: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
};

export const attachmentsOf = (root: Part): Attachment[] =>
  allParts(root)
    .filter(({ filename }) => filename !== "")
    .map(({ partId, filename, mimeType, bytes }) => ({
      ...{ partId, filename: filename.toWellFormed().replaceAll("\0", ""), mimeType },
      size: bytes.byteLength,
    }));
