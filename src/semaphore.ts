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

/**
 * Runs at most `limit` tasks at a time, and one of each key. Those of a key wait for each other, so that a key with many
 * tasks delays another by its first one only. Rejects a task when `waitingMax` of its key are waiting.
 */
export function createFairSemaphore(
  { limit, waitingMax = Number.POSITIVE_INFINITY }: { limit: number; waitingMax?: number },
  full = () => new Error("too many tasks wait"),
) {
  const pass = createSemaphore(limit);
  const keys = new Map<string, { readonly pass: typeof pass; tasks: number }>();

  return async function passInTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const own = keys.get(key) ?? { pass: createSemaphore(1), tasks: 0 };
    if (own.tasks > waitingMax) throw full();
    keys.set(key, own);
    own.tasks++;
    try {
      return await own.pass(() => pass(work));
    } finally {
      if (--own.tasks === 0) keys.delete(key);
    }
  };
}
