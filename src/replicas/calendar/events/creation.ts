/** Creates events. */
import { type Place, requireWriter } from "~/replicas/calendar/access";
import { CalendarError } from "~/replicas/calendar/errors";
import { answerForGuests, declinesAll } from "~/replicas/calendar/events/answering";
import { readAttendees, requireInviter } from "~/replicas/calendar/events/attendees";
import { declineConflicts } from "~/replicas/calendar/events/changes";
import { columnsOf, updatesOf, type WriteOptions } from "~/replicas/calendar/events/columns";
import { tellGuests } from "~/replicas/calendar/events/notices";
import type { EventResource } from "~/replicas/calendar/events/resource";
import { insertEvent, requireWritten } from "~/replicas/calendar/events/writing";
import { newEventId, uidOf } from "~/replicas/calendar/ids";
import type { WritingCall } from "~/replicas/calendar/operation";
import { type EventRow, findEvents, type Guests } from "~/replicas/calendar/store/events";

/** The organizer of the events of a calendar. */
export const organizerOf = ({ calendar, me }: Place): EventRow["organizer"] => ({
  email: calendar.id,
  ...(calendar.id.endsWith("calendar.google.com") &&
    calendar.id !== me.email && { displayName: calendar.summary }),
});

export async function createEvent(
  call: WritingCall,
  place: Place,
  body: EventResource,
  options: WriteOptions,
): Promise<EventRow> {
  requireWriter(place);
  const { session } = call;
  const id = body.id || newEventId(session.source);
  const [taken] = await findEvents(session, [id]);
  if (taken) throw new CalendarError("duplicate", "The requested identifier already exists.");
  const identity = { id, iCalUID: body.iCalUID ?? uidOf(id), organizer: organizerOf(place) };
  return await addEvent(call, place, identity, body, options);
}

/** Inserts an event of a calendar, which is no instance of a series. */
export async function addEvent(
  call: WritingCall,
  place: Place,
  identity: Pick<EventRow, "id" | "iCalUID" | "organizer">,
  body: EventResource,
  options: WriteOptions,
  guests: Guests = {},
): Promise<EventRow> {
  const columns = columnsOf(body, place, call.session.source, options);
  const whole = {
    ...{ ...identity, calendarId: place.calendar.id, creator: { email: place.me.email } },
    ...{ recurringEventId: null, originalStartTime: null },
  };
  const known = { ...columns, guests: { ...columns.guests, ...guests } };
  const attendees = readAttendees(body.attendees ?? []);
  if (!guests.isImported) requireInviter(place, attendees, []);
  const sendUpdates = updatesOf(options);
  await insertEvent(call, whole, known, attendees, { sendUpdates, sequence: 0 });
  const after = await requireWritten(call, identity.id);
  await tellGuests(call, place, { before: undefined, after }, sendUpdates);
  if (declinesAll(after)) await declineConflicts(call, place, after, sendUpdates);
  return await answerForGuests(call, place, { before: undefined, after }, sendUpdates);
}
