/**
 * Arguments: from query, form, multipart or JSON to the types that a method declares.
 *
 * Everything but JSON arrives as text, so a value is converted by its declared type, never by how it looks. Unknown
 * arguments are ignored, as the service does.
 */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { findUnstorable } from "~/db/storable";
import { parseBounded } from "~/json";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";

export type RawArguments = ReadonlyMap<string, unknown>;

type Described = { description?: string };

export const Text = (description?: string) => Type.String(describe(description));
export const Flag = (description?: string) => Type.Boolean(describe(description));
export const Whole = (description?: string) => Type.Integer(describe(description));
/** A comma list or a JSON array. */
export const List = (description?: string) => Type.Array(Type.String(), describe(description));
/** JSON text or a JSON value. `code`: what the service answers to text that is not JSON. */
export const Json = <T = unknown>(code = "invalid_arguments", description?: string) =>
  Type.Unsafe<T>({ ...describe(description), json: code });
export const Choice = <const T extends readonly string[]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: "string", enum: values });
/** A file part of a multipart body. */
export const Bytes = (description?: string) =>
  Type.Unsafe<Uint8Array>({ ...describe(description), type: "string", format: "binary" });
export const Maybe = Type.Optional;

function describe(description: string | undefined): Described {
  return description === undefined ? {} : { description };
}

const isOptional = (args: TObject, name: string) => !args.required?.includes(name);

/** The declared arguments, converted. Throws `invalid_arguments` naming every field that is missing or malformed. */
export function convert<A extends TObject>(args: A, raw: RawArguments): Static<A> {
  const problems: string[] = [];
  const converted: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(args.properties)) {
    const value = raw.get(name);
    // Clients send an empty field for "no value" of everything that is not text.
    const absent =
      value === undefined || value === null || (value === "" && schema["type"] !== "string");
    if (absent) {
      if (!isOptional(args, name)) problems.push(`missing required field: ${name}`);
      continue;
    }
    const result = convertValue(value, schema);
    if (result === undefined)
      problems.push(`must be a valid ${typeName(schema)} [json-pointer:/${name}]`);
    else if (findUnstorable(result) !== undefined)
      problems.push(`must be valid text [json-pointer:/${name}]`);
    else converted[name] = result;
  }
  if (problems.length > 0) throw invalidArguments(...problems);
  return converted as Static<A>;
}

const typeName = (schema: TSchema): string => schema["type"] ?? "value";

/** Undefined for what cannot be converted. */
function convertValue(value: unknown, schema: TSchema): unknown {
  if ("json" in schema) return parseJson(value, schema["json"]);
  switch (schema["type"]) {
    case "boolean":
      return toFlag(value);
    case "integer":
      return /^-?\d{1,15}$/.test(toText(value) ?? "") ? Number(value) : undefined;
    case "array":
      return toList(value);
    default:
      if (schema["format"] === "binary") return value instanceof Uint8Array ? value : undefined;
      return toText(value, schema["enum"]);
  }
}

function toText(value: unknown, choices?: readonly string[]): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    return undefined;
  const text = String(value);
  return choices && !choices.includes(text) ? undefined : text;
}

function toFlag(value: unknown): boolean | undefined {
  const text = toText(value)?.toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : undefined;
}

function toList(value: unknown): string[] | undefined {
  const items = typeof value === "string" ? splitList(value) : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === "string")) return undefined;
  return items.map((item: string) => item.trim()).filter((item) => item !== "");
}

function splitList(text: string): unknown {
  if (!text.trimStart().startsWith("[")) return text.split(",");
  try {
    return parseBounded(text);
  } catch {
    return undefined;
  }
}

function parseJson(value: unknown, code: string): unknown {
  if (typeof value !== "string") return value;
  try {
    return parseBounded(value);
  } catch {
    if (code === "invalid_arguments") return undefined;
    throw new ChatError(code);
  }
}
