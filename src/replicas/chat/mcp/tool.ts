/** The shape of a tool of the vendor's profile, and the checks of its arguments. */
import { findUnstorable } from "~/db/storable";
import { isObject } from "~/json";
import { CONTENT_MAX, TEXT_MAX } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall } from "~/replicas/chat/method";

/** Arguments of the declared types. */
// biome-ignore lint/suspicious/noExplicitAny: the schema in the listing has checked them
export type Arguments = { readonly [name: string]: any };

/** Performs a call and returns its result, which is sent as JSON. Throws ChatError: the result is then its code. */
export type Tool = (args: Arguments, call: ChatCall) => Promise<object>;
export type Tools = { readonly [name: string]: Tool };

/** A call that misses an argument, or has one of another type. */
export class InvalidArgument extends Error {
  override readonly name = "InvalidArgument";
}

type Schema = {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
};

const ITEMS_MAX = 1_000;
/** Of texts by their name; of others CONTENT_MAX. A query has the limit of the Web API, and a canvas its own code. */
const LENGTHS = new Map([
  ["query", TEXT_MAX],
  ["content", Number.POSITIVE_INFINITY],
]);

/** The declared arguments. Null counts as absent, and unknown arguments are ignored. Throws InvalidArgument. */
export function readArguments(schema: Schema, given: Readonly<Record<string, unknown>>): Arguments {
  const args = readObject(schema, given, "");
  const unstorable = findUnstorable(args);
  if (unstorable !== undefined) {
    const name = unstorable.replace(/^\//, "").replaceAll("/", ".");
    throw new InvalidArgument(`Invalid argument ${name}: expected valid text`);
  }
  return args;
}

function readObject(
  { properties = {}, required = [] }: Schema,
  given: Readonly<Record<string, unknown>>,
  prefix: string,
): Arguments {
  const args: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined && value !== null) args[name] = read(schema, value, prefix + name);
    else if (required.includes(name))
      throw new InvalidArgument(`Missing required argument: ${prefix}${name}`);
  }
  return args;
}

function read(schema: Schema, value: unknown, name: string): unknown {
  const { items } = schema;
  if (schema.type === "array" && items && Array.isArray(value) && value.length <= ITEMS_MAX)
    return value.map((item, index) => read(items, item, `${name}[${index}]`));
  if (schema.type === "object" && isObject(value)) return readObject(schema, value, `${name}.`);
  if (schema.type === "integer" ? Number.isSafeInteger(value) : typeof value === schema.type) {
    requireLength(value, name);
    if (!schema.enum || schema.enum.includes(value as string)) return value;
    throw new InvalidArgument(
      `Invalid argument ${name}: expected one of ${schema.enum.join(", ")}`,
    );
  }
  const limit = schema.type === "array" ? ` of at most ${ITEMS_MAX} items` : "";
  throw new InvalidArgument(`Invalid argument ${name}: expected ${schema.type}${limit}`);
}

function requireLength(value: unknown, name: string): void {
  const max = LENGTHS.get(name.slice(name.lastIndexOf(".") + 1)) ?? CONTENT_MAX;
  if (typeof value === "string" && value.length > max)
    throw new InvalidArgument(
      `Invalid argument ${name}: expected string of at most ${max} characters`,
    );
}

/** Runs `work`, with other codes for some of its rejections. */
export async function withCodes<T>(
  codes: { readonly [code: string]: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof ChatError && Object.hasOwn(codes, error.code);
    throw code ? new ChatError(codes[error.code] ?? error.code) : error;
  }
}

/** Runs `work` in one transaction: a rejection reverts everything that it has written. */
export const atomically = <T>(call: ChatCall, work: (inside: ChatCall) => Promise<T>): Promise<T> =>
  call.session.transaction((session) => work({ ...call, session }));
