/**
 * One JSON object a line on stdout, for machines; `notice` for the person at the terminal, on stderr.
 *
 * Nothing that a caller sent and nothing that a row holds may get in here: fields are ids, codes, counts and
 * durations, and a database error is logged by its SQLSTATE, because its message quotes values.
 */
import { VERSION } from "~/version";

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

export type Fields = {
  [name: string]: string | number | boolean | null | undefined | readonly string[];
};

export type Log = ReturnType<typeof createLog>;

/** Tells this process from others in logs, markers and locks. */
export const INSTANCE = crypto.randomUUID().slice(0, 8);

const TOLD_CLASSES = new Set(["Error", "TypeError", "RangeError", "ReferenceError"]);

/** The loggable part of anything that was thrown. */
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
  // Not `code`: that is the one which the caller was told.
  if (typeof code === "string")
    fields[error.name === "PostgresError" ? "sqlstate" : "error_code"] = code;
  if (TOLD_CLASSES.has(error.name)) fields["message"] = error.message;
  if (error.cause !== undefined) fields["cause"] = JSON.stringify(errorFields(error.cause));
  return fields;
}

/** `instance`: given by a thread that logs for the process that started it. */
export function createLog(level: Level, instance = INSTANCE, write = print) {
  const threshold = LEVELS.indexOf(level);
  const at =
    (name: Level) =>
    (msg: string, fields: Fields = {}) => {
      if (LEVELS.indexOf(name) < threshold) return;
      const ts = new Date().toISOString();
      write(
        JSON.stringify({
          ts,
          level: name,
          msg,
          service: "diorama",
          version: VERSION,
          instance,
          ...fields,
        }),
      );
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Text for a person: the banner of a development server, the answers of commands. */
export const notice = (text: string) => console.error(text);
/** What a command was asked for, so that it can be piped. */
export const print = (text: string): void => console.log(text);

/** A line that the next one replaces, for somebody who watches; nothing where nobody does. */
export function progress(text: string, last = false): void {
  if (!process.stderr.isTTY) return;
  const width = process.stderr.columns || 80;
  process.stderr.write(`\r\u001b[K${text.slice(0, width - 1)}${last ? "\n" : ""}`);
}
