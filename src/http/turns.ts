/** Few at a time: the others wait in order of arrival. */
export type Turns = ReturnType<typeof createTurns>;

export function createTurns(limit: number) {
  const waiting = new Set<() => void>();
  let busy = 0;

  function next(): void {
    for (const start of waiting) {
      if (busy >= limit) return;
      waiting.delete(start);
      busy++;
      queueMicrotask(start);
    }
  }

  /** Calls `start` when it is its turn. Returns a function that ends the turn, or the wait for it. */
  return (start: () => void): (() => void) => {
    let isOver = false;
    waiting.add(start);
    next();
    return () => {
      if (isOver) return;
      isOver = true;
      if (!waiting.delete(start)) busy--;
      next();
    };
  };
}
