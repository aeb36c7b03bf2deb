/** Code that calls one environment, ready to be copied. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";

export type Target = {
  readonly origin: string;
  readonly environment: EnvironmentDetail;
  /** Of the environment, or a placeholder. */
  readonly token: string;
  /** An id for the examples, or a placeholder. */
  readonly subject: string;
};

/** By the name of the language or client. */
export type Snippets = Readonly<Record<string, string>>;

/** The tools of any service. */
export function toolSnippets({ origin, environment, token }: Target): Snippets {
  const url = origin + environment.mcpUrl;
  const headers = { Authorization: `Bearer ${token}` };
  return {
    MCP: `${JSON.stringify({ mcpServers: { [environment.service]: { type: "http", url, headers } } }, null, 2)}

// Claude Code:
// claude mcp add --transport http ${environment.service} "${url}" --header "Authorization: Bearer ${token}"
`,
  };
}

/** The client creates an environment of its own. */
export const python = (
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
