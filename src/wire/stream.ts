/**
 * Answers that are sent as they are made. The server reads the next part of a stream when the client has taken the
 * last one, so a stream whose client is slow is not read.
 */

export type Stream = ReadableStream<Uint8Array>;

const streams = new WeakMap<Response, Stream>();

/** An answer whose body is sent as it comes. It has no length, and may never end. */
export function streamed(body: Stream, headers: Record<string, string>): Response {
  const response = new Response(null, { headers });
  streams.set(response, body);
  return response;
}

/** The body of a streamed answer; undefined for any other. */
export const streamOf = (response: Response): Stream | undefined => streams.get(response);

/** Ends the stream of an answer that is not sent. */
export const dropStream = ({ stream }: { readonly stream?: Stream | undefined }): void =>
  void stream?.cancel().catch(() => undefined);

/**
 * Sends a head and a stream. `take` resolves when the client has taken its bytes. `end` cancels the stream and ends the
 * answer as if the stream had ended; `done` rejects if the stream fails.
 */
export function sendStream(
  stream: Stream,
  head: string,
  isChunked: boolean,
  take: (bytes: Buffer) => Promise<void>,
): { readonly end: () => void; readonly done: Promise<void> } {
  const reader = stream.getReader();

  async function send(): Promise<void> {
    await take(Buffer.from(head, "latin1"));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.byteLength > 0) await take(isChunked ? chunkOf(value) : Buffer.from(value));
    }
    if (isChunked) await take(LAST_CHUNK);
  }

  return {
    end: () => void reader.cancel().catch(() => undefined),
    done: send(),
  };
}

const LAST_CHUNK = Buffer.from("0\r\n\r\n");
const CRLF = Buffer.from("\r\n");

const chunkOf = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, CRLF]);
