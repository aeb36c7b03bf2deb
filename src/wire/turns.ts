import { createSemaphore } from "~/semaphore";

/** Few at a time: the others wait in order of arrival. */
export type Turns = ReturnType<typeof createTurns>;

export type Turn = {
  readonly isWaiting: () => boolean;
  /** Ends the turn, or the wait for it. */
  readonly end: () => void;
};

export function createTurns(limit: number) {
  const pass = createSemaphore(limit);

  /** Calls `start`, later, when it is its turn. */
  return (start: () => void): Turn => {
    const over = Promise.withResolvers<void>();
    let state: "waiting" | "begun" | "over" = "waiting";
    void pass(async () => {
      await undefined; // the caller has the turn first
      if (state === "over") return;
      state = "begun";
      start();
      await over.promise;
    });
    return {
      isWaiting: () => state === "waiting",
      end() {
        state = "over";
        over.resolve();
      },
    };
  };
}
