/**
 * Diorama itself as tools, for coding agents that write tests or look into results. Each is one call of the platform's
 * API, which checks its arguments.
 */
import { ENDINGS } from "~/evaluation/ending";
import { withPlatform } from "~/http/docs";
import { failures } from "~/http/errors";
import type { ToolAnswer, ToolServer } from "~/http/mcp/endpoint";
import { operationOf } from "~/http/mcp/operations";
import { ANY_SERVICE } from "~/replicas/services";
import type { ToolExample } from "~/replicas/tools";
import { VERSION } from "~/version";

export const CONTROL = "/mcp";

export type PlatformCall = {
  readonly method: "GET" | "POST" | "DELETE";
  /** After `/api/platform`. */
  readonly path: string;
  readonly body?: object;
};

type Arguments = Readonly<Record<string, unknown>>;

type Tool = {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly isReading?: boolean;
  readonly toCall: (args: Arguments) => PlatformCall;
};

const text = (description: string) => ({ type: "string", description });
const whole = (description: string) => ({ type: "integer", minimum: 0, description });
const RUN = { runId: text("Id of the run, from start_run") };
const ENVIRONMENT = { envId: text("Id of the environment, from create_environment") };

const encoded = (value: unknown) => encodeURIComponent(String(value));

/** The given arguments of these names, as a query string. */
function query(args: Arguments, names: readonly string[]): string {
  const pairs = names.flatMap((name) =>
    args[name] === undefined ? [] : [`${name}=${encoded(args[name])}`],
  );
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

const get = (path: string): PlatformCall => ({ method: "GET", path });
const post = (path: string, body: object): PlatformCall => ({ method: "POST", path, body });

const PAGE = {
  limit: whole("Items for each page"),
  cursor: text("`nextCursor` of the page before"),
};

const TOOLS: readonly Tool[] = [
  {
    name: "list_templates",
    description:
      "Lists the templates from which environments are created: built-in ones, public ones and your own.",
    properties: { service: text(ANY_SERVICE), ...PAGE },
    isReading: true,
    toCall: (args) => get(`/templates${query(args, ["service", "limit", "cursor"])}`),
  },
  {
    name: "list_suites",
    description: "Lists the test suites that you can see, without their tests.",
    properties: { name: text("Part of the name"), ...PAGE },
    isReading: true,
    toCall: (args) => get(`/testSuites${query(args, ["name", "limit", "cursor"])}`),
  },
  {
    name: "get_suite",
    description: "Shows a suite with its tests: their ids, prompts and expected changes.",
    properties: {
      suiteId: text("Id of the suite, from list_suites; or the name of an own or a built-in one"),
    },
    required: ["suiteId"],
    isReading: true,
    toCall: ({ suiteId }) => get(`/testSuites/${encoded(suiteId)}?expand=true`),
  },
  {
    name: "create_environment",
    description:
      "Creates a disposable copy of a service from a template, or for a test. The result has the paths of its API (environmentUrl) and of its tools (mcpUrl), and the agent's token.",
    properties: {
      testId: text("A test, which names template and user; instead of the next three"),
      templateService: text(ANY_SERVICE),
      templateName: text("Name of the template"),
      impersonateUserId: text("Id of the user that the agent acts as"),
      ttlSeconds: whole("Seconds until it is deleted"),
    },
    toCall: (args) => post("/initEnv", args),
  },
  {
    name: "delete_environment",
    description: "Deletes an environment immediately. An active run of it fails.",
    properties: ENVIRONMENT,
    required: ["envId"],
    toCall: ({ envId }) => ({ method: "DELETE", path: `/env/${encoded(envId)}` }),
  },
  {
    name: "start_run",
    description: "Starts to record every change to an environment.",
    properties: {
      ...ENVIRONMENT,
      testId: text("The test that evaluate_run checks"),
      testSuiteId: text("The suite whose results the run counts for"),
    },
    required: ["envId"],
    toCall: (args) => post("/startRun", args),
  },
  {
    name: "diff_run",
    description: "Ends a run and returns exactly what it inserted, updated and deleted.",
    properties: RUN,
    required: ["runId"],
    toCall: (args) => post("/diffRun", args),
  },
  {
    name: "evaluate_run",
    description:
      "Ends a run and checks its changes against its test, or against the given spec: verdict, score, and a line for each failure.",
    properties: {
      ...RUN,
      expectedOutput: { type: "object", description: "In place of the test" },
      ending: {
        type: "string",
        enum: Object.keys(ENDINGS),
        description: "How an attempt ended: one that crashed or timed_out has not passed",
      },
      exitCode: { type: "integer", description: "Of the agent's process" },
      costUsd: { type: "number", description: "The price of the attempt in US dollars" },
    },
    required: ["runId"],
    toCall: (args) => post("/evaluateRun", args),
  },
  {
    name: "get_results",
    description: "Shows the results of a run that has ended: diff, verdict, and the nearest rows.",
    properties: RUN,
    required: ["runId"],
    isReading: true,
    toCall: ({ runId }) => get(`/results/${encoded(runId)}`),
  },
  {
    name: "list_changes",
    description: "Lists the individual changes of a run that has ended, in their order.",
    properties: RUN,
    required: ["runId"],
    isReading: true,
    toCall: ({ runId }) => get(`/runs/${encoded(runId)}/events`),
  },
];

const EXAMPLE: ToolExample = {
  name: "create_environment",
  arguments: {
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
  },
  text: JSON.stringify({
    environmentId: "4f2a9c0e7b1d4e6f8a3c5d7e9f1b2c4d",
    mcpUrl: "/api/env/4f2a9c0e7b1d4e6f8a3c5d7e9f1b2c4d/services/chat/mcp",
  }),
};

const operation = operationOf(
  EXAMPLE,
  "Diorama's own tools",
  "For coding agents: list templates and suites, create environments, start and end runs, read diffs and verdicts.",
);

/** For the OpenAPI document. */
export const CONTROL_OPERATION = {
  ...operation,
  path: CONTROL,
  operationId: "mcp",
  tags: ["mcp"],
  security: [{ key: [] }, { bearer: [] }],
  answers: withPlatform(operation.answers, failures("request_too_large")),
};

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

const LISTING = Buffer.from(
  JSON.stringify(
    TOOLS.map(({ name, description, properties, required = [], isReading = false }) => ({
      name,
      description,
      inputSchema: { type: "object", properties, required, additionalProperties: false },
      annotations: {
        readOnlyHint: isReading,
        destructiveHint: name === "delete_environment",
        openWorldHint: false,
      },
    })),
  ),
);

/** `makeCall`: of the platform's API, in the caller's identity. */
export function controlTools(makeCall: (call: PlatformCall) => Promise<ToolAnswer>): ToolServer {
  return {
    serverInfo: { name: "diorama", version: VERSION },
    listing: () => LISTING,
    async call(name, args = {}) {
      const tool = BY_NAME.get(name);
      if (!tool) return undefined;
      const { properties, required = [], toCall } = tool;
      const unknown = Object.keys(args).find((key) => !Object.hasOwn(properties, key));
      const missing = required.find((key) => args[key] === undefined || args[key] === "");
      if (unknown !== undefined) return { text: `${unknown}: no such argument`, isError: true };
      if (missing !== undefined) return { text: `${missing}: is needed`, isError: true };
      return await makeCall(toCall(args));
    },
  };
}
