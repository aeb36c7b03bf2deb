/** The events of a calendar that changed after a sync token. */
import type { Place } from "~/replicas/calendar/access";
import { type EventsQuery, testOf } from "~/replicas/calendar/events/matching";
import { readSeries } from "~/replicas/calendar/events/occurrences";
import { instancesOf, withSeries } from "~/replicas/calendar/events/series";
import { eventView, type Item } from "~/replicas/calendar/events/view";
import type { CalendarSession } from "~/replicas/calendar/operation";
import {
  type Cursor,
  type EventRow,
  findEvents,
  listChanged,
} from "~/replicas/calendar/store/events";
import { millisOf } from "~/source";

type Range = {
  readonly since: number;
  /** The event of the last item, and how many items of the event there were. */
  readonly after: Cursor | undefined;
  readonly limit: number;
};

/** Also deleted events. In a list of single events, a changed series is all its instances. */
export async function listChanges(
  session: CalendarSession,
  place: Place,
  query: EventsQuery,
  { since, after, limit }: Range,
): Promise<Item[]> {
  const items: Item[] = [];
  const test = testOf(query, false);
  let first = after?.id ?? "";
  for (;;) {
    const rows = await listChanged(session, since, { first, limit });
    for (const row of await withTheirSeries(session, rows)) {
      const skipped = row.id === after?.id ? after.at : 0;
      let at = 0;
      for (const event of await partsOf(session, row, place, query)) {
        const view = eventView(event, place, query);
        if (!view || !test(view)) continue;
        if (++at > skipped) items.push({ key: { at, id: row.id }, view });
        if (items.length >= limit) break;
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < limit || items.length >= limit) return items.slice(0, limit);
    first = `${last.id}\u0001`;
  }
}

async function withTheirSeries(
  session: CalendarSession,
  rows: readonly EventRow[],
): Promise<EventRow[]> {
  const ids = rows.flatMap(({ recurringEventId }) => recurringEventId ?? []);
  const series = new Map((await findEvents(session, ids)).map((row) => [row.id, row]));
  return rows.map((row) => {
    const own = series.get(row.recurringEventId ?? "");
    return own ? withSeries(row, own) : row;
  });
}

/** Instances are computed as they are taken. Those of a cancelled series are cancelled. */
async function partsOf(
  session: CalendarSession,
  row: EventRow,
  { calendar }: Place,
  { singleEvents }: EventsQuery,
): Promise<Iterable<EventRow>> {
  if (!singleEvents || row.recurrence === null) return [row];
  const { changed } = await readSeries(session, row, calendar.id);
  const ids = new Set(changed.map(({ id }) => id));
  return instancesOf(row, calendar.timeZone, { now: millisOf(session.source) })
    .filter(({ id }) => !ids.has(id))
    .map((each) => each.row());
}
