/** Players with a connection: over a WebSocket, or by JSON-RPC in a session. */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import type { Log } from "~/log";
import { JoinQuery, PlayPath, RpcAnswer, RpcBody } from "~/platform/openenv/model";
import type { Player } from "~/platform/openenv/player";
import type { Players } from "~/platform/openenv/players";
import { type Asked, answerRpc } from "~/platform/openenv/rpc";
import type { Sessions } from "~/platform/openenv/sessions";
import type { Trainers } from "~/platform/openenv/trainers";
import { play, problemOf, turnAway } from "~/platform/openenv/wire";
import type { Suites } from "~/platform/suites/suites";
import { createFairSemaphore } from "~/semaphore";
import { DEAF, type Listener, type Peer, upgraded } from "~/wire/websocket";

export const sessionRoutes = (parts: {
  readonly suites: Suites;
  readonly players: Players;
  readonly sessions: Sessions;
  readonly trainers: Trainers;
  readonly log: Log;
}) => {
  const { suites, players, sessions, trainers, log } = parts;
  const reading = { params: PlayPath };
  const askedOf = async (request: Request, params: { suite: string }) => ({
    userId: principalOf(request).userId,
    by: trainers.byOf(request),
    suite: await suites.requireNamed(principalOf(request).userId, params.suite),
  });

  /**
   * One of each key at a time: calls of others do not wait for a thousand players that connect at the same moment. No more
   * can wait than the server has connections.
   */
  const inTurn = createFairSemaphore({ limit: Number.POSITIVE_INFINITY });

  /** The socket of a new player, or one that joins a session. */
  function seat(peer: Peer, asked: Asked, session: string | undefined): Listener {
    const open = ({ player, leave }: { player: Player; leave: () => void }) =>
      play(
        peer,
        {
          player,
          rpc: (message) => answerRpc(sessions, { ...asked, own: player }, message, log),
          end: leave,
        },
        log,
      );
    if (session !== undefined) {
      const joined = sessions.join(asked.userId, asked.suite, session);
      if (joined) return open(joined);
      void turnAway(peer, "session_id: no such session, or it has a WebSocket", "SESSION_ERROR");
      return DEAF;
    }
    try {
      const player = players.open(asked.by, asked.suite);
      return open({ player, leave: player.end });
    } catch (error) {
      void turnAway(peer, problemOf(error, log).message);
      return DEAF;
    }
  }

  return new Elysia({ tags: ["openenv"] })
    .get(
      "/:suite/ws",
      async ({ request, params, query }) => {
        const { keyId } = principalOf(request);
        const asked = await inTurn(keyId, () => askedOf(request, params));
        return upgraded(request, (peer) => seat(peer, asked, query.session_id));
      },
      {
        ...reading,
        query: JoinQuery,
        // OpenAPI has no words for WebSockets.
        detail: { hide: true, summary: "Play a suite over a WebSocket" },
      },
    )
    .post(
      "/:suite/mcp",
      async ({ request, params, body }) =>
        Response.json(await answerRpc(sessions, await askedOf(request, params), body, log)),
      {
        ...reading,
        body: RpcBody,
        response: {
          200: RpcAnswer,
          ...failures("invalid_request", "suite_not_found", "request_too_large"),
        },
        detail: {
          operationId: "callEpisodeTools",
          summary: "List and call the tools of a session",
          description:
            "By JSON-RPC, as OpenEnv's clients of tools do: they create a session, and reset it over a WebSocket that joins it with `?session_id=`.",
        },
      },
    );
};
