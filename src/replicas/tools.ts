/**
 * The tool surface of a service: the names, schemas and result texts that an agent meets when it speaks MCP. A replica
 * knows nothing of the protocol; the endpoint knows nothing of the tools.
 */
import type { Caller } from "~/replicas/caller";
import type { Problem } from "~/replicas/faults";

/** `Name`: of the replica's tables. */
export type ToolProfile<Name extends string = string> = {
  /** Which tools these are, for the OpenAPI document. */
  readonly summary: string;
  readonly example: ToolExample;
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** In the order of the listing. `ACTING_USER` in a description becomes the id of the environment's user. */
  readonly tools: readonly ToolListing[];
  /** True of tools that write nothing. */
  readonly isReading: (tool: ToolListing) => boolean;
  /**
   * Performs one call as the environment's user; undefined if there is no such tool. A result with `isError` has no
   * side effects. A throw is a bug.
   */
  readonly call: (call: ToolCall<Name>) => Promise<ToolResult | undefined>;
  /** The result that reports a problem; undefined if the server answers the whole request with HTTP 401. */
  readonly fail: (problem: ToolProblem) => ToolResult | undefined;
};

/** Proxies answer HTTP requests, not calls of tools. */
type ToolProblem = Exclude<Problem, { kind: "unavailable" }>;

/** One tool, as a capture of the service's own listing has it. The descriptions are ours. */
export type ToolListing = {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: { readonly type: string; readonly properties?: object };
  readonly annotations?: { readonly title?: string; readonly readOnlyHint?: boolean };
  readonly _meta?: object;
};

export type ToolCall<Name extends string = string> = Caller<Name> & {
  readonly name: string;
  /** Unchecked. Undefined if the client sent none. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
};

/** A call that succeeds on the service's default template, with the text of its result. For the OpenAPI document. */
export type ToolExample = {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly text: string;
};

export type ToolResult = {
  readonly text: string;
  readonly isError?: boolean;
  /** Of an error of the protocol, whose message is the text. */
  readonly errorCode?: number;
  /** Further blocks, after the text. `data`: in base64. */
  readonly images?: readonly { readonly data: string; readonly mimeType: string }[];
};

/** Stands for the id of the environment's user in descriptions. */
export const ACTING_USER = "{{acting_user}}";
