/** The part tree of a message, numbered as the API numbers it. */
import PostalMime, { decodeWords } from "postal-mime";
import { readAddresses } from "~/replicas/mail/mime/addresses";

export type Header = { readonly name: string; readonly value: string };

export type Part = {
  readonly partId: string;
  readonly mimeType: string;
  /** Empty if it has none: then it is a text of the message itself. */
  readonly filename: string;
  readonly headers: readonly Header[];
  /** Without the encoding of the transfer; empty for one that only contains others. */
  readonly bytes: Buffer;
  readonly charset: string;
  readonly parts: readonly Part[];
};

/** The parser's own node, which its types do not show. A test guards what is read here. */
type Node = {
  readonly headers: readonly { readonly originalKey: string; readonly value: string }[];
  readonly contentType: { readonly parsed: Structured; readonly multipart: string | false };
  readonly contentDisposition: { readonly parsed: Structured };
  readonly contentTransferEncoding: { readonly encoding: string };
  readonly content: ArrayBuffer | null;
  readonly childNodes: readonly Node[];
};
type Structured = { readonly value: string; readonly params: Readonly<Record<string, string>> };

/** Levels of messages inside messages. */
const NESTED_MAX = 5;
const RFC822 = "message/rfc822";

/** Never throws: a message that cannot be read is one text. */
export async function parseMail(raw: Uint8Array): Promise<Part> {
  return await parse(raw, "", 0);
}

/** The parser takes some 30 µs for each part, and nothing else is done meanwhile. */
const PARTS_MAX = 5_000;

/** A message without the parts beyond the maximum. A line with two hyphens precedes each. */
function withoutMany(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  let at = -1;
  for (let count = 0; count <= PARTS_MAX; count++) {
    at = bytes.indexOf("\n--", at + 1);
    if (at < 0) return raw;
  }
  return /multipart\//i.test(bytes.toString("latin1")) ? raw.subarray(0, at + 1) : raw;
}

async function parse(whole: Uint8Array, partId: string, nested: number): Promise<Part> {
  const raw = withoutMany(whole);
  // A limit of 0: the parser leaves messages inside alone, and their parts get ids below.
  const parser = new PostalMime({ maxRfc822NestingDepth: 0 });
  try {
    await parser.parse(raw);
  } catch {
    return { ...EMPTY, partId, bytes: Buffer.from(whole) };
  }
  const { root } = parser as unknown as { readonly root: Node };
  return await partOf(root, partId, { nested, isLast: raw.at(-1) === LINE_FEED, isRoot: true });
}

const LINE_FEED = 10;
const EMPTY = { mimeType: "text/plain", filename: "", headers: [], charset: "", parts: [] };

type Place = { readonly nested: number; readonly isLast: boolean; readonly isRoot: boolean };

async function partOf(node: Node, partId: string, place: Place): Promise<Part> {
  const { value, params } = node.contentType.parsed;
  const mimeType = value.toLowerCase();
  const bytes = node.contentType.multipart ? Buffer.alloc(0) : bytesOf(node, place);
  const inner = (at: number) => (partId === "" ? `${at}` : `${partId}.${at}`);
  const parts: Part[] = [];
  for (const [at, child] of node.childNodes.entries())
    parts.push(await partOf(child, inner(at), { ...place, isRoot: false }));
  if (mimeType === RFC822 && place.nested < NESTED_MAX)
    parts.push(await parse(bytes, inner(0), place.nested + 1));
  return {
    ...{ partId, mimeType, bytes, parts },
    filename: filenameOf(node, mimeType),
    headers: node.headers.map(({ originalKey: name, value: text }) => ({
      name,
      value: headerValue(name, text),
    })),
    charset: params["charset"] ?? "",
  };
}

function filenameOf({ contentDisposition, contentType }: Node, mimeType: string): string {
  const name =
    contentDisposition.parsed.params["filename"] || contentType.parsed.params["name"] || "";
  if (name === "" && mimeType === "text/calendar") return "invite.ics";
  return decodeWords(name);
}

/** The parser ends every line of a text with a line feed, also the last, whose line break belongs to the boundary. */
function bytesOf(
  { content, contentTransferEncoding: { encoding } }: Node,
  { isLast, isRoot }: Place,
): Buffer {
  const bytes = Buffer.from(content ?? new ArrayBuffer(0));
  if (encoding === "base64") return bytes;
  const text = bytes.toString("latin1");
  const own = isRoot && isLast ? text : text.replace(/\n$/, "");
  return Buffer.from(own.replace(/\r?\n/g, "\r\n"), "latin1");
}

const ADDRESSES = /^(?:from|to|cc|bcc|reply-to|sender)$/i;

/** Decoded words of an address are a quoted name. */
function headerValue(name: string, text: string): string {
  if (!text.includes("=?")) return text;
  if (!ADDRESSES.test(name)) return decodeWords(text);
  return readAddresses(text)
    .map(({ name: shown, address }) => {
      const decoded = decodeWords(shown);
      const quoted = decoded.replaceAll('"', "").replaceAll("\\", "\\\\");
      return decoded === "" ? address : `"${quoted}" <${address}>`;
    })
    .join(", ");
}

/** The value of a header, undefined if there is none. `name`: in lower case. */
export const headerOf = ({ headers }: Pick<Part, "headers">, name: string): string | undefined =>
  headers.find((header) => header.name.toLowerCase() === name)?.value;

/** All parts, each before those inside it. */
export const allParts = (part: Part): Part[] => [part, ...part.parts.flatMap(allParts)];
