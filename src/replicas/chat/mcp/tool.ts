/** The shape of a tool of the vendor's profile, and the words for its arguments. */
import { UNSTORABLE } from "~/db/storable";
import { CONTENT_MAX, TEXT_MAX } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import type { ChatCall } from "~/replicas/chat/method";
import { type ArgumentMistake, type ArgumentRules, ITEMS_MAX } from "~/replicas/kit/tool-arguments";

/** Arguments of the declared types. */
// biome-ignore lint/suspicious/noExplicitAny: the schema in the listing has checked them
export type Arguments = { readonly [name: string]: any };

/** Performs a call and returns its result, which is sent as JSON. Throws ChatError: the result is then its code. */
export type Tool = (args: Arguments, call: ChatCall) => Promise<object>;
export type Tools = { readonly [name: string]: Tool };

/** Of texts by their name; of others CONTENT_MAX. A query has the limit of the Web API, and a canvas its own code. */
const LENGTHS = new Map([
  ["query", TEXT_MAX],
  ["content", Number.POSITIVE_INFINITY],
]);
const lengthOf = (name: string) => LENGTHS.get(name) ?? CONTENT_MAX;

export const RULES: ArgumentRules = { words, lengthOf, isNullAbsent: true };

function words(mistake: ArgumentMistake): string {
  const name = mistake.path.reduce<string>(
    (before, part) => (typeof part === "number" ? `${before}[${part}]` : join(before, part)),
    "",
  );
  if (mistake.value === undefined) return `Missing required argument: ${name}`;
  return `Invalid argument ${name}: expected ${expectedOf(mistake)}`;
}

const join = (before: string, part: string) => (before === "" ? part : `${before}.${part}`);

function expectedOf({ schema, value, path, problem }: ArgumentMistake): string {
  if (problem === UNSTORABLE) return "valid text";
  if (schema.type === "array") return `array of at most ${ITEMS_MAX} items`;
  if (typeof value !== "string" || schema.type !== "string") return `${schema.type}`;
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  return `string of at most ${lengthOf(String(path.at(-1)))} characters`;
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
