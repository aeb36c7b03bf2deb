/** Bytes that arrive in pieces, in one buffer: small pieces cost neither an object each nor a copy of all before them. */
const EMPTY = Buffer.alloc(0);

export type Bytes = ReturnType<typeof createBytes>;

export function createBytes() {
  let buffer: Buffer = EMPTY;
  let start = 0;
  let end = 0;

  const view = () => buffer.subarray(start, end);

  function move(capacity: number): void {
    const next = Buffer.allocUnsafeSlow(capacity);
    next.set(view());
    end -= start;
    start = 0;
    buffer = next;
  }

  return {
    view,
    length: () => end - start,
    /** Bytes of memory. */
    capacity: () => buffer.byteLength,
    /** The capacity after `count` more bytes. */
    capacityFor(count: number): number {
      const needed = end - start + count;
      return needed <= buffer.byteLength ? buffer.byteLength : Math.max(needed, 2 * (end - start));
    },
    /** Makes room for `count` bytes in all. */
    reserve(count: number): void {
      if (count > buffer.byteLength) move(count);
    },
    add(piece: Uint8Array): void {
      const needed = end - start + piece.byteLength;
      if (end + piece.byteLength > buffer.byteLength) move(Math.max(needed, 2 * (end - start)));
      buffer.set(piece, end);
      end += piece.byteLength;
    },
    /** Removes bytes from the beginning. */
    drop(count: number): void {
      start += count;
      if (start >= end) this.clear();
    },
    clear(): void {
      buffer = EMPTY;
      start = 0;
      end = 0;
    },
  };
}
