/**
 * The service's own MCP server: 19 tools. A result is one JSON object whose values are text for reading; an error is
 * the bare code.
 */
import { presentIds } from "~/replicas/chat/aliases";
import { requireRejection } from "~/replicas/chat/answer";
import { documents } from "~/replicas/chat/mcp/documents";
import { people } from "~/replicas/chat/mcp/people";
import { reading } from "~/replicas/chat/mcp/reading";
import { chatCall } from "~/replicas/chat/mcp/run";
import { searching } from "~/replicas/chat/mcp/searching";
import { sending } from "~/replicas/chat/mcp/sending";
import { InvalidArgument, readArguments, type Tools } from "~/replicas/chat/mcp/tool";
import data from "~/replicas/chat/mcp/vendor.tools.json";
import type { ToolCall, ToolProfile, ToolResult } from "~/replicas/tools";

const TOOLS: Tools = { ...sending, ...reading, ...searching, ...people, ...documents };

const SCHEMAS = new Map(data.tools.map(({ name, inputSchema }) => [name, inputSchema]));

export const vendor: ToolProfile = {
  summary: "The 19 tools of the vendor's own server, as listed on 2026-08-10",
  example: {
    name: "slack_send_message",
    arguments: { channel_id: "C01GENERAL", message: "Lunch at **noon**?" },
    text: JSON.stringify({
      message_link: "https://acme.chat.test/archives/C01GENERAL/p1767607200000100",
      message_context: { message_ts: "1767607200.000100", channel_id: "C01GENERAL" },
    }),
  },
  serverInfo: { name: "Slack MCP", version: "1.0.0" },
  tools: data.tools,
  isReading: ({ annotations }) => annotations?.readOnlyHint === true,
  call: perform,
  fail(problem) {
    if (problem.kind === "token_expired") return undefined;
    return problem.kind === "rate_limited"
      ? { text: "Too Many Requests", isError: true, errorCode: RATE_LIMITED }
      : { text: "internal_error", isError: true };
  },
};

const RATE_LIMITED = -32_005;

async function perform(call: ToolCall): Promise<ToolResult | undefined> {
  const schema = SCHEMAS.get(call.name);
  const tool = TOOLS[call.name];
  if (!schema || !tool) return undefined;
  try {
    const args = presentIds(readArguments(schema, call.arguments ?? {}), call.aliases);
    return { text: JSON.stringify(await tool(args, chatCall(call))) };
  } catch (error) {
    if (error instanceof InvalidArgument) return { text: error.message, isError: true };
    return { text: requireRejection(error).code, isError: true };
  }
}
