/** Code that calls one environment, ready to be copied. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";

export type Target = {
  readonly origin: string;
  readonly environment: EnvironmentDetail;
  /** Of the environment, or a placeholder. */
  readonly token: string;
  /** Id of a channel or a team. */
  readonly place: string;
};

type Snippets = Readonly<Record<string, string>>;

/** By the name of the language or client. The first is shown first. */
export function snippetsOf(target: Target): Snippets {
  const { origin, environment, token } = target;
  const own = environment.service === "chat" ? chat(target) : tracker(target);
  const url = origin + environment.mcpUrl;
  const headers = { Authorization: `Bearer ${token}` };
  return {
    ...own,
    MCP: `${JSON.stringify({ mcpServers: { [environment.service]: { type: "http", url, headers } } }, null, 2)}

// Claude Code:
// claude mcp add --transport http ${environment.service} "${url}" --header "Authorization: Bearer ${token}"
`,
  };
}

function chat({ origin, environment, token, place }: Target): Snippets {
  const url = origin + environment.environmentUrl;
  return {
    "TypeScript SDK": `import { WebClient } from "@slack/web-api";

const chat = new WebClient("${token}", {
  slackApiUrl: "${url}/",
  retryConfig: { retries: 0 },
});
await chat.chat.postMessage({ channel: "${place}", text: "Hello" });
`,
    "Python SDK": `from slack_sdk import WebClient

chat = WebClient(token="${token}", base_url="${url}/")
chat.chat_postMessage(channel="${place}", text="Hello")
`,
    curl: `curl -s "${url}/chat.postMessage" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json; charset=utf-8" \\
  -d '${JSON.stringify({ channel: place, text: "Hello" })}'
`,
    "Diorama for Python": python(
      origin,
      environment,
      `env.slack().chat_postMessage(channel="${place}", text="Hello")`,
    ),
  };
}

function tracker({ origin, environment, token, place }: Target): Snippets {
  const url = `${origin}${environment.environmentUrl}/graphql`;
  const query =
    "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }";
  const variables = { input: { teamId: place, title: "Hello" } };
  return {
    "TypeScript SDK": `import { LinearClient } from "@linear/sdk";

const tracker = new LinearClient({
  apiKey: "${token}",
  apiUrl: "${url}",
});
await tracker.createIssue({ teamId: "${place}", title: "Hello" });
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

/** The client creates an environment of its own. */
const python = (
  origin: string,
  { templateSchema, impersonateUserId }: EnvironmentDetail,
  call: string,
) =>
  `# pip install ${origin}/clients/ lists the package; DIORAMA_URL=${origin}
import diorama

with diorama.env("${templateSchema}", as_="${impersonateUserId}") as env:
    with env.run() as run:
        ${call}
    print(run.diff)
`;
