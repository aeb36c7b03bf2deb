/**
 * Large texts leave copies in the driver, the decoder and JSON. The collector waits for more memory than a server may
 * have; this collects each time a thread has processed a certain amount.
 */
const COLLECT_BYTES = 32 * 2 ** 20;
/** Smaller texts are collected soon enough. */
const LARGE_BYTES = 2 ** 16;

export function createGarbage(collect = () => Bun.gc(true)) {
  let left = 0;
  return {
    /** Text of this length was read or written, and parts of it are no longer needed. */
    add(length: number): void {
      if (length < LARGE_BYTES) return;
      left += length;
      if (left < COLLECT_BYTES) return;
      left = 0;
      collect();
    },
  };
}
