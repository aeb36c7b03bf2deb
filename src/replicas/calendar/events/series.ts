/** Series of events, and their instances. */
import { invalid, required } from "~/replicas/calendar/errors";
import { instanceId, readInstanceId } from "~/replicas/calendar/recurrence/instance-id";
import {
  endOfSeries,
  type Occurrence,
  occurrenceAt,
  occurrences,
  type Series,
  seriesOf as seriesFrom,
} from "~/replicas/calendar/recurrence/series";
import type { EventRow } from "~/replicas/calendar/store/events";
import { type EventTime, isAllDay, type Span, wallClock } from "~/replicas/calendar/times";

/** The lines of a series as they are stored, and its end: null if it has none. */
type Recurrence = { readonly lines: readonly string[]; readonly endAt: number | null };

type Times = Pick<Span, "start" | "end"> & { readonly recurrence: readonly string[] };

/** `zone`: of the calendar, whose midnights begin the days of an all-day event. */
function expansionOf({ start, end, recurrence }: Times, zone: string): Series | undefined {
  const from = start.date ?? start.dateTime ?? "";
  const to = end.date ?? end.dateTime ?? "";
  return seriesFrom({
    recurrence,
    start: from,
    zone: start.timeZone ?? zone,
    durationMs: Date.parse(to) - Date.parse(from),
  });
}

/** Throws for lines that are no recurrence. Null for an event that is no series. `start`: as the client gives it. */
export function readRecurrence(
  given: readonly string[] | null | undefined,
  start: EventTime | null | undefined,
  span: Span,
  zone: string,
): Recurrence | null {
  if (!given || given.length === 0) return null;
  if (start?.dateTime && !start.timeZone)
    throw required("Missing time zone definition for start time.");
  const series = expansionOf({ ...span, recurrence: given }, zone);
  if (!series) throw invalid("Invalid recurrence rule.");
  return { lines: given, endAt: endOfSeries(series) };
}

/** The id of the series of an instance. Undefined for an id of another form. */
export const seriesOf = (id: string): string | undefined => readInstanceId(id)?.masterId;

const timeOf = (like: EventTime, at: number, day: string, zone: string): EventTime => {
  if (isAllDay(like)) return { date: day };
  const own = like.timeZone ?? zone;
  return { dateTime: wallClock(at, own), timeZone: own };
};

const dayAfter = (day: string, ms: number) =>
  new Date(Date.parse(day) + ms).toISOString().slice(0, 10);

function instanceRow(series: EventRow, { durationMs, zone }: Series, found: Occurrence): EventRow {
  const { start: day, startMs, endMs } = found;
  const { start, end } = series;
  const from = timeOf(start, startMs, day, zone);
  return {
    ...series,
    id: idOf(series, found),
    recurrence: null,
    recurringEventId: series.id,
    originalStartTime: from,
    start: from,
    end: timeOf(end, endMs, isAllDay(end) ? dayAfter(day, durationMs) : "", zone),
    startAt: new Date(startMs),
    endAt: new Date(endMs),
  };
}

const idOf = (series: EventRow, { start, startMs }: Occurrence) =>
  instanceId(series.id, isAllDay(series.start) ? start : startMs);

const expand = (series: EventRow, zone: string) =>
  expansionOf({ ...series, recurrence: series.recurrence ?? [] }, zone);

/** The instance with this id. Undefined if the rule does not produce it. */
export function instanceOf(series: EventRow, id: string, zone: string): EventRow | undefined {
  const start = readInstanceId(id)?.start;
  const expansion = expand(series, zone);
  const found = expansion && start !== undefined ? occurrenceAt(expansion, start) : undefined;
  return expansion && found && instanceRow(series, expansion, found);
}

/** A changed instance, with the attendees of its series unless it has its own. */
export const withSeries = (event: EventRow, series: EventRow): EventRow => ({
  ...event,
  status: series.status === "cancelled" ? series.status : event.status,
  attendees: event.guests.areOwn ? event.attendees : series.attendees,
});

type InstanceWindow = {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The time, which limits series without an end. */
  readonly now: number;
};

/** An instance that is not computed before it is needed. */
type Instance = { readonly id: string; readonly startAt: number; readonly row: () => EventRow };

/** The instances that the rule produces in a window, in their order, as the series has them. */
export function* instancesOf(
  series: EventRow,
  zone: string,
  { from, to, now }: InstanceWindow,
): Generator<Instance> {
  const expansion = expand(series, zone);
  if (!expansion) return;
  const window = {
    ...{ nowMs: now },
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
  for (const found of occurrences(expansion, window))
    yield {
      ...{ id: idOf(series, found), startAt: found.startMs },
      row: () => instanceRow(series, expansion, found),
    };
}
