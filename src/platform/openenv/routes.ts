import { Elysia, type Static } from "elysia";
import { ApiError } from "~/errors";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import { upgraded } from "~/http/websocket";
import type { Log } from "~/log";
import type { Episodes } from "~/platform/openenv/episodes";
import {
  About,
  Action,
  FirstObservation,
  Healthy,
  Names,
  Observation,
  OfIndex,
  OfRange,
  OfSplit,
  OneTask,
  PlayPath,
  Reset,
  ResetAnswer,
  Schemas,
  Splits,
  State,
  StateQuery,
  Step,
  StepAnswer,
  TaskCount,
  TaskPath,
  Tasks,
} from "~/platform/openenv/model";
import type { By, Players } from "~/platform/openenv/players";
import { SPLITS, slugOf, type Tasks as TaskList } from "~/platform/openenv/tasks";
import { play, turnAway } from "~/platform/openenv/wire";
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

type Parts = {
  readonly suites: Suites;
  readonly players: Players;
  readonly episodes: Episodes;
  readonly tasks: TaskList;
  readonly byOf: (request: Request) => By;
  readonly log: Log;
};

export const openEnvRoutes = (parts: Parts) => {
  const { suites, players, episodes, byOf, log } = parts;
  const suiteOf = (request: Request, { suite }: { suite: string }) =>
    suites.requireNamed(principalOf(request).userId, suite);
  const reading = { params: PlayPath };
  const codes = failures("invalid_request", "suite_not_found");

  return new Elysia({ tags: ["openenv"] })
    .get(
      "/:suite/ws",
      async ({ request, params }) => {
        const suite = await suiteOf(request, params);
        return upgraded(request, (peer) => {
          if (players.hasRoom()) return play(peer, players.open(byOf(request), suite), log);
          void turnAway(peer, "The server has too many sessions");
          return { message: async () => {}, end: () => {} };
        });
      },
      {
        ...reading,
        // OpenAPI has no words for WebSockets.
        detail: { hide: true, summary: "Play a suite over a WebSocket" },
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

/** The task interface of OpenEnv and of the Open Reward Standard, whose paths name the environment again. */
const taskRoutes = ({ suites, tasks }: Parts) => {
  async function suiteOf(request: Request, { suite, environment }: Static<typeof TaskPath>) {
    const found = await suites.requireNamed(principalOf(request).userId, suite);
    if ([suite, found.suiteId, slugOf(found.name)].includes(environment)) return found;
    throw new ApiError("not_found", `The environment of this address is ${slugOf(found.name)}`);
  }
  const codes = failures("invalid_request", "suite_not_found", "not_found", "request_too_large");
  const withTask = failures(
    ...(["invalid_request", "suite_not_found", "not_found"] as const),
    ...(["test_not_found", "request_too_large"] as const),
  );
  const params = { params: TaskPath };

  return new Elysia({ tags: ["openenv"] })
    .get(
      "/:suite/:environment/splits",
      async ({ request, params }) => {
        await suiteOf(request, params);
        return SPLITS.map((name) => ({ name, type: "test" as const }));
      },
      {
        ...params,
        response: { 200: Splits, ...failures("invalid_request", "suite_not_found", "not_found") },
        detail: {
          operationId: "listSplits",
          summary: "List the splits of a suite",
          description: "One for each way to solve a test.",
        },
      },
    )
    .post(
      "/:suite/:environment/tasks",
      async ({ request, params, body }) => {
        const suite = await suiteOf(request, params);
        return { tasks: await tasks.list(suite, body.split), env_name: slugOf(suite.name) };
      },
      {
        ...params,
        body: OfSplit,
        response: { 200: Tasks, ...codes },
        detail: {
          operationId: "listTasks",
          summary: "List the tasks of a split",
          description: "Each is a set of options for a reset.",
        },
      },
    )
    .post(
      "/:suite/:environment/num_tasks",
      async ({ request, params, body }) => ({
        num_tasks: (await tasks.list(await suiteOf(request, params), body.split)).length,
      }),
      {
        ...params,
        body: OfSplit,
        response: { 200: TaskCount, ...codes },
        detail: {
          operationId: "countTasks",
          summary: "Count the tasks of a split",
          description: "They are numbered from 0.",
        },
      },
    )
    .post(
      "/:suite/:environment/task",
      async ({ request, params, body }) => ({
        task: await tasks.at(await suiteOf(request, params), body.split, body.index),
      }),
      {
        ...params,
        body: OfIndex,
        response: { 200: OneTask, ...withTask },
        detail: {
          operationId: "getTask",
          summary: "Get one task",
          description: "By its place in its split.",
        },
      },
    )
    .post(
      "/:suite/:environment/task_range",
      async ({ request, params, body }) => {
        const suite = await suiteOf(request, params);
        const all = await tasks.list(suite, body.split);
        return { tasks: all.slice(body.start, body.stop), env_name: slugOf(suite.name) };
      },
      {
        ...params,
        body: OfRange,
        response: { 200: Tasks, ...codes },
        detail: {
          operationId: "listTaskRange",
          summary: "List some tasks of a split",
          description: "From `start` to before `stop`.",
        },
      },
    );
};
