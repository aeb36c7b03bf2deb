/**
 * Large texts leave copies behind, in the driver, in the decoder, in JSON. The collector counts on more memory than a
 * server may have before it looks for them; here it looks once a thread has gone through so much.
 */
const COLLECT_BYTES = 32 * 2 ** 20;
/** What is smaller is collected soon enough. */
const LARGE_BYTES = 2 ** 16;

export function createGarbage(collect = () => Bun.gc(true)) {
  let left = 0;
  return {
    /** Something of this length was read or written, and parts of it are not needed any more. */
    add(length: number): void {
      if (length < LARGE_BYTES) return;
      left += length;
      if (left < COLLECT_BYTES) return;
      left = 0;
      collect();
    },
  };
}
