/** The tools of an episode, in OpenEnv's words. */
import { wholeBody } from "~/http/body";
import type { Gateway } from "~/platform/gateway";
import type { SuiteRow } from "~/platform/suites/store";
import { listingOf, toolsOfServices } from "~/platform/tool-sets";
import { IncomingRequest } from "~/wire/incoming";
import { HeaderList, isOk, textOf } from "~/wire/message";

export const SUBMIT = {
  name: "submit",
  description: "Ends the task. Call it once everything is done: later calls have no effect.",
  input_schema: { type: "object", properties: {}, additionalProperties: false },
};

export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
};

const RPC_INVALID_PARAMS = -32_602;
type RpcAnswer = {
  readonly result?: { readonly content: object[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
};

/** Calls a tool of an environment, as its agent does. `baseUrl`: scheme and host that the client used. */
export async function callTool(
  gateway: Gateway,
  { environmentId, token, service }: { environmentId: string; token: string; service: string },
  call: { name: string; arguments: object },
  baseUrl: string,
) {
  const path = `/api/env/${environmentId}/services/${service}/mcp`;
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
  const headers = HeaderList.of({
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  });
  const request = new IncomingRequest("POST", path, headers);
  request.body = wholeBody(Buffer.from(JSON.stringify(message)));
  const target = { envId: environmentId, service, path: "mcp" };
  const requestId = crypto.randomUUID();
  const made = await gateway.handle(request, target, { baseUrl, requestId });
  const text = textOf(made);
  if (!isOk(made)) return failed("transport_error", `${made.status} ${text}`);
  const { result, error } = JSON.parse(text) as RpcAnswer;
  if (error) return failed(errorType(error), error.message);
  const { content = [], isError = false } = result ?? {};
  return { result: { content, is_error: isError }, error: null };
}

const failed = (type: string, message: string) => ({
  result: null,
  error: { error_type: type, message },
});

function errorType({ code, message }: NonNullable<RpcAnswer["error"]>): string {
  if (code !== RPC_INVALID_PARAMS) return "execution_error";
  return message.startsWith("Unknown tool") ? "tool_not_found" : "invalid_args";
}

/**
 * The tools of a suite's services in OpenEnv's words, and the one that ends the episode. `actors`: of an episode, by
 * service.
 */
export function toolsOf(
  { service, services, actingUserId }: SuiteRow,
  actors: { readonly [service: string]: string | null } = { [service]: actingUserId },
): ListedTool[] {
  const set = toolsOfServices(services.filter((each) => actors[each] !== null));
  const listing = listingOf(set, "all", (each) => actors[each] ?? actingUserId ?? "");
  const tools: { name: string; description?: string; inputSchema: object }[] = JSON.parse(
    new TextDecoder().decode(listing),
  );
  return [
    ...tools.map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
    SUBMIT,
  ];
}
