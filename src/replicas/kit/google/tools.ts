/**
 * Tool surfaces of Google's servers. A result is the JSON of a message of the API, whose empty fields are left out; a
 * rejection is the text of the API's error. Fields that a tool does not have are rejected, as the API rejects them.
 */
import { UNSTORABLE } from "~/db/storable";
import { type GoogleError, rejectionOf } from "~/replicas/kit/google/errors";
import type { ArgumentMistake, ArgumentSchema, Arguments } from "~/replicas/kit/tool-arguments";
import { createToolCall, failedTool, isReadOnly } from "~/replicas/kit/tool-calls";
import type { ToolCall, ToolListing, ToolProfile } from "~/replicas/tools";

/** Performs a call. Arguments have the declared types. */
// biome-ignore lint/suspicious/noExplicitAny: the schema in the listing has checked them
type GoogleTool<Call> = (args: any, call: Call) => Promise<object>;
export type GoogleTools<Call> = { readonly [name: string]: GoogleTool<Call> };

type Surface<Name extends string, Call> = Pick<
  ToolProfile<Name>,
  "summary" | "example" | "serverInfo"
> & {
  readonly listing: readonly ToolListing[];
  readonly tools: GoogleTools<Call>;
  /** The maximum length of a text, by the name of its field. */
  readonly lengthOf: (name: string) => number;
  /** The arguments as the tools take them, before they are checked. */
  readonly prepare?: (args: Arguments) => Arguments;
  readonly callOf: (call: ToolCall<Name>) => Call;
  /** The rejection of a value that the database cannot take. */
  readonly invalidValue: () => GoogleError;
};

const FAILURES = {
  rate_limited: "Resource has been exhausted (e.g. check quota).",
  server_error: "Internal error encountered.",
};

export function googleProfile<Name extends string, Call>({
  listing,
  tools,
  lengthOf,
  prepare = (args) => args,
  callOf,
  invalidValue,
  ...about
}: Surface<Name, Call>): ToolProfile<Name> {
  const perform = createToolCall<Name, GoogleTool<Call>>({
    listing: listing.map((tool) => ({
      ...tool,
      inputSchema: closed(tool.inputSchema as ArgumentSchema) as ToolListing["inputSchema"],
    })),
    tools,
    rules: { words, lengthOf, isNullAbsent: true },
    refusal: (_, problems) => problems.join("\n"),
    async run(tool, args, call) {
      try {
        return { text: JSON.stringify(filled(await tool(args, callOf(call)))) };
      } catch (error) {
        return failedTool(rejectionOf(error, invalidValue).message);
      }
    },
  });
  return {
    ...about,
    tools: listing,
    isReading: isReadOnly,
    call: ({ arguments: given, ...call }) =>
      perform({ ...call, arguments: given && prepare(given) }),
    fail: ({ kind }) => (kind === "token_expired" ? undefined : failedTool(FAILURES[kind])),
  };
}

/** The schema, which accepts no other fields. */
function closed(schema: ArgumentSchema): ArgumentSchema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(items && { items: closed(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, of]) => [name, closed(of)]),
      ),
      additionalProperties: false,
    }),
  };
}

const UNKNOWN = /^Unrecognized keys?: ("[^"]*")/;

function words({ path, value, problem }: ArgumentMistake): string {
  const place = path.join(".");
  if (value === undefined) return `Missing required field: ${place}`;
  const [, unknown] = UNKNOWN.exec(problem) ?? [];
  if (unknown !== undefined) {
    const at = place === "" ? "" : ` at '${place}'`;
    return `Invalid JSON payload received. Unknown name ${unknown}${at}: Cannot find field.`;
  }
  return `Invalid value at '${place}': ${problem === UNSTORABLE ? "text is not valid" : problem}`;
}

/** Without fields that are empty lists or texts, or undefined: the form of messages in JSON. */
const filled = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (field === undefined || field === null || field === "") return [];
      if (!Array.isArray(field)) return [[name, field]];
      const items = field.map((item) => (typeof item === "object" ? filled(item) : item));
      return items.length === 0 ? [] : [[name, items]];
    }),
  );
