/** The line of a call in a journal, as JSON text: bounded, and without credentials. */
import type { CallAccount } from "~/replicas/replica";
import { ABOUTS } from "~/replicas/services";

/** As stored. */
export type Line = {
  readonly id: string;
  /** When it began, in milliseconds since 1970 by the database's clock, with a fraction. */
  readonly at: number;
  /** How long it took. Null of a call whose server died before it could note the end. */
  readonly ms: number | null;
  readonly service: string;
  readonly via: CallAccount["via"];
  readonly name: string;
  readonly status: number | null;
  readonly error: string | null;
  /** Injected into the call. */
  readonly fault?: string;
  readonly request: string;
  /** The caller's `traceparent`. */
  readonly trace: string | null;
  readonly arguments?: unknown;
  /** Of the arguments as JSON text, if they were left out. */
  readonly hash?: string;
  readonly answer?: unknown;
};

/** Characters of JSON text. */
export const ARGUMENTS_MAX = 16 * 1024;
const ANSWER_MAX = 64 * 1024;
/** In the log, where it matters only if the server dies before it appends the line. */
export const LOGGED_ARGUMENTS_MAX = 2 * 1024;
const NAME_MAX = 200;
/** Of the fields of a document, so that none of them is hidden behind others: a query can select all there are. */
export const NAMES_MAX = 8 * 1024;
const ERROR_MAX = 500;

const SECRETS = ABOUTS.flatMap(({ secrets }) => secrets);

/** Texts without any of these hold no credential: most are not searched further. */
const SUSPECT = new RegExp(
  [
    "token|secret|password|api_?key|authorization|diorama_",
    ...SECRETS.map(({ hint }) => hint),
  ].join("|"),
  "i",
);
const NAMED = "(?:token|secret|password|api_?key|authorization)";
/** A member of an object. */
const MEMBER = new RegExp(`("\\w*${NAMED}"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*`, "gi");
/**
 * A member of an object, or an argument in a GraphQL document, within a string, or within a string of such a string:
 * its value ends at a quote with as many backslashes as the one it begins with.
 */
const QUOTED = new RegExp(
  `(${NAMED}(?:\\\\+")?\\s*:\\s*(\\\\+)")(?:[^"\\\\]|(?!(?<!\\\\)\\2")\\\\+"?)*`,
  "gi",
);
/** Credentials that are recognized wherever they are, also in a form within a string. */
const CREDENTIAL = new RegExp(
  ["diorama_[a-z]_\\w+", ...SECRETS.map(({ form }) => form.source)].join("|"),
  "g",
);
const REDACTED = "[redacted]";

export function withoutCredentials(json: string): string {
  if (!SUSPECT.test(json)) return json;
  return json
    .replace(MEMBER, `$1${REDACTED}`)
    .replace(QUOTED, `$1${REDACTED}`)
    .replace(CREDENTIAL, REDACTED);
}

/** Cuts a longer JSON text, and marks it as cut. */
export function cutJson(text: string, max: number): string {
  if (text.length <= max) return text;
  return JSON.stringify({
    truncated: true,
    characters: text.length,
    beginning: text.slice(0, max).toWellFormed(),
  });
}

/** Characters that are searched for credentials: searching megabytes would hold up other calls. */
const searched = (max: number) => 2 * max;

/**
 * A JSON text within a limit and without credentials. `characters`: its length, if it is only the beginning of one. A
 * longer text is cut, searched, and cut again.
 */
function bounded(text: string, max: number, characters = text.length): string {
  if (characters <= searched(max)) return cutJson(withoutCredentials(text), max);
  const beginning = withoutCredentials(text.slice(0, searched(max)));
  return JSON.stringify({
    truncated: true,
    characters,
    beginning: beginning.slice(0, max).toWellFormed(),
  });
}

/** The arguments of a call as JSON text. Of a file only its size. */
export function argumentsText(given: CallAccount["arguments"]): string {
  const entries = given instanceof Map ? [...given] : Object.entries(given);
  const shown = entries.map(([name, value]) => [
    name,
    value instanceof Uint8Array ? { bytes: value.byteLength } : value,
  ]);
  return bounded(JSON.stringify(Object.fromEntries(shown)), ARGUMENTS_MAX);
}

/** As much of an answer as a line needs. `characters`: of the whole answer. */
type KeptAnswer = { readonly text: string; readonly characters: number };

export function keepAnswer(answer: string): KeptAnswer {
  const max = searched(ANSWER_MAX);
  if (answer.length <= max) return { text: answer, characters: answer.length };
  // A copy: a slice would keep the memory of the whole.
  const text = Buffer.from(answer.slice(0, max)).toString();
  return { text, characters: answer.length };
}

/** An answer of a call as JSON text. */
export const answerText = ({ text, characters }: KeptAnswer) =>
  bounded(text, ANSWER_MAX, characters);

/** Stands for a text of this length that there was no room for. */
export const leftOut = (characters: number) =>
  JSON.stringify({ truncated: true, characters, beginning: "" });

/** A text of the caller's or the service's, cut to the length that a line has room for. */
const short = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

export const shortName = (name: string) => short(name, name.includes(", ") ? NAMES_MAX : NAME_MAX);
export const shortError = (error: string | null) =>
  error && withoutCredentials(short(error, ERROR_MAX));

/** Milliseconds, to the microsecond. */
export const rounded = (ms: number) => Math.round(ms * 1000) / 1000;
