/**
 * Texts leave copies in the driver, the decoder and JSON. The collector waits for more memory than a server may have;
 * this collects each time a thread has processed a certain amount.
 */
const MEGABYTE = 2 ** 20;
const COLLECT_BYTES = 32 * MEGABYTE;
/** Smaller texts are collected in `tick`. */
const LARGE_BYTES = 2 ** 16;
const SMALL_BYTES = 16 * MEGABYTE;
/** While more than this arrives between two ticks, four times as much is left. */
const QUIET_BYTES = 4 * MEGABYTE;

export type Garbage = ReturnType<typeof createGarbage>;

export function createGarbage(collect = () => Bun.gc(true)) {
  let left = 0;
  let small = 0;
  let smallBefore = 0;
  return {
    /** Text of this length was read or written, and parts of it are no longer needed. */
    add(length: number): void {
      if (length < LARGE_BYTES) {
        small += length;
        return;
      }
      left += length;
      if (left < COLLECT_BYTES) return;
      left = 0;
      collect();
    },

    /** Collects what small texts have left, if that is enough. Call it every second. */
    tick(): void {
      const isQuiet = small - smallBefore < QUIET_BYTES;
      smallBefore = small;
      if (small < SMALL_BYTES * (isQuiet ? 1 : 4)) return;
      small = 0;
      smallBefore = 0;
      collect();
    },
  };
}
