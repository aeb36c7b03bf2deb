/** `diorama mcp`: the server's own tools over standard input and output, for coding agents. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { CallFailed, type Client } from "~/commands/client";
import { createToolServer, type ToolAnswer } from "~/http/mcp/endpoint";
import { controlTools, type PlatformCall } from "~/platform/control-tools";

/** Serves until standard input ends, or `signal` aborts. */
export async function mcp(client: Client, signal: AbortSignal): Promise<void> {
  const tools = controlTools((call) => perform(client, call));
  const ended = Promise.withResolvers<void>();
  const server = serveStdio(() =>
    createToolServer(tools, JSON.parse(new TextDecoder().decode(tools.listing()))),
  );
  process.stdin.once("end", ended.resolve);
  signal.addEventListener("abort", () => ended.resolve());
  await ended.promise;
  await server.close();
}

async function perform(client: Client, { method, path, body }: PlatformCall): Promise<ToolAnswer> {
  try {
    return { text: JSON.stringify(await client.call(method, path, body)) };
  } catch (error) {
    if (error instanceof CallFailed) return { text: error.message, isError: true };
    throw error;
  }
}
