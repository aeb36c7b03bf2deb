/** Times in the form of the tools: ISO 8601, often without an offset. */
import { invalid } from "~/replicas/calendar/errors";
import type { EventRow } from "~/replicas/calendar/store/events";
import {
  type EventTime,
  isAllDay,
  plainMoment,
  readMoment,
  wallClock,
} from "~/replicas/calendar/times";

const OFFSET = /(?:[Zz]|[+-]\d\d:?\d\d)$/;
const DATE_LENGTH = "2026-01-06".length;

/** The moment of a text, in milliseconds since 1970. Without an offset, it is of the clock of a zone. */
export function instantOf(text: string, zone: string): number {
  const at = readMoment(text) ?? plainMoment(text, zone);
  if (at === undefined) throw invalid(`Invalid time value: ${text.slice(0, 100)}`);
  return at;
}

export const isoOf = (at: number): string => new Date(at).toISOString();

type Clock = { readonly allDay: boolean; readonly timeZone?: string | undefined };

/** A time as events have it. A zone that is given overrides the offset. */
export function eventTime(text: string, { allDay, timeZone }: Clock, usualZone: string): EventTime {
  if (allDay) return { date: text.slice(0, DATE_LENGTH) };
  if (timeZone !== undefined) return { dateTime: text.replace(OFFSET, ""), timeZone };
  return OFFSET.test(text) ? { dateTime: text } : { dateTime: text, timeZone: usualZone };
}

export type TimeArguments = {
  readonly startTime?: string;
  readonly endTime?: string;
  readonly timeZone?: string;
  readonly allDay?: boolean;
};

/** The end of an event of the same length with another start. */
function endAfter(start: EventTime, event: Pick<EventRow, "start" | "end">): EventTime {
  const momentOf = ({ date, dateTime, timeZone }: EventTime) =>
    instantOf(dateTime ?? date ?? "", timeZone ?? "UTC");
  const end = momentOf(start) + momentOf(event.end) - momentOf(event.start);
  if (isAllDay(start)) return { date: isoOf(end).slice(0, DATE_LENGTH) };
  const { timeZone } = start;
  return { dateTime: wallClock(end, timeZone ?? "UTC"), ...(timeZone && { timeZone }) };
}

/** The same clock in another zone. */
const inZone = ({ dateTime }: EventTime, timeZone: string): EventTime => ({
  ...{ dateTime: dateTime?.replace(OFFSET, ""), timeZone },
});

/** The changes of an event's times. A start alone keeps the length. */
export function changedTimes(
  { startTime, endTime, timeZone, allDay }: TimeArguments,
  event: Pick<EventRow, "start" | "end">,
  usualZone: string,
): { start?: EventTime; end?: EventTime } {
  const isDay = isAllDay(event.start);
  const clock = { allDay: allDay ?? isDay, timeZone };
  if (clock.allDay !== isDay && (startTime === undefined || endTime === undefined))
    throw invalid("A change of allDay needs startTime and endTime.");
  const read = (text: string) => eventTime(text, clock, usualZone);
  if (startTime !== undefined) {
    const start = read(startTime);
    return { start, end: endTime === undefined ? endAfter(start, event) : read(endTime) };
  }
  if (endTime !== undefined) return { end: read(endTime) };
  if (timeZone === undefined || isDay) return {};
  return { start: inZone(event.start, timeZone), end: inZone(event.end, timeZone) };
}

/** The day of the week of a moment in a zone, from Monday as 1, and the minutes of the day that have passed. */
export function clockOf(at: number, zone: string) {
  const { dayOfWeek, hour, minute } =
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return { dayOfWeek, minutes: 60 * hour + minute };
}
