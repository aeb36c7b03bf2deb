/** Sends answers: whole ones, for whose bytes there must be room until the client has taken them, and streams. */
import { type Budget, noRoom, type Owner } from "~/wire/budget";
import { writeHead } from "~/wire/head";
import type { OutgoingAnswer } from "~/wire/outgoing";
import { dropStream, type Stream, sendStream } from "~/wire/stream";

/** The connection below an answer. */
type Line = {
  readonly send: (bytes: Buffer) => void;
  /** Resolves when the client has taken everything, or is gone. */
  readonly drained: () => Promise<void>;
  /** A part of a stream has been taken: the client waits for the next one. */
  readonly onPart: () => void;
  readonly terminate: () => void;
  readonly isGone: () => boolean;
  /** No stream may begin: the client is done, or the server stops. */
  readonly isEnding: () => boolean;
};

/** `owner`: of the request. */
export type Sending = {
  readonly isLast: boolean;
  readonly isHead: boolean;
  readonly isChunkable: boolean;
  readonly owner: Owner | undefined;
};

export function createAnswering(
  { send, drained, onPart, terminate, isGone, isEnding }: Line,
  budget: Budget,
  refuse: (error: ReturnType<typeof noRoom>) => OutgoingAnswer,
) {
  const claim = budget.claim();
  /** Ends the answer that is being streamed, if one is. */
  let endStream = () => {};

  /** Writes an answer into one buffer: nothing else of it stays in memory until the client has taken it. */
  function bytesOf(made: OutgoingAnswer, { isLast, isHead }: Sending): Buffer {
    const { stream, body } = made;
    const length = stream ? undefined : Buffer.byteLength(body);
    const held = isHead ? 0 : (length ?? 0);
    const head = writeHead(made, { isLast, length });
    const whole = Buffer.allocUnsafe(head.length + held);
    whole.write(head, "latin1");
    if (held === 0) {
      // The headers of a HEAD are those of a GET.
    } else if (typeof body === "string") whole.write(body, head.length);
    else whole.set(body, head.length);
    return whole;
  }

  /** Until the stream ends, the client closes its side, or the server stops. A failed one breaks the connection. */
  async function writeStream(made: OutgoingAnswer, stream: Stream, sending: Sending) {
    const take = async (bytes: Buffer) => {
      send(bytes);
      await drained();
      onPart();
    };
    const { isLast, isChunkable } = sending;
    const head = writeHead(made, { isLast, length: isChunkable ? "chunked" : undefined });
    const sent = sendStream(stream, head, isChunkable, take);
    endStream = sent.end;
    if (isGone() || isEnding()) sent.end();
    await sent.done.catch(terminate);
    endStream = () => {};
  }

  return {
    /** Resolves when the client has taken the answer, or is gone. */
    async write(made: OutgoingAnswer, sending: Sending): Promise<void> {
      const { stream } = made;
      if (stream && !sending.isHead) return await writeStream(made, stream, sending);
      dropStream(made);
      if (isGone()) return;
      const hasRoom = sending.isHead || claim(Buffer.byteLength(made.body), sending.owner);
      send(bytesOf(hasRoom ? made : refuse(noRoom()), sending));
      await drained();
      claim(0, undefined);
    },
    endStream: () => endStream(),
  };
}
