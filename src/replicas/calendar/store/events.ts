/** Events with their attendees. A view is the calendar that shows them: of the organizer, or of an attendee. */
import type { Fragment } from "~/db/connect";
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { Rows } from "~/replicas/calendar/store/rows";
import type { EventTime } from "~/replicas/calendar/times";

/** Fields of the copy of an attendee that he changes for himself. */
export type Own = {
  readonly colorId?: string | undefined;
  readonly transparency?: string | undefined;
  readonly visibility?: string | undefined;
  readonly reminders?: unknown;
  readonly private?: Readonly<Record<string, string>> | undefined;
  /** He has removed his copy. */
  readonly isDeleted?: boolean | undefined;
};

/** Read as JSON: the time is a text. */
export type AttendeeRow = Omit<Rows["event_attendees"], "own" | "updated" | "version"> & {
  readonly own: Own;
  readonly updated: string;
  readonly version: number;
};

/** The rights of guests, where they are not the default, and former guests. */
export type Guests = {
  readonly anyoneCanAddSelf?: boolean;
  readonly guestsCanInviteOthers?: boolean;
  readonly guestsCanModify?: boolean;
  readonly guestsCanSeeOtherGuests?: boolean;
  /** Addresses of former attendees: their copies are cancelled. */
  readonly removed?: readonly string[];
  /** The instance of a series has attendees of its own, not those of the series. */
  readonly areOwn?: boolean;
  /** A copy of an event from elsewhere, which its attendees do not have. */
  readonly isImported?: boolean;
};

export type EventRow = Omit<
  Rows["events"],
  "start" | "end" | "originalStartTime" | "organizer" | "creator" | "guests"
> & {
  readonly start: EventTime;
  readonly end: EventTime;
  readonly originalStartTime: EventTime | null;
  readonly organizer: { readonly email: string; readonly displayName?: string };
  readonly creator: { readonly email: string; readonly displayName?: string };
  readonly guests: Guests;
  readonly attendees: readonly AttendeeRow[];
};

/** `whose`: a condition on the attendees that are wanted, `a`. */
export const withAttendees = (
  { sql, t }: CalendarSession,
  whose: Fragment = sql``,
): Fragment => sql`
  e.*, coalesce((
    select jsonb_agg(to_jsonb(a) order by a.position, a.email) from ${t.event_attendees} a
    where a."eventId" = e.id ${whose}
  ), '[]') as attendees
`;

export async function findEvents(
  session: CalendarSession,
  ids: readonly string[],
): Promise<EventRow[]> {
  const { sql, t } = session;
  return await sql<EventRow[]>`
    select ${withAttendees(session)} from ${t.events} e where e.id = any(${[...ids]}::text[])
  `;
}

/** The id of the event of a calendar with this UID, which may be cancelled. */
export async function findByUid(
  { sql, t }: CalendarSession,
  calendarId: string,
  uid: string,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from ${t.events}
    where "iCalUID" = ${uid} and "calendarId" = ${calendarId} and "recurringEventId" is null
    order by id limit 1
  `;
  return row?.id;
}

/** The changed instances of series. */
export async function listExceptions(
  session: CalendarSession,
  series: readonly string[],
  limit: number,
): Promise<EventRow[]> {
  const { sql, t } = session;
  if (series.length === 0) return [];
  // `offset 0`: by the series, not in the order of ids until enough are found.
  return await sql<EventRow[]>`
    select ${withAttendees(session)} from (
      select * from ${t.events} where "recurringEventId" = any(${[...series]}::text[]) offset 0
    ) e order by e.id limit ${limit}
  `;
}

/** A place in the order of a list: the time by which it is ordered, in milliseconds, and the id. */
export type Cursor = { readonly at: number; readonly id: string };

/** Of one calendar: its events, and those to which its owner is invited. */
export type Window = Span & { readonly view: string };

export type Span = {
  /** Events that end after this moment, in milliseconds, and begin before that one. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly uid: string | undefined;
  readonly withCancelled: boolean;
};

export const moment = ({ sql }: CalendarSession, at: number): Fragment =>
  sql`${new Date(at).toISOString()}::timestamptz`;

/** Such events have an index of their own. A window reads the others by their start. */
export const LONG = `"endAt" - "startAt" > interval '31 days'`;
export const LONG_MS = 31 * 24 * 3600 * 1000;

/** The conditions of a window. `name`: of the events in the statement. */
function conditionsOf(
  session: CalendarSession,
  { from, to, uid, withCancelled }: Span,
  name = "e",
) {
  const { sql } = session;
  const e = sql(name);
  return sql`
    ${from === undefined ? sql`` : sql`and (${e}."endAt" is null or ${e}."endAt" > ${moment(session, from)})`}
    ${to === undefined ? sql`` : sql`and ${e}."startAt" < ${moment(session, to)}`}
    ${uid === undefined ? sql`` : sql`and ${e}."iCalUID" = ${uid}`}
    ${withCancelled ? sql`` : sql`and ${e}.status <> 'cancelled'`}
  `;
}

type SingleOrder = "startAt" | "updated";

/** The events of a view that are no series, at most as many as a page has. */
function singlesOf(
  session: CalendarSession,
  window: Span,
  view: Fragment,
  { order, after, limit }: { order: SingleOrder; after: Cursor | undefined; limit: number },
) {
  const { sql, t } = session;
  const { from } = window;
  const column = sql(order);
  const shared = sql`
    and e.recurrence is null and e."recurringEventId" is null ${conditionsOf(session, window)}
    ${after ? sql`and (e.${column}, e.id) > (${moment(session, after.at)}, ${after.id})` : sql``}
  `;
  const page = sql`order by e.${column}, e.id limit ${limit}`;
  const isSplit = from !== undefined && order === "startAt";
  const recent = isSplit
    ? sql`and e."startAt" > ${moment(session, from - LONG_MS)} and not (${sql.unsafe(LONG)})`
    : sql``;
  const rows = sql`
    (select e.* from ${t.events} e where e."calendarId" = ${view} ${shared} ${recent} ${page})
    ${isSplit ? sql`union all (select e.* from ${t.events} e where e."calendarId" = ${view} ${shared} and ${sql.unsafe(LONG)} ${page})` : sql``}
    union all (
      select e.* from ${t.event_attendees} g join ${t.events} e on e.id = g."eventId"
      where g.email = ${view} and e."calendarId" <> ${view} ${shared} ${page}
    )
  `;
  return { rows, page };
}

/** The series of a view, and instances that attendees are invited to without the series. */
function seriesOf(session: CalendarSession, window: Span, view: Fragment): Fragment {
  const { sql, t } = session;
  // A changed instance may be outside of the time of its series.
  const isWithin = sql`(
    (true ${conditionsOf(session, window)}) or e.recurrence is not null and exists (
      select from ${t.events} x where x."recurringEventId" = e.id ${conditionsOf(session, window, "x")} offset 0
    )
  )`;
  return sql`
    select e.* from ${t.events} e where e."calendarId" = ${view} and e.recurrence is not null and ${isWithin}
    union all
    select e.* from ${t.event_attendees} g join ${t.events} e on e.id = g."eventId"
    where g.email = ${view} and e."calendarId" <> ${view}
      and (e.recurrence is not null or e."recurringEventId" is not null) and ${isWithin}
  `;
}

/** A page of the events that are no series, in an order of time and id. */
export async function listSingles(
  session: CalendarSession,
  { view, ...window }: Window,
  page: { order: SingleOrder; after: Cursor | undefined; limit: number },
): Promise<EventRow[]> {
  const { sql } = session;
  const found = singlesOf(session, window, sql`${view}`, page);
  return await sql<EventRow[]>`
    select ${withAttendees(session)} from (${found.rows}) e ${found.page}
  `;
}

export async function listSeries(
  session: CalendarSession,
  { view, ...window }: Window,
  limit: number,
): Promise<EventRow[]> {
  const { sql } = session;
  return await sql<EventRow[]>`
    select ${withAttendees(session)} from (${seriesOf(session, window, sql`${view}`)}) e
    order by e."startAt", e.id limit ${limit}
  `;
}

/** A row with the view that has it. Of the attendees, it has the view's own entry only. */
export type Seen = EventRow & { readonly view: string };

/** The events of several views in a window: those that are no series, and series. `max`: of all views. */
export async function listSeen(
  session: CalendarSession,
  views: readonly string[],
  window: Span,
  max: { readonly singles: number; readonly series: number },
): Promise<{ readonly singles: Seen[]; readonly series: Seen[] }> {
  const { sql } = session;
  const of = (rows: Fragment, limit: number) => sql<Seen[]>`
    select v.view, ${withAttendees(session, sql`and a.email = v.view`)} from unnest(${[...views]}::text[]) v(view)
    cross join lateral (${rows}) e limit ${limit}
  `;
  const view = sql`v.view`;
  const page = { order: "startAt", after: undefined, limit: max.singles } as const;
  const singles = await of(singlesOf(session, window, view, page).rows, max.singles);
  return { singles, series: await of(seriesOf(session, window, view), max.series) };
}

/** The number of the last change of any event. */
export async function eventsVersion({ sql, t }: CalendarSession): Promise<number> {
  const [row] = await sql<{ version: number }[]>`
    select greatest(
      0, (select max(version) from ${t.events}), (select max(version) from ${t.event_attendees})
    )::float8 as version
  `;
  return row?.version ?? 0;
}

/** Events that changed after a number, in the order of their ids; also those that the caller does not see. `first`: the first id. */
export async function listChanged(
  session: CalendarSession,
  since: number,
  { first, limit }: { first: string; limit: number },
): Promise<EventRow[]> {
  const { sql, t } = session;
  // `offset 0`: a look-up for each change, not a walk through all events in their order.
  return await sql<EventRow[]>`
    select ${withAttendees(session)} from (
      select id from ${t.events} where version > ${since}
      union select "eventId" from ${t.event_attendees} where version > ${since}
    ) changed cross join lateral (select * from ${t.events} where id = changed.id offset 0) e
    where changed.id >= ${first} order by e.id limit ${limit}
  `;
}

/** Cancels every event of a calendar. */
export async function cancelEvents(
  { sql, t }: CalendarSession,
  calendarId: string,
  updated: Date,
  version: number,
): Promise<void> {
  await sql`
    update ${t.events}
    set status = 'cancelled', sequence = sequence + 1, updated = ${updated}, version = ${version}
    where "calendarId" = ${calendarId} and status <> 'cancelled'
  `;
}
