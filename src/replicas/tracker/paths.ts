/** The one entry of this service in the OpenAPI document. */

const error = {
  type: "object",
  required: ["message"],
  properties: {
    message: { type: "string" },
    path: { type: "array", items: {} },
    extensions: {
      type: "object",
      properties: {
        type: { type: "string", description: "What kind of refusal: `invalid input`" },
        code: { type: "string" },
        userPresentableMessage: { type: "string" },
      },
    },
  },
};

const answer = {
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          data: { type: "object", nullable: true },
          errors: { type: "array", items: error },
        },
      },
    },
  },
};

const refusal = (description: string) => ({
  description,
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
});

export const trackerPaths = () => ({
  graphql: {
    post: {
      operationId: "graphql",
      tags: ["tracker"],
      summary: "Runs one GraphQL request. Several changes in one request are all made, or none.",
      description:
        "Ask the schema for itself by introspection. `Authorization` may hold the id of a user to act as.",
      security: [{ key: [] }, { bearer: [] }],
      parameters: [{ name: "envId", in: "path", required: true, schema: { type: "string" } }],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["query"],
              properties: {
                query: { type: "string", example: "{ viewer { id name } }" },
                variables: { type: "object" },
                operationName: { type: "string" },
              },
            },
          },
        },
      },
      responses: {
        200: { description: "Data, or the service's own refusals", ...answer },
        400: { description: "A document that does not fit the schema or the limits", ...answer },
        401: refusal("not_authed"),
        404: refusal("environment_not_found"),
      },
    },
  },
});
