/**
 * The Model Context Protocol over streamable HTTP, without sessions: each request is answered on its own, in the
 * revision of 2026-07-28 as well as in those that begin with `initialize`. The official SDK knows both; this file
 * gives it a list of tools and a function that performs a call.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { ApiError } from "~/errors";
import { acceptsType } from "~/http/accept";
import { answerOf, nativeOf } from "~/http/native";
import { parseBounded } from "~/input/json";
import type { IncomingRequest } from "~/wire/incoming";
import { type HttpAnswer, textOf, utf8 } from "~/wire/message";

export type ToolAnswer = {
  readonly text: string;
  readonly isError?: boolean;
  /** Of an error of the protocol, whose message is the text. */
  readonly errorCode?: number;
  /** `data`: in base64. */
  readonly images?: readonly { readonly data: string; readonly mimeType: string }[];
};

/** The tools that one request may list and call. */
export type ToolServer = {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** The JSON array of the listing, which most requests do not need. */
  readonly listing: () => Uint8Array;
  /** Undefined if there is no such tool. A throw ends the whole request. `trace`: the `traceparent` in `_meta`. */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>> | undefined,
    trace: string | undefined,
  ) => Promise<ToolAnswer | undefined>;
};

/** Notifications that would leave a request of the same batch without a response, for which the transport waits. */
const CANCELLED = "notifications/cancelled";
/** An open stream, which a server without sessions and without changing tools has no use for. */
const LISTEN = "subscriptions/listen";

type Exchange = { readonly tools: ToolServer; isListed: boolean; failure?: unknown };
const exchanges = new WeakMap<Request, Exchange>();
const modern = createMcpHandler(({ requestInfo }) => serverFor(requestInfo), { legacy: "reject" });

/** Answers one request. Throws whatever a tool throws. */
export async function answerMcp(
  incoming: IncomingRequest,
  body: Uint8Array,
  tools: ToolServer,
): Promise<HttpAnswer> {
  if (incoming.method !== "POST")
    throw new ApiError("method_not_allowed", "This endpoint has no streams: it takes POST", {
      Allow: "POST",
    });
  const parsedBody = withoutCancellations(parse(body));
  const request = nativeOf(incoming);
  acceptByName(request.headers);
  const exchange: Exchange = { tools, isListed: false };
  exchanges.set(request, exchange);
  const response = await dispatch(request, parsedBody);
  if ("failure" in exchange) throw exchange.failure;
  const answer = await answerOf(response);
  return exchange.isListed ? withListing(answer, tools.listing()) : answer;
}

const TYPES = ["application/json", "text/event-stream"];

/** Names both types where a range includes them, or no header excludes them: the SDK looks for the names only. */
function acceptByName(headers: Headers): void {
  const accepted = headers.get("accept");
  if (TYPES.every((type) => acceptsType(accepted, type))) headers.set("accept", TYPES.join(", "));
}

/** The listing as the SDK writes it, in a result that has no other array of this name. */
const EMPTY_LISTING = '"tools":[]';

const LISTING_KEY = Buffer.from('"tools":');

/** Inserts the ready listing: converting and validating 58 schemas takes longer than most calls of a tool. */
function withListing(answer: HttpAnswer, listing: Uint8Array): HttpAnswer {
  const parts = textOf(answer)
    .split(EMPTY_LISTING)
    .map((part) => Buffer.from(part));
  const bytes = parts.flatMap((part, index) =>
    index === 0 ? [part] : [LISTING_KEY, listing, part],
  );
  return { ...answer, body: Buffer.concat(bytes) };
}

/** Undefined for a body that is no JSON: the SDK then answers with the protocol's parse error. */
function parse(body: Uint8Array): unknown {
  try {
    return parseBounded(utf8(body));
  } catch {
    return undefined;
  }
}

const methodOf = (message: unknown) => (message as { method?: unknown } | null)?.method;

const withoutCancellations = (body: unknown) =>
  Array.isArray(body) ? body.filter((message) => methodOf(message) !== CANCELLED) : body;

async function dispatch(request: Request, parsedBody: unknown): Promise<Response> {
  if (methodOf(parsedBody) === LISTEN)
    return Response.json(
      {
        jsonrpc: "2.0",
        id: (parsedBody as { id?: unknown }).id ?? null,
        error: { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" },
      },
      { status: 404 },
    );
  if (parsedBody === undefined || !(await isLegacyRequest(request, parsedBody)))
    return await modern.fetch(request, { parsedBody });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = serverFor(request);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

function serverFor(request: Request | undefined): Server {
  const exchange = request && exchanges.get(request);
  if (!exchange) throw new Error("a request of the SDK is not the one it was given");
  const onList = () => {
    exchange.isListed = true;
  };
  const onFailure = (error: unknown) => {
    exchange.failure = error;
  };
  return createToolServer(exchange.tools, [], { onList, onFailure });
}

type Hooks = { readonly onList?: () => void; readonly onFailure?: (error: unknown) => void };

/** The SDK's server for one connection or request. `listed`: the tools, unless the response gets the ready listing. */
export function createToolServer(
  { serverInfo, call }: ToolServer,
  listed: Tool[],
  { onList, onFailure }: Hooks = {},
): Server {
  const server = new Server(serverInfo, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => {
    onList?.();
    return { tools: listed };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const trace = mcpReq._meta?.["traceparent"];
    let answer: ToolAnswer | undefined;
    try {
      answer = await call(
        params.name,
        params.arguments,
        typeof trace === "string" ? trace : undefined,
      );
    } catch (error) {
      onFailure?.(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
    }
    if (!answer)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const { text, isError, errorCode, images = [] } = answer;
    if (errorCode !== undefined) throw new ProtocolError(errorCode, text);
    const blocks = images.map((image) => ({ type: "image" as const, ...image }));
    return { content: [{ type: "text", text }, ...blocks], ...(isError ? { isError } : {}) };
  });
  return server;
}
