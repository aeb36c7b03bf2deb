/** Runs at most `limit` tasks at a time; the others wait in order of arrival. */
export function createSemaphore(limit: number) {
  let busy = 0;
  const waiting: (() => void)[] = [];

  return async function pass<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy++;
    try {
      return await work();
    } finally {
      // The permit goes directly to the next waiter, so that no other task can take it.
      const next = waiting.shift();
      if (next) next();
      else busy--;
    }
  };
}
