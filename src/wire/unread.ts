/** Bytes of a connection that have arrived and are not used yet. */
import { type Budget, noRoom, type Owner } from "~/wire/budget";
import { CR, type Head, headLength, LF, readHead } from "~/wire/head";

const EMPTY = Buffer.alloc(0);

export function createUnread(budget: Budget) {
  const claim = budget.claim();
  let bytes: Buffer = EMPTY;
  /** Of the last head. */
  let lines: Head["lines"] = [];

  function use(count: number): void {
    bytes = count === bytes.byteLength ? EMPTY : bytes.subarray(count);
  }

  return {
    view: () => bytes,
    length: () => bytes.byteLength,
    add(chunk: Buffer): void {
      bytes = bytes.byteLength === 0 ? chunk : Buffer.concat([bytes, chunk]);
    },
    use,
    /** The next head; undefined until it is complete. Throws ApiError. */
    takeHead(): Head | undefined {
      while (bytes[0] === CR && bytes[1] === LF) use(2); // some clients send it after a body
      const length = headLength(bytes);
      if (length === undefined) return undefined;
      const head = readHead(bytes.toString("latin1", 0, length - 4), lines);
      lines = head.lines;
      use(length);
      return head;
    },
    /** Counts them: of the request in progress, or of nobody yet. Throws when there is no room. */
    account(owner: Owner | undefined): void {
      // A part of a packet keeps the whole one in memory.
      if (bytes.byteLength < bytes.buffer.byteLength / 2) bytes = Buffer.from(bytes);
      if (!claim(bytes.byteLength, owner)) throw noRoom();
    },
    clear(): void {
      bytes = EMPTY;
      claim(0, undefined);
    },
  };
}
