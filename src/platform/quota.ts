/** How many of something, such as open streams, may be held at the same time: in all, and by each holder. */
import { LimitExceeded, type UsageLimit, unavailable } from "~/errors";

const RETRY_AFTER_SECONDS = 10;

/** `limit`: what a holder has too many of. `plural`: what the server has. */
export function createQuota(
  { max, perHolder }: { readonly max: number; readonly perHolder: number },
  { limit, plural }: { readonly limit: UsageLimit; readonly plural: string },
) {
  const taken = new Map<string, number>();
  let size = 0;

  return {
    size: () => size,

    /**
     * Takes one. Returns a function that gives it back, once. Throws LimitExceeded if the holder has its share, and 503
     * if the server has no more.
     */
    take(holder: string): () => void {
      const own = taken.get(holder) ?? 0;
      if (own >= perHolder) throw new LimitExceeded(limit, perHolder, own, RETRY_AFTER_SECONDS);
      if (size >= max)
        throw unavailable(`The server has ${max} ${plural}, its maximum`, RETRY_AFTER_SECONDS);
      taken.set(holder, own + 1);
      size++;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        size--;
        const left = (taken.get(holder) ?? 1) - 1;
        if (left > 0) taken.set(holder, left);
        else taken.delete(holder);
      };
    },
  };
}
