/** Times of events: a date, or a wall clock with its zone. */
import { CalendarError, invalid, required } from "~/replicas/calendar/errors";

/** As the API has it. A stored dateTime has the offset of its zone. */
export type EventTime = {
  readonly date?: string | null | undefined;
  readonly dateTime?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
};

export type Span = {
  readonly start: EventTime;
  readonly end: EventTime;
  /** In milliseconds since 1970. */
  readonly startAt: number;
  readonly endAt: number;
};

/** Offsets are zones of Temporal, but none of the service. */
const ZONE = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

export function isZone(zone: string): boolean {
  if (!ZONE.test(zone)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, zone) !== undefined;
  } catch {
    return false;
  }
}

const MINUTE_MS = 60_000;

/** The wall clock of a moment in a zone, with its offset. Lists have thousands: Temporal's own text takes ten times as long. */
export function wallClock(at: number, zone: string): string {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const offsetMs = offsetNanoseconds / 1e6;
  const clock = new Date(at + offsetMs).toISOString().slice(0, -".000Z".length);
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  if (minutes === 0) return `${clock}Z`;
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((each) =>
    `${each}`.padStart(2, "0"),
  );
  return `${clock}${offsetMs < 0 ? "-" : "+"}${hour}:${minute}`;
}

/** The short name of a zone at a moment: `GMT`, `EST`, `GMT+9`. */
export const zoneNameAt = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "short" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:([Zz])|([+-]\d\d):?(\d\d))?$/;

const badFormat = (text: string) =>
  invalid(`Invalid value for: Invalid format: "${text.slice(0, 100)}"`);

function readDate(text: string): string {
  const [, year, month, day] = DATE.exec(text) ?? [];
  try {
    return Temporal.PlainDate.from(
      { year: Number(year), month: Number(month), day: Number(day) },
      { overflow: "reject" },
    ).toString();
  } catch {
    throw badFormat(text);
  }
}

/** The first moment of a day in a zone. */
export const startOfDay = (date: string, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;

/** A moment in RFC 3339, with an offset. Undefined for any other text. */
export function readMoment(text: string): number | undefined {
  const [, date, time, utc, hours, minutes] = DATE_TIME.exec(text) ?? [];
  if (date === undefined || (utc === undefined && hours === undefined)) return undefined;
  try {
    const offset = utc === undefined ? `${hours}:${minutes}` : "Z";
    return Temporal.Instant.from(`${date}T${time}${offset}`).epochMilliseconds;
  } catch {
    return undefined;
  }
}

type Side = "start" | "end";

function readClock(text: string, side: Side, given: string | undefined, calendarZone: string) {
  const [, date, time, utc, hours] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) throw badFormat(text);
  const hasOffset = utc !== undefined || hours !== undefined;
  if (!hasOffset && given === undefined)
    throw required(`Missing time zone definition for ${side} time.`);
  const zone = given ?? calendarZone;
  const at = hasOffset ? readMoment(text) : plainMoment(`${date}T${time}`, zone);
  if (at === undefined) throw badFormat(text);
  return { time: { dateTime: wallClock(at, zone), timeZone: zone }, at };
}

/** A wall time that a gap skips moves forward; of a repeated hour it is the first. */
export function plainMoment(text: string, zone: string): number | undefined {
  try {
    return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    return undefined;
  }
}

function readTime(given: EventTime, side: Side, calendarZone: string) {
  const zone = given.timeZone ?? undefined;
  if (zone !== undefined && !isZone(zone))
    throw invalid(`Invalid time zone definition for ${side} time.`);
  if (typeof given.date === "string") {
    const date = readDate(given.date);
    return { time: { date }, at: startOfDay(date, calendarZone) };
  }
  return readClock(given.dateTime ?? "", side, zone, calendarZone);
}

const MIXED = "Start and end times must either both be date or both be dateTime.";

const kindOf = (time: EventTime | null | undefined) => {
  if (typeof time?.dateTime === "string") return "dateTime";
  return typeof time?.date === "string" ? "date" : undefined;
};

/** The times of an event as they are stored. Throws for those that the service rejects. */
export function readSpan(
  start: EventTime | null | undefined,
  end: EventTime | null | undefined,
  calendarZone: string,
): Span {
  if (!end || !kindOf(end)) throw required("Missing end time.");
  if (!start || kindOf(start) !== kindOf(end)) throw invalid(MIXED);
  const from = readTime(start, "start", calendarZone);
  const to = readTime(end, "end", calendarZone);
  const isEmpty = kindOf(start) === "date" ? to.at <= from.at : to.at < from.at;
  if (isEmpty)
    throw new CalendarError("timeRangeEmpty", "The specified time range is empty.", [
      "parameter",
      "timeMax",
    ]);
  return { start: from.time, end: to.time, startAt: from.at, endAt: to.at };
}

/** A stored time as an answer shows it: with the offset of a zone. */
export function shownTime(time: EventTime, zone: string): EventTime {
  if (typeof time.dateTime !== "string") return time;
  const at = readMoment(time.dateTime);
  return { ...time, dateTime: at === undefined ? time.dateTime : wallClock(at, zone) };
}

export const isAllDay = (time: EventTime): boolean => typeof time.date === "string";
