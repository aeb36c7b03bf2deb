/** A request's body as it arrives: bytes are taken from the connection on demand only. */
import { HttpRequest } from "~/message";

export type IncomingBody = ReturnType<typeof createBody>;

export class IncomingRequest extends HttpRequest {
  /** Undefined if it has none. */
  body: IncomingBody | undefined;
}

/** The client closed the connection before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** `pull`: asks the connection to continue, as far as the body wants. */
export function createBody(pull: () => void) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let wanted = -1;
  let isWhole = false;
  let isDropped = false;
  let failure: Error | undefined;
  let settle = () => {};

  return {
    /**
     * Reads the body from its beginning, until it is complete or longer than `bytes`; a later call continues from there.
     * A longer result includes the rest of the packet that passed the limit. Throws ClientGone, or an ApiError when the
     * rest is malformed or does not arrive.
     */
    async upTo(bytes: number): Promise<Uint8Array> {
      wanted = bytes;
      const settled = new Promise<void>((resolve) => {
        settle = resolve;
      });
      pull();
      if (!isWhole && !failure && length <= wanted) await settled;
      if (failure) throw failure;
      const [first] = chunks;
      return first && chunks.length === 1 ? first : Buffer.concat(chunks);
    },

    wants: () => length <= wanted,
    push(chunk: Uint8Array): void {
      if (!isDropped) chunks.push(chunk);
      length += chunk.byteLength;
      if (length > wanted) settle();
    },
    /** Discards received and future bytes, because the request has been answered. */
    drop(): void {
      isDropped = true;
      chunks.length = 0;
    },
    end(): void {
      isWhole = true;
      settle();
    },
    fail(error: Error): void {
      failure ??= error;
      settle();
    },
  };
}
