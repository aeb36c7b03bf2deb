/** Checks whether two kinds of calls can be distinguished by their duration. */

const ROUNDS = 400;
const ATTEMPTS = 4;
/** Threshold of Welch's test: two samples of the same kind exceed it once in 400 times. */
const T_MAX = 3;

/** The slowest tenth is noise of the machine. */
const trimmed = (times: number[]) =>
  times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
const mean = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length;
const variance = (times: number[]) => {
  const middle = mean(times);
  return times.reduce((sum, time) => sum + (time - middle) ** 2, 0) / (times.length - 1);
};

/**
 * Alternates between both calls and compares. A difference must appear in each of several rounds, so that a busy machine
 * does not count as one.
 */
export async function compareTimes(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<string> {
  let verdict = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const samples: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++)
      for (const which of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
        const started = performance.now();
        await (which === 0 ? first() : second());
        samples[which].push(performance.now() - started);
      }
    const [a, b] = [trimmed(samples[0]), trimmed(samples[1])];
    const t = (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
    if (Math.abs(t) < T_MAX) return "no difference";
    verdict = `${mean(a).toFixed(3)} ms against ${mean(b).toFixed(3)} ms, t = ${t.toFixed(1)}`;
  }
  return verdict;
}
