/** Calls the server at `URL` with the client that openapi-typescript generates. */
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

declare const process: { env: { URL: string } };

const client = createClient<paths>({ baseUrl: process.env.URL });

const created = await client.POST("/api/platform/initEnv", {
  body: {
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
  },
});
if (!created.data) throw new Error(JSON.stringify(created.error));
const { environmentId: envId }: components["schemas"]["Environment"] = created.data;

const said = await client.POST("/api/env/{envId}/services/chat/chat.postMessage", {
  params: { path: { envId } },
  body: { channel: "C01GENERAL", text: "Hello from TypeScript" },
});
const read = await client.GET("/api/env/{envId}/services/chat/conversations.history", {
  params: { path: { envId }, query: { channel: "C01GENERAL", limit: 1 } },
});
if (!said.data?.ok || !JSON.stringify(read.data).includes("Hello from TypeScript"))
  throw new Error(JSON.stringify([said.data, read.data]));
