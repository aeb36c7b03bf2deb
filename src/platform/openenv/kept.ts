/** Players that are found again without a connection: by their user, their suite and an id. */
import { EPISODE_SECONDS, type Player } from "~/platform/openenv/player";
import type { SuiteRow } from "~/platform/suites/store";

export type Kept = {
  readonly player: Player;
  /** The time of its last use, by `performance.now()`. */
  since: number;
  /** Whether a connection plays it: then it does not expire. */
  isJoined?: boolean;
};

export function createKeep<Entry extends Kept>() {
  const known = new Map<string, Entry>();

  function end(key: string): void {
    known.get(key)?.player.end();
    known.delete(key);
  }

  return {
    keyOf: (userId: string, { suiteId }: SuiteRow, id: string) =>
      JSON.stringify([userId, suiteId, id]),

    find: (key: string): Entry | undefined => known.get(key),

    /** Ends the player that has this key, if any. */
    put(key: string, entry: Entry): void {
      end(key);
      known.set(key, entry);
    },

    end,

    /** Ends players whose environments have expired. */
    sweep(): void {
      const oldest = performance.now() - EPISODE_SECONDS * 1000;
      for (const [key, { since, isJoined }] of known) if (!isJoined && since < oldest) end(key);
    },

    /** Ends all. */
    stop(): void {
      for (const key of [...known.keys()]) end(key);
    },
  };
}
