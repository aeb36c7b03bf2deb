import { Elysia } from "elysia";
import { documentBelow } from "~/http/docs";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import type { Log } from "~/log";
import { aboutRoutes } from "~/platform/openenv/about-routes";
import type { Episodes } from "~/platform/openenv/episodes";
import {
  PlayPath,
  Reset,
  ResetAnswer,
  State,
  StateQuery,
  Step,
  StepAnswer,
  SuiteDocument,
} from "~/platform/openenv/model";
import type { Players } from "~/platform/openenv/players";
import { sessionRoutes } from "~/platform/openenv/session-routes";
import type { Sessions } from "~/platform/openenv/sessions";
import { taskRoutes } from "~/platform/openenv/task-routes";
import type { Trainers } from "~/platform/openenv/trainers";
import type { Suites } from "~/platform/suites/suites";

/** Of OpenEnv's HTTP API, whose paths and messages these are. */
const API_VERSION = "1.0.0";

type Parts = {
  readonly suites: Suites;
  readonly players: Players;
  readonly episodes: Episodes;
  readonly sessions: Sessions;
  readonly trainers: Trainers;
  readonly log: Log;
};

export const openEnvRoutes = (parts: Parts) => {
  const { suites, episodes } = parts;
  const { byOf, rootOf } = parts.trainers;
  const suiteOf = (request: Request, { suite }: { suite: string }) =>
    suites.requireNamed(principalOf(request).userId, suite);
  const reading = { params: PlayPath };
  const codes = failures("invalid_request", "suite_not_found");
  return new Elysia({ tags: ["openenv"] })
    .use(sessionRoutes(parts))
    .get(
      "/:suite/openapi.json",
      async ({ request, params }) => {
        const { name, description } = await suiteOf(request, params);
        return Response.json(
          documentBelow("/openenv/{suite}", {
            info: { title: name, version: API_VERSION, description: description || name },
            servers: [{ url: rootOf(request, params.suite) }],
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
    .use(aboutRoutes(parts))
    .use(taskRoutes(suites));
};
