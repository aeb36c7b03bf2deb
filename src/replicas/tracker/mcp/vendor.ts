/** The tools of the vendor's own server, on the operations of this service. */

import { createHash } from "node:crypto";
import { UNSTORABLE } from "~/db/storable";
import { type ArgumentMistake, type Arguments, zodWords } from "~/replicas/kit/tool-arguments";
import { createToolCall, failedTool, isReadOnly } from "~/replicas/kit/tool-calls";
import type { ToolCall, ToolListing, ToolProfile, ToolResult } from "~/replicas/tools";
import { CONTENT_MAX } from "~/replicas/tracker/lengths";
import { attachmentTools } from "~/replicas/tracker/mcp/attachments";
import { commentTools } from "~/replicas/tracker/mcp/comments";
import { documentTools } from "~/replicas/tracker/mcp/documents";
import { initiativeTools } from "~/replicas/tracker/mcp/initiatives";
import { issueTools } from "~/replicas/tracker/mcp/issues";
import { labelTools } from "~/replicas/tracker/mcp/labels";
import { milestoneTools } from "~/replicas/tracker/mcp/milestones";
import { peopleTools } from "~/replicas/tracker/mcp/people";
import { projectTools } from "~/replicas/tracker/mcp/projects";
import { releaseTools } from "~/replicas/tracker/mcp/releases";
import { reviewTools } from "~/replicas/tracker/mcp/reviews";
import { runTool } from "~/replicas/tracker/mcp/run";
import { saveIssue } from "~/replicas/tracker/mcp/save-issue";
import { Content, Rejected, type Tool, type Tools } from "~/replicas/tracker/mcp/tool";
import { updateTools } from "~/replicas/tracker/mcp/updates";
import vendorListing from "~/replicas/tracker/mcp/vendor.tools.json";
import type { TableName } from "~/replicas/tracker/store/tables";

const TOOLS: Tools = {
  ...attachmentTools,
  ...commentTools,
  ...documentTools,
  ...initiativeTools,
  ...issueTools,
  save_issue: saveIssue,
  ...labelTools,
  ...milestoneTools,
  ...peopleTools,
  ...projectTools,
  ...releaseTools,
  ...reviewTools,
  ...updateTools,
};

const LISTING: readonly ToolListing[] = vendorListing.tools;
/** The bytes of a file, which have a maximum of their own. */
const FILE = "base64Content";

const words = (mistake: ArgumentMistake) =>
  mistake.problem === UNSTORABLE ? `/${mistake.path.join("/")}: ${UNSTORABLE}` : zodWords(mistake);

export const vendor: ToolProfile<TableName> = {
  summary: "The 58 tools of the vendor's own server, as listed on 2026-08-10",
  example: {
    name: "list_issues",
    arguments: { team: "ENG", state: "Todo", fields: ["id", "title"] },
    text: JSON.stringify({
      issues: [{ id: "ENG-1", title: "Set up continuous integration" }],
      hasNextPage: false,
    }),
  },
  serverInfo: { name: "Linear MCP", version: "1.0.0" },
  tools: LISTING,
  isReading: isReadOnly,
  call: createToolCall({
    listing: LISTING,
    tools: TOOLS,
    rules: {
      words,
      lengthOf: (name) => (name === FILE ? Number.POSITIVE_INFINITY : CONTENT_MAX),
    },
    refusal: (name, problems) =>
      `Input validation error: Invalid arguments for tool ${name}: ${problems.join(", ")}`,
    run,
  }),
  fail({ kind }) {
    if (kind === "token_expired") return undefined;
    return failedTool(
      JSON.stringify(
        kind === "rate_limited"
          ? { error: "ratelimited", message: "Too many requests", status: 429 }
          : { error: "internal_error", message: "Internal server error", status: 500 },
      ),
    );
  },
};

async function run(
  tool: Tool,
  values: Arguments,
  { name, arguments: given = {}, ...caller }: ToolCall<TableName>,
  listed: ToolListing,
): Promise<ToolResult> {
  try {
    return resultOf(await runTool(caller, tool, values, { writes: !isReadOnly(listed) }));
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const { upstream, message } = error;
    return failedTool(upstream ? upstreamError(message, name, given) : `Error: ${message}`);
  }
}

function resultOf(value: unknown): ToolResult {
  if (!(value instanceof Content)) return { text: JSON.stringify(value) };
  const { text, images } = value;
  return images.length > 0 ? { text, images } : { text };
}

const REQUEST_ID_LENGTH = 16;

/** The id of a request follows from the request, so that runs repeat. */
function upstreamError(message: string, ...request: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  const requestId = hash.slice(0, REQUEST_ID_LENGTH);
  return JSON.stringify({ error: "invalid_request", message, status: 400, requestId });
}
