import { Elysia } from "elysia";
import { documentBelow } from "~/http/docs";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import { type Listener, type Peer, upgraded } from "~/http/websocket";
import type { Log } from "~/log";
import type { Episodes } from "~/platform/openenv/episodes";
import {
  About,
  Action,
  FirstObservation,
  Healthy,
  JoinQuery,
  Names,
  Observation,
  PlayPath,
  Reset,
  ResetAnswer,
  RpcAnswer,
  RpcBody,
  Schemas,
  State,
  StateQuery,
  Step,
  StepAnswer,
  SuiteDocument,
} from "~/platform/openenv/model";
import type { By, Player, Players } from "~/platform/openenv/players";
import { type Asked, answerRpc } from "~/platform/openenv/rpc";
import type { Sessions } from "~/platform/openenv/sessions";
import { taskRoutes } from "~/platform/openenv/task-routes";
import { slugOf, type Tasks } from "~/platform/openenv/tasks";
import { DEAF, play, problemOf, turnAway } from "~/platform/openenv/wire";
import type { Suites } from "~/platform/suites/suites";
import { VERSION } from "~/version";

/** A shape as JSON Schema. */
const plain = (shape: object) => JSON.parse(JSON.stringify(shape)) as Record<string, unknown>;

const SCHEMAS = {
  action: plain(Action),
  observation: plain(Observation),
  reset_observation: plain(FirstObservation),
  state: plain(State),
};

/** Of OpenEnv's HTTP API, whose paths and messages these are. */
const API_VERSION = "1.0.0";

type Parts = {
  readonly suites: Suites;
  readonly players: Players;
  readonly episodes: Episodes;
  readonly tasks: Tasks;
  readonly sessions: Sessions;
  readonly byOf: (request: Request) => By;
  /** The address below which a client calls a suite. */
  readonly rootOf: (request: Request, suite: string) => string;
  readonly log: Log;
};

export const openEnvRoutes = (parts: Parts) => {
  const { suites, players, episodes, sessions, byOf, log } = parts;
  const suiteOf = (request: Request, { suite }: { suite: string }) =>
    suites.requireNamed(principalOf(request).userId, suite);
  const reading = { params: PlayPath };
  const codes = failures("invalid_request", "suite_not_found");
  const askedOf = async (request: Request, params: { suite: string }) => ({
    userId: principalOf(request).userId,
    by: byOf(request),
    suite: await suiteOf(request, params),
  });

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
        const asked = await askedOf(request, params);
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
    )
    .get(
      "/:suite/openapi.json",
      async ({ request, params }) => {
        const { name, description } = await suiteOf(request, params);
        return Response.json(
          documentBelow("/openenv/{suite}", {
            info: { title: name, version: API_VERSION, description: description || name },
            servers: [{ url: parts.rootOf(request, params.suite) }],
          }),
        );
      },
      {
        ...reading,
        response: { 200: SuiteDocument, ...codes },
        detail: {
          operationId: "getSuiteDocument",
          summary: "Get the OpenAPI document of a suite's address",
          description: "Of the calls below it, as OpenEnv's validator reads them.",
        },
      },
    )
    .post(
      "/:suite/reset",
      async ({ request, params, body }) =>
        Response.json(
          await episodes.reset(
            principalOf(request).userId,
            byOf(request),
            await suiteOf(request, params),
            body,
          ),
        ),
      {
        ...reading,
        body: Reset,
        response: {
          200: ResetAnswer,
          ...failures(
            "invalid_request",
            "suite_not_found",
            "test_not_found",
            "template_not_found",
            "missing_impersonate",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "resetEpisode",
          summary: "Begin an episode",
          description: "Over HTTP; it is found again, on this server, by its `episode_id`.",
        },
      },
    )
    .post(
      "/:suite/step",
      async ({ request, params, body }) =>
        Response.json(
          await episodes.step(
            principalOf(request).userId,
            await suiteOf(request, params),
            body.episode_id,
            body.action,
          ),
        ),
      {
        ...reading,
        body: Step,
        response: {
          200: StepAnswer,
          ...failures(
            "invalid_request",
            "suite_not_found",
            "environment_not_found",
            "run_already_completed",
            "request_too_large",
          ),
        },
        detail: {
          operationId: "stepEpisode",
          summary: "Take a step in an episode",
          description: "Lists or calls tools, or ends the episode with its verdict.",
        },
      },
    )
    .get(
      "/:suite/state",
      async ({ request, params, query }) =>
        episodes.state(
          principalOf(request).userId,
          await suiteOf(request, params),
          query.episode_id,
        ),
      {
        ...reading,
        query: StateQuery,
        response: { 200: State, ...codes },
        detail: {
          operationId: "getEpisode",
          summary: "Show an episode",
          description: "Of one that was begun over HTTP, until it is over.",
        },
      },
    )
    .get(
      "/:suite/schema",
      async ({ request, params }) => {
        await suiteOf(request, params);
        return SCHEMAS;
      },
      {
        ...reading,
        response: { 200: Schemas, ...codes },
        detail: {
          operationId: "getEpisodeSchemas",
          summary: "Get the shapes of OpenEnv's messages",
          description: "Of actions, observations and states.",
        },
      },
    )
    .get(
      "/:suite/metadata",
      async ({ request, params }) => {
        const { name, description } = await suiteOf(request, params);
        return {
          name: slugOf(name),
          description: description || name,
          version: VERSION,
          documentation_url: `${byOf(request).baseUrl}/docs/guide/train`,
        };
      },
      {
        ...reading,
        response: { 200: About, ...codes },
        detail: {
          operationId: "getSuiteMetadata",
          summary: "Describe a suite to OpenEnv",
          description: "Its name and description.",
        },
      },
    )
    .get(
      "/:suite/health",
      async ({ request, params }) => {
        await suiteOf(request, params);
        return { status: "healthy" as const };
      },
      {
        ...reading,
        response: { 200: Healthy, ...codes },
        detail: {
          operationId: "getSuiteHealth",
          summary: "Whether a suite can be played",
          description: "Healthy if the server answers and has the suite.",
        },
      },
    )
    .get(
      "/:suite/list_environments",
      async ({ request, params }) => [slugOf((await suiteOf(request, params)).name)],
      {
        ...reading,
        response: { 200: Names, ...codes },
        detail: {
          operationId: "listPlayable",
          summary: "List the environments of this address",
          description: "The suite alone.",
        },
      },
    )
    .use(taskRoutes(parts));
};
