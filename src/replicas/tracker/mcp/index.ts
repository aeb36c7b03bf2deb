/** The tools of the vendor's own server, on the operations of this service. */
import { createHash } from "node:crypto";
import { findUnstorable } from "~/db/storable";
import type { ToolCall, ToolListing, ToolProfile, ToolResult } from "~/replicas/tools";
import { checkArguments, type Schema } from "~/replicas/tracker/mcp/arguments";
import { attachmentTools } from "~/replicas/tracker/mcp/attachments";
import { commentTools } from "~/replicas/tracker/mcp/comments";
import { documentTools } from "~/replicas/tracker/mcp/documents";
import { initiativeTools } from "~/replicas/tracker/mcp/initiatives";
import { issueTools } from "~/replicas/tracker/mcp/issues";
import { labelTools } from "~/replicas/tracker/mcp/labels";
import { peopleTools } from "~/replicas/tracker/mcp/people";
import { projectTools } from "~/replicas/tracker/mcp/projects";
import { releaseTools } from "~/replicas/tracker/mcp/releases";
import { reviewTools } from "~/replicas/tracker/mcp/reviews";
import { runTool } from "~/replicas/tracker/mcp/run";
import { saveIssue } from "~/replicas/tracker/mcp/save-issue";
import { Content, Rejected, type Tools } from "~/replicas/tracker/mcp/tool";
import { updateTools } from "~/replicas/tracker/mcp/updates";
import vendorListing from "~/replicas/tracker/mcp/vendor.tools.json";

const TOOLS: Tools = {
  ...attachmentTools,
  ...commentTools,
  ...documentTools,
  ...initiativeTools,
  ...issueTools,
  save_issue: saveIssue,
  ...labelTools,
  ...peopleTools,
  ...projectTools,
  ...releaseTools,
  ...reviewTools,
  ...updateTools,
};

const LISTING: readonly ToolListing[] = vendorListing.tools;
const BY_NAME = new Map(LISTING.map((tool) => [tool.name, tool]));
const isReading = ({ annotations }: ToolListing) => annotations?.readOnlyHint === true;

export const vendor: ToolProfile = {
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
  isReading,
  call,
  fail({ kind }) {
    if (kind === "token_expired") return undefined;
    return failed(
      JSON.stringify(
        kind === "rate_limited"
          ? { error: "ratelimited", message: "Too many requests", status: 429 }
          : { error: "internal_error", message: "Internal server error", status: 500 },
      ),
    );
  },
};

async function call({ name, arguments: given = {}, ...caller }: ToolCall) {
  const [listing, tool] = [BY_NAME.get(name), TOOLS[name]];
  if (!listing || !tool) return undefined;
  const checked = checkArguments(listing.inputSchema as Schema, given);
  if ("problems" in checked) return refused(name, checked.problems.join(", "));
  const unstorable = findUnstorable(given);
  if (unstorable !== undefined)
    return refused(name, `${unstorable}: a string contains NUL or half a surrogate pair`);
  try {
    return resultOf(await runTool(caller, tool, checked.values, !isReading(listing)));
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const { upstream, message } = error;
    return failed(upstream ? upstreamError(message, name, given) : `Error: ${message}`);
  }
}

function resultOf(value: unknown): ToolResult {
  if (!(value instanceof Content)) return { text: JSON.stringify(value) };
  const { text, images } = value;
  return images.length > 0 ? { text, images } : { text };
}

const failed = (text: string): ToolResult => ({ text, isError: true });
const refused = (name: string, problems: string) =>
  failed(`Input validation error: Invalid arguments for tool ${name}: ${problems}`);

const REQUEST_ID_LENGTH = 16;

/** The id of a request follows from the request, so that runs repeat. */
function upstreamError(message: string, ...request: readonly unknown[]): string {
  const hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  const requestId = hash.slice(0, REQUEST_ID_LENGTH);
  return JSON.stringify({ error: "invalid_request", message, status: 400, requestId });
}
