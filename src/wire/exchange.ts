/** One request of a connection, from its head to its answer. */
import type { Claim } from "~/wire/budget";
import { type BodyReader, createReader, type Head } from "~/wire/head";
import { createBody, type IncomingBody } from "~/wire/incoming";

export type Exchange = {
  readonly head: Head;
  readonly body: IncomingBody | undefined;
  /** Its body is malformed or late. */
  isRejected: boolean;
} & BodyReader;

type Line = {
  readonly unread: { readonly length: () => number };
  readonly send: (bytes: Buffer) => void;
  readonly advance: () => void;
};

const NO_BODY: BodyReader = { read: () => 0, isRead: () => true };

const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

/** `advance`: continues to read the connection. `claim`: for the bytes of the body. */
export function createExchange(
  head: Head,
  { unread, send, advance }: Line,
  claim: Claim,
): Exchange {
  const { length, request } = head;
  let isAsked = head.expectsContinue;
  const pull = () => {
    if (isAsked && unread.length() === 0) send(CONTINUE);
    isAsked = false;
    advance();
  };
  if (length !== 0)
    request.body = createBody(pull, length === "chunked" ? 0 : length, (bytes) =>
      claim(bytes, request.owner),
    );
  const { body } = request;
  const reader = body ? createReader(length, body.push) : NO_BODY;
  return { head, body, isRejected: false, ...reader };
}

/** Whether `last`, after which nothing more will arrive, completes the request or shows that it is malformed. */
export function isComplete({ isRejected, isRead, read }: Exchange, last: Buffer): boolean {
  if (isRejected || isRead()) return true;
  try {
    read(last);
  } catch {
    return true;
  }
  return isRead();
}
