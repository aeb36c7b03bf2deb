/** Pages of the instances of one series. */
import type { Place } from "~/replicas/calendar/access";
import { badRequest, invalid } from "~/replicas/calendar/errors";
import { versionOf } from "~/replicas/calendar/events/copies";
import { requireEvent } from "~/replicas/calendar/events/find";
import { envelopeOf, PAGE_DEFAULT, PAGE_MAX } from "~/replicas/calendar/events/listing";
import { type EventsQuery, requireZone, windowOf } from "~/replicas/calendar/events/matching";
import { cursorOf, instancesOn, readSeries } from "~/replicas/calendar/events/occurrences";
import { eventView } from "~/replicas/calendar/events/view";
import { sizeOf } from "~/replicas/calendar/lists";
import type { CalendarCall } from "~/replicas/calendar/operation";
import type { EventRow } from "~/replicas/calendar/store/events";
import { readMoment } from "~/replicas/calendar/times";
import { pageTokenOf, readPageToken } from "~/replicas/calendar/tokens";
import { millisOf } from "~/source";

type InstancesQuery = Pick<
  EventsQuery,
  "maxAttendees" | "maxResults" | "pageToken" | "showDeleted" | "timeMax" | "timeMin" | "timeZone"
> & { readonly originalStart?: string };

const ORDER = "startAt";

/** A function of instances: whether the rule puts one at this start, a day or a moment. */
function startTest(text: string | undefined): (event: EventRow) => boolean {
  if (text === undefined) return () => true;
  const at = readMoment(text);
  if (at === undefined && !/^\d{4}-\d\d-\d\d$/.test(text)) throw badRequest();
  return ({ originalStartTime: original }) =>
    at === undefined
      ? original?.date === text
      : typeof original?.dateTime === "string" && readMoment(original.dateTime) === at;
}

/** The body of events.instances. */
export async function listInstances(
  call: CalendarCall,
  place: Place,
  id: string,
  query: InstancesQuery,
) {
  requireZone(query.timeZone);
  const { session } = call;
  const { calendar } = place;
  const bounds = windowOf(query);
  const isWanted = startTest(query.originalStart);
  const list = `instances ${calendar.id} ${id}`;
  const page = readPageToken(query.pageToken, list);
  const { event } = await requireEvent(call, calendar, id);
  if (event.recurrence === null) throw invalid("The event is not recurring.");
  const all = await readSeries(session, event, calendar.id);
  const size = sizeOf(query.maxResults, PAGE_DEFAULT, PAGE_MAX);
  const shown = (row: EventRow) => {
    const view = eventView(row, place, query);
    return view && (query.showDeleted || view["status"] !== "cancelled") ? view : undefined;
  };
  const found = instancesOn([all], calendar, bounds, {
    ...{ order: ORDER, after: page, limit: size + 1, now: millisOf(session.source) },
    isShown: (row) => shown(row) !== undefined,
    isWanted,
  });
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  const version = page?.version ?? versionOf(event);
  return {
    ...(await envelopeOf(call, place, version)),
    ...(last && { nextPageToken: pageTokenOf({ list, version, ...cursorOf(last, ORDER) }) }),
    items: rows.flatMap((row) => shown(row) ?? []),
  };
}
