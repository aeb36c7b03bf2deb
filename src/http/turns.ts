import { createSemaphore } from "~/semaphore";

/** Few at a time: the others wait in order of arrival. */
export type Turns = ReturnType<typeof createTurns>;

export function createTurns(limit: number) {
  const pass = createSemaphore(limit);

  /** Calls `start`, later, when it is its turn. Returns a function that ends the turn, or the wait for it. */
  return (start: () => void): (() => void) => {
    const over = Promise.withResolvers<void>();
    let isOver = false;
    void pass(async () => {
      await undefined; // the caller has the function first
      if (isOver) return;
      start();
      await over.promise;
    });
    return () => {
      isOver = true;
      over.resolve();
    };
  };
}
