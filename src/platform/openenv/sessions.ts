/**
 * Sessions over HTTP: a player that outlives a connection. Clients of tools create one by JSON-RPC, and join it with a
 * WebSocket for what JSON-RPC has no methods for: to reset, and to look at the state.
 */
import { createKeep, type Kept } from "~/platform/openenv/kept";
import type { By, Player } from "~/platform/openenv/player";
import type { Players } from "~/platform/openenv/players";
import type { SuiteRow } from "~/platform/suites/store";

export type Sessions = ReturnType<typeof createSessions>;

type Session = Kept & {
  /** Closed meanwhile: it ends with its WebSocket. */
  isClosing: boolean;
};

export function createSessions(players: Players) {
  const keep = createKeep<Session>();
  const { keyOf, end } = keep;

  function find(userId: string, suite: SuiteRow, id: string): Session | undefined {
    const session = keep.find(keyOf(userId, suite, id));
    if (session) session.since = performance.now();
    return session;
  }

  return {
    /** Returns the id of a new session. Throws 503 if there are too many players. */
    create(userId: string, by: By, suite: SuiteRow): string {
      keep.sweep();
      const id = crypto.randomUUID();
      keep.put(keyOf(userId, suite, id), {
        player: players.open(by, suite),
        since: performance.now(),
        isJoined: false,
        isClosing: false,
      });
      return id;
    },

    player: (userId: string, suite: SuiteRow, id: string): Player | undefined =>
      find(userId, suite, id)?.player,

    /** The player for a WebSocket, and how it leaves. Undefined if there is no such session, or it has one already. */
    join(userId: string, suite: SuiteRow, id: string) {
      const session = find(userId, suite, id);
      if (!session || session.isJoined) return undefined;
      session.isJoined = true;
      return {
        player: session.player,
        leave(): void {
          session.isJoined = false;
          session.since = performance.now();
          if (session.isClosing) end(keyOf(userId, suite, id));
        },
      };
    },

    /** Ends a session, or lets it end with its WebSocket. Undefined if there is none. */
    close(userId: string, suite: SuiteRow, id: string): "closed" | "closing" | undefined {
      const session = find(userId, suite, id);
      if (!session) return undefined;
      if (session.isJoined) {
        session.isClosing = true;
        return "closing";
      }
      end(keyOf(userId, suite, id));
      return "closed";
    },

    stop: keep.stop,
  };
}
