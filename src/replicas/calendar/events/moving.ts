/** Moves an event to another calendar, which becomes its organizer. */
import { type Place, requireWriter } from "~/replicas/calendar/access";
import { CalendarError } from "~/replicas/calendar/errors";
import { updatesOf, type WriteOptions } from "~/replicas/calendar/events/columns";
import { copyOf } from "~/replicas/calendar/events/copies";
import { organizerOf } from "~/replicas/calendar/events/creation";
import { requireEvent } from "~/replicas/calendar/events/find";
import { tellGuests } from "~/replicas/calendar/events/notices";
import { readSeries } from "~/replicas/calendar/events/occurrences";
import { readRecurrence } from "~/replicas/calendar/events/series";
import { requireWritten, stampOf } from "~/replicas/calendar/events/writing";
import type { WritingCall } from "~/replicas/calendar/operation";
import type { EventRow } from "~/replicas/calendar/store/events";
import { update } from "~/replicas/calendar/store/write";
import { readSpan } from "~/replicas/calendar/times";

export async function moveEvent(
  call: WritingCall,
  place: Place,
  id: string,
  destination: Place,
  options: WriteOptions,
): Promise<EventRow> {
  const { session } = call;
  const { event } = await requireEvent(call, place.calendar, id);
  requireWriter(place);
  requireWriter(destination);
  if (event.recurringEventId !== null)
    throw new CalendarError(
      "cannotChangeOrganizerOfInstance",
      "Cannot change the organizer of an instance.",
    );
  if (copyOf(event, place.calendar.id)?.of !== "organizer" || event.status === "cancelled")
    throw new CalendarError("cannotChangeOrganizer", "Cannot change the organizer of the event.");
  if (event.eventType !== "default")
    throw new CalendarError("eventTypeRestriction", "Only default events can be moved.");
  const to = destination.calendar;
  if (to.id === place.calendar.id) return event;
  const { changed } = await readSeries(session, event, place.calendar.id);
  const sendUpdates = updatesOf(options);
  for (const row of [event, ...changed]) {
    const span = readSpan(row.start, row.end, to.timeZone); // whole days have its zone
    const series = readRecurrence(row.recurrence, row.start, span, to.timeZone);
    const endAt = series ? series.endAt : span.endAt;
    const former = (row.guests.removed ?? []).filter((email) => email !== to.id);
    await update(
      session,
      "events",
      { id: row.id },
      {
        ...{ calendarId: to.id, organizer: organizerOf(destination) },
        startAt: new Date(span.startAt).toISOString(),
        endAt: endAt === null ? null : new Date(endAt).toISOString(),
        guests: { ...row.guests, removed: [...former, place.calendar.id] },
        ...(sendUpdates !== null && { sendUpdates }),
        ...stampOf(call),
      },
    );
  }
  const after = await requireWritten(call, event.id);
  await tellGuests(call, destination, { before: event, after }, sendUpdates);
  return after;
}
