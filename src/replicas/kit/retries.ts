/** Attempts for a change that a concurrent one blocked. */
const ATTEMPTS_MAX = 3;

/** Repeats `work` as long as its result says that a concurrent change blocked it. Returns the last result. */
export async function untilUnblocked<T>(
  work: () => Promise<T>,
  isBlocked: (result: T) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const result = await work();
    if (attempt === ATTEMPTS_MAX || !isBlocked(result)) return result;
  }
}
