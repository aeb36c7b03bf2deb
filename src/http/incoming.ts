/** A request's body as it arrives: nothing is taken from the connection before it is read, and no more than is asked for. */

export type IncomingBody = ReturnType<typeof createBody>;

/** The client closed the connection before its request was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/** `pull`: asks the connection to go on, as far as the body wants. */
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
     * The body from its beginning, as soon as it is whole or longer than `bytes`; a later call goes on from there. What
     * is longer comes with the rest of the packet in which it passed the limit. Throws ClientGone, or a refusal when
     * the rest is malformed or does not come.
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
    /** Keeps nothing of what has come and will come: the request is answered. */
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
