/** How long the event loop of this process, and the server in it, stands still. */

/** The longest that others may wait, on a machine that runs other tests too. */
export const HELD_UP_MS = 1_000;

/** The longest time that nothing else could run while `work` did. */
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
