/** Multipart bodies (RFC 2046): of `multipart/related` with a media part, and of batches. */
import { HeaderList } from "~/wire/message";

export type Part = { readonly headers: HeaderList; readonly content: Buffer };

/** A body that is not multipart, or more than is read. The message says why. */
export class MultipartError extends Error {
  override readonly name = "MultipartError";
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
/** Of the headers of one part. */
const HEAD_BYTES_MAX = 16_384;
const HEADERS_MAX = 50;

/** The parts of a body. Lines may end without a carriage return: Python's email package writes them so. */
export function readParts(type: string, body: Uint8Array, partsMax: number): Part[] {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new MultipartError("The Content-Type has no boundary.");
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const parts: Part[] = [];
  let delimiter = findDelimiter(bytes, boundary, 0);
  while (delimiter && !delimiter.isLast) {
    const next = findDelimiter(bytes, boundary, delimiter.to);
    if (!next) break;
    if (parts.length === partsMax) throw new MultipartError(`More than ${partsMax} parts.`);
    const { headers, content } = readHead(bytes.subarray(delimiter.to, next.from));
    parts.push({ headers, content });
    delimiter = next;
  }
  if (!delimiter?.isLast) throw new MultipartError("The body does not end with its boundary.");
  return parts;
}

type Delimiter = { readonly from: number; readonly to: number; readonly isLast: boolean };

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Bytes after a boundary that are searched for the end of its line. */
const PADDING_MAX = 100;

/** The next line that is a boundary. `from`: the end of the content before it; `to`: the start of the next line. */
function findDelimiter(bytes: Buffer, boundary: string, start: number): Delimiter | undefined {
  const text = `--${boundary}`;
  for (let at = bytes.indexOf(text, start); at >= 0; at = bytes.indexOf(text, at + 1)) {
    if (at > start && bytes[at - 1] !== LINE_FEED) continue;
    const after = at + text.length;
    const [line, closing] = /^(--)?[ \t]*(?:\r?\n|$)/.exec(latin1(bytes, after, PADDING_MAX)) ?? [];
    if (line === undefined) continue;
    const ending = bytes[at - 2] === CARRIAGE_RETURN ? 2 : 1;
    return {
      from: Math.max(start, at - ending),
      to: after + line.length,
      isLast: closing !== undefined,
    };
  }
  return undefined;
}

const latin1 = (bytes: Buffer, from: number, length: number) =>
  bytes.toString("latin1", from, from + length);

const HEAD_END = /\r?\n\r?\n|^\r?\n/;

/** Headers up to an empty line, and what follows them. `lines`: those before the headers, such as that of a request. */
export function readHead(bytes: Buffer, lines = 0): Part & { readonly lines: readonly string[] } {
  const text = latin1(bytes, 0, HEAD_BYTES_MAX);
  const end = HEAD_END.exec(text);
  if (!end && bytes.byteLength > HEAD_BYTES_MAX)
    throw new MultipartError("The headers of a part are too long.");
  const head = end ? text.slice(0, end.index) : text;
  const all = head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const fields = all.slice(lines).filter((line) => line !== "");
  if (fields.length > HEADERS_MAX) throw new MultipartError("A part has too many headers.");
  const headers = new HeaderList();
  for (const line of fields) {
    const colon = line.indexOf(":");
    try {
      headers.set(line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1));
    } catch {
      throw new MultipartError("A header of a part is invalid.");
    }
  }
  const from = end ? end.index + end[0].length : bytes.byteLength;
  return { lines: all.slice(0, lines), headers, content: bytes.subarray(from) };
}
