/** Several calls in one request: `multipart/mixed`, each part an HTTP request of its own. */
import { STATUS_CODES } from "node:http";
import { MultipartError, type Part, readHead, readParts } from "~/replicas/kit/multipart";
import type { BatchCalls } from "~/replicas/replica";
import { hexOf, REAL } from "~/source";
import { type HttpAnswer, HttpRequest, httpAnswer } from "~/wire/message";

/** Of the answers of one batch. */
const ANSWERS_BYTES_MAX = 8 * 1024 * 1024;

export type BatchRules = BatchCalls & {
  readonly callsMax: number;
  /** The answer of a call that is not made because there is no room for more answers. */
  readonly overflow: () => HttpAnswer;
  /** The error with which the service rejects a request that is no batch. */
  readonly refuse: (reason: string) => Error;
};

/** Answers the calls of a batch in their order, one after the other. The answers have the ids of their calls. */
export async function runBatch(
  request: HttpRequest,
  body: Uint8Array,
  { callsMax, perform, hasRoom, overflow, refuse }: BatchRules,
): Promise<HttpAnswer> {
  const calls = readCalls(request.headers.get("content-type") ?? "", body, callsMax, refuse);
  const boundary = `batch_${hexOf(REAL, 16)}`;
  const chunks: Buffer[] = [];
  let length = 0;
  for (const { id, inner, content } of calls) {
    const isMade = length < ANSWERS_BYTES_MAX && hasRoom(length);
    const answer = isMade ? await perform(inner, content) : overflow();
    const bytes = Buffer.from(answer.body as string);
    length += bytes.byteLength;
    chunks.push(Buffer.from(`--${boundary}\r\n${headOf(id, answer)}`), bytes, Buffer.from("\r\n"));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  const headers = { "Content-Type": `multipart/mixed; boundary=${boundary}` };
  return httpAnswer(200, headers, Buffer.concat(chunks));
}

type InnerCall = {
  readonly id: string | null;
  readonly inner: HttpRequest;
  readonly content: Uint8Array;
};

function readCalls(
  type: string,
  body: Uint8Array,
  callsMax: number,
  refuse: BatchRules["refuse"],
): InnerCall[] {
  if (!/^multipart\/mixed\s*;/i.test(type))
    throw refuse("The Content-Type must be multipart/mixed.");
  try {
    return readParts(type, body, callsMax).map(readCall);
  } catch (error) {
    if (error instanceof MultipartError) throw refuse(error.message);
    throw error;
  }
}

const REQUEST_LINE = /^([A-Z]{1,20}) (\S+)(?: HTTP\/1\.[01])?\s*$/;

/** `GET /path?query HTTP/1.1`, headers, an empty line, the body. The address may have a host, which means nothing. */
function readCall({ headers: outer, content: bytes }: Part): InnerCall {
  const { lines, headers, content } = readHead(bytes, 1);
  const [, verb = "", target = ""] = REQUEST_LINE.exec(lines[0] ?? "") ?? [];
  const path = target.replace(/^https?:\/\/[^/]+/i, "");
  try {
    if (!path.startsWith("/")) throw new TypeError("not a path");
    const inner = new HttpRequest(verb, path, headers);
    return { id: outer.get("content-id"), inner, content };
  } catch {
    throw new MultipartError("A part is not an HTTP request.");
  }
}

function headOf(id: string | null, { status, headers, body }: HttpAnswer): string {
  const answerId = id === null ? [] : [`Content-ID: ${id.replace(/^<?/, "$&response-")}`];
  const length = Buffer.byteLength(body);
  return [
    "Content-Type: application/http",
    ...answerId,
    "",
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...headers.entries().map(([name, value]) => `${name}: ${value}`),
    `content-length: ${length}`,
    "",
    "",
  ].join("\r\n");
}
