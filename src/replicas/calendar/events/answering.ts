/**
 * Automatic answers to invitations: rooms accept them if they are free, and out-of-office and focus-time events decline
 * those that conflict with them.
 */
import type { Place } from "~/replicas/calendar/access";
import { blockersIn, type Period, periodOf } from "~/replicas/calendar/events/busy";
import { tellGuests } from "~/replicas/calendar/events/notices";
import { instancesOf } from "~/replicas/calendar/events/series";
import { isMoved, requireWritten, stampOf } from "~/replicas/calendar/events/writing";
import type { WritingCall } from "~/replicas/calendar/operation";
import {
  type AnsweringCalendar,
  answeringOf,
  DECLINING,
} from "~/replicas/calendar/store/calendars";
import type { AttendeeRow, EventRow } from "~/replicas/calendar/store/events";
import { update } from "~/replicas/calendar/store/write";
import { millisOf } from "~/source";

/** A room is checked for so many occurrences of a series, of its first two years. */
const OCCURRENCES_MAX = 100;
const SERIES_MS = 2 * 365 * 24 * 3_600_000;

const EVERYTHING = "declineAllConflictingInvitations";

type Declining = { readonly autoDeclineMode?: string; readonly declineMessage?: string };

const decliningOf = ({ properties }: EventRow) => (properties ?? {}) as Declining;
const declines = (event: EventRow) => DECLINING.includes(decliningOf(event).autoDeclineMode ?? "");

/** True of a new event, or of one at another time, that declines what its owner has already been invited to. */
export const declinesAll = (event: EventRow): boolean =>
  event.status !== "cancelled" && decliningOf(event).autoDeclineMode === EVERYTHING;

export const messageOf = (event: EventRow): string | null =>
  decliningOf(event).declineMessage ?? null;

/** In order. */
function periodsOf(event: EventRow, zone: string, now: number): Period[] {
  if (event.recurrence === null) return [periodOf(event, zone)];
  const to = event.startAt.getTime() + SERIES_MS;
  const instances = instancesOf(event, zone, { now, to }).take(OCCURRENCES_MAX);
  return [...instances.map(({ row }) => periodOf(row(), zone))];
}

const overlap = (one: Period, two: Period) => one.start < two.end && two.start < one.end;

const familyOf = ({ id, recurringEventId }: EventRow) => recurringEventId ?? id;

/** From the first of these periods to the end of the last. `periods`: in order, at least one. */
const around = (periods: readonly Period[]) => ({
  from: Math.min(...periods.map(({ start }) => start)),
  to: Math.max(...periods.map(({ end }) => end)),
});

/** The events of a calendar that fall into the times of another one. */
export async function conflictsOf(
  { session }: Pick<WritingCall, "session">,
  event: EventRow,
  place: Pick<Place, "calendar">,
  isMeant: (other: EventRow) => boolean,
): Promise<EventRow[]> {
  const { timeZone } = place.calendar;
  const periods = periodsOf(event, timeZone, millisOf(session.source));
  if (periods.length === 0) return [];
  const family = familyOf(event);
  const isOther = (other: EventRow) => familyOf(other) !== family && isMeant(other);
  const found = await blockersIn(session, place.calendar, around(periods), isOther);
  return found.filter((other) => {
    const taken = periodOf(other, timeZone);
    return periods.some((each) => overlap(each, taken));
  });
}

async function answerOf(call: WritingCall, event: EventRow, { calendar }: AnsweringCalendar) {
  const isRoom = calendar.autoAcceptInvitations;
  const [conflict] = await conflictsOf(call, event, { calendar }, isRoom ? () => true : declines);
  if (isRoom) return { responseStatus: conflict ? "declined" : "accepted" };
  return conflict && { responseStatus: "declined", comment: messageOf(conflict) };
}

/** Whose answer is asked for: of those who are new, or of all after another time. An organizer needs none. */
function isAsked(before: EventRow | undefined, after: EventRow) {
  const known = before && !isMoved(before, after) ? before.attendees : [];
  const answered = new Set([after.organizer.email, ...known.map(({ email }) => email)]);
  return ({ eventId, email, responseStatus }: AttendeeRow) =>
    eventId === after.id && responseStatus === "needsAction" && !answered.has(email);
}

/** Answers for guests who are invited to a new event or a new time, and returns the event as it is then. */
export async function answerForGuests(
  call: WritingCall,
  place: Place,
  { before, after }: { readonly before: EventRow | undefined; readonly after: EventRow },
  sendUpdates: string | null,
): Promise<EventRow> {
  // Guests of an imported event do not have it.
  if (after.status === "cancelled" || after.guests.isImported) return after;
  const asked = after.attendees.filter(isAsked(before, after)).map(({ email }) => email);
  if (asked.length === 0) return after;
  const periods = periodsOf(after, place.calendar.timeZone, millisOf(call.session.source));
  if (periods.length === 0) return after;
  let answered = after;
  for (const answering of await answeringOf(call.session, asked, around(periods))) {
    const email = answering.calendar.id;
    const answer = await answerOf(call, after, answering);
    if (!answer) continue;
    const key = { eventId: after.id, email };
    await update(call.session, "event_attendees", key, { ...answer, ...stampOf(call) });
    const known = answered;
    answered = await requireWritten(call, after.id);
    if (answering.me)
      await tellGuests(
        call,
        { me: answering.me, calendar: answering.calendar, role: "owner" },
        { before: known, after: answered },
        sendUpdates,
      );
  }
  return answered;
}
