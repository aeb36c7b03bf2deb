/** The series of a calendar in a window of time, and their instances. */
import { copyOf } from "~/replicas/calendar/events/copies";
import { instancesOf, withSeries } from "~/replicas/calendar/events/series";
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import {
  type EventRow,
  listExceptions,
  listSeries,
  type Window,
} from "~/replicas/calendar/store/events";

const SERIES_MAX = 5_000;
const EXCEPTIONS_MAX = 20_000;

const isWithin = ({ startAt, endAt }: EventRow, { from, to }: Pick<Window, "from" | "to">) =>
  (from === undefined || endAt === null || endAt.getTime() > from) &&
  (to === undefined || startAt.getTime() < to);

/** The instances of a series in a window: changed ones in place of those of the rule. Cancelled ones are among them. */
function mergedInstances(
  series: EventRow,
  changed: readonly EventRow[],
  { timeZone }: CalendarRow,
  window: Pick<Window, "from" | "to">,
): EventRow[] {
  const ids = new Set(changed.map(({ id }) => id));
  const regular = instancesOf(series, timeZone, window).filter(({ id }) => !ids.has(id));
  return [...regular, ...changed.filter((each) => isWithin(each, window))];
}

/** `areSingle`: instances in place of series. Otherwise series, and their changed instances. */
export async function occurrencesIn(
  session: CalendarSession,
  calendar: CalendarRow,
  window: Window,
  { areSingle }: { readonly areSingle: boolean },
): Promise<EventRow[]> {
  const rows = await listSeries(session, window, SERIES_MAX);
  const all = rows.filter(({ recurrence }) => recurrence !== null);
  const known = new Set(all.map(({ id }) => id));
  const alone = rows.filter(
    ({ recurringEventId }) => recurringEventId !== null && !known.has(recurringEventId),
  );
  const exceptions = await listExceptions(session, [...known], EXCEPTIONS_MAX);
  const bySeries = Map.groupBy(exceptions, ({ recurringEventId }) => recurringEventId);
  const found = all.flatMap((series) => {
    const changed = (bySeries.get(series.id) ?? [])
      .map((row) => withSeries(row, series))
      .filter((row) => copyOf(row, calendar.id));
    if (series.status === "cancelled") return areSingle ? [] : [series];
    const instances = mergedInstances(series, changed, calendar, window);
    if (areSingle) return instances;
    const stored = changed.filter((each) => isWithin(each, window));
    return instances.length > 0 ? [series, ...stored] : stored;
  });
  return [...found, ...alone];
}
