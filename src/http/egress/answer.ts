/** Reads the answer to a request that this server has made (RFC 9112), up to a limit. */

/** All headers together, with those of interim answers. */
const HEAD_MAX = 16 * 1024;
const BODY_MAX = 64 * 1024;
/** With the lengths of its chunks. */
const CODED_MAX = 2 * BODY_MAX;
const CHUNK_LINE_MAX = 1024;
/** Statuses whose answers have no body. */
const BARE = new Set([204, 304]);

const HEAD_END = "\r\n\r\n";
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/;
const CHUNK_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;

export type Answer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

/** An answer that exceeds the limits, or is none. */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
  readonly isTooLarge: boolean;
  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

const tooLarge = (what: string, max: number) =>
  new BadAnswer(`the ${what} of the answer exceed ${max / 1024} KiB`, true);

type Head = Omit<Answer, "body">;

function readHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new BadAnswer("the first line is not that of an HTTP answer");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
    if (name === "") throw new BadAnswer("a header of the answer is malformed");
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return { status, headers };
}

/** The length of a body; undefined: until the connection ends. */
function framingOf({ status, headers }: Head): number | "chunked" | undefined {
  if (BARE.has(status)) return 0;
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined) {
    if (coding.toLowerCase() === "chunked" && length === undefined) return "chunked";
    throw new BadAnswer("Transfer-Encoding: only chunked is known");
  }
  if (length === undefined) return undefined;
  if (!/^\d{1,15}$/.test(length)) throw new BadAnswer("Content-Length: one number is needed");
  if (Number(length) > BODY_MAX) throw tooLarge("contents", BODY_MAX);
  return Number(length);
}

/** Takes parts of an answer as they arrive. Both functions throw BadAnswer. */
export function createAnswerReader() {
  let rest: Buffer = Buffer.alloc(0);
  let headBytes = 0;
  let codedBytes = 0;
  let head: Head | undefined;
  let framing: ReturnType<typeof framingOf>;
  const parts: Buffer[] = [];
  let bodyBytes = 0;
  /** Of the chunk that arrives: bytes that are missing, with its line end. */
  let missing = 0;

  const whole = ({ status, headers }: Head): Answer => ({
    ...{ status, headers },
    body: Buffer.concat(parts).toString("utf8"),
  });

  function keep(part: Buffer): void {
    bodyBytes += part.byteLength;
    if (bodyBytes > BODY_MAX) throw tooLarge("contents", BODY_MAX);
    parts.push(part);
  }

  /** Takes the head from what has arrived, past interim answers. Returns false until all of it has. */
  function takeHead(): boolean {
    for (;;) {
      const end = rest.indexOf(HEAD_END);
      const length = end < 0 ? rest.byteLength : end + HEAD_END.length;
      if (headBytes + length > HEAD_MAX) throw tooLarge("headers", HEAD_MAX);
      if (end < 0) return false;
      const found = readHead(rest.toString("latin1", 0, end));
      rest = rest.subarray(length);
      headBytes += length;
      if (found.status >= 200) {
        head = found;
        framing = framingOf(found);
        return true;
      }
      if (found.status === 101) throw new BadAnswer("the answer changes the protocol");
    }
  }

  /** Takes chunks from what has arrived. Returns true after the last one. */
  function takeChunks(): boolean {
    for (;;) {
      if (missing > 0) {
        const part = rest.subarray(0, missing);
        const isData = missing > 2;
        if (isData) keep(part.subarray(0, Math.min(part.byteLength, missing - 2)));
        rest = rest.subarray(part.byteLength);
        missing -= part.byteLength;
        if (missing > 0) return false;
      }
      const end = rest.indexOf("\r\n");
      if (end > CHUNK_LINE_MAX || (end < 0 && rest.byteLength > CHUNK_LINE_MAX))
        throw new BadAnswer("the length of a chunk is malformed");
      if (end < 0) return false;
      const [, digits] = CHUNK_LINE.exec(rest.toString("latin1", 0, end)) ?? [];
      if (digits === undefined) throw new BadAnswer("the length of a chunk is malformed");
      const size = Number.parseInt(digits, 16);
      if (size === 0) return true; // nothing is read of what follows
      if (bodyBytes + size > BODY_MAX) throw tooLarge("contents", BODY_MAX);
      rest = rest.subarray(end + 2);
      missing = size + 2;
    }
  }

  return {
    /** Returns the answer once it is complete. */
    push(bytes: Buffer): Answer | undefined {
      rest = rest.byteLength === 0 ? bytes : Buffer.concat([rest, bytes]);
      if (!head && !takeHead()) return undefined;
      if (!head) return undefined;
      if (framing === "chunked") {
        codedBytes += bytes.byteLength;
        if (codedBytes > CODED_MAX) throw tooLarge("contents", BODY_MAX);
        return takeChunks() ? whole(head) : undefined;
      }
      keep(rest.subarray(0, framing === undefined ? undefined : framing - bodyBytes));
      rest = Buffer.alloc(0);
      return framing !== undefined && bodyBytes >= framing ? whole(head) : undefined;
    },

    /** The connection has ended. */
    end(): Answer {
      if (head && framing === undefined) return whole(head);
      throw new BadAnswer("the connection ended before the answer");
    },
  };
}
