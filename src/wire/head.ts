/**
 * HTTP/1.1 as bytes (RFC 9112), read strictly: input that two readers could interpret differently is rejected, because
 * one of them may be a proxy in front of us.
 */
import { STATUS_CODES } from "node:http";
import { ApiError } from "~/errors";
import { IncomingRequest } from "~/wire/incoming";
import { HeaderList, type HttpAnswer, isToken, trimmed } from "~/wire/message";

/** A name or an address, perhaps with a port. It becomes part of URLs in responses. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

export const isHost = (text: string) => HOST.test(text);

/** All headers of a request together, including the first line. */
export const HEAD_BYTES_MAX = 16 * 1024;
const HEADERS_MAX = 100;
/** A chunk's length, its extensions, or a line of the trailer. */
const CHUNK_LINE_MAX = 1024;
const TRAILER_LINES_MAX = 100;

const HEAD_END = "\r\n\r\n";
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
/** Bytes that are invalid in headers, and line ends that are not CRLF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are searched for
const STRAY = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
const CLOSE = /(?:^|[\s,])close(?:[\s,]|$)/i;
const CHUNK_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;
/** Methods of proxies and of debugging, which a Request cannot have. */
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
export const CR = 13;
export const LF = 10;

const malformed = (detail: string) => new ApiError("invalid_request", detail);

/** The length of a head with its empty line; undefined until that line has arrived. Throws when it is too long. */
export function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end > HEAD_BYTES_MAX || (end < 0 && bytes.byteLength > HEAD_BYTES_MAX))
    throw new ApiError(
      "request_headers_too_large",
      `The headers are larger than ${HEAD_BYTES_MAX} bytes`,
    );
  // With other line ends, the end of the head would never be found.
  const line = bytes.indexOf(LF);
  if (line >= 0 && bytes[line - 1] !== CR) throw malformed("Lines of the head must end with CRLF");
  return end < 0 ? undefined : end + HEAD_END.length;
}

export type Head = {
  /** Without the body. */
  readonly request: IncomingRequest;
  readonly length: Framing;
  /** The client asks whether to send the body. */
  readonly expectsContinue: boolean;
  /** The client accepts no further answer on this connection. */
  readonly isLast: boolean;
  /** The client knows chunked answers. */
  readonly isChunkable: boolean;
  readonly lines: readonly Line[];
};

/** A line of a head with its field. */
type Line = { readonly text: string; readonly name: string; readonly value: string };

/** Length of the body, if it is not chunked. */
type Framing = number | "chunked";

/**
 * Parses a head, without the empty line. `known`: lines of the connection's last request, which its client repeats
 * except for a few. Throws ApiError.
 */
export function readHead(text: string, known: readonly Line[] = []): Head {
  if (STRAY.test(text)) throw malformed("The headers hold a stray control character or line end");
  const [first = "", ...texts] = text.split("\r\n");
  const [, method = "", target = "", minor] = REQUEST_LINE.exec(first) ?? [];
  if (minor === undefined) throw malformed("The first line is not that of an HTTP/1.1 request");
  if (texts.length > HEADERS_MAX)
    throw new ApiError("request_headers_too_large", `There are more than ${HEADERS_MAX} headers`);
  const lines = texts.map((text, at) => (known[at]?.text === text ? known[at] : readLine(text)));
  const headers = new HeaderList();
  for (const { name, value } of lines) headers.append(name, value);
  const host = headers.get("host");
  if (host === null ? minor === "1" : !isHost(host))
    throw malformed("The Host header is missing or malformed");
  return {
    request: requestOf(method, target, headers),
    length: framingOf(headers, minor),
    expectsContinue: headers.get("expect")?.toLowerCase() === "100-continue",
    isChunkable: minor === "1",
    lines,
    isLast: minor === "0" || CLOSE.test(headers.get("connection") ?? ""),
  };
}

/** Copies the line: it outlives its request, and a part of a text keeps the whole one in memory. */
function readLine(part: string): Line {
  const text = Buffer.from(part, "latin1").toString("latin1");
  const colon = text.indexOf(":");
  const name = text.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!isToken(name)) throw malformed("A header is malformed");
  return { text, name, value: trimmed(text.slice(colon + 1)) };
}

/** Rejects a body whose end is ambiguous. */
function framingOf(headers: HeaderList, minor: string): Framing {
  const length = headers.get("content-length");
  const coding = headers.get("transfer-encoding");
  if (coding === null && length === null) return 0;
  if (coding !== null) {
    if (length === null && minor === "1" && coding.toLowerCase() === "chunked") return "chunked";
    throw malformed("Transfer-Encoding: only chunked is known, and not beside Content-Length");
  }
  if (!/^\d{1,19}$/.test(length ?? "")) throw malformed("Content-Length: one number is needed");
  return Number(length);
}

function requestOf(method: string, target: string, headers: HeaderList): IncomingRequest {
  // A client may send us a request in the form for proxies.
  const path = target.startsWith("/")
    ? target
    : target.replace(/^https?:\/\/[^/?#]+(?=[/?#]|$)/i, "").replace(/^(?=[?#]|$)/, "/");
  try {
    if (path.startsWith("/") && !FORBIDDEN_METHODS.has(method.toUpperCase()))
      return new IncomingRequest(methodOf(method), path, headers);
  } catch {
    // The address is malformed.
  }
  throw malformed("The method or the address is not one that this server can read");
}

/** Methods that are not in general use are those that a native request makes of them. */
const methodOf = (method: string): string =>
  METHODS.has(method) ? method : new Request("http://localhost", { method }).method;

/** Decodes chunked bodies and passes their content to `push`, in the pieces in which it arrives. */
export function createChunkReader(push: (chunk: Uint8Array) => void) {
  let left = 0;
  let expects: "length" | "data" | "line end" | "trailer" | "nothing" = "length";
  let trailerLines = 0;

  function readLine(line: string): void {
    if (expects === "line end") {
      if (line !== "") throw malformed("A chunk is longer than it says");
      expects = "length";
    } else if (expects === "trailer") {
      if (++trailerLines > TRAILER_LINES_MAX) throw malformed("The trailer is too long");
      if (line === "") expects = "nothing";
    } else {
      const [, length] = CHUNK_LINE.exec(line) ?? [];
      if (length === undefined) throw malformed("A chunk does not begin with its length");
      left = Number.parseInt(length, 16);
      expects = left === 0 ? "trailer" : "data";
    }
  }

  return {
    isDone: () => expects === "nothing",
    /** Returns the number of bytes used: not all if the last line is incomplete or the body has ended. Throws ApiError. */
    read(bytes: Buffer): number {
      let at = 0;
      while (expects !== "nothing" && at < bytes.byteLength) {
        if (expects === "data") {
          const chunk = bytes.subarray(at, at + left);
          push(chunk);
          at += chunk.byteLength;
          left -= chunk.byteLength;
          if (left === 0) expects = "line end";
          continue;
        }
        const end = bytes.indexOf(LF, at);
        if ((end < 0 ? bytes.byteLength : end) - at > CHUNK_LINE_MAX)
          throw malformed("A line between chunks is too long");
        if (end < 0) return at;
        const line = bytes.toString("latin1", at, end + 1);
        if (!line.endsWith("\r\n") || STRAY.test(line))
          throw malformed("A line between chunks is malformed");
        readLine(line.slice(0, -2));
        at = end + 1;
      }
      return at;
    },
  };
}

/** Reads the body of a request from the bytes of its connection. */
export type BodyReader = {
  /** Consumes as many bytes as it can. Returns their number. */
  readonly read: (bytes: Buffer) => number;
  readonly isRead: () => boolean;
};

export function createReader(length: Framing, push: (part: Uint8Array) => void): BodyReader {
  if (length === "chunked") {
    const chunks = createChunkReader(push);
    return { read: chunks.read, isRead: chunks.isDone };
  }
  let left = length;
  return {
    isRead: () => left === 0,
    read(bytes) {
      const part = bytes.subarray(0, left);
      left -= part.byteLength;
      push(part);
      return part.byteLength;
    },
  };
}

const NO_CONTENT = new Set([204, 304]);

/** The head of an answer. `length`: of its body; undefined if the end of the connection ends it. */
export function writeHead(
  { status, headers }: HttpAnswer,
  { isLast, length }: { isLast: boolean; length: Framing | undefined },
): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  for (const [name, value] of headers.entries()) head += `${name}: ${value}\r\n`;
  if (length === "chunked") head += "transfer-encoding: chunked\r\n";
  else if (length !== undefined && !NO_CONTENT.has(status) && !headers.has("content-length"))
    head += `content-length: ${length}\r\n`;
  if (isLast && !headers.has("connection")) head += "connection: close\r\n";
  if (!headers.has("date")) head += `date: ${httpDate(Date.now())}\r\n`;
  return `${head}\r\n`;
}

let date = { second: 0, text: "" };

/** A time in milliseconds since 1970 in HTTP format. The latest one is remembered: most are the current second. */
export function httpDate(time: number): string {
  const second = Math.floor(time / 1000);
  if (second !== date.second) date = { second, text: new Date(second * 1000).toUTCString() };
  return date.text;
}
