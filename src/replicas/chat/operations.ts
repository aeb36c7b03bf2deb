/** The methods as operations of the OpenAPI document, derived from their definitions. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { METHODS } from "~/replicas/chat/api/index";
import { DESCRIPTIONS, exampleOfCall } from "~/replicas/chat/documentation";
import type { Method } from "~/replicas/chat/method";
import type { ServiceOperation } from "~/replicas/replica";

const Answer = Type.Object(
  {
    ok: Type.Boolean({ description: "False: the call is rejected, and has changed nothing" }),
    error: Type.Optional(
      Type.String({ description: "When `ok` is false: the service's own code" }),
    ),
    warning: Type.Optional(Type.String({ description: "Codes of warnings, separated by commas" })),
    response_metadata: Type.Optional(
      Type.Object(
        {
          next_cursor: Type.Optional(
            Type.String({ description: "`cursor` of the next page; empty on the last page" }),
          ),
          messages: Type.Optional(
            Type.Array(Type.String(), { description: "What is wrong with the arguments" }),
          ),
          warnings: Type.Optional(Type.Array(Type.String(), { description: "Codes of warnings" })),
        },
        { additionalProperties: true, description: "About the call, beside its result" },
      ),
    ),
  },
  {
    title: "ChatAnswer",
    description: "The service's answer, with the fields of the method beside these",
    additionalProperties: true,
    examples: [{ ok: true }],
  },
);

/** `chat.postMessage` → `chatPostMessage`. */
const clientName = (method: string) =>
  method.replace(/\.(\w)/g, (_, letter) => letter.toUpperCase());

const isBinary = (schema: TSchema | undefined) => schema?.["format"] === "binary";

/** The schema in a body: without what only the conversion of arguments reads. */
const inBody = ({ json: _, ...schema }: TSchema) => schema as TSchema;

/** The schema in a query: everything but numbers and flags is text, and there are no files. */
function inQuery(schema: TSchema, example: unknown): TSchema | undefined {
  if (isBinary(schema)) return undefined;
  const isList = schema["type"] === "array";
  if (!isList && !("json" in schema)) return { ...schema, ...asExample(example) } as TSchema;
  const form = isList ? "A list separated by commas, or a JSON array." : "JSON.";
  const description = schema.description ? `${schema.description} ${form}` : form;
  const text = isList ? (example as string[] | undefined)?.join(",") : JSON.stringify(example);
  return Type.String({ description, ...asExample(text) });
}

const asExample = (example: unknown) => (example === undefined ? {} : { examples: [example] });

function shaped(
  { args }: Method,
  show: (schema: TSchema, name: string) => TSchema | undefined,
  options: object = {},
): TObject {
  const properties = Object.entries(args.properties).flatMap(([name, schema]) => {
    const description = schema.description ?? DESCRIPTIONS[name] ?? "";
    const shown = show({ ...schema, description }, name);
    if (!shown) return [];
    return [[name, args.required?.includes(name) ? shown : Type.Optional(shown)] as const];
  });
  return Type.Object(Object.fromEntries(properties), options);
}

const APP_ONLY = "It takes the token of an app, and no other: `not_allowed_token_type`.";
const USER_ONLY = "Bots cannot call it: `not_allowed_token_type`.";

/**
 * POST and, unless the method needs a file, GET. A form serves as well; the document leaves it out because generated
 * Python clients that know a second media type send the last one they know.
 */
function operationsOf(method: Method): ServiceOperation[] {
  const { name, summary, limits, userOnly, appOnly, args } = method;
  const id = clientName(name);
  const example = exampleOfCall(name);
  const body = shaped(method, inBody, {
    title: `${id[0]?.toUpperCase()}${id.slice(1)}Arguments`,
    examples: [example],
  });
  const files = Object.keys(args.properties).filter((key) => isBinary(args.properties[key]));
  const common = { name, path: name, summary, answers: { 200: Answer } };
  const described = (text: string) =>
    [limits, userOnly && USER_ONLY, appOnly && APP_ONLY, text].filter(Boolean).join(" ");
  const post = {
    ...common,
    method: "post",
    operationId: id,
    description: described(
      `The service's \`${name}\`. A form, a multipart body and the query serve as well; unknown arguments are ignored.`,
    ),
    body: { [files.length > 0 ? "multipart/form-data" : "application/json"]: body },
  };
  if (files.some((file) => args.required?.includes(file))) return [post];
  const get = {
    ...common,
    method: "get",
    operationId: `${id}ViaGet`,
    description: described("The same as POST, with the arguments in the query."),
    query: shaped(method, (schema, key) => inQuery(schema, example[key])),
  };
  return [post, get];
}

export const methodOperations = (): ServiceOperation[] =>
  [...METHODS.values()].flatMap(operationsOf);
