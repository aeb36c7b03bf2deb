/** Email reminders, at their time before an event. */
import { ApiError } from "~/errors";
import type { OutgoingMail } from "~/outgoing";
import { highestOf } from "~/replicas/calendar/access";
import { periodOf } from "~/replicas/calendar/events/busy";
import { copyOf, statusOf } from "~/replicas/calendar/events/copies";
import { requireEvent } from "~/replicas/calendar/events/find";
import { nameOf, textOf, visibleTo } from "~/replicas/calendar/events/notices";
import { instancesOf, withSeries } from "~/replicas/calendar/events/series";
import { isHidden } from "~/replicas/calendar/events/view";
import { whenText } from "~/replicas/calendar/events/when";
import type { CalendarSession } from "~/replicas/calendar/operation";
import type { EventRow } from "~/replicas/calendar/store/events";
import {
  type Default,
  findReminding,
  listChangedIds,
  listDefaults,
  listOwners,
  listReminding,
  type Owner,
  type Reminder,
} from "~/replicas/calendar/store/reminders";
import { millisOf } from "~/source";

const MINUTE_MS = 60_000;
/** The earliest reminder that the service accepts. */
const EARLIEST_MS = 40_320 * MINUTE_MS;
/** Whole days are in the zone of each calendar. */
const ZONES_APART_MS = 26 * 60 * MINUTE_MS;
/** The first window of a search. */
const NEAR_MS = 24 * 60 * MINUTE_MS;
/** Of one window. */
const EVENTS_MAX = 5_000;
const SENDER = { email: "calendar-notification@google.com", name: "Google Calendar" };

/** A user with reminders of an event in a calendar. */
type Reminded = Pick<Default, "me" | "calendar" | "reminders">;

/** A reminder that falls due. `event`: of a series, the instance. */
type Due = Reminded & { readonly at: number; readonly event: EventRow };

/** Moments in milliseconds since 1970. */
type Window = { readonly after: number; readonly until: number };

type Reminders = { readonly useDefault?: boolean; readonly overrides?: readonly Reminder[] };

/** The people with reminders, by calendar. */
type People = {
  readonly defaults: ReadonlyMap<string, readonly Default[]>;
  readonly owners: ReadonlyMap<string, readonly Owner[]>;
};

const byCalendar = <Each extends Owner>(all: readonly Each[]) =>
  Map.groupBy(all, ({ calendar }) => calendar.id);

const idsOfSeries = (events: readonly EventRow[]) =>
  events.flatMap(({ id, recurrence }) => (recurrence === null ? [] : [id]));

const viewsOf = ({ calendarId, attendees }: EventRow) => [
  ...new Set([calendarId, ...attendees.map(({ email }) => email)]),
];

/** Everyone with default reminders for the calendar, or its owner with the reminders that the event has there. */
function remindedOf(event: EventRow, view: string, { defaults, owners }: People): Reminded[] {
  const copy = copyOf(event, view);
  if (!copy || statusOf(event, copy) === "cancelled") return [];
  const mine = event.attendees.find(({ email }) => email === view);
  if (mine?.responseStatus === "declined") return [];
  const own = copy.of === "attendee" ? copy.attendee.own : undefined;
  const { useDefault, overrides = [] } = (
    own ? (own.reminders ?? { useDefault: true }) : event.reminders
  ) as Reminders;
  if (!useDefault)
    return (owners.get(view) ?? []).map((owner) => ({ ...owner, reminders: overrides }));
  const visibility = own?.visibility ?? event.visibility;
  return (defaults.get(view) ?? []).filter(({ roles }) => !isHidden(highestOf(roles), visibility));
}

const minutesOf = ({ reminders }: Reminded) => [
  ...new Set(reminders.flatMap(({ method, minutes }) => (method === "email" ? [minutes] : []))),
];

/** The first event, or instance of a series, of which a reminder falls due in a window. */
function firstDue(
  event: EventRow,
  { minutes, zone, changed }: { minutes: number; zone: string; changed: ReadonlySet<string> },
  { after, until }: Window,
  now: number,
): Pick<Due, "at" | "event"> | undefined {
  const early = minutes * MINUTE_MS;
  const window = { from: after + early - ZONES_APART_MS, to: until + early + ZONES_APART_MS, now };
  const rows =
    event.recurrence === null
      ? [event].values()
      : instancesOf(event, zone, window)
          .filter(({ id }) => !changed.has(id))
          .map(({ row }) => row());
  const due = rows
    .map((row) => ({ at: periodOf(row, zone).start - early, event: row }))
    .find(({ at }) => at > after);
  return due && due.at <= until ? due : undefined;
}

/** Instances that were changed have the guests of their series, unless they have their own. */
async function completed(
  session: CalendarSession,
  events: readonly EventRow[],
  defaults: readonly string[],
) {
  const ids = new Set(events.flatMap(({ recurringEventId }) => recurringEventId ?? []));
  if (ids.size === 0) return events;
  const rows = await findReminding(session, [...ids], defaults);
  const series = new Map(rows.map((each) => [each.id, each]));
  return events.map((event) => {
    const of = series.get(event.recurringEventId ?? "");
    return of ? withSeries(event, of) : event;
  });
}

/**
 * The first reminders of each event that fall due in a window, one for each person and each number of minutes before it.
 * Undefined if there are too many events.
 */
async function duesIn(session: CalendarSession, window: Window): Promise<Due[] | undefined> {
  const defaults = byCalendar(await listDefaults(session));
  const calendars = [...defaults.keys()];
  const starts = {
    from: window.after - ZONES_APART_MS,
    to: window.until + EARLIEST_MS + ZONES_APART_MS,
  };
  const found = await listReminding(session, starts, calendars, EVENTS_MAX + 1);
  if (found.length > EVENTS_MAX) return undefined;
  if (found.length === 0) return [];
  const events = await completed(session, found, calendars);
  const views = new Set(events.flatMap(viewsOf));
  const people = { defaults, owners: byCalendar(await listOwners(session, [...views])) };
  const changed = new Set(await listChangedIds(session, idsOfSeries(events)));
  const now = millisOf(session.source);
  return events.flatMap((event) =>
    viewsOf(event)
      .flatMap((view) => remindedOf(event, view, people))
      .flatMap((each) =>
        minutesOf(each).flatMap((minutes) => {
          const zone = each.calendar.timeZone;
          const due = firstDue(event, { minutes, zone, changed }, window, now);
          return due ? [{ ...due, ...each }] : [];
        }),
      ),
  );
}

const tooMany = () =>
  new ApiError(
    "invalid_request",
    `More than ${EVENTS_MAX} events with reminders by mail begin within four weeks of that time`,
  );

/** The next moment in a window at which a reminder falls due. Throws `invalid_request` for too many events. */
export async function nextReminder(
  session: CalendarSession,
  { after, until }: Window,
): Promise<number | undefined> {
  let from = after;
  // Windows grow while nothing is found in them, and are short again where there are many events.
  for (let span = NEAR_MS; from < until; ) {
    const to = Math.min(from + span, until);
    const dues = await duesIn(session, { after: from, until: to });
    if (!dues && span === NEAR_MS) throw tooMany();
    if (dues && dues.length > 0) return Math.min(...dues.map(({ at }) => at));
    if (dues) from = to;
    span = dues ? 2 * span : NEAR_MS;
  }
  return undefined;
}

/** Sends the reminders that fall due at the session's time, and returns the ids of their events. */
export async function sendReminders(session: CalendarSession): Promise<string[]> {
  const now = millisOf(session.source);
  const dues = await duesIn(session, { after: now - 1, until: now });
  if (!dues) throw tooMany();
  for (const due of dues) {
    // With all its guests: one event at a time.
    const { event } = await requireEvent({ session }, due.calendar, due.event.id);
    await session.send(mailOf(due, event));
  }
  return dues.map(({ event }) => event.id);
}

function mailOf({ me, calendar }: Due, event: EventRow): OutgoingMail {
  const when = whenText(event, calendar.timeZone);
  const name = calendar.id === me.email ? me.displayName : calendar.summary;
  const intro = "This is a reminder of the following event.";
  return {
    from: SENDER,
    to: [{ email: me.email, name: me.displayName }],
    subject: `Notification: ${nameOf(event)} @ ${when} (${name})`,
    text: textOf(event, intro, when, visibleTo(event, calendar.id)),
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
