/** Answers about a suite: its shapes, its name, and whether it can be played. */
import { Elysia } from "elysia";
import { failures } from "~/http/errors";
import { principalOf } from "~/http/principal";
import {
  About,
  Action,
  FirstObservation,
  Healthy,
  Names,
  Observation,
  PlayPath,
  Schemas,
  State,
} from "~/platform/openenv/model";
import { slugOf } from "~/platform/openenv/tasks";
import type { Trainers } from "~/platform/openenv/trainers";
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

type Parts = { readonly suites: Suites; readonly trainers: Trainers };

export const aboutRoutes = ({ suites, trainers }: Parts) => {
  const suiteOf = (request: Request, { suite }: { suite: string }) =>
    suites.requireNamed(principalOf(request).userId, suite);
  const codes = failures("invalid_request", "suite_not_found");
  const reading = { params: PlayPath };

  return new Elysia({ tags: ["openenv"] })
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
          documentation_url: `${trainers.byOf(request).baseUrl}/docs/guide/train`,
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
    );
};
