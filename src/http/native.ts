/** Native requests and answers, for the libraries that take and return them. */
import type { IncomingRequest } from "~/wire/incoming";
import { HeaderList } from "~/wire/message";
import type { OutgoingAnswer } from "~/wire/outgoing";
import { streamOf } from "~/wire/stream";
import { upgradeOf } from "~/wire/websocket";

const origins = new WeakMap<Request, IncomingRequest>();

/** A native request without a body, which `requestOf` translates back. */
export function nativeOf(request: IncomingRequest): Request {
  const { method, url, headers } = request;
  const native = new Request(url.href, { method, headers: headers.entries() });
  origins.set(native, request);
  return native;
}

/** The request behind a native one. */
export function requestOf(native: Request): IncomingRequest {
  const request = origins.get(native);
  if (!request) throw new Error("a request did not come from the server");
  return request;
}

/** Reads a native answer. */
export async function answerOf(response: Response): Promise<OutgoingAnswer> {
  const headers = new HeaderList();
  for (const [name, value] of response.headers) headers.append(name, value);
  const stream = streamOf(response);
  return {
    status: response.status,
    headers,
    body: stream ? "" : await response.bytes(),
    stream,
    upgrade: upgradeOf(response),
  };
}
