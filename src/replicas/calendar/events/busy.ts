/** Busy times: what the events of a calendar block. */
import type { Place } from "~/replicas/calendar/access";
import { quotaExceeded } from "~/replicas/calendar/errors";
import { copyOf, statusOf } from "~/replicas/calendar/events/copies";
import { cursorOf, occurrencesIn } from "~/replicas/calendar/events/occurrences";
import type { CalendarSession } from "~/replicas/calendar/operation";
import { type EventRow, listSingles } from "~/replicas/calendar/store/events";
import { isAllDay, startOfDay } from "~/replicas/calendar/times";

/** Moments in milliseconds since 1970. */
export type Period = { readonly start: number; readonly end: number };

/** Blocking events of one calendar: a list is rejected rather than shortened. */
const EVENTS_MAX = 10_000;
const BATCH = 1_000;
/** Whole days are in the zone of the calendar, which is not always the one that the event is stored with. */
const ZONES_APART_MS = 26 * 3_600_000;
const FREE_TYPES = ["workingLocation", "birthday"];

function blocks(event: EventRow, view: string): boolean {
  const copy = copyOf(event, view);
  if (!copy || statusOf(event, copy) === "cancelled" || FREE_TYPES.includes(event.eventType))
    return false;
  const mine = event.attendees.find(({ email }) => email === view);
  if (mine?.responseStatus === "declined") return false;
  const own = copy.of === "attendee" ? copy.attendee.own.transparency : undefined;
  return (own ?? event.transparency) !== "transparent";
}

/** `timeZone`: of the calendar, for whole days. */
export function periodOf({ start, end, startAt, endAt }: EventRow, timeZone: string): Period {
  if (isAllDay(start) && start.date && end.date)
    return { start: startOfDay(start.date, timeZone), end: startOfDay(end.date, timeZone) };
  return { start: startAt.getTime(), end: (endAt ?? startAt).getTime() };
}

/** The events and instances that block a window, in no order. `isMeant`: false of those that do not count. */
export async function blockersIn(
  session: CalendarSession,
  { calendar }: Pick<Place, "calendar">,
  window: { readonly from: number; readonly to: number },
  isMeant: (event: EventRow) => boolean = () => true,
): Promise<EventRow[]> {
  const isShown = (event: EventRow) => blocks(event, calendar.id) && isMeant(event);
  const wide = {
    ...{ view: calendar.id, from: window.from - ZONES_APART_MS, to: window.to + ZONES_APART_MS },
    ...{ uid: undefined, withCancelled: false },
  };
  const found = await occurrencesIn(session, calendar, wide, {
    ...{ areSingle: true, order: "startAt", after: undefined, limit: EVENTS_MAX + 1, isShown },
  });
  for (let after: ReturnType<typeof cursorOf> | undefined; ; ) {
    const rows = await listSingles(session, wide, { order: "startAt", after, limit: BATCH });
    found.push(...rows);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) break;
    if (found.length > EVENTS_MAX) throw quotaExceeded();
    after = cursorOf(last, "startAt");
  }
  if (found.length > EVENTS_MAX) throw quotaExceeded();
  return found.filter(isShown);
}

/** The busy times in a window, clipped to it, in order; those that touch are one. */
export async function busyTimes(
  session: CalendarSession,
  place: Place,
  window: { readonly from: number; readonly to: number },
): Promise<Period[]> {
  const periods = (await blockersIn(session, place, window))
    .map((event) => periodOf(event, place.calendar.timeZone))
    .map(({ start, end }) => ({
      start: Math.max(start, window.from),
      end: Math.min(end, window.to),
    }))
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => a.start - b.start);
  return joined(periods);
}

/** Periods in the order of their starts; those that touch are one. */
export function joined(periods: readonly Period[]): Period[] {
  const all: Period[] = [];
  for (const { start, end } of periods) {
    const last = all.at(-1);
    if (last && start <= last.end)
      all[all.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else all.push({ start, end });
  }
  return all;
}
