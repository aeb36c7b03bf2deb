/** The calls of tools: looked up in the listing, checked against their schemas, then run. */
import {
  type ArgumentRules,
  type ArgumentSchema,
  type Arguments,
  checkArguments,
} from "~/replicas/kit/tool-arguments";
import type { ToolCall, ToolListing, ToolProfile, ToolResult } from "~/replicas/tools";

/** True of a tool whose listing says that it writes nothing. */
export const isReadOnly = ({ annotations }: ToolListing) => annotations?.readOnlyHint === true;

export const failedTool = (text: string): ToolResult => ({ text, isError: true });

type ToolServer<Name extends string, Tool> = {
  readonly listing: readonly ToolListing[];
  readonly tools: { readonly [name: string]: Tool };
  readonly rules: ArgumentRules;
  /** The text of the result for wrong arguments. */
  readonly refusal: (name: string, problems: readonly string[]) => string;
  readonly run: (
    tool: Tool,
    args: Arguments,
    call: ToolCall<Name>,
    listed: ToolListing,
  ) => Promise<ToolResult>;
};

/** `call` of a tool profile. */
export function createToolCall<Name extends string, Tool>({
  listing,
  tools,
  rules,
  refusal,
  run,
}: ToolServer<Name, Tool>): ToolProfile<Name>["call"] {
  const byName = new Map(listing.map((tool) => [tool.name, tool]));
  return async (call) => {
    const { name, arguments: given = {} } = call;
    const [listed, tool] = [byName.get(name), tools[name]];
    if (!listed || !tool) return undefined;
    const checked = checkArguments(listed.inputSchema as ArgumentSchema, given, rules);
    if ("problems" in checked) return failedTool(refusal(name, checked.problems));
    return await run(tool, checked.values, call, listed);
  };
}
