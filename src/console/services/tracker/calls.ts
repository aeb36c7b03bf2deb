/** A form for operations of GraphQL. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import type { Form, Operation } from "~/console/calls";

export const operations = async (
  { environmentUrl }: EnvironmentDetail,
  teamId: string,
): Promise<Form> => ({
  operations: operationsAt(teamId),
  request: (_name, body) => ({ address: `${environmentUrl}/graphql`, body }),
});

const operationsAt = (teamId: string): readonly Operation[] => [
  {
    name: "issueCreate",
    example: {
      query:
        "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }",
      variables: { input: { teamId, title: "Hello" } },
    },
  },
  {
    name: "issues",
    example: { query: "{ issues(first: 10) { nodes { id identifier title state { name } } } }" },
  },
  { name: "teams", example: { query: "{ teams { nodes { id key name } } }" } },
];
