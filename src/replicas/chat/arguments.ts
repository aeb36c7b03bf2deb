/**
 * Arguments: from query, form, multipart or JSON to the types that a method declares.
 *
 * Everything but JSON arrives as text, so a value is converted by its declared type, never by its form. Unknown
 * arguments are ignored, as in the service. Each has a maximum length, which is checked first.
 */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { findUnstorable } from "~/db/storable";
import { parseBounded, parsedBounded, sizeOf } from "~/input/json";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";

export type RawArguments = ReadonlyMap<string, unknown>;

type Described = { description?: string };

/** The maximum length of a value, and the service's code for a longer one: `invalid_arguments` if it has none. */
type Limit = { readonly max?: number; readonly tooLong?: string };

/** Named like schema extensions, so that the OpenAPI document may keep them. */
const TOO_LONG = "x-too-long";
const MAX_SIZE = "x-max-size";

/** The default for a text: longer than any address, title or note. */
export const TEXT_MAX = 4_000;
/** For content: a message, a page. */
export const CONTENT_MAX = 100_000;
/** For the value of a column, as JSON. */
export const COLUMN_MAX = 250_000;
/** For JSON, as text. */
const JSON_MAX = 100_000;
const LIST_MAX = 5_000;
const LIST_ITEM_MAX = 255;

export const Text = (description?: string, { max = TEXT_MAX, tooLong }: Limit = {}) =>
  Type.String({ ...describe(description), maxLength: max, [TOO_LONG]: tooLong });
/** The start of a page of a list, from an earlier answer of that list. */
export const Cursor = (description?: string) => Text(description, { tooLong: "invalid_cursor" });
export const Flag = (description?: string) => Type.Boolean(describe(description));
/** `bounds` are for the OpenAPI document; the method enforces them with its own code. */
export const Whole = (
  description?: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
) => Type.Integer({ ...describe(description), ...bounds });
/** A comma list or a JSON array. */
export const List = (description?: string) =>
  Type.Array(Type.String({ maxLength: LIST_ITEM_MAX }), {
    ...describe(description),
    maxItems: LIST_MAX,
  });
/** JSON text or a JSON value. `code`: the service's error for text that is not JSON. */
export const Json = <T = unknown>(
  code = "invalid_arguments",
  description?: string,
  { max = JSON_MAX, tooLong = code }: Limit = {},
) => Type.Unsafe<T>({ ...describe(description), json: code, [MAX_SIZE]: max, [TOO_LONG]: tooLong });
export const Choice = <const T extends readonly string[]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: "string", enum: values });
/** A file part of a multipart body, or its content as text. */
export const Bytes = (description?: string) =>
  Type.Unsafe<Uint8Array>({ ...describe(description), type: "string", format: "binary" });
export const Maybe = Type.Optional;

function describe(description: string | undefined): Described {
  return description === undefined ? {} : { description };
}

/** Throws `code` when several calls have accumulated more in a column than it may hold. */
export function requireRoom(value: unknown, code: string, max = COLUMN_MAX): void {
  if (sizeOf(value, max) > max) throw new ChatError(code);
}

const isOptional = (args: TObject, name: string) => !args.required?.includes(name);

/** The arguments of a method, listed once. */
const fields = new WeakMap<TObject, readonly (readonly [string, TSchema])[]>();

function fieldsOf(args: TObject): readonly (readonly [string, TSchema])[] {
  const known = fields.get(args);
  if (known) return known;
  const listed = Object.entries(args.properties);
  fields.set(args, listed);
  return listed;
}

/** Converts the declared arguments. Throws `invalid_arguments` naming every missing or malformed field. */
export function convert<A extends TObject>(args: A, raw: RawArguments): Static<A> {
  const problems: string[] = [];
  const converted: Record<string, unknown> = {};
  for (const [name, schema] of fieldsOf(args)) {
    const value = raw.get(name);
    // For everything but text, clients send an empty field as "no value".
    const absent =
      value === undefined || value === null || (value === "" && schema["type"] !== "string");
    if (absent) {
      if (!isOptional(args, name)) problems.push(`missing required field: ${name}`);
      continue;
    }
    const tooLong = findTooLong(value, schema);
    if (tooLong !== undefined) {
      const code = schema[TOO_LONG] ?? "invalid_arguments";
      if (code !== "invalid_arguments") throw new ChatError(code);
      problems.push(`${tooLong} [json-pointer:/${name}]`);
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

/** The problem with a value that is too long for its argument. */
function findTooLong(value: unknown, schema: TSchema): string | undefined {
  const { maxLength, maxItems, [MAX_SIZE]: maxSize } = schema;
  if (maxLength !== undefined && typeof value === "string" && value.length > maxLength)
    return `must be less than ${maxLength + 1} characters`;
  if (maxSize !== undefined) {
    const size = typeof value === "string" ? value.length : sizeOf(value, maxSize);
    if (size > maxSize) return `must be less than ${maxSize + 1} characters`;
  }
  if (maxItems === undefined) return undefined;
  if (typeof value === "string" && value.length > maxItems * LIST_ITEM_MAX)
    return `must be less than ${maxItems * LIST_ITEM_MAX + 1} characters`;
  const count = typeof value === "string" ? commas(value) + 1 : (value as unknown[]).length;
  return count > maxItems ? `no more than ${maxItems} items allowed` : undefined;
}

/** Stops counting once there are too many. */
function commas(text: string): number {
  let count = 0;
  for (let at = text.indexOf(","); at >= 0 && count <= LIST_MAX; at = text.indexOf(",", at + 1))
    count++;
  return count;
}

const typeName = ({ type, format }: TSchema): string =>
  format === "binary" ? "file" : (type ?? "value");

/** Undefined for values that cannot be converted. */
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
      if (schema["format"] === "binary") return toBytes(value);
      return toText(value, schema["enum"]);
  }
}

function toBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === "string") return Buffer.from(value);
  return value instanceof Uint8Array ? value : undefined;
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
  const isItem = (item: unknown) => typeof item === "string" && item.length <= LIST_ITEM_MAX;
  if (!Array.isArray(items) || !items.every(isItem)) return undefined;
  return items.map((item: string) => item.trim()).filter((item) => item !== "");
}

function splitList(text: string): unknown {
  return text.trimStart().startsWith("[") ? parsedBounded(text) : text.split(",");
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
