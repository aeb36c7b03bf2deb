/** Creates events. */
import { type Place, requireWriter } from "~/replicas/calendar/access";
import { CalendarError } from "~/replicas/calendar/errors";
import { readAttendees } from "~/replicas/calendar/events/attendees";
import { columnsOf, updatesOf, type WriteOptions } from "~/replicas/calendar/events/columns";
import type { EventResource } from "~/replicas/calendar/events/resource";
import { insertEvent, requireWritten } from "~/replicas/calendar/events/writing";
import { newEventId, requireEventId, uidOf } from "~/replicas/calendar/ids";
import type { WritingCall } from "~/replicas/calendar/operation";
import { type EventRow, findEvents } from "~/replicas/calendar/store/events";

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
  const { source } = session;
  const columns = columnsOf(body, place, source, options);
  const attendees = readAttendees(body.attendees ?? []);
  const id = body.id ? requireEventId(body.id) : newEventId(source);
  const [taken] = await findEvents(session, [id]);
  if (taken) throw new CalendarError("duplicate", "The requested identifier already exists.");
  const identity = {
    ...{ id, calendarId: place.calendar.id, iCalUID: body.iCalUID ?? uidOf(id) },
    ...{ organizer: organizerOf(place), creator: { email: place.me.email } },
    ...{ recurringEventId: null, originalStartTime: null },
  };
  const sendUpdates = updatesOf(options);
  await insertEvent(call, identity, columns, attendees, { sendUpdates, sequence: 0 });
  return await requireWritten(call, id);
}
