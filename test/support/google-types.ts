/** The types of Google's own client packages. */
import { readFileSync } from "node:fs";

/** Types by the names of fields, without `null`. */
type Fields = ReadonlyMap<string, string>;

export type GoogleTypes = {
  /** The parameters of a method, whose id is like `gmail.users.drafts.list`, with `requestBody`. */
  readonly parametersOf: (id: string) => Fields | undefined;
  /** The name of the type of its answer: `Schema$Draft`, or `void`. */
  readonly answerOf: (id: string) => string | undefined;
  /** The fields of a type that has a name or is written out. */
  readonly fieldsOf: (type: string) => Fields | undefined;
};

/** A type that is written out ends at the brace below its name. */
const FIELD = /^( *)'?([\w.$-]+)'?\??: (\{\n.*?^\1\}|[^{\n]+?)(?: \| null)?;$/gms;

const fieldsIn = (text: string): Fields =>
  new Map(text.matchAll(FIELD).map(([, , name = "", type = ""]) => [name, type]));

/** `api`: `gmail` or `calendar`. */
export function googleTypes(api: string, version: string): GoogleTypes {
  const path = require.resolve(`@googleapis/${api}/build/${version}.d.ts`);
  const text = readFileSync(path, "utf8").replace(/\/\*\*.*?\*\//gs, "");
  const interfaces = new Map<string, Fields>();
  for (const [, name = "", body = ""] of text.matchAll(/interface (\S+).*? \{\n(.*?)^ {4}\}/gms))
    interfaces.set(name.toLowerCase(), fieldsIn(body));
  const answers = new Map<string, string>();
  for (const [, parameters = "", answer = ""] of text.matchAll(
    /\w+\(params\?: (\S+), options\?: MethodOptions\): Promise<\w+<(\S+)>>;/g,
  ))
    answers.set(parameters.toLowerCase(), answer);
  const nameOf = (id: string) =>
    `params$resource$${id.toLowerCase().split(".").slice(1).join("$")}`;
  return {
    parametersOf: (id) => interfaces.get(nameOf(id)),
    answerOf: (id) => answers.get(nameOf(id)),
    fieldsOf: (type) =>
      type.startsWith("{") ? fieldsIn(type) : interfaces.get(type.toLowerCase()),
  };
}
