/** Episodes over plain HTTP: without a connection, a player is found again by the id of its episode. */
import { ApiError } from "~/errors";
import type { Action, Reset, State } from "~/platform/openenv/model";
import {
  type Answer,
  type By,
  EPISODE_SECONDS,
  type Player,
  type Players,
} from "~/platform/openenv/players";
import type { SuiteRow } from "~/platform/suites/store";

export type Episodes = ReturnType<typeof createEpisodes>;

type Known = { readonly player: Player; readonly since: number };

export function createEpisodes(players: Players) {
  const known = new Map<string, Known>();
  const keyOf = (userId: string, { suiteId }: SuiteRow, id: string) =>
    JSON.stringify([userId, suiteId, id]);

  function end(key: string): void {
    known.get(key)?.player.end();
    known.delete(key);
  }

  /** Ends players whose environments have expired. */
  function sweep(): void {
    const oldest = performance.now() - EPISODE_SECONDS * 1000;
    for (const [key, { since }] of known) if (since < oldest) end(key);
  }

  return {
    async reset(userId: string, by: By, suite: SuiteRow, options: Reset): Promise<Answer> {
      sweep();
      if (options.episode_id !== undefined) end(keyOf(userId, suite, options.episode_id));
      const player = players.open(by, suite);
      try {
        const answer = await player.reset(options);
        const key = keyOf(userId, suite, player.state().episode_id ?? "");
        end(key); // the episode of a reset with the same id that was answered meanwhile
        known.set(key, { player, since: performance.now() });
        return answer;
      } catch (error) {
        player.end();
        throw error;
      }
    },

    async step(userId: string, suite: SuiteRow, id: string, action: Action): Promise<Answer> {
      const key = keyOf(userId, suite, id);
      const player = known.get(key)?.player;
      if (!player) throw new ApiError("invalid_request", "episode_id: there is no such episode");
      const answer = await player.step(action);
      if (answer.done) end(key);
      return answer;
    },

    state: (userId: string, suite: SuiteRow, id = ""): State =>
      known.get(keyOf(userId, suite, id))?.player.state() ?? { episode_id: null, step_count: 0 },

    /** Ends all. */
    stop(): void {
      for (const key of [...known.keys()]) end(key);
    },
  };
}
