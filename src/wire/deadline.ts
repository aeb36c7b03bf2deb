/** The time until which the client of a connection has to send or take something. */
import type { Limits } from "~/wire/limits";

/** How long a rejected client may continue to send: if closed too early, its system would drop our answer. */
const LINGER_MS = 2_000;
/** The client waits for us. */
const NEVER = Number.POSITIVE_INFINITY;

export function createDeadline({ headMs, requestMs, idleMs }: Limits) {
  let at = performance.now() + headMs;
  /** Of the request; 0 between two. */
  let began = 0;

  const set = (time: number): void => {
    at = time;
  };

  return {
    none: () => set(NEVER),
    /** A request has begun, and its head is not complete. */
    head(): void {
      began ||= performance.now();
      set(began + headMs);
    },
    body: () => set(began + requestMs),
    /** The next request, or the next message, may begin later. */
    rest(): void {
      began = 0;
      set(performance.now() + idleMs);
    },
    /** The client has not taken everything, but perhaps a part. */
    taking({ isProgress }: { isProgress: boolean }): void {
      if (isProgress || at === NEVER) set(performance.now() + idleMs);
    },
    linger: () => set(performance.now() + LINGER_MS),
    isOver: (now: number) => now >= at,
    hasBegun: () => began > 0,
  };
}
