/** Spans in which everyone is free. */
import { findPlaces, requirePlace } from "~/replicas/calendar/access";
import { requireSpan } from "~/replicas/calendar/api/freebusy";
import { invalid, notFound } from "~/replicas/calendar/errors";
import { busyTimes, joined, type Period } from "~/replicas/calendar/events/busy";
import { requireZone } from "~/replicas/calendar/events/matching";
import { clockOf, instantOf, isoOf } from "~/replicas/calendar/mcp/times";
import { PRIMARY } from "~/replicas/calendar/mcp/tool";
import type { CalendarCall } from "~/replicas/calendar/operation";
import { wallClock } from "~/replicas/calendar/times";

const MINUTE_MS = 60_000;
/** Spans begin at a quarter of an hour. */
const STEP_MS = 15 * MINUTE_MS;
const CALENDARS_MAX = 50;
const SPANS_MAX = 100;
const FRIDAY = 5;
const DAY_MINUTES = 24 * 60;

type Wanted = {
  readonly attendeeEmails: readonly string[];
  readonly startTime: string;
  readonly endTime: string;
  readonly durationMinutes: number;
  readonly timeZone?: string;
  readonly preferences?: {
    readonly startHour?: string;
    readonly endHour?: string;
    readonly excludeWeekends?: boolean;
    readonly pageSize?: number;
  };
};

const HOUR = /^(\d{1,2})(?::(\d\d))?(?::\d\d)?$/;

/** Minutes of the day. */
function readHour(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const [, hour, minute = 0] = HOUR.exec(text) ?? [];
  const minutes = 60 * Number(hour) + Number(minute);
  if (!(minutes <= DAY_MINUTES)) throw invalid(`Invalid hour value: ${text.slice(0, 100)}`);
  return minutes;
}

/** True of spans that lie in the hours of one day. */
function preferred({ preferences = {}, durationMinutes }: Wanted, zone: string) {
  const { startHour, endHour, excludeWeekends = false } = preferences;
  const hasHours = startHour !== undefined || endHour !== undefined;
  const from = readHour(startHour, 0);
  const to = readHour(endHour, DAY_MINUTES);
  return (start: number): boolean => {
    const { dayOfWeek, minutes } = clockOf(start, zone);
    if (excludeWeekends && dayOfWeek > FRIDAY) return false;
    return !hasHours || (minutes >= from && minutes + durationMinutes <= to);
  };
}

const aligned = (at: number) => Math.ceil(at / STEP_MS) * STEP_MS;

/** The first free spans of a window that do not overlap. `busy`: in order. */
function freeSpans(
  busy: readonly Period[],
  window: { readonly from: number; readonly to: number },
  length: number,
  isPreferred: (start: number) => boolean,
  count: number,
): Period[] {
  const found: Period[] = [];
  let next = 0;
  for (let start = aligned(window.from); start + length <= window.to && found.length < count; ) {
    while ((busy[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    const blocking = busy[next];
    if (blocking && blocking.start < start + length) start = aligned(blocking.end);
    else if (isPreferred(start)) {
      found.push({ start, end: start + length });
      start = aligned(start + length);
    } else start += STEP_MS;
  }
  return found;
}

export async function suggestTime(wanted: Wanted, call: CalendarCall): Promise<object> {
  const { attendeeEmails, durationMinutes, preferences } = wanted;
  if (attendeeEmails.length > CALENDARS_MAX) throw invalid("Too many calendars are requested.");
  if (durationMinutes < 1) throw invalid("Invalid duration value.");
  requireZone(wanted.timeZone);
  const own = await requirePlace(call, PRIMARY);
  const zone = wanted.timeZone ?? own.calendar.timeZone;
  const momentOf = (text: string) => isoOf(instantOf(text, zone));
  const window = requireSpan({
    timeMin: momentOf(wanted.startTime),
    timeMax: momentOf(wanted.endTime),
  });
  const ids = [...new Set(attendeeEmails.map((email) => email.toLowerCase()))];
  const calendars = (await findPlaces(call, ids)).map((place) => {
    if (!place) throw notFound();
    return place.calendar;
  });
  const times = await busyTimes(call.session, calendars, window);
  const busy = [...times.values()].flat();
  const inOrder = joined(busy.toSorted((a, b) => a.start - b.start));
  const count = Math.min(Math.max(preferences?.pageSize ?? 5, 1), SPANS_MAX);
  const length = durationMinutes * MINUTE_MS;
  const spans = freeSpans(inOrder, window, length, preferred(wanted, zone), count);
  const shown = (at: number) => wallClock(at, zone);
  return { timeSlots: spans.map(({ start, end }) => ({ start: shown(start), end: shown(end) })) };
}
