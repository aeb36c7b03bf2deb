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
    message: Type.String({ description: "Description of the error, for developers" }),
    path: Type.Optional(
      Type.Array(Type.Unknown(), { description: "The field of the response that failed" }),
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
          type: Type.Optional(Type.String({ description: "The kind of error: `invalid input`" })),
          code: Type.Optional(Type.String({ description: "The kind of error as a constant" })),
          userPresentableMessage: Type.Optional(
            Type.String({ description: "Description of the error, for users" }),
          ),
        },
        { additionalProperties: true, description: "Details of the error, for programs" },
      ),
    ),
  },
  {
    title: "GraphqlError",
    description: "The reason why a field, or the whole request, has no data",
  },
);

const Answer = Type.Object(
  {
    data: Type.Optional(Type.Union([Fields, Type.Null()], { description: "The requested fields" })),
    errors: Type.Optional(
      Type.Array(Problem, { description: "Fields without data, and the reasons" }),
    ),
  },
  {
    title: "GraphqlAnswer",
    description: "Data, or errors in the service's format",
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
    summary: "Runs one GraphQL request. Several mutations in one request are atomic.",
    description:
      "Introspection shows the schema. `Authorization` can contain the id of a user to act as.",
    body: { "application/json": Request },
    answers: { 200: Answer, 400: Answer },
  },
];
