/** Calls of an environment's tools over MCP, and the official clients. */
import {
  Client as ModernClient,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

type Environment = { readonly environmentUrl: string; readonly token: string };
export type Endpoint = { readonly url: string; readonly headers: Record<string, string> };

/** The tools of an environment. `path`: a profile and a query, such as `/archived?access=read`. */
export const endpointOf = (
  { url }: { readonly url: string },
  { environmentUrl, token }: Environment,
  path = "",
): Endpoint => ({
  // The URL of chat ends in `/api`, that of a world in `/services`.
  url: `${url}${environmentUrl.replace(/\/(api|graphql|services)$/, "")}/mcp${path}`,
  headers: { Authorization: `Bearer ${token}` },
});

const JSON_HEADERS = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "MCP-Protocol-Version": "2025-06-18",
};

/** One message of the protocol, as the revisions with a handshake send it. */
export async function send(
  { url, headers }: Endpoint,
  message: unknown,
  extra: Record<string, string> = {},
) {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const response = await fetch(url, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers, ...extra },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

export type ToolText = { readonly text: string; readonly isError: boolean };

/** Calls a tool and returns the text of its result. */
export async function callTool(endpoint: Endpoint, name: string, args?: object): Promise<ToolText> {
  const params = { name, ...(args ? { arguments: args } : {}) };
  const { status, body } = await send(endpoint, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params,
  });
  if (status !== 200 || !body.result) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  return { text: body.result.content[0].text, isError: body.result.isError ?? false };
}

/** Calls of the tools of environments whose results are JSON. */
export function jsonTools(program: { readonly url: string }) {
  const result = (env: Environment, name: string, args: object = {}) =>
    callTool(endpointOf(program, env), name, args);
  return {
    /** The result of a call that succeeds, parsed. */
    async tool(env: Environment, name: string, args: object = {}): Promise<any> {
      const { text, isError } = await result(env, name, args);
      if (isError) throw new Error(`${name} was rejected: ${text}`);
      return JSON.parse(text);
    },
    /** The text of a call that is rejected. */
    async rejection(env: Environment, name: string, args: object = {}): Promise<string> {
      const { text, isError } = await result(env, name, args);
      if (!isError) throw new Error(`${name} was not rejected: ${text}`);
      return text;
    },
  };
}

const INFO = { name: "diorama-test", version: "1.0.0" };

/** The current client, with the handshake (its default), or without one. */
export async function connectClient({ url, headers }: Endpoint, era: "legacy" | "modern") {
  const client = new ModernClient(
    INFO,
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  return client;
}

/** The client of the first SDK, which most agents use. */
export async function connectFirstClient({ url, headers }: Endpoint) {
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(url), { requestInit: { headers } }) as never);
  return client;
}
