/** The series of a calendar in a window of time, and their instances. */
import { quotaExceeded } from "~/replicas/calendar/errors";
import { copyOf, updatedOf } from "~/replicas/calendar/events/copies";
import { instancesOf, withSeries } from "~/replicas/calendar/events/series";
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import {
  type Cursor,
  type EventRow,
  listExceptions,
  listSeen,
  listSeries,
  type Window,
} from "~/replicas/calendar/store/events";
import { millisOf } from "~/source";

/** Series of a calendar in a window, and their changed instances: a list is rejected rather than shortened. */
const SERIES_MAX = 5_000;
const EXCEPTIONS_MAX = 20_000;

function all(rows: readonly EventRow[], max: number): readonly EventRow[] {
  if (rows.length > max) throw quotaExceeded();
  return rows;
}

const exceptionsOf = async (session: CalendarSession, series: readonly string[]) =>
  all(await listExceptions(session, series, EXCEPTIONS_MAX + 1), EXCEPTIONS_MAX);

type Bounds = Pick<Window, "from" | "to">;

const isWithin = ({ startAt, endAt }: EventRow, { from, to }: Bounds) =>
  (from === undefined || endAt === null || endAt.getTime() > from) &&
  (to === undefined || startAt.getTime() < to);

/** A series with its changed instances, also cancelled ones, as a calendar has them. */
type Changed = { readonly series: EventRow; readonly changed: readonly EventRow[] };

const changedOf = (series: EventRow, rows: readonly EventRow[], view: string): Changed => ({
  series,
  changed: rows.map((row) => withSeries(row, series)).filter((row) => copyOf(row, view)),
});

/** One series with its changed instances. */
export async function readSeries(
  session: CalendarSession,
  series: EventRow,
  view: string,
): Promise<Changed> {
  return changedOf(series, await exceptionsOf(session, [series.id]), view);
}

export type Order = "startAt" | "updated";

export const cursorOf = (event: EventRow, order: Order): Cursor => ({
  at: order === "updated" ? updatedOf(event) : event.startAt.getTime(),
  id: event.id,
});

export const isBefore = (a: Cursor, b: Cursor): boolean =>
  a.at < b.at || (a.at === b.at && a.id < b.id);

type Page = {
  readonly order: Order;
  readonly after: Cursor | undefined;
  readonly limit: number;
  /** False of events that the list leaves out. */
  readonly isShown: (event: EventRow) => boolean;
  /** False of single instances that the list leaves out. */
  readonly isWanted?: (event: EventRow) => boolean;
  readonly now: number;
};

type Entry = { readonly key: Cursor; readonly row: () => EventRow };

const sorted = (entries: readonly Entry[]) =>
  entries.toSorted((a, b) => (isBefore(a.key, b.key) ? -1 : 1));

/**
 * The instances of series on one page: changed ones in place of those of the rule. Of each series no more are computed
 * than the page may have, because the instances of a series come in its order.
 */
export function instancesOn(
  all: readonly Changed[],
  { timeZone }: CalendarRow,
  bounds: Bounds,
  { order, after, limit, isShown, isWanted = () => true, now }: Page,
): EventRow[] {
  let entries: Entry[] = [];
  let last: Cursor | undefined;
  const add = (entry: Entry) => {
    entries.push(entry);
    if (entries.length < 2 * limit) return;
    entries = sorted(entries).slice(0, limit);
    last = entries.at(-1)?.key;
  };
  for (const { series, changed } of all) {
    for (const row of changed) {
      const key = cursorOf(row, order);
      if (
        isWithin(row, bounds) &&
        (!after || isBefore(after, key)) &&
        isShown(row) &&
        isWanted(row)
      )
        add({ key, row: () => row });
    }
    const ids = new Set(changed.map(({ id }) => id));
    const updated = updatedOf(series);
    let isFirst = true;
    for (const { id, startAt, row } of instancesOf(series, timeZone, { ...bounds, now })) {
      // Those of the rule differ in their times only.
      if (isFirst && !isShown(row())) break;
      isFirst = false;
      const key = { at: order === "updated" ? updated : startAt, id };
      if (last && isBefore(last, key)) break;
      if (!ids.has(id) && (!after || isBefore(after, key)) && isWanted(row())) add({ key, row });
    }
  }
  return sorted(entries)
    .slice(0, limit)
    .map(({ row }) => row());
}

/** A series and its changed instances in a window in which it has an instance. */
function seriesRows(
  { series, changed }: Changed,
  { timeZone }: CalendarRow,
  bounds: Bounds,
  now: number,
): EventRow[] {
  const stored = changed.filter((each) => isWithin(each, bounds));
  if (stored.length > 0 || series.status === "cancelled") return [series, ...stored];
  const ids = new Set(changed.map(({ id }) => id));
  const found = instancesOf(series, timeZone, { ...bounds, now }).some(({ id }) => !ids.has(id));
  return found ? [series] : [];
}

/** Series with all their changed instances, and instances without their series. `rows`: of one view. */
function sorting(rows: readonly EventRow[], exceptions: readonly EventRow[], view: string) {
  const series = rows.filter(({ recurrence }) => recurrence !== null);
  const known = new Set(series.map(({ id }) => id));
  const alone = rows.filter(
    ({ recurringEventId }) => recurringEventId !== null && !known.has(recurringEventId),
  );
  const bySeries = Map.groupBy(exceptions, ({ recurringEventId }) => recurringEventId);
  const changed = series.map((each) => changedOf(each, bySeries.get(each.id) ?? [], view));
  return { alone, changed };
}

const isLiving = ({ series }: Changed) => series.status !== "cancelled";

const idsOfSeries = (rows: readonly EventRow[]) => [
  ...new Set(rows.flatMap(({ id, recurrence }) => (recurrence === null ? [] : [id]))),
];

/** `areSingle`: instances in place of series. Otherwise series, and their changed instances. */
export async function occurrencesIn(
  session: CalendarSession,
  calendar: CalendarRow,
  window: Window,
  { areSingle, ...page }: Omit<Page, "now"> & { readonly areSingle: boolean },
): Promise<EventRow[]> {
  const rows = all(await listSeries(session, window, SERIES_MAX + 1), SERIES_MAX);
  const exceptions = await exceptionsOf(session, idsOfSeries(rows));
  const { alone, changed } = sorting(rows, exceptions, calendar.id);
  const now = millisOf(session.source);
  if (!areSingle)
    return [...changed.flatMap((each) => seriesRows(each, calendar, window, now)), ...alone];
  const living = changed.filter(isLiving);
  return [...instancesOn(living, calendar, window, { ...page, now }), ...alone];
}

/**
 * The events and instances in a window by calendar, in no order, without those that are cancelled as a whole. At most
 * `limit` of all calendars: more are rejected. `isShown`: false of those that are left out.
 */
export async function occurrencesOf(
  session: CalendarSession,
  calendars: readonly CalendarRow[],
  window: Pick<Window, "from" | "to">,
  limit: number,
  isShown: (event: EventRow, view: string) => boolean,
): Promise<Map<string, EventRow[]>> {
  const wide = { ...window, uid: undefined, withCancelled: false };
  const ids = calendars.map(({ id }) => id);
  const { singles, series } = await listSeen(session, ids, wide, {
    ...{ singles: limit + 1, series: SERIES_MAX + 1 },
  });
  const exceptions = await exceptionsOf(session, idsOfSeries(all(series, SERIES_MAX)));
  const [singlesBy, seriesBy] = [singles, series].map((rows) =>
    Map.groupBy(rows, ({ view }) => view),
  );
  const now = millisOf(session.source);
  let left = limit - all(singles, limit).length;
  const found = new Map<string, EventRow[]>();
  for (const calendar of calendars) {
    const { id: view } = calendar;
    const { alone, changed } = sorting(seriesBy?.get(view) ?? [], exceptions, view);
    const isOfView = (event: EventRow) => isShown(event, view);
    const instances = instancesOn(changed.filter(isLiving), calendar, wide, {
      ...{ order: "startAt", after: undefined, limit: left + 1, isShown: isOfView, now },
    });
    left -= instances.length;
    if (left < 0) throw quotaExceeded();
    found.set(view, [...instances, ...alone, ...(singlesBy?.get(view) ?? [])].filter(isOfView));
  }
  return found;
}
