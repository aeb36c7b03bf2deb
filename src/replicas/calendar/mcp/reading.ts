/** Tools that read. */
import { requirePlace } from "~/replicas/calendar/access";
import { listCalendars } from "~/replicas/calendar/api/calendar-list";
import { invalid } from "~/replicas/calendar/errors";
import { requireEvent } from "~/replicas/calendar/events/find";
import { listEvents, PAGE_MAX } from "~/replicas/calendar/events/listing";
import { type EventsQuery, requireZone } from "~/replicas/calendar/events/matching";
import { eventView, type View } from "~/replicas/calendar/events/view";
import { pageOf } from "~/replicas/calendar/lists";
import { calendarShape, eventShape, TYPES } from "~/replicas/calendar/mcp/shapes";
import { suggestTime } from "~/replicas/calendar/mcp/suggestions";
import { instantOf, isoOf } from "~/replicas/calendar/mcp/times";
import { PRIMARY, type Tools } from "~/replicas/calendar/mcp/tool";
import type { CalendarCall } from "~/replicas/calendar/operation";

type Page = { readonly pageSize: number; readonly pageToken?: string };

type Listing = Page & {
  readonly calendarId?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly fullText?: string;
  readonly eventType?: readonly string[];
  readonly orderBy?: string;
  readonly timeZone?: string;
};

const USUAL_TYPES = ["DEFAULT", "OUT_OF_OFFICE", "FOCUS_TIME", "FROM_GMAIL"];

function typesOf(wanted: readonly string[] = []): string[] {
  const named = wanted.filter((type) => type !== "EVENT_TYPE_UNSPECIFIED");
  const types = named.length > 0 ? named : USUAL_TYPES;
  return types.flatMap((type) => TYPES.get(type) ?? []);
}

type Listed = Awaited<ReturnType<typeof listEvents>>;

/** The calendar, with a page of its events. */
function listShape({
  kind: _,
  etag: _etag,
  items,
  ...rest
}: Omit<Listed, "items"> & { items: View[] }) {
  const { nextPageToken, ...envelope } = rest as View;
  return { ...envelope, events: items.map(eventShape), nextPageToken };
}

/** Pages from the end. All events are read, so there is a limit. */
function latestFirst(listed: Listed, page: Page) {
  if (listed.nextPageToken !== undefined)
    throw invalid(`More than ${PAGE_MAX} events: startTime and endTime are required.`);
  const list = "events latest first";
  const all = { list, kind: "", version: 0, pageToken: page.pageToken, size: page.pageSize };
  const { items, ...rest } = pageOf(listed.items.toReversed(), all, (view) => view);
  const { nextPageToken } = rest as { readonly nextPageToken?: string };
  return listShape({ ...listed, items: items as View[], ...(nextPageToken && { nextPageToken }) });
}

async function list(args: Listing, call: CalendarCall): Promise<object> {
  const { startTime, endTime, fullText, pageSize, pageToken, timeZone } = args;
  requireZone(timeZone);
  const place = await requirePlace(call, args.calendarId ?? PRIMARY);
  const zone = timeZone ?? place.calendar.timeZone;
  const query: EventsQuery = {
    singleEvents: true,
    orderBy: args.orderBy === "lastModified" ? "updated" : "startTime",
    eventTypes: typesOf(args.eventType),
    ...(startTime !== undefined && { timeMin: isoOf(instantOf(startTime, zone)) }),
    ...(endTime !== undefined && { timeMax: isoOf(instantOf(endTime, zone)) }),
    ...(fullText !== undefined && { q: fullText }),
    ...(timeZone !== undefined && { timeZone }),
  };
  if (args.orderBy === "startTimeDesc") {
    const listed = await listEvents(call, place, { ...query, maxResults: PAGE_MAX });
    return latestFirst(listed, args);
  }
  const page = { maxResults: pageSize, ...(pageToken !== undefined && { pageToken }) };
  return listShape(await listEvents(call, place, { ...query, ...page }));
}

const SEARCH_SIZE = 100;

async function search(args: Partial<Page> & { readonly query: string }, call: CalendarCall) {
  const { query, pageSize = SEARCH_SIZE, pageToken } = args;
  const listed = await listEvents(call, await requirePlace(call, PRIMARY), {
    ...{ q: query, singleEvents: true, orderBy: "startTime" },
    ...{ maxResults: pageSize, ...(pageToken !== undefined && { pageToken }) },
  });
  return listShape(listed);
}

type One = { readonly eventId: string; readonly calendarId?: string };

export const reading: Tools = {
  list_events: list,
  async get_event({ eventId, calendarId = PRIMARY }: One, call) {
    const place = await requirePlace(call, calendarId);
    const { event } = await requireEvent(call, place.calendar, eventId);
    return eventShape(eventView(event, place));
  },
  async list_calendars({ pageSize, pageToken }: Page, call) {
    const page = { maxResults: pageSize, ...(pageToken !== undefined && { pageToken }) };
    const { items, ...rest } = await listCalendars(call, page);
    const { nextPageToken } = rest as { readonly nextPageToken?: string };
    return { calendars: items.map((entry) => calendarShape(entry as View)), nextPageToken };
  },
  suggest_time: suggestTime,
  search_events: search,
};
