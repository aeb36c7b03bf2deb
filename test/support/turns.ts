/** Measures how long the event loop of this process, and the server in it, is blocked. */

/** The longest acceptable wait of other calls, on a shared machine. */
export const HELD_UP_MS = 1_000;

/**
 * The longest time that `work` blocks the event loop: of each wait the processor time of this process where that is less,
 * because the machine may be busy with other tests.
 */
export async function heldUp(work: () => Promise<void>): Promise<number> {
  let [longest, last, spent] = [0, performance.now(), process.cpuUsage()];
  const look = () => {
    const { user, system } = process.cpuUsage(spent);
    longest = Math.max(longest, Math.min(performance.now() - last, (user + system) / 1000));
    [last, spent] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(look, 5);
  await work();
  look();
  clearInterval(timer);
  return longest;
}
