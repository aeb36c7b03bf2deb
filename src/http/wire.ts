/**
 * HTTP/1.1 as bytes (RFC 9112), read strictly: what two readers could understand in two ways is refused, since one of
 * them may be a proxy in front of us.
 */
import { ApiError } from "~/errors";
import { isHost } from "~/http/origin";

/** All headers of a request together, the first line included. */
export const HEAD_BYTES_MAX = 16 * 1024;
const HEADERS_MAX = 100;
/** A chunk's length, its extensions, or a line of the trailer. */
const CHUNK_LINE_MAX = 1024;
const TRAILER_LINES_MAX = 100;

const HEAD_END = "\r\n\r\n";
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
/** Bytes that no header holds, and line ends that are not CRLF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
const STRAY = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
const CHUNK_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;
/** Of proxies, and of debugging: a Request cannot have them. */
const FORBIDDEN_METHODS = new Set(["CONNECT", "TRACE", "TRACK"]);
export const CR = 13;
export const LF = 10;

const malformed = (detail: string) => new ApiError("invalid_request", detail);

/** The length of a head with the empty line behind it; undefined as long as that has not come. Throws when it is too long. */
export function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end > HEAD_BYTES_MAX || (end < 0 && bytes.byteLength > HEAD_BYTES_MAX))
    throw new ApiError(
      "request_headers_too_large",
      `The headers are larger than ${HEAD_BYTES_MAX} bytes`,
    );
  // Where lines end otherwise, the end of the head would never come.
  const line = bytes.indexOf(LF);
  if (line >= 0 && bytes[line - 1] !== CR) throw malformed("Lines of the head must end with CRLF");
  return end < 0 ? undefined : end + HEAD_END.length;
}

export type Head = {
  /** Without the body. Its host says nothing: where the caller reached us is in the header. */
  readonly request: Request;
  readonly length: Framing;
  /** The client wants to know whether to send the body. */
  readonly expectsContinue: boolean;
  /** The client takes no further answer on this connection. */
  readonly isLast: boolean;
};

/** Bytes of the body, if it does not come in chunks. */
export type Framing = number | "chunked";

/** Reads a head, without the empty line. Throws ApiError. */
export function readHead(text: string): Head {
  if (STRAY.test(text)) throw malformed("The headers hold a stray control character or line end");
  const [first = "", ...lines] = text.split("\r\n");
  const [, method = "", target = "", minor] = REQUEST_LINE.exec(first) ?? [];
  if (minor === undefined) throw malformed("The request does not begin as one of HTTP/1.1");
  if (lines.length > HEADERS_MAX)
    throw new ApiError("request_headers_too_large", `There are more than ${HEADERS_MAX} headers`);
  const headers = readHeaders(lines);
  const host = headers.get("host");
  if (host === null ? minor === "1" : !isHost(host))
    throw malformed("The Host header is missing or malformed");
  const connection = headers
    .get("connection")
    ?.toLowerCase()
    .split(/[\s,]+/);
  return {
    request: requestOf(method, target, headers),
    length: framingOf(headers, minor),
    expectsContinue: headers.get("expect")?.toLowerCase() === "100-continue",
    isLast: minor === "0" || (connection?.includes("close") ?? false),
  };
}

function readHeaders(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    try {
      headers.append(line.slice(0, Math.max(colon, 0)), line.slice(colon + 1));
    } catch {
      throw malformed("A header is malformed");
    }
  }
  return headers;
}

/** A body whose end is not beyond doubt is refused. */
function framingOf(headers: Headers, minor: string): Framing {
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

function requestOf(method: string, target: string, headers: Headers): Request {
  // A client may send to us what it would send to a proxy.
  const path = target.replace(/^https?:\/\/[^/?#]+(?=[/?#]|$)/i, "").replace(/^(?=[?#]|$)/, "/");
  const url = `http://localhost${path}`;
  if (path.startsWith("/") && URL.canParse(url) && !FORBIDDEN_METHODS.has(method.toUpperCase()))
    return new Request(url, { method, headers });
  throw malformed("The method or the address is not one that this server can read");
}

/** Reads bodies that come in chunks: gives `push` what they hold, in whatever pieces the bytes arrive. */
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
    /** How many of the bytes it has used: fewer when the line at their end is not complete, or the body is. Throws ApiError. */
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
