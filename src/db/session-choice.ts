/**
 * The choice of a session for a call.
 *
 * A schema uses two sessions of one half of the pool, so that a slow call delays few others. Calls that share a session
 * are sent and answered together, which costs less. If both are stuck with calls of other environments, it uses another
 * session, of either half.
 */
import type { EnvironmentRef } from "~/db/opening";
import type { PinnedSession } from "~/db/pinned-session";

export function createSessionChoice<S>(sessions: readonly PinnedSession<S>[]) {
  /** The half that schemas use while none is stuck. */
  const usual = sessions.slice(0, Math.max(2, sessions.length / 2));
  /** Receives no new calls until those in progress are done and it has a new backend. One at a time. */
  let retiring: PinnedSession<S> | undefined;

  /** The sessions that a schema uses, the first one unless it is busier. */
  function sessionsOf(schema: string): [PinnedSession<S>, PinnedSession<S>] {
    const place = Bun.hash.crc32(schema) % usual.length;
    const [first, second] = [usual[place], usual[(place + 1) % usual.length]];
    if (!first || !second) throw new Error("the session pool is empty");
    return [first, second];
  }

  /** Prefers sessions that are not stuck: a stuck one may have the fewest calls. */
  function leastBusy(among: readonly PinnedSession<S>[]): PinnedSession<S> {
    const rank = (pinned: PinnedSession<S>) =>
      2 * Number(pinned === retiring) + Number(pinned.isStuck());
    return among.reduce((a, b) => ((rank(b) - rank(a) || b.busy() - a.busy()) < 0 ? b : a));
  }

  /**
   * Replaces backends that are old, or have used too much, between calls. If the driver closed them by age, it
   * would reject the queued calls: under load, every five minutes.
   */
  function renewIfWorn(pinned: PinnedSession<S>): void {
    if (retiring === undefined && pinned.isWorn()) retiring = pinned;
    if (retiring !== pinned || pinned.busy() > 0) return;
    retiring = undefined;
    pinned.renew();
  }

  return {
    sessionFor({ schemaName, environmentId }: EnvironmentRef): PinnedSession<S> {
      const [first, second] = sessionsOf(schemaName);
      renewIfWorn(first);
      const own = leastBusy([first, second]);
      const isOthers = ({ backend }: PinnedSession<S>) => !backend.leases.get(environmentId)?.users;
      // An environment that is stuck behind its own calls stays, so that it does not block all sessions.
      return own.isStuck() && isOthers(first) && isOthers(second) ? leastBusy(sessions) : own;
    },
    renewIfWorn,
  };
}
