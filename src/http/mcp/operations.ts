/** The tool endpoints in the OpenAPI document: one message of the protocol, and its response. */

import { Type } from "@sinclair/typebox";
import { capitalized } from "~/capitalized";
import { DEFAULT_PROFILE } from "~/http/mcp/profile";
import type { Operation } from "~/http/openapi";
import { REPLICAS } from "~/replicas/index";
import type { ToolExample } from "~/replicas/tools";

const JSONRPC = Type.Literal("2.0", { description: "The version of JSON-RPC" });
const ID = [Type.String(), Type.Integer()];

/** The shape of a message. `example`: the call that the example of the body makes. */
const messageOf = ({ name, arguments: args }: ToolExample) =>
  Type.Object(
    {
      jsonrpc: JSONRPC,
      id: Type.Optional(
        Type.Union(ID, { description: "Repeated by the response. A notification has none" }),
      ),
      method: Type.String({
        description: "`tools/list`, `tools/call`, `ping`, `initialize` or `server/discover`",
      }),
      params: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "Of `tools/call`: the tool's `name`, and `arguments` that fit its schema",
        }),
      ),
    },
    {
      title: "McpMessage",
      description:
        "A message of the Model Context Protocol. In revisions with `initialize` also an array of messages",
      examples: [
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      ],
    },
  );

const Problem = Type.Object(
  {
    code: Type.Integer({ description: "-32601: no such method, -32602: no such tool" }),
    message: Type.String({ description: "What is wrong, in a sentence" }),
    data: Type.Optional(Type.Unknown({ description: "Details" })),
  },
  { title: "McpProblem", description: "Why a message has no result" },
);

const responseOf = (description: string, example: object) =>
  Type.Object(
    {
      jsonrpc: JSONRPC,
      id: Type.Optional(Type.Union([...ID, Type.Null()], { description: "That of the message" })),
      result: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description:
            "Of a tool: `content`, whose first block is the text, and `isError` if it rejects the call",
        }),
      ),
      error: Type.Optional(Problem),
    },
    { title: "McpAnswer", description, examples: [{ jsonrpc: "2.0", id: 1, ...example }] },
  );

const rejectionOf = (description: string, code: number, message: string) =>
  responseOf(description, { id: null, error: { code, message } });

/** Responses of the protocol. The platform's errors, which have the envelope, are added where they are known. */
const answersOf = ({ text }: ToolExample): Operation["answers"] => ({
  200: responseOf("The result of the message, or why it has none", {
    result: { content: [{ type: "text", text }] },
  }),
  202: Type.Void({ description: "A notification is accepted" }),
  400: rejectionOf("No message of the protocol", -32_700, "Parse error"),
  403: rejectionOf(
    "A page of another site, which is not in CORS_ORIGINS",
    -32_000,
    "This page may not call the server: see CORS_ORIGINS",
  ),
  404: rejectionOf(
    "No such method, in revisions without `initialize`",
    -32_601,
    "Method not found",
  ),
  406: rejectionOf(
    "The client does not accept both types, by name or by a range such as `*/*`",
    -32_000,
    "Not Acceptable: Client must accept both application/json and text/event-stream",
  ),
  415: rejectionOf(
    "The body is not declared as JSON",
    -32_000,
    "Unsupported Media Type: Content-Type must be application/json",
  ),
});

const TRANSPORT =
  "Streamable HTTP without sessions: takes POST and answers JSON. `Accept`, if sent, includes `application/json` and `text/event-stream`, for example as `*/*`.";

export const operationOf = (example: ToolExample, summary: string, more: string) => ({
  method: "post",
  summary,
  description: `${more} ${TRANSPORT}`,
  body: { "application/json": messageOf(example) },
  answers: answersOf(example),
});

const Access = Type.Object({
  access: Type.Optional(
    Type.String({
      enum: ["all", "read"],
      description: "`read`: only the tools that write nothing",
    }),
  ),
});
/** The tools of all services of an environment. */
export const everyToolOperation = () => ({
  path: "/api/env/{envId}/mcp",
  operationId: "environmentMcp",
  query: Access,
  ...operationOf(
    [...REPLICAS.values()].flatMap(
      ({ toolProfiles }) => toolProfiles?.vendor.example ?? [],
    )[0] as ToolExample,
    "The tools of all services of an environment",
    "The vendors' tools; one that two services have gets the service's name in front.",
  ),
});

/** The tools of each service, by profile. `path` follows the prefix of an environment's service. */
export const toolOperations = () =>
  [...REPLICAS.values()].flatMap(({ service, toolProfiles = {} }) =>
    Object.entries(toolProfiles).map(([profile, { summary, example }]) => {
      const isDefault = profile === DEFAULT_PROFILE;
      return {
        service,
        path: isDefault ? "mcp" : `mcp/${profile}`,
        operationId: `${service}Mcp${isDefault ? "" : capitalized(profile)}`,
        query: Access,
        ...operationOf(example, `The tools of ${service}: ${profile}`, `${summary}.`),
      };
    }),
  );
