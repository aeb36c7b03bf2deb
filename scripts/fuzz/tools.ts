/** Calls of tools over MCP, from the schemas of their listings. */
import fc, { type Arbitrary } from "fast-check";
import { REPLICAS } from "~/replicas/index";
import { base, type Call, JSON_TYPE, ofService } from "./calls";
import { fitting, jsonOf, type Schema } from "./values";

const tools = [...REPLICAS].flatMap(([service, { toolProfiles = {} }]) =>
  Object.entries(toolProfiles).flatMap(([profile, { tools: listed }]) =>
    listed.map(({ name, inputSchema }) => ({ service, profile, name, inputSchema })),
  ),
);

/** `tools/call` with arguments that fit, or nearly. */
export const toolCall: Arbitrary<Call> = fc
  .constantFrom(...tools)
  .chain(({ service, profile, name, inputSchema }) =>
    fc
      .tuple(ofService, base(service), jsonOf(fitting(inputSchema as Schema, "", name)))
      .map(([caller, prefix, args]) => ({
        caller,
        method: "POST",
        path: `${prefix}/mcp/${profile}`,
        type: JSON_TYPE,
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`,
      })),
  );
