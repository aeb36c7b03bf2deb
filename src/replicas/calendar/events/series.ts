/** Series of events, and their instances. */
import { invalid } from "~/replicas/calendar/errors";
import type { EventRow } from "~/replicas/calendar/store/events";
import type { Span } from "~/replicas/calendar/times";

/** The lines of a series as they are stored, and its end: null if it has none. */
type Recurrence = { readonly lines: readonly string[]; readonly endAt: number | null };

/** Throws for lines that are no recurrence. Null for an event that is no series. */
export function readRecurrence(
  given: readonly string[] | null | undefined,
  _span: Span,
  _zone: string,
): Recurrence | null {
  if (!given || given.length === 0) return null;
  throw invalid("Invalid recurrence rule.");
}

const INSTANCE = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/;

/** The id of the series of an instance. Undefined for an id of another form. */
export const seriesOf = (id: string): string | undefined => INSTANCE.exec(id)?.[1];

/** The instance with this id. Undefined if the rule does not produce it. */
export function instanceOf(_series: EventRow, _id: string, _zone: string): EventRow | undefined {
  return undefined;
}

/** A changed instance, with the attendees of its series unless it has its own. */
export const withSeries = (event: EventRow, series: EventRow): EventRow => ({
  ...event,
  status: series.status === "cancelled" ? series.status : event.status,
  attendees: event.guests.areOwn ? event.attendees : series.attendees,
});

/** The instances that the rule produces in a window, as the series has them. */
export function instancesOf(
  _series: EventRow,
  _zone: string,
  _window: { readonly from?: number | undefined; readonly to?: number | undefined },
): EventRow[] {
  return [];
}
