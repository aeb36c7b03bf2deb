/** Environments whose new calls wait. */
type Hold = { readonly tokens: Set<string>; readonly over: PromiseWithResolvers<void> };

/** A hold ends after this time even if nobody ends it: its server may have died. */
const HOLD_MS_MAX = 15_000;

export function createHolds() {
  const holds = new Map<string, Hold>();

  function end(environmentId: string, token: string): void {
    const hold = holds.get(environmentId);
    if (!hold?.tokens.delete(token) || hold.tokens.size > 0) return;
    holds.delete(environmentId);
    hold.over.resolve();
  }

  return {
    has: (environmentId: string): boolean => holds.has(environmentId),
    /** Resolves when the environment is not held any more; it may be held again. */
    over: async (environmentId: string): Promise<void> =>
      await holds.get(environmentId)?.over.promise,
    /** Holds an environment until `end` with the same token. */
    begin(environmentId: string, token: string): void {
      const hold = holds.get(environmentId) ?? {
        tokens: new Set<string>(),
        over: Promise.withResolvers<void>(),
      };
      hold.tokens.add(token);
      holds.set(environmentId, hold);
      setTimeout(end, HOLD_MS_MAX, environmentId, token).unref();
    },
    end,
  };
}
