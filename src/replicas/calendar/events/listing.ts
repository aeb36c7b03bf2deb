/** Pages of the events of a calendar. */
import type { Place } from "~/replicas/calendar/access";
import { CalendarError } from "~/replicas/calendar/errors";
import { listChanges } from "~/replicas/calendar/events/changed";
import {
  type EventsQuery,
  requireZone,
  testOf,
  windowOf,
} from "~/replicas/calendar/events/matching";
import { cursorOf, isBefore, occurrencesIn } from "~/replicas/calendar/events/occurrences";
import { eventView, type Item, type View } from "~/replicas/calendar/events/view";
import { sizeOf } from "~/replicas/calendar/lists";
import type { CalendarCall } from "~/replicas/calendar/operation";
import { rulesVersion } from "~/replicas/calendar/store/acl";
import {
  type Cursor,
  type EventRow,
  eventsVersion,
  listSingles,
} from "~/replicas/calendar/store/events";
import { listEntries } from "~/replicas/calendar/store/lists";
import {
  fullSyncRequired,
  listEtagOf,
  pageTokenOf,
  readPageToken,
  readSyncToken,
  syncTokenOf,
} from "~/replicas/calendar/tokens";
import { millisOf } from "~/source";

export const PAGE_DEFAULT = 250;
export const PAGE_MAX = 2_500;
/** Rows that are read together, of which a search may show a few. */
const BATCH = 500;
const DAY_MS = 24 * 3600 * 1000;
const UPDATED_MIN_DAYS = 28;

const ordered = (items: readonly Item[]) =>
  items.toSorted((a, b) => (isBefore(a.key, b.key) ? -1 : 1));

/** Parameters that a list with a sync token does not have, and that prevent one. */
const RESTRICTIONS = [
  "iCalUID",
  "orderBy",
  "privateExtendedProperty",
  "q",
  "sharedExtendedProperty",
  "timeMax",
  "timeMin",
  "updatedMin",
] as const;

const isRestricted = (query: EventsQuery) => RESTRICTIONS.some((name) => query[name] !== undefined);

function requireQuery(query: EventsQuery): void {
  const { orderBy, singleEvents, syncToken, timeZone } = query;
  requireZone(timeZone);
  if (orderBy === "startTime" && !singleEvents)
    throw new CalendarError(
      "badRequest",
      "The requested ordering is not available for the particular query.",
    );
  if (syncToken !== undefined && (isRestricted(query) || query.showDeleted === false))
    throw new CalendarError(
      "badRequest",
      "Sync token cannot be used with other request restrictions",
    );
}

type Wanted = {
  readonly call: CalendarCall;
  readonly place: Place;
  readonly query: EventsQuery;
  readonly after: Cursor | undefined;
  readonly limit: number;
};

/** Events that the calendar shows to the user, and that the query asks for. */
function shownBy({ place, query }: Pick<Wanted, "place" | "query">) {
  const { timeZone, maxAttendees } = query;
  const settings = place.me.settings as { readonly hideInvitations?: string };
  const test = testOf(query, settings.hideInvitations === "true");
  const withCancelled = query.showDeleted || query.updatedMin !== undefined;
  return (event: EventRow): View[] => {
    const view = eventView(event, place, { timeZone, maxAttendees });
    if (!view || !test(view)) return [];
    const isException = view["recurringEventId"] !== undefined && !query.singleEvents;
    return view["status"] === "cancelled" && !withCancelled && !isException ? [] : [view];
  };
}

/** Singles from the database in batches, and what series make of the same window. */
async function readItems(wanted: Wanted): Promise<Item[]> {
  const { call, place, query, after, limit } = wanted;
  const order = query.orderBy === "updated" ? "updated" : "startAt";
  const show = shownBy(wanted);
  const window = {
    ...{ view: place.calendar.id, ...windowOf(query), uid: query.iCalUID },
    withCancelled: Boolean(query.showDeleted) || query.updatedMin !== undefined,
  };
  const itemsOf = (events: readonly EventRow[]): Item[] =>
    events.flatMap((event) => show(event).map((view) => ({ key: cursorOf(event, order), view })));
  const repeated = await occurrencesIn(call.session, place.calendar, window, {
    areSingle: query.singleEvents ?? false,
    ...{ order, after, limit },
    isShown: (event) => show(event).length > 0,
  });
  const items = itemsOf(repeated).filter(({ key }) => !after || isBefore(after, key));
  let cursor = after;
  for (let found = 0; found < limit; ) {
    const rows = await listSingles(call.session, window, { order, after: cursor, limit: BATCH });
    const page = itemsOf(rows);
    items.push(...page);
    found += page.length;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) break;
    cursor = {
      at: order === "updated" ? last.updated.getTime() : last.startAt.getTime(),
      id: last.id,
    };
  }
  return ordered(items).slice(0, limit);
}

/** The body of events.list. */
export async function listEvents(call: CalendarCall, place: Place, query: EventsQuery) {
  requireQuery(query);
  const { session } = call;
  const { calendar } = place;
  const list = `events ${calendar.id}${query.singleEvents ? " single" : ""}`;
  const since = readSyncToken(query.syncToken, list);
  const page = readPageToken(query.pageToken, since === undefined ? list : `${list} ${since}`);
  requireRecent(call, query);
  const version = page?.version ?? (await eventsVersion(session));
  const rules = await rulesVersion(session, calendar.id);
  if (since !== undefined && rules > since) throw fullSyncRequired();
  const size = sizeOf(query.maxResults, PAGE_DEFAULT, PAGE_MAX);
  const wanted = { call, place, query, after: page, limit: size + 1 };
  const items =
    since === undefined
      ? await readItems(wanted)
      : await listChanges(call.session, place, query, { since, after: page, limit: size + 1 });
  const shown = items.slice(0, size);
  const last = items.length > size ? shown.at(-1) : undefined;
  return {
    ...(await envelopeOf(call, place, Math.max(version, rules))),
    ...(last && {
      nextPageToken: pageTokenOf({
        ...{ list: since === undefined ? list : `${list} ${since}`, version, ...last.key },
      }),
    }),
    ...(!last &&
      !isRestricted(query) && { nextSyncToken: syncTokenOf(list, Math.max(version, rules)) }),
    items: shown.map(({ view }) => view),
  };
}

function requireRecent({ session }: CalendarCall, { updatedMin }: EventsQuery): void {
  const at = updatedMin === undefined ? undefined : Date.parse(updatedMin);
  if (at !== undefined && at < session.source.micros / 1_000 - UPDATED_MIN_DAYS * DAY_MS)
    throw new CalendarError(
      "updatedMinTooLongAgo",
      "The requested minimum modification time lies too far in the past.",
      ["parameter", "updatedMin"],
    );
}

export async function envelopeOf(
  { session }: CalendarCall,
  { me, calendar, role }: Place,
  version: number,
) {
  const [entry] = await listEntries(session, me, { id: calendar.id, withDeleted: false });
  const { summary, description, timeZone } = calendar;
  return {
    ...{ kind: "calendar#events", etag: listEtagOf(version), summary },
    ...(description !== null && { description }),
    updated: new Date(millisOf(session.source)).toISOString(),
    ...{ timeZone, accessRole: role, defaultReminders: entry?.entry.defaultReminders ?? [] },
  };
}
