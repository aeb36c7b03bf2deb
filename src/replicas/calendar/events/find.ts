/** Finds an event as a calendar has it. */
import { notFound } from "~/replicas/calendar/errors";
import { copyOf } from "~/replicas/calendar/events/copies";
import { instanceOf, seriesOf, withSeries } from "~/replicas/calendar/events/series";
import type { CalendarCall, CalendarSession } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import { type EventRow, findEvents } from "~/replicas/calendar/store/events";

export type Found = {
  readonly event: EventRow;
  /** Of an instance. */
  readonly series: EventRow | undefined;
  /** False of an instance that is as its series has it. */
  readonly isStored: boolean;
};

/** Undefined if the calendar has no such event. */
async function findEvent(
  session: CalendarSession,
  calendar: CalendarRow,
  id: string,
): Promise<Found | undefined> {
  const seriesId = seriesOf(id);
  const rows = await findEvents(session, seriesId === undefined ? [id] : [id, seriesId]);
  const series = rows.find((row) => row.id === seriesId && row.recurrence !== null);
  const row = rows.find((each) => each.id === id);
  const stored = row && series ? withSeries(row, series) : row;
  const event = stored ?? (series && instanceOf(series, id, calendar.timeZone));
  if (!event || !copyOf(event, calendar.id)) return undefined;
  return {
    event,
    series: stored && row?.recurringEventId === null ? undefined : series,
    isStored: row !== undefined,
  };
}

export async function requireEvent(
  { session }: Pick<CalendarCall, "session">,
  calendar: CalendarRow,
  id: string,
): Promise<Found> {
  const found = await findEvent(session, calendar, id);
  if (!found) throw notFound();
  return found;
}
