/** Comparison of row values, which are JSON as in diffs. */
import type { JsonValue } from "~/capture/value";

export const isArray = (value: unknown): value is JsonValue[] => Array.isArray(value);

const INSTANT =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const DECIMAL = /^[+-]?\d{1,40}(?:\.\d{1,40})?$/;

/** Equality as JSON, regardless of key order; timestamps are equal when they are the same moment. */
export function equal(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") {
    const [left, right] = [instantOf(a), instantOf(b)];
    return left !== undefined && left === right;
  }
  if (isArray(a) || isArray(b))
    return (
      isArray(a) &&
      isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => equal(item, b[index] as JsonValue))
    );
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key] as JsonValue, b[key] as JsonValue))
  );
}

/**
 * Negative, zero or positive; undefined when the two cannot be ordered. Numbers, also those written as text (which
 * large ones are, and message timestamps), are ordered as numbers, timestamps as moments, other text by code unit.
 */
export function compare(a: JsonValue | undefined, b: string | number): number | undefined {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== "number" && typeof a !== "string") return undefined;
  const [left, right] = [decimalOf(a), decimalOf(b)];
  if (left && right) return byDecimals(left, right);
  if (typeof a === "number" || typeof b === "number") return undefined;
  const [from, to] = [instantOf(a), instantOf(b)];
  if (from !== undefined && to !== undefined) return Number(from - to);
  if ((from === undefined) !== (to === undefined)) return undefined;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Such text equals other spellings of the same moment. */
export const isInstant = (text: string) => instantOf(text) !== undefined;

/** Such text is ordered as a number. */
export const isDecimal = (text: string) => DECIMAL.test(text);

/** Nanoseconds since 1970; a day is its midnight, a moment without a zone is in UTC. */
function instantOf(text: string): bigint | undefined {
  if (text.length < 10 || text.length > 40 || text[4] !== "-" || !INSTANT.test(text))
    return undefined;
  const [, before = text, fraction = "", zone = ""] =
    /^(.+?)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text.slice(10)) ?? [];
  if (text.length === 10) return nanoseconds(Date.parse(`${text}T00:00:00Z`), "");
  const time = before.slice(1);
  const seconds = time.length === 5 ? `${time}:00` : time;
  const offset = /^[+-]/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
    : "Z";
  return nanoseconds(Date.parse(`${text.slice(0, 10)}T${seconds}${offset}`), fraction);
}

const nanoseconds = (ms: number, fraction: string) =>
  Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));

type Decimal = { readonly digits: bigint; readonly decimals: number };

function decimalOf(value: string | number): Decimal | undefined {
  const text = String(value);
  if (!DECIMAL.test(text)) return undefined;
  const [whole = "", fraction = ""] = text.split(".");
  return { digits: BigInt(whole.replace("+", "") + fraction), decimals: fraction.length };
}

function byDecimals(a: Decimal, b: Decimal): number {
  const decimals = Math.max(a.decimals, b.decimals);
  const scaled = ({ digits, decimals: own }: Decimal) => digits * 10n ** BigInt(decimals - own);
  const [left, right] = [scaled(a), scaled(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
