/** Code that creates an issue. */
import { python, type Snippets, type Target } from "~/console/snippets";

export function snippets({ origin, environment, token, subject }: Target): Snippets {
  const url = `${origin}${environment.environmentUrl}/graphql`;
  const query =
    "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }";
  const variables = { input: { teamId: subject, title: "Hello" } };
  return {
    "TypeScript SDK": `import { LinearClient } from "@linear/sdk";

const tracker = new LinearClient({
  apiKey: "${token}",
  apiUrl: "${url}",
});
await tracker.createIssue({ teamId: "${subject}", title: "Hello" });
`,
    curl: `curl -s "${url}" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ query, variables })}'
`,
    "Diorama for Python": python(
      origin,
      environment,
      `env.linear().execute(
            """${query}""",
            ${JSON.stringify(variables)},
        )`,
    ),
  };
}
