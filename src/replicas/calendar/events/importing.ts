/** Private copies of events that belong elsewhere: their attendees do not have them. */
import { type Place, requireWriter } from "~/replicas/calendar/access";
import { CalendarError, invalid, required } from "~/replicas/calendar/errors";
import { changeEvent } from "~/replicas/calendar/events/changes";
import type { WriteOptions } from "~/replicas/calendar/events/columns";
import { addEvent, organizerOf } from "~/replicas/calendar/events/creation";
import type { EventResource } from "~/replicas/calendar/events/resource";
import { isAddress, newEventId } from "~/replicas/calendar/ids";
import type { WritingCall } from "~/replicas/calendar/operation";
import { type EventRow, findByUid } from "~/replicas/calendar/store/events";

function importedOrganizer({ organizer }: EventResource, place: Place): EventRow["organizer"] {
  const { email, displayName } = organizer ?? {};
  if (!email) return organizerOf(place);
  if (!isAddress(email)) throw invalid("Invalid organizer email.");
  return { email: email.toLowerCase(), ...(displayName && { displayName }) };
}

/** Throws for an event that the owner of the calendar neither organizes nor attends. Text: kewisch/gdata-provider#1049. */
function requireParticipant({ attendees }: EventResource, organizer: string, place: Place): void {
  const people = [organizer, ...(attendees ?? []).map(({ email }) => email?.toLowerCase())];
  if (!people.includes(place.calendar.id))
    throw new CalendarError(
      "participantIsNeitherOrganizerNorAttendee",
      "The owner of the calendar must either be the organizer or an attendee of an event that is imported.",
    );
}

/** Creates the event, or replaces the one of the same UID. */
export async function importEvent(
  call: WritingCall,
  place: Place,
  body: EventResource,
  options: WriteOptions,
): Promise<EventRow> {
  requireWriter(place);
  const { iCalUID, eventType = "default" } = body;
  if (!iCalUID) throw required();
  if (eventType !== "default")
    throw new CalendarError("eventTypeRestriction", "Only default events can be imported.");
  const { session } = call;
  const known = await findByUid(session, place.calendar.id, iCalUID);
  if (known !== undefined)
    return await changeEvent(call, place, known, { body, replaces: true }, options);
  const organizer = importedOrganizer(body, place);
  requireParticipant(body, organizer.email, place);
  const identity = { id: newEventId(session.source), iCalUID, organizer };
  return await addEvent(call, place, identity, body, options, { isImported: true });
}
