import { expect } from "bun:test";

/** Large, so that noise of a few times does not look like quadratic growth. */
const FACTOR = 32;
const ATTEMPTS = 3;
/** Below this a measurement is noise. */
const FLOOR_MS = 2;

/** Processor time in milliseconds: unlike the clock, it does not run while other processes have the processor. */
function cpuMs(work: () => void): number {
  const times = Array.from({ length: ATTEMPTS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(Math.min(...times), FLOOR_MS);
}

/** Expects the time of `work` to grow linearly with its input, not quadratically. */
export function expectLinear(work: (input: string) => void, part: string, length: number): void {
  const small = part.repeat(length / FACTOR / part.length);
  const large = part.repeat(length / part.length);
  const ratio = cpuMs(() => work(large)) / cpuMs(() => work(small));
  expect(ratio).toBeLessThan(FACTOR * 8);
}
