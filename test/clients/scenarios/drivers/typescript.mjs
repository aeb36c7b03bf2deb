/** The official SDKs of TypeScript: `node typescript.mjs 2` or `1`. See test/clients/mcp/driver.ts. */
import { createInterface } from "node:readline";

const { CHAT_URL, CHAT_TOKEN, TRACKER_URL, TRACKER_TOKEN, REVISION } = process.env;
const [version] = process.argv.slice(2);

async function load() {
  if (version === "2") return await import("@modelcontextprotocol/client");
  return {
    ...(await import("@modelcontextprotocol/sdk/client/index.js")),
    ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
  };
}
const { Client, StreamableHTTPClientTransport } = await load();
const MODERN = { versionNegotiation: { mode: { pin: REVISION } } };

async function connect(url, token) {
  const isModern = REVISION === "2026-07-28";
  const client = new Client({ name: "scenario", version: "1.0.0" }, isModern ? MODERN : {});
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

const clients = {
  chat: await connect(CHAT_URL, CHAT_TOKEN),
  tracker: await connect(TRACKER_URL, TRACKER_TOKEN),
};
const report = (answer) => console.log(JSON.stringify(answer));

const lists = await Promise.all(Object.values(clients).map((client) => client.listTools()));
report({ tools: lists.flatMap(({ tools }) => tools.map(({ name }) => name)) });
for await (const line of createInterface({ input: process.stdin })) {
  const { service, ...call } = JSON.parse(line);
  const { content, isError = false } = await clients[service].callTool(call);
  report({ text: content[0].text, isError });
}
for (const client of Object.values(clients)) await client.close();
