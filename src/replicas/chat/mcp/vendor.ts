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
import { type Arguments, RULES, type Tool, type Tools } from "~/replicas/chat/mcp/tool";
import data from "~/replicas/chat/mcp/vendor.tools.json";
import type { TableName } from "~/replicas/chat/method";
import { createToolCall, failedTool, isReadOnly } from "~/replicas/kit/tool-calls";
import type { ToolCall, ToolProfile, ToolResult } from "~/replicas/tools";

const TOOLS: Tools = { ...sending, ...reading, ...searching, ...people, ...documents };

export const vendor: ToolProfile<TableName> = {
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
  isReading: isReadOnly,
  call: createToolCall({
    listing: data.tools,
    tools: TOOLS,
    rules: RULES,
    // The service reports one mistake.
    refusal: (_, [first = ""]) => first,
    run,
  }),
  fail(problem) {
    if (problem.kind === "token_expired") return undefined;
    return problem.kind === "rate_limited"
      ? { ...failedTool("Too Many Requests"), errorCode: RATE_LIMITED }
      : failedTool("internal_error");
  },
};

const RATE_LIMITED = -32_005;

async function run(tool: Tool, args: Arguments, call: ToolCall<TableName>): Promise<ToolResult> {
  try {
    const present = presentIds(args, call.aliases);
    return { text: JSON.stringify(await tool(present, chatCall(call))) };
  } catch (error) {
    return failedTool(requireRejection(error).code);
  }
}
