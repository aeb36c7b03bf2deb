/** Code that creates an event. */
import type { Snippets, Target } from "~/console/snippets";

export function snippets({ origin, environment, token }: Target): Snippets {
  const url = origin + environment.environmentUrl;
  const day = environment.clock.now.slice(0, 10);
  const event = {
    summary: "Hello",
    start: { dateTime: `${day}T15:00:00Z` },
    end: { dateTime: `${day}T15:30:00Z` },
  };
  return {
    "TypeScript SDK": `import { auth, calendar } from "@googleapis/calendar";

const credentials = new auth.OAuth2();
credentials.setCredentials({ access_token: "${token}" });
const { events } = calendar({ version: "v3", auth: credentials });
const requestBody = ${JSON.stringify(event, null, 2)};
await events.insert({ calendarId: "primary", requestBody }, { rootUrl: "${url}/" });
`,
    curl: `curl -s "${url}/calendar/v3/calendars/primary/events" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '${JSON.stringify(event)}'
`,
  };
}
