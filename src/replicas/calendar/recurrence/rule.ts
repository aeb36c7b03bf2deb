/** The value of an RRULE or EXRULE line, as in RFC 5545 section 3.3.10. */

const FREQUENCIES = [
  "YEARLY",
  "MONTHLY",
  "WEEKLY",
  "DAILY",
  "HOURLY",
  "MINUTELY",
  "SECONDLY",
] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** Monday is 0. An ordinal of 2 is the second of the month or year, -1 the last; 0 is every one. */
type Weekday = { readonly ordinal: number; readonly weekday: number };

/** The end of a rule: a date, or an instant with the date that it is written with. */
export type Until = { readonly date: string; readonly ms: number | undefined };

export type Rule = {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: Until | undefined;
  readonly months: readonly number[] | undefined;
  readonly weekNumbers: readonly number[] | undefined;
  readonly yearDays: readonly number[] | undefined;
  readonly monthDays: readonly number[] | undefined;
  readonly weekdays: readonly Weekday[] | undefined;
  readonly hours: readonly number[] | undefined;
  readonly minutes: readonly number[] | undefined;
  readonly seconds: readonly number[] | undefined;
  readonly positions: readonly number[] | undefined;
  readonly weekStart: number;
};

const INTERVAL_MAX = 99_999;
/** The last of so many occurrences is found in about 20 ms. */
const COUNT_MAX = 99_999;

function integer(text: string, min: number, max: number): number | undefined {
  if (!/^[+-]?\d{1,5}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** All values in ascending order, each once; undefined if one of them is not valid. */
function list<T>(text: string, read: (item: string) => T | undefined): T[] | undefined {
  const values = text.split(",").map(read);
  return values.includes(undefined) ? undefined : (values as T[]);
}

const numbers =
  (min: number, max: number) =>
  (text: string): readonly number[] | undefined => {
    const values = list(text, (item) => integer(item, min, max));
    return values && [...new Set(values)].sort((a, b) => a - b);
  };

/** From the start or, negative, from the end: there is no 0. */
const positions = (max: number) => (text: string) => {
  const values = numbers(-max, max)(text);
  return values?.includes(0) ? undefined : values;
};

function weekday(text: string): Weekday | undefined {
  const [, ordinal, name = ""] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
  const index = WEEKDAYS.indexOf(name);
  if (index < 0) return undefined;
  if (ordinal === undefined) return { ordinal: 0, weekday: index };
  const value = integer(ordinal, -53, 53);
  return value ? { ordinal: value, weekday: index } : undefined;
}

/** The instant of `20260309T083000Z`; undefined if there is no such time. */
export function utcInstant(text: string): number | undefined {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6.000Z");
  const ms = Date.parse(iso);
  return iso !== text && !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : undefined;
}

/** `2026-03-09` of `20260309`; undefined if there is no such day. */
export function calendarDate(text: string): string | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  const ms = utcInstant(`${text}T000000Z`);
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 10);
}

/** The service rejects a time without `Z`, although dates are accepted. */
function until(text: string): Until | undefined {
  const date = calendarDate(text.slice(0, 8));
  if (date === undefined) return undefined;
  if (text.length === 8) return { date, ms: undefined };
  const ms = utcInstant(text);
  return ms === undefined ? undefined : { date, ms };
}

/** Implementations without leap seconds read a second of 60 as 59. */
const seconds = (text: string) => numbers(0, 59)(text.replace(/(?<=^|,)60(?=,|$)/g, "59"));

const PARTS = {
  FREQ: (text: string) => FREQUENCIES.find((name) => name === text),
  INTERVAL: (text: string) => integer(text, 1, INTERVAL_MAX),
  COUNT: (text: string) => integer(text, 1, COUNT_MAX),
  UNTIL: until,
  BYMONTH: numbers(1, 12),
  BYWEEKNO: positions(53),
  BYYEARDAY: positions(366),
  BYMONTHDAY: positions(31),
  BYDAY: (text: string) => list(text, weekday),
  BYHOUR: numbers(0, 23),
  BYMINUTE: numbers(0, 59),
  BYSECOND: seconds,
  BYSETPOS: positions(366),
  WKST: (text: string) => {
    const index = WEEKDAYS.indexOf(text);
    return index < 0 ? undefined : index;
  },
};

type Parts = { [K in keyof typeof PARTS]?: NonNullable<ReturnType<(typeof PARTS)[K]>> };

/** Undefined if a part is unknown, given twice, or not valid. */
function readParts(text: string): Parts | undefined {
  const parts: Record<string, unknown> = {};
  for (const part of text.toUpperCase().replace(/;$/, "").split(";")) {
    const [name = "", value = "", ...rest] = part.split("=");
    if (!Object.hasOwn(PARTS, name) || Object.hasOwn(parts, name) || rest.length > 0)
      return undefined;
    const read = PARTS[name as keyof typeof PARTS](value);
    if (read === undefined) return undefined;
    parts[name] = read;
  }
  return parts;
}

/** Whether the parts may stand together, by the table and the notes of RFC 5545. */
function fits(parts: Parts, frequency: Frequency): boolean {
  const others = Object.keys(parts).filter((name) => /^BY(?!SETPOS)/.test(name));
  const hasOrdinal = parts.BYDAY?.some(({ ordinal }) => ordinal !== 0) ?? false;
  return !(
    (parts.COUNT !== undefined && parts.UNTIL !== undefined) ||
    (parts.BYWEEKNO && frequency !== "YEARLY") ||
    (parts.BYYEARDAY && ["MONTHLY", "WEEKLY", "DAILY"].includes(frequency)) ||
    (parts.BYMONTHDAY && frequency === "WEEKLY") ||
    (hasOrdinal && frequency !== "YEARLY" && frequency !== "MONTHLY") ||
    (hasOrdinal && parts.BYWEEKNO) ||
    (parts.BYSETPOS && others.length === 0)
  );
}

/** Undefined if the text is not a valid rule. */
export function readRule(text: string): Rule | undefined {
  const parts = readParts(text);
  const frequency = parts?.FREQ;
  if (!parts || !frequency || !fits(parts, frequency)) return undefined;
  return {
    frequency,
    interval: parts.INTERVAL ?? 1,
    count: parts.COUNT,
    until: parts.UNTIL,
    months: parts.BYMONTH,
    weekNumbers: parts.BYWEEKNO,
    yearDays: parts.BYYEARDAY,
    monthDays: parts.BYMONTHDAY,
    weekdays: parts.BYDAY,
    hours: parts.BYHOUR,
    minutes: parts.BYMINUTE,
    seconds: parts.BYSECOND,
    positions: parts.BYSETPOS,
    weekStart: parts.WKST ?? 0,
  };
}
