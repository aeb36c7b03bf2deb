/** The messages of OpenEnv 0.10, as a suite of tests uses them. */
import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Count, Id, Timestamp, UserId } from "~/http/model";
import { Reward, Score } from "~/platform/runs/verdict-model";
import { SuiteRef } from "~/platform/suites/model";

const EPISODE_ID_MAX = 255;

const SuitePath = { suite: { ...SuiteRef, examples: ["chat-benchmark"] } };
export const PlayPath = t.Object(SuitePath);
export const TaskPath = t.Object({
  ...SuitePath,
  environment: t.String({ description: "The same suite", examples: ["chat-benchmark"] }),
});

export const Split = t.Union([t.Literal("mcp"), t.Literal("api")], {
  description: "Tests that tools can solve, or that the service's own API can",
  examples: ["mcp"],
});
export type Split = Static<typeof Split>;

const EpisodeId = t.String({
  minLength: 1,
  maxLength: EPISODE_ID_MAX,
  description: "Any text; by default the id of the run",
  examples: ["episode-1"],
});

/** Trainers pass whole rows of their data sets: other fields are ignored. */
export const Reset = t.Object(
  {
    test: t.Optional(
      t.String({ minLength: 1, description: "Name or id of the test", examples: ["Say hello"] }),
    ),
    index: t.Optional(Type.Integer({ ...Count, description: "Place of the test in its split" })),
    seed: t.Optional(
      Type.Integer({ ...Count, description: "Chooses a test, the same for the same seed" }),
    ),
    split: t.Optional(Split),
    episode_id: t.Optional(EpisodeId),
  },
  {
    title: "OpenEnvReset",
    description: "Which test to play; without one, the server takes its split in turn",
    additionalProperties: true,
  },
);
export type Reset = Static<typeof Reset>;

const Arguments = t.Record(t.String(), t.Unknown(), { description: "As the tool's schema says" });

/** Its title makes verifiers ask for the tools before it shows an agent the schema. */
export const Action = t.Object(
  {
    type: t.Union([t.Literal("list_tools"), t.Literal("call_tool"), t.Literal("submit")], {
      description: "`submit`, or a call of the tool of this name, ends the episode with its reward",
      examples: ["call_tool"],
    }),
    tool_name: t.Optional(
      t.String({ description: "For `call_tool`", examples: ["slack_send_message"] }),
    ),
    arguments: t.Optional(Arguments),
  },
  { title: "Action", description: "A step of the agent", additionalProperties: true },
);
export type Action = Static<typeof Action>;

const Metadata = t.Record(t.String(), t.Unknown(), {
  description: "The run, and after the end the failed assertions",
});
const metadata = t.Optional(Metadata);

const SERVICE_URL = "http://127.0.0.1:3000/api/env/4f2a9c0e7b1d4e6f8a3c5d7e9f1b2c4d/services/chat";

export const FirstObservation = t.Object(
  {
    prompt: t.String({ description: "The task for the agent", examples: ["Say hello."] }),
    test_id: Id,
    test: t.String({ description: "Its name", examples: ["Say hello"] }),
    user_id: t.Nullable(UserId, { description: "The user that the agent acts as" }),
    service: t.String({ description: "The simulated service, or `world`", examples: ["chat"] }),
    service_url: t.String({
      description:
        "Base address of the service's own API, for agents that call it themselves. Of a world: above those of its services",
      examples: [SERVICE_URL],
    }),
    mcp_url: t.String({
      description: "Address of its tools over MCP",
      examples: [`${SERVICE_URL}/mcp`],
    }),
    services: t.Record(
      t.String(),
      t.Object({
        url: t.String({ description: "Base address of its API", examples: [SERVICE_URL] }),
        mcp_url: t.String({
          description: "Address of its tools",
          examples: [`${SERVICE_URL}/mcp`],
        }),
        user_id: t.Nullable(UserId, {
          description: "The agent's user; null if the person has no account there",
        }),
      }),
      { description: "Each service by its name: several in a world" },
    ),
    token: t.String({
      description: "Opens this environment's service only",
      examples: ["diorama_e_…"],
    }),
    now: { ...Timestamp, description: "The time in the environment when the episode began" },
    expires_at: Timestamp,
    metadata,
  },
  { title: "OpenEnvFirstObservation", description: "The task, and the agent's access" },
);

export const Observation = t.Object(
  {
    tools: t.Optional(t.Array(t.Unknown(), { description: "After `list_tools`" })),
    tool_name: t.Optional(
      t.String({ description: "After `call_tool`", examples: ["slack_send_message"] }),
    ),
    result: t.Optional(
      t.Unknown({ description: "`content` and `is_error` of the tool; null without an answer" }),
    ),
    error: t.Optional(
      t.Nullable(
        t.Object({
          error_type: t.String({ description: "Its kind", examples: ["tool_not_found"] }),
          message: t.String({ description: "What is wrong", examples: ["Unknown tool: send"] }),
        }),
        { description: "There is no such tool, or it gave no answer" },
      ),
    ),
    passed: t.Optional(t.Boolean({ description: "After `submit`" })),
    success: t.Optional(
      t.Boolean({ description: "After `submit`: whether what was asked is done" }),
    ),
    score: t.Optional(Score),
    metadata,
  },
  { title: "OpenEnvObservation", description: "The effect of a step" },
);

const answer = (observation: ReturnType<typeof t.Object>, title: string) =>
  t.Object(
    {
      observation,
      reward: t.Nullable(Reward, {
        description: `Null after a reset, 0 after a step; after \`submit\`: ${Reward["description"]}`,
        examples: [0],
      }),
      done: t.Boolean({ description: "Whether the episode is over", examples: [false] }),
      metadata,
    },
    { title, description: "An observation with its reward" },
  );
export const ResetAnswer = answer(FirstObservation, "OpenEnvResetAnswer");
export const StepAnswer = answer(Observation, "OpenEnvStepAnswer");

export const Step = t.Object(
  { action: Action, episode_id: EpisodeId },
  { title: "OpenEnvStep", description: "A step in an episode", additionalProperties: true },
);

export const StateQuery = t.Object({ episode_id: t.Optional(EpisodeId) });
export const State = t.Object(
  {
    episode_id: t.Nullable(EpisodeId),
    step_count: Type.Integer({ ...Count, description: "Steps of the agent so far" }),
    test_id: t.Optional(Id),
    run_id: t.Optional(Id),
    done: t.Optional(t.Boolean({ description: "Whether it is over" })),
    reward: t.Optional(t.Nullable(t.Number({ description: "Once it is over", examples: [1] }))),
  },
  { title: "OpenEnvState", description: "The episode; without one, its id is null" },
);
export type State = Static<typeof State>;

const JsonSchema = t.Record(t.String(), t.Unknown(), { description: "A JSON Schema" });
export const Schemas = t.Object(
  {
    action: JsonSchema,
    observation: JsonSchema,
    reset_observation: JsonSchema,
    state: JsonSchema,
  },
  { title: "OpenEnvSchemas", description: "The shapes of the messages" },
);

/** Checked by the protocol: a wrong one gets its error, and no other status. */
export const RpcBody = t.Unknown({
  documented: t.Object(
    {
      jsonrpc: t.Literal("2.0", { description: "The version of JSON-RPC" }),
      id: t.Optional(
        t.Union([t.String(), Type.Integer()], { description: "Repeated by the response" }),
      ),
      method: t.String({
        description:
          "`tools/list`, `tools/call`, `openenv/session/create` or `openenv/session/close`",
      }),
      params: t.Optional(
        t.Record(t.String(), t.Unknown(), {
          description: "The `session_id`; of `tools/call` also `name` and `arguments`",
        }),
      ),
    },
    {
      title: "OpenEnvRpc",
      description: "A request of JSON-RPC",
      examples: [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
    },
  ),
});
export const RpcAnswer = t.Object(
  {
    jsonrpc: t.Literal("2.0", { description: "The version of JSON-RPC" }),
    id: t.Union([t.String(), Type.Integer(), t.Null()], { description: "Of the request" }),
    result: t.Optional(
      t.Record(t.String(), t.Unknown(), {
        description: "`tools`; `content` and `isError` of a call; or the `session_id`",
      }),
    ),
    error: t.Optional(
      t.Object(
        {
          code: Type.Integer({ description: "As JSON-RPC has them; -32000: of the server" }),
          message: t.String({ description: "What is wrong" }),
        },
        { description: "In place of a result" },
      ),
    ),
  },
  {
    title: "OpenEnvRpcResponse",
    description: "A result or an error",
    examples: [{ jsonrpc: "2.0", id: 1, result: { tools: [] } }],
  },
);

/** Of a WebSocket that joins a session of `openenv/session/create`. */
export const JoinQuery = t.Object({ session_id: t.Optional(t.String()) });

export const SuiteDocument = t.Record(t.String(), t.Unknown(), {
  title: "OpenEnvDocument",
  description: "An OpenAPI document",
  examples: [{ openapi: "3.1.0", info: { title: "Chat benchmark", version: "1.0.0" }, paths: {} }],
});

export const About = t.Object(
  {
    name: t.String({ examples: ["chat-benchmark"] }),
    description: t.String({ description: "Of the suite", examples: ["Tasks in a workspace"] }),
    version: t.String({ description: "Of the server", examples: ["0.1.0"] }),
    documentation_url: t.String({
      description: "The page of the guide",
      examples: ["http://127.0.0.1:3000/docs/guide/train"],
    }),
  },
  { title: "OpenEnvMetadata", description: "The suite" },
);

export const Healthy = t.Object(
  { status: t.Literal("healthy") },
  { title: "OpenEnvHealth", description: "The server answers" },
);

export const Names = t.Array(t.String(), {
  title: "OpenEnvEnvironments",
  description: "The suite alone",
  examples: [["chat-benchmark"]],
});
