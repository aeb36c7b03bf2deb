/** At most `limit` pieces of work at a time; the others wait in the order in which they came. */
export function createSemaphore(limit: number) {
  let busy = 0;
  const waiting: (() => void)[] = [];

  return async function pass<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy++;
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else busy--;
    }
  };
}
