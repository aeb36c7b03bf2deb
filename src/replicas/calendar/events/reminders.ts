/** Reminders by mail, at their time before an event. */
import { ApiError } from "~/errors";
import type { OutgoingMail } from "~/outgoing";
import { highestOf } from "~/replicas/calendar/access";
import { periodOf } from "~/replicas/calendar/events/busy";
import { copyOf, statusOf } from "~/replicas/calendar/events/copies";
import { nameOf, textOf, visibleTo } from "~/replicas/calendar/events/notices";
import { instancesOf, withSeries } from "~/replicas/calendar/events/series";
import { isHidden } from "~/replicas/calendar/events/view";
import { whenText } from "~/replicas/calendar/events/when";
import type { CalendarSession } from "~/replicas/calendar/operation";
import { type EventRow, findEvents } from "~/replicas/calendar/store/events";
import {
  type Default,
  listChangedIds,
  listDefaults,
  listOwners,
  listReminding,
  type Owner,
  type Reminder,
} from "~/replicas/calendar/store/reminders";
import { millisOf } from "~/source";

const MINUTE_MS = 60_000;
/** The earliest reminder of the service. */
const EARLIEST_MS = 40_320 * MINUTE_MS;
/** Whole days are in the zone of each calendar. */
const ZONES_APART_MS = 26 * 60 * MINUTE_MS;
const NEAR_MS = EARLIEST_MS;
const EVENTS_MAX = 5_000;
const SENDER = { email: "calendar-notification@google.com", name: "Google Calendar" };

/** Someone who is reminded of an event in a calendar. */
type Reminded = Pick<Default, "me" | "calendar" | "reminders">;

/** A reminder that falls due. `event`: of a series, the instance. */
type Due = Reminded & { readonly at: number; readonly event: EventRow };

/** Moments in milliseconds since 1970. */
type Window = { readonly after: number; readonly until: number };

type Own = { readonly useDefault?: boolean; readonly overrides?: readonly Reminder[] };

/** The reminders of a copy of an event. Undefined if it reminds nobody. */
function remindersOf(event: EventRow, view: string): Own | undefined {
  const copy = copyOf(event, view);
  if (!copy || statusOf(event, copy) === "cancelled") return undefined;
  const mine = event.attendees.find(({ email }) => email === view);
  if (mine?.responseStatus === "declined") return undefined;
  if (copy.of === "organizer") return event.reminders as Own;
  return (mine?.own.reminders as Own | undefined) ?? { useDefault: true };
}

const idsOfSeries = (events: readonly EventRow[]) =>
  events.flatMap(({ id, recurrence }) => (recurrence === null ? [] : [id]));

const viewsOf = ({ calendarId, attendees }: EventRow) => [
  ...new Set([calendarId, ...attendees.map(({ email }) => email)]),
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
  return rows
    .map((row) => ({ at: periodOf(row, zone).start - early, event: row }))
    .filter(({ at }) => at > after)
    .take(1)
    .find(({ at }) => at <= until);
}

/** The first reminders of each event in a window, one for each person and lead time. Throws `invalid_request` for too many events. */
async function duesIn(session: CalendarSession, window: Window): Promise<Due[]> {
  const defaults = await listDefaults(session);
  const starts = {
    from: window.after - ZONES_APART_MS,
    to: window.until + EARLIEST_MS + ZONES_APART_MS,
  };
  const listed = defaults.map(({ calendar }) => calendar.id);
  const found = await listReminding(session, starts, listed, EVENTS_MAX + 1);
  if (found.length > EVENTS_MAX)
    throw new ApiError(
      "invalid_request",
      `More than ${EVENTS_MAX} events with reminders by mail begin within four weeks of that time`,
    );
  const events = await completed(session, found);
  const owners = await listOwners(session, [...new Set(events.flatMap(viewsOf))]);
  const changed = new Set(await listChangedIds(session, idsOfSeries(events)));
  const now = millisOf(session.source);
  return events.flatMap((event) =>
    viewsOf(event)
      .flatMap((view) => remindedOf(event, view, { defaults, owners }))
      .flatMap((each) =>
        minutesOf(each).flatMap((minutes) => {
          const zone = each.calendar.timeZone;
          const due = firstDue(event, { minutes, zone, changed }, window, now);
          return due ? [{ ...due, ...each }] : [];
        }),
      ),
  );
}

/** Instances that were changed have the guests of their series, unless they have their own. */
async function completed(session: CalendarSession, events: readonly EventRow[]) {
  const ids = new Set(events.flatMap(({ recurringEventId }) => recurringEventId ?? []));
  const series = new Map((await findEvents(session, [...ids])).map((each) => [each.id, each]));
  return events.map((event) => {
    const of = series.get(event.recurringEventId ?? "");
    return of ? withSeries(event, of) : event;
  });
}

const minutesOf = ({ reminders }: Reminded) => [
  ...new Set(reminders.flatMap(({ method, minutes }) => (method === "email" ? [minutes] : []))),
];

/** Who is reminded of an event in a calendar: everyone by his defaults, or the owner as the event says. */
function remindedOf(
  event: EventRow,
  view: string,
  {
    defaults,
    owners,
  }: { readonly defaults: readonly Default[]; readonly owners: readonly Owner[] },
): Reminded[] {
  const own = remindersOf(event, view);
  if (!own) return [];
  const isHere = ({ calendar }: Owner) => calendar.id === view;
  if (!own.useDefault)
    return owners.filter(isHere).map((owner) => ({ ...owner, reminders: own.overrides ?? [] }));
  return defaults.filter(
    (each) => isHere(each) && !isHidden(highestOf(each.roles), event.visibility),
  );
}

/** The next moment in a window at which a reminder falls due. */
export async function nextReminder(
  session: CalendarSession,
  { after, until }: Window,
): Promise<number | undefined> {
  // What is far away is read only if nothing is near.
  for (let [from, span] = [after, NEAR_MS]; from < until; from += span, span *= 2) {
    const dues = await duesIn(session, { after: from, until: Math.min(from + span, until) });
    if (dues.length > 0) return Math.min(...dues.map(({ at }) => at));
  }
  return undefined;
}

/** Sends the reminders that fall due at the session's time, and returns the ids of their events. */
export async function sendReminders(session: CalendarSession): Promise<string[]> {
  const now = millisOf(session.source);
  const dues = await duesIn(session, { after: now - 1, until: now });
  for (const due of dues) await session.send(mailOf(due));
  return dues.map(({ event }) => event.id);
}

function mailOf({ me, calendar, event }: Due): OutgoingMail {
  const when = whenText(event, calendar.timeZone);
  const name = calendar.id === me.email ? me.displayName : calendar.summary;
  return {
    from: SENDER,
    to: [{ email: me.email, name: me.displayName }],
    subject: `Notification: ${nameOf(event)} @ ${when} (${name})`,
    text: textOf(
      event,
      "This is a reminder of the following event.",
      when,
      visibleTo(event, calendar.id),
    ),
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
