/**
 * The eight tools of the archived reference server `@modelcontextprotocol/server-slack`, still widely installed. Each
 * is one method of the Web API, whose answer is the result, a rejection included. Arguments are not checked.
 */
import { answerText } from "~/replicas/chat/answer";
import { faults } from "~/replicas/chat/faults";
import data from "~/replicas/chat/mcp/archived.tools.json";
import { chatCall, runMethod } from "~/replicas/chat/mcp/run";
import type { TableName } from "~/replicas/chat/method";
import type { ToolCall, ToolProfile } from "~/replicas/tools";

type Arguments = Readonly<Record<string, unknown>>;

type Tool = {
  readonly method: string;
  /** The server sends these as JSON without a character set, which the service answers with a warning. */
  readonly isPost?: true;
  readonly required?: readonly string[];
  readonly toArguments: (args: Arguments) => Arguments;
};

const PAGE_MAX = 200;
const PAGE_DEFAULT = 100;
const HISTORY_DEFAULT = 10;

/** `limit` and `cursor` as the server sends them. Anything but a number becomes text that the method rejects. */
const pageOf = ({ limit, cursor }: Arguments) => ({
  limit: String(Math.min(Number(limit || PAGE_DEFAULT), PAGE_MAX)),
  cursor: cursor || undefined,
});

const TOOLS: { readonly [name: string]: Tool } = {
  slack_list_channels: {
    method: "conversations.list",
    toArguments: (args) => ({
      types: "public_channel",
      exclude_archived: "true",
      ...pageOf(args),
    }),
  },
  slack_post_message: {
    method: "chat.postMessage",
    isPost: true,
    required: ["channel_id", "text"],
    toArguments: ({ channel_id: channel, text }) => ({ channel, text }),
  },
  slack_reply_to_thread: {
    method: "chat.postMessage",
    isPost: true,
    required: ["channel_id", "thread_ts", "text"],
    toArguments: ({ channel_id: channel, thread_ts, text }) => ({ channel, thread_ts, text }),
  },
  slack_add_reaction: {
    method: "reactions.add",
    isPost: true,
    required: ["channel_id", "timestamp", "reaction"],
    toArguments: ({ channel_id: channel, timestamp, reaction: name }) => ({
      channel,
      timestamp,
      name,
    }),
  },
  slack_get_channel_history: {
    method: "conversations.history",
    required: ["channel_id"],
    toArguments: ({ channel_id: channel, limit }) => ({
      channel,
      limit: String(limit || HISTORY_DEFAULT),
    }),
  },
  slack_get_thread_replies: {
    method: "conversations.replies",
    required: ["channel_id", "thread_ts"],
    toArguments: ({ channel_id: channel, thread_ts: ts }) => ({ channel, ts }),
  },
  slack_get_users: {
    method: "users.list",
    toArguments: pageOf,
  },
  slack_get_user_profile: {
    method: "users.profile.get",
    required: ["user_id"],
    toArguments: ({ user_id: user }) => ({ user, include_labels: "true" }),
  },
};

const WRITING = Object.keys(TOOLS).filter((name) => TOOLS[name]?.isPost);

export const archived: ToolProfile<TableName> = {
  summary: "The 8 tools of the archived reference server @modelcontextprotocol/server-slack",
  example: {
    name: "slack_add_reaction",
    arguments: { channel_id: "C01GENERAL", timestamp: "1767603600.731938", reaction: "wave" },
    text: JSON.stringify({ ok: true, warning: "missing_charset" }),
  },
  serverInfo: { name: "Slack MCP Server", version: "1.0.0" },
  tools: data.tools,
  isReading: ({ name }) => !WRITING.includes(name),
  call: async (call) => ({ text: await textOf(call) }),
  // It passes on the body of the method's answer, whatever its status.
  fail: (problem) => ({ text: faults.answer(problem).body }),
};

async function textOf(call: ToolCall<TableName>): Promise<string> {
  const { name, arguments: args } = call;
  if (!args) return failed("No arguments provided");
  const tool = Object.hasOwn(TOOLS, name) && TOOLS[name];
  if (!tool) return failed(`Unknown tool: ${name}`);
  const { required = [], method } = tool;
  if (!required.every((argument) => args[argument])) return failed(missing(required));
  const warnings: string[] = tool.isPost ? ["missing_charset"] : [];
  const inside = chatCall(call, (warning) => warnings.push(warning));
  return await answerText(warnings, () => runMethod(inside, method, tool.toArguments(args)));
}

const failed = (error: string) => JSON.stringify({ error });

/** `Missing required arguments: channel_id, thread_ts, and text`. */
function missing(names: readonly string[]): string {
  const last = names.at(-1);
  const others = names.slice(0, -1).join(", ");
  if (others === "") return `Missing required argument: ${last}`;
  return `Missing required arguments: ${others}${names.length > 2 ? "," : ""} and ${last}`;
}
