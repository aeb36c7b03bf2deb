/** Code that sends a message. */
import type { Snippets, Target } from "~/console/snippets";

export function snippets({ origin, environment, token }: Target): Snippets {
  const url = origin + environment.environmentUrl;
  const to = environment.impersonateUserId;
  return {
    curl: `raw=$(printf 'To: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello' | base64 -w0 | tr '+/' '-_')
curl -s "${url}/gmail/v1/users/me/messages/send" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d "{\\"raw\\": \\"$raw\\"}"
`,
  };
}
