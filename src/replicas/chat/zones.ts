/** Time zones in the service's form: name, label, current offset from UTC in seconds. */
import { LRUCache } from "lru-cache";

type Zone = { readonly tz: string; readonly label: string; readonly offset: number };

const HOUR_SECONDS = 3_600;
const CACHE_MAX = 1_000;
/** By zone and hour: offsets change on the hour or half of it, and a profile may be late by that. */
const zones = new LRUCache<string, Zone>({ max: CACHE_MAX });

/** A zone as it is at a Unix time. */
export function zone(tz: string, now: number): Zone {
  const hour = Math.floor(now / HOUR_SECONDS);
  const known = zones.get(`${tz} ${hour}`);
  if (known) return known;
  const at = hour * HOUR_SECONDS * 1000;
  const offset = offsetSeconds(part(tz, "longOffset", at));
  const described = { tz, label: part(tz, "long", at), offset };
  zones.set(`${tz} ${hour}`, described);
  return described;
}

/** The formatter for a zone. Imported rows can have an unknown zone, which is shown as UTC. */
export function formatIn(
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
  locale = "en-US",
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  }
}

function part(timeZone: string, timeZoneName: "long" | "longOffset", at: number): string {
  const format = formatIn(timeZone, { timeZoneName });
  return format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** Of `GMT-08:00`, or `GMT` alone. */
function offsetSeconds(text: string): number {
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

/** A calendar day; months count from 1. */
export type Day = { readonly year: number; readonly month: number; readonly day: number };
const DAY_SECONDS = 86_400;

const offsets = new Map<string, Intl.DateTimeFormat>();

function offsetAt(tz: string, seconds: number): number {
  const known = offsets.get(tz);
  const format = known ?? formatIn(tz, { timeZoneName: "longOffset" });
  if (!known) offsets.set(tz, format);
  const parts = format.formatToParts(seconds * 1000);
  return offsetSeconds(parts.find(({ type }) => type === "timeZoneName")?.value ?? "");
}

const utcDay = (seconds: number): Day => {
  const date = new Date(seconds * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};
const utcSeconds = ({ year, month, day }: Day) => Date.UTC(year, month - 1, day) / 1000;

/** The current day in a zone. */
export const dayAt = (tz: string, seconds: number): Day => utcDay(seconds + offsetAt(tz, seconds));

/** The Unix time of a number of minutes past midnight of this day in a zone. */
export function momentOf(tz: string, day: Day, minutes = 0): number {
  const local = utcSeconds(day) + minutes * 60;
  const near = local - offsetAt(tz, local);
  return local - offsetAt(tz, near);
}

/** The day a number of days later. Days beyond a month's end roll over. */
export const addDays = (day: Day, days: number): Day =>
  utcDay(utcSeconds(day) + days * DAY_SECONDS);

/** 0 is Sunday. */
export const weekdayOf = (day: Day) => new Date(utcSeconds(day) * 1000).getUTCDay();

/** False for the 31st of a month that has 30 days. */
export function isDay({ year, month, day }: Day): boolean {
  const real = utcDay(utcSeconds({ year, month, day }));
  return real.year === year && real.month === month && real.day === day;
}
