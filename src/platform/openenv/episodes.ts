/** Episodes over plain HTTP: without a connection, a player is found again by the id of its episode. */
import { ApiError } from "~/errors";
import { createKeep, type Kept } from "~/platform/openenv/kept";
import type { Action, Reset, State } from "~/platform/openenv/model";
import type { Answer, By } from "~/platform/openenv/player";
import type { Players } from "~/platform/openenv/players";
import type { SuiteRow } from "~/platform/suites/store";

export type Episodes = ReturnType<typeof createEpisodes>;

export function createEpisodes(players: Players) {
  const keep = createKeep<Kept>();
  const { keyOf } = keep;

  return {
    async reset(userId: string, by: By, suite: SuiteRow, options: Reset): Promise<Answer> {
      keep.sweep();
      if (options.episode_id !== undefined) keep.end(keyOf(userId, suite, options.episode_id));
      const player = players.open(by, suite);
      try {
        const answer = await player.reset(options);
        // Ends the episode of a reset with the same id that was answered meanwhile.
        keep.put(keyOf(userId, suite, player.state().episode_id ?? ""), {
          player,
          since: performance.now(),
        });
        return answer;
      } catch (error) {
        player.end();
        throw error;
      }
    },

    async step(userId: string, suite: SuiteRow, id: string, action: Action): Promise<Answer> {
      const key = keyOf(userId, suite, id);
      const player = keep.find(key)?.player;
      if (!player) throw new ApiError("invalid_request", "episode_id: there is no such episode");
      const answer = await player.step(action);
      if (answer.done) keep.end(key);
      return answer;
    },

    state: (userId: string, suite: SuiteRow, id = ""): State =>
      keep.find(keyOf(userId, suite, id))?.player.state() ?? { episode_id: null, step_count: 0 },

    stop: keep.stop,
  };
}
