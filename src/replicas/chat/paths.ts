/** The methods as paths of the OpenAPI document, read from their definitions. */
import type { TSchema } from "@sinclair/typebox";
import { METHODS } from "~/replicas/chat/api/index";
import type { Method } from "~/replicas/chat/method";

const ANSWER = {
  type: "object",
  required: ["ok"],
  properties: {
    ok: { type: "boolean" },
    error: { type: "string", description: "When `ok` is false: the service's own code" },
    warning: { type: "string" },
    response_metadata: { type: "object" },
  },
} as const;

const PLATFORM_ERROR = {
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["ok", "error", "detail"],
        properties: {
          ok: { type: "boolean", enum: [false] },
          error: { type: "string" },
          detail: { type: "string" },
        },
      },
    },
  },
};

export const methodPaths = () =>
  Object.fromEntries([...METHODS.values()].map((method) => [method.name, path(method)]));

function path({ name, summary, args, limits }: Method) {
  const schema = {
    type: "object",
    ...(args.required ? { required: args.required } : {}),
    properties: Object.fromEntries(
      Object.entries(args.properties).map(([key, value]) => [key, documented(value)]),
    ),
  };
  return {
    post: {
      operationId: name,
      tags: ["chat"],
      summary,
      ...(limits === undefined ? {} : { description: limits }),
      security: [{ key: [] }, { bearer: [] }],
      parameters: [{ name: "envId", in: "path", required: true, schema: { type: "string" } }],
      requestBody: {
        content: {
          "application/json": { schema },
          "application/x-www-form-urlencoded": { schema },
        },
      },
      responses: {
        200: {
          description: "The service's answer",
          content: { "application/json": { schema: ANSWER } },
        },
        400: { description: "invalid_environment_path, invalid_service", ...PLATFORM_ERROR },
        401: { description: "not_authed", ...PLATFORM_ERROR },
        404: { description: "environment_not_found", ...PLATFORM_ERROR },
      },
    },
  };
}

/** Without what only `convert` reads. */
function documented({ json: _, ...schema }: TSchema): object {
  return schema;
}
