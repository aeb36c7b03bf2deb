/**
 * Converts the text that Postgres prints for a value to the JSON value that a diff shows.
 *
 * All three sources of a diff (wal2json, pgoutput, snapshots) are converted to Postgres' text first, so that a value
 * looks the same in each.
 */
import { parse as parseArray } from "postgres-array";

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };

/** `type` is what Postgres' format_type prints, with or without a length: `character varying(20)`, `text[]`. */
export function toJson(text: string | null, type: string): JsonValue {
  if (text === null) return null;
  const base = type.replace(/\([\d,]+\)/, "");
  if (base.endsWith("[]")) {
    const type = base.slice(0, -2);
    return parseArray(text, (item) => toJson(item, type));
  }
  switch (base) {
    case "boolean":
      return text === "t";
    case "smallint":
    case "integer":
    case "bigint":
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    case "real":
    case "double precision":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "numeric":
      return exactNumber(text);
    case "json":
    case "jsonb":
      return JSON.parse(text);
    case "timestamp with time zone":
    case "timestamp without time zone":
      return toIso(text);
    default:
      return text;
  }
}

/** Returns a number if JavaScript represents it exactly, otherwise its text: `0.10000000000000000001`, `NaN`. */
function exactNumber(text: string): number | string {
  const value = Number(text);
  const decimals = text.split(".")[1]?.length ?? 0;
  const exact = decimals <= 100 && Math.abs(value) < 1e21 && value.toFixed(decimals) === text;
  return exact ? value : text;
}

const TIMESTAMP = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00)?$/;

/** Returns UTC with milliseconds, or microseconds if there are any; `infinity` and years before 1 unchanged. */
function toIso(text: string): string {
  const [, day, time, fraction = ""] = TIMESTAMP.exec(text) ?? [];
  if (!day) return text;
  return `${day}T${time}.${fraction.padEnd(fraction.length > 3 ? 6 : 3, "0")}Z`;
}
