/** Busy times: what the events of a calendar block. */
import { copyOf, statusOf } from "~/replicas/calendar/events/copies";
import { occurrencesOf } from "~/replicas/calendar/events/occurrences";
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import type { EventRow } from "~/replicas/calendar/store/events";
import { isAllDay, startOfDay } from "~/replicas/calendar/times";

/** Moments in milliseconds since 1970. */
export type Period = { readonly start: number; readonly end: number };

/** Events that one request reads, over all its calendars. A request for more is rejected. */
const EVENTS_MAX = 10_000;
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

type Bounds = { readonly from: number; readonly to: number };

/** The events and instances that block a window, by calendar, in no order. */
async function allBlockers(
  session: CalendarSession,
  calendars: readonly CalendarRow[],
  { from, to }: Bounds,
  isMeant: (event: EventRow) => boolean = () => true,
): Promise<Map<string, EventRow[]>> {
  const wide = { from: from - ZONES_APART_MS, to: to + ZONES_APART_MS };
  const isShown = (event: EventRow, view: string) => blocks(event, view) && isMeant(event);
  return await occurrencesOf(session, calendars, wide, EVENTS_MAX, isShown);
}

/** Those of one calendar. `isMeant`: false of those that do not count. */
export async function blockersIn(
  session: CalendarSession,
  calendar: CalendarRow,
  window: Bounds,
  isMeant: (event: EventRow) => boolean,
): Promise<EventRow[]> {
  const found = await allBlockers(session, [calendar], window, isMeant);
  return found.get(calendar.id) ?? [];
}

/** The busy times in a window, by the id of the calendar: clipped to it, in order; those that touch are one. */
export async function busyTimes(
  session: CalendarSession,
  calendars: readonly CalendarRow[],
  window: Bounds,
): Promise<Map<string, Period[]>> {
  const each = [...new Map(calendars.map((calendar) => [calendar.id, calendar])).values()];
  const found = await allBlockers(session, each, window);
  const times = each.map(({ id, timeZone }): [string, Period[]] => {
    const periods = (found.get(id) ?? [])
      .map((event) => periodOf(event, timeZone))
      .map(({ start, end }) => ({
        start: Math.max(start, window.from),
        end: Math.min(end, window.to),
      }))
      .filter(({ start, end }) => start < end)
      .toSorted((one, other) => one.start - other.start);
    return [id, joined(periods)];
  });
  return new Map(times);
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
