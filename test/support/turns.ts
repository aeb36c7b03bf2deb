/** Measures how long the event loop of this process, and the server in it, is blocked. */

/** The longest acceptable wait of other calls, on a shared machine. */
export const HELD_UP_MS = 1_000;

/** The longest time that `work` blocks the event loop. */
export async function heldUp(work: () => Promise<void>): Promise<number> {
  let [longest, last] = [0, performance.now()];
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 5);
  await work();
  look();
  clearInterval(timer);
  return longest;
}
