/** Code that sends a message. */
import { python, type Snippets, type Target } from "~/console/snippets";

export function snippets({ origin, environment, token }: Target): Snippets {
  const url = origin + environment.environmentUrl;
  const to = environment.impersonateUserId;
  return {
    "TypeScript SDK": `import { auth, gmail } from "@googleapis/gmail";

const credentials = new auth.OAuth2();
credentials.setCredentials({ access_token: "${token}" });
const { users } = gmail({ version: "v1", auth: credentials });
const text = "To: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello";
const requestBody = { raw: Buffer.from(text).toString("base64url") };
await users.messages.send({ userId: "me", requestBody }, { rootUrl: "${url}/" });
`,
    "Python SDK": `import base64
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build

mail = build(
    "gmail",
    "v1",
    credentials=Credentials("${token}"),
    discoveryServiceUrl="${url}/$discovery/rest?version=v1",
    static_discovery=False,
)
raw = base64.urlsafe_b64encode(b"To: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello").decode()
mail.users().messages().send(userId="me", body={"raw": raw}).execute()
`,
    curl: `raw=$(printf 'To: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nHello' | base64 -w0 | tr '+/' '-_')
curl -s "${url}/gmail/v1/users/me/messages/send" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d "{\\"raw\\": \\"$raw\\"}"
`,
    "Diorama for Python": python(
      origin,
      environment,
      `print(env.mail().users().messages().list(userId="me", q="is:unread").execute())`,
    ),
  };
}
