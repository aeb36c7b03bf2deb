/** The one operation of this service in the OpenAPI document. */
import { Type } from "@sinclair/typebox";
import type { ServiceOperation } from "~/replicas/replica";

const Fields = Type.Record(Type.String(), Type.Unknown());

const Request = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      description: "The GraphQL document",
      examples: ["query ($first: Int) { issues(first: $first) { nodes { identifier title } } }"],
    }),
    variables: Type.Optional(
      Type.Union([Fields, Type.Null()], {
        description: "Values of the variables that the document declares",
        examples: [{ first: 10 }],
      }),
    ),
    operationName: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "The operation to run, of a document with several",
      }),
    ),
  },
  { title: "GraphqlRequest", description: "One GraphQL request" },
);

const Problem = Type.Object(
  {
    message: Type.String({ description: "What is wrong, for developers" }),
    path: Type.Optional(
      Type.Array(Type.Unknown(), { description: "The field of the answer that failed" }),
    ),
    locations: Type.Optional(
      Type.Array(
        Type.Object({ line: Type.Integer({ minimum: 1 }), column: Type.Integer({ minimum: 1 }) }),
        { description: "Places in the document" },
      ),
    ),
    extensions: Type.Optional(
      Type.Object(
        {
          type: Type.Optional(Type.String({ description: "The kind of refusal: `invalid input`" })),
          code: Type.Optional(Type.String({ description: "The same as a constant" })),
          userPresentableMessage: Type.Optional(
            Type.String({ description: "What is wrong, for users" }),
          ),
        },
        { additionalProperties: true, description: "The refusal, for programs" },
      ),
    ),
  },
  { title: "GraphqlError", description: "Why a field, or the whole request, has no data" },
);

const Answer = Type.Object(
  {
    data: Type.Optional(Type.Union([Fields, Type.Null()], { description: "The fields asked for" })),
    errors: Type.Optional(Type.Array(Problem, { description: "What has no data, and why" })),
  },
  {
    title: "GraphqlAnswer",
    description: "Data, or the service's own refusals",
    examples: [
      { data: { issues: { nodes: [{ identifier: "ENG-1", title: "Set up the repository" }] } } },
    ],
  },
);

export const trackerOperations = (): ServiceOperation[] => [
  {
    path: "graphql",
    method: "post",
    operationId: "graphql",
    summary: "Runs one GraphQL request. Several changes in one request are all made, or none.",
    description:
      "Introspection shows the schema. `Authorization` may hold the id of a user to act as.",
    body: { "application/json": Request },
    answers: { 200: Answer, 400: Answer },
  },
];
