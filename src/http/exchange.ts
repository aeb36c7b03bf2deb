/** One request of a connection, from its head to its answer. */
import type { IncomingBody } from "~/http/incoming";
import { type BodyReader, createReader, type Head } from "~/http/wire";

export type Exchange = {
  readonly head: Head;
  readonly body: IncomingBody | undefined;
  isAnswered: boolean;
  /** Its body is malformed or late. */
  isRejected: boolean;
} & BodyReader;

const NO_BODY: BodyReader = { read: () => 0, isRead: () => true };

export function createExchange(head: Head): Exchange {
  const { body } = head.request;
  const reader = body ? createReader(head.length, body.push) : NO_BODY;
  return { head, body, isAnswered: false, isRejected: false, ...reader };
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
