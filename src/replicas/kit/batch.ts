/** Several calls in one request: `multipart/mixed`, each part an HTTP request of its own. */
import { STATUS_CODES } from "node:http";
import { MultipartError, type Part, readHead, readParts } from "~/replicas/kit/multipart";
import { hexOf, type Sourced } from "~/source";
import { type HttpAnswer, HttpRequest, httpAnswer } from "~/wire/message";

type BatchCall = {
  readonly request: HttpRequest;
  readonly body: Uint8Array;
  /** Of the boundary of the answer. */
  readonly session: Sourced;
};

export type BatchRules = {
  readonly callsMax: number;
  /** Answers one call. A rejection is an answer, so that it does not concern the other calls. */
  readonly perform: (request: HttpRequest, body: Uint8Array) => Promise<HttpAnswer>;
  /** The error with which the service rejects a request that is no batch. */
  readonly refuse: (reason: string) => Error;
};

/** Answers the calls of a batch in their order, one after the other. The answers have the ids of their calls. */
export async function runBatch(
  { request, body, session }: BatchCall,
  { callsMax, perform, refuse }: BatchRules,
): Promise<HttpAnswer> {
  const calls = readCalls(request.headers.get("content-type") ?? "", body, callsMax, refuse);
  const boundary = `batch_${hexOf(session.source, 16)}`;
  const chunks: (string | Uint8Array)[] = [];
  for (const { id, inner, content } of calls) {
    const answer = await perform(inner, content);
    chunks.push(`--${boundary}\r\n${headOf(id, answer)}`, answer.body, "\r\n");
  }
  chunks.push(`--${boundary}--\r\n`);
  const headers = { "Content-Type": `multipart/mixed; boundary=${boundary}` };
  return httpAnswer(200, headers, Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))));
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
