/**
 * One event per line: JSON on standard output for machines, or text on standard error for a person at a terminal.
 * `notice` also writes for a person.
 *
 * Values that a caller sent or that a row holds must not get in here: fields are ids, codes, counts and durations,
 * and a database error is logged by its SQLSTATE, because its message quotes values.
 */
import { styleText } from "node:util";
import { VERSION } from "~/version";

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

export type Fields = {
  [name: string]: string | number | boolean | null | undefined | readonly string[];
};

export type Log = ReturnType<typeof createLog>;

/** Identifies this process in logs, markers and locks. */
export const INSTANCE = crypto.randomUUID().slice(0, 8);

const TOLD_CLASSES = new Set(["Error", "TypeError", "RangeError", "ReferenceError"]);

/** The fields of a thrown value that may be logged. */
export function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code } = error as { code?: unknown };
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "));
  const fields: Fields = {
    error: error.name,
    stack: frames.slice(0, 12).map((line) => line.trim()),
  };
  // Not `code`, which is the code sent to the caller.
  if (typeof code === "string")
    fields[error.name === "PostgresError" ? "sqlstate" : "error_code"] = code;
  if (TOLD_CLASSES.has(error.name)) fields["message"] = error.message;
  if (error.cause !== undefined) fields["cause"] = JSON.stringify(errorFields(error.cause));
  return fields;
}

export const FORMATS = ["auto", "json", "text"] as const;

/** `color`: text with colors. */
export type Format = "json" | "text" | "color";
export type LogOptions = { readonly level: Level; readonly format?: Format };

/** `auto`: text where standard error is a terminal. Colors only there, and not with NO_COLOR. */
export function chooseFormat(
  wanted: (typeof FORMATS)[number],
  stream: { isTTY?: boolean; hasColors?: () => boolean } = process.stderr,
): Format {
  if (wanted === "json" || (wanted === "auto" && !stream.isTTY)) return "json";
  return stream.isTTY && stream.hasColors?.() ? "color" : "text";
}

/** `instance`: passed by a thread that logs for the process that started it. */
export function createLog({
  level,
  format = "json",
  instance = INSTANCE,
  write = format === "json" ? print : notice,
}: LogOptions & { instance?: string; write?: (line: string) => void }) {
  const threshold = LEVELS.indexOf(level);
  const at =
    (name: Level) =>
    (msg: string, fields: Fields = {}) => {
      if (LEVELS.indexOf(name) < threshold) return;
      const ts = new Date().toISOString();
      write(
        format === "json"
          ? JSON.stringify({
              ts,
              level: name,
              msg,
              service: "diorama",
              version: VERSION,
              instance,
              ...fields,
            })
          : asText(ts, name, msg, fields, format === "color"),
      );
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const COLORS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;
/** Control characters of both sets, and characters that some terminals treat as the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const escaped = (text: string) =>
  text.replace(CONTROL, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Time, level, message, key=value; the items of a list follow, each on an indented line. */
function asText(ts: string, level: Level, msg: string, fields: Fields, color: boolean): string {
  const paint = (style: "dim" | (typeof COLORS)[Level], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  const pairs = known.flatMap(([key, value]) =>
    isList(value) ? [] : [`${paint("dim", `${escaped(key)}=`)}${shown(value)}`],
  );
  const lists = known.flatMap(([, value]) =>
    isList(value) ? value.map((item) => paint("dim", `\n    ${escaped(item)}`)) : [],
  );
  const head = [
    paint("dim", ts),
    paint(COLORS[level], level.toUpperCase().padEnd(5)),
    escaped(msg),
  ];
  return [...head, ...pairs].join(" ") + lists.join("");
}

const isList = (value: Fields[string]): value is readonly string[] => Array.isArray(value);
/** Quotes text that could be read as several fields. */
const shown = (value: Fields[string]) =>
  escaped(
    typeof value === "string" && /^$|[\s"=]/.test(value) ? JSON.stringify(value) : `${value}`,
  );

/** Text for a person: the banner of a development server, the answers of commands. */
export function notice(text: string): void {
  // console.error would print it in red.
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
  else console.error(text);
}
/** The output of a command, on standard output so that it can be piped. */
export const print = (text: string): void => console.log(text);

/** Whether a person watches standard error. */
export const isTerminal = (): boolean => process.stderr.isTTY === true;

/** A progress line that the next one replaces; prints nothing without a terminal. */
export function progress(text: string, last = false): void {
  if (!process.stderr.isTTY) return;
  const width = process.stderr.columns || 80;
  process.stderr.write(`\r\u001b[K${text.slice(0, width - 1)}${last ? "\n" : ""}`);
}
