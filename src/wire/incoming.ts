/** A request's body as it arrives: bytes are taken from the connection on demand only. */
import { noRoom, type Owner } from "~/wire/budget";
import { createBytes } from "~/wire/bytes";
import { HttpRequest } from "~/wire/message";

export type IncomingBody = ReturnType<typeof createBody>;

export class IncomingRequest extends HttpRequest {
  /** The address at the other end of the connection. Undefined for a call that the server makes itself. */
  peer: string | undefined;
  /** Undefined if it has none. */
  body: IncomingBody | undefined;
  /** Whose bytes these are. Undefined before authentication. */
  owner: Owner | undefined;
}

/** The client closed the connection before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = "ClientGone";
}

/**
 * `pull`: asks the connection to continue, as far as the body wants. `announced`: its length, if the head has one.
 * `claim`: asks for room for so many bytes in all.
 */
export function createBody(
  pull: () => void,
  announced = 0,
  claim: (bytes: number) => boolean = () => true,
) {
  const bytes = createBytes();
  let length = 0;
  let wanted = -1;
  let isWhole = false;
  let isDropped = false;
  let failure: Error | undefined;
  let settle = () => {};

  /** Room is claimed before it is used. */
  function hasRoom(capacity: number): boolean {
    if (capacity <= bytes.capacity() || claim(capacity)) return true;
    fail(noRoom());
    return false;
  }

  /** Discards received and future bytes. */
  function drop(): void {
    isDropped = true;
    bytes.clear();
    claim(0);
  }

  function fail(error: Error): void {
    failure ??= error;
    drop();
    settle();
  }

  return {
    /**
     * Reads the body from its beginning, until it is complete or longer than `count` bytes; a later call continues from
     * there. A longer result includes the rest of the packet that passed the limit. Throws ClientGone, or an ApiError
     * when the rest is malformed, does not arrive, or there is no room for it: then it is not read.
     */
    async upTo(count: number): Promise<Uint8Array> {
      wanted = count;
      if (failure) throw failure;
      const expected = Math.min(announced, count);
      if (!isDropped && hasRoom(expected)) bytes.reserve(expected);
      if (!failure) {
        const settled = new Promise<void>((resolve) => {
          settle = resolve;
        });
        pull();
        if (!isWhole && !failure && length <= wanted) await settled;
      }
      if (failure) throw failure;
      return bytes.view();
    },

    wants: () => length <= wanted,
    push(chunk: Uint8Array): void {
      length += chunk.byteLength;
      if (!isDropped && hasRoom(bytes.capacityFor(chunk.byteLength))) bytes.add(chunk);
      if (length > wanted) settle();
    },
    drop,
    end(): void {
      isWhole = true;
      settle();
    },
    fail,
  };
}
