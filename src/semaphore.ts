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
 * Runs at most `limit` tasks at a time, and at most `perLane` of one lane. Those of a lane wait behind each other, so
 * that a lane with many tasks delays another by its first ones only. Rejects a task behind `waitingMax` of its lane.
 */
export function createLanes(
  {
    limit,
    perLane,
    waitingMax = Number.POSITIVE_INFINITY,
  }: { limit: number; perLane: number; waitingMax?: number },
  full = () => new Error("too many tasks wait"),
) {
  const pass = createSemaphore(limit);
  const lanes = new Map<string, { readonly pass: typeof pass; tasks: number }>();

  return async function passOf<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lane = lanes.get(name) ?? { pass: createSemaphore(perLane), tasks: 0 };
    if (lane.tasks >= perLane + waitingMax) throw full();
    lanes.set(name, lane);
    lane.tasks++;
    try {
      return await lane.pass(() => pass(work));
    } finally {
      if (--lane.tasks === 0) lanes.delete(name);
    }
  };
}
