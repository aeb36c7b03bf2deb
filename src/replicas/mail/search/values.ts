/** Dates and sizes of queries. */

type Range<Kind> = { readonly kind: Kind; readonly from: number; readonly to: number };

const DAY_MS = 24 * 3600 * 1000;
/** Dates are days of this zone. */
const ZONE = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/Los_Angeles",
  hour: "numeric",
  hourCycle: "h23",
});
/** The hours in UTC at which a day can begin there. */
const BEGINNINGS = [7, 8];

function midnight(year: number, month: number, day: number): number | undefined {
  const times = BEGINNINGS.map((hour) => Date.UTC(year, month - 1, day, hour));
  return times.find((time) => Number.isFinite(time) && ZONE.format(time) === "00");
}

/** The time from which `after` finds messages, and that until which `before` does, in milliseconds. */
function readDate(text: string): readonly [number, number] | undefined {
  if (/^\d{5,13}$/.test(text)) return [Number(text) * 1000, Number(text) * 1000 + 1000];
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text) ?? [];
  const [, m = month, d = day, y = year] = /^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$/.exec(text) ?? [];
  if (y === undefined || m === undefined || d === undefined) return undefined;
  const start = midnight(Number(y), Number(m), Number(d));
  return start === undefined ? undefined : [start, start];
}

export function readRange(operator: string, text: string, now: number): Range<"date"> | undefined {
  if (operator.endsWith("_than")) {
    const limit = ago(text, now);
    if (limit === undefined) return undefined;
    return operator === "newer_than" ? since(limit) : until(limit);
  }
  const date = readDate(text);
  if (!date) return undefined;
  const [first, next] = date;
  return operator === "after" || operator === "newer" ? since(first) : until(next);
}

const since = (from: number): Range<"date"> => ({
  kind: "date",
  from,
  to: Number.POSITIVE_INFINITY,
});
const until = (to: number): Range<"date"> => ({ kind: "date", from: Number.NEGATIVE_INFINITY, to });

function ago(text: string, now: number): number | undefined {
  const [, count = "", unit] = /^(\d{1,4})([dmy])$/.exec(text) ?? [];
  if (unit === undefined) return undefined;
  if (unit === "d") return now - Number(count) * DAY_MS;
  const date = new Date(now);
  if (unit === "m") date.setUTCMonth(date.getUTCMonth() - Number(count));
  else date.setUTCFullYear(date.getUTCFullYear() - Number(count));
  return date.getTime();
}

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

export function readSize(operator: string, text: string): Range<"size"> | undefined {
  const [, count, unit = ""] = /^(\d{1,12})([kmg]?)b?$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const bytes = Number(count) * (UNITS[unit] ?? 1);
  return operator === "smaller"
    ? { kind: "size", from: 0, to: bytes }
    : { kind: "size", from: bytes, to: Number.POSITIVE_INFINITY };
}
