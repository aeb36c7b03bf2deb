/** Code that posts a message. */
import { python, type Snippets, type Target } from "~/console/snippets";

export function snippets({ origin, environment, token, subject }: Target): Snippets {
  const url = origin + environment.environmentUrl;
  return {
    "TypeScript SDK": `import { WebClient } from "@slack/web-api";

const chat = new WebClient("${token}", {
  slackApiUrl: "${url}/",
  retryConfig: { retries: 0 },
});
await chat.chat.postMessage({ channel: "${subject}", text: "Hello" });
`,
    "Python SDK": `from slack_sdk import WebClient

chat = WebClient(token="${token}", base_url="${url}/")
chat.chat_postMessage(channel="${subject}", text="Hello")
`,
    curl: `curl -s "${url}/chat.postMessage" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json; charset=utf-8" \\
  -d '${JSON.stringify({ channel: subject, text: "Hello" })}'
`,
    "Diorama for Python": python(
      origin,
      environment,
      `env.slack().chat_postMessage(channel="${subject}", text="Hello")`,
    ),
  };
}
