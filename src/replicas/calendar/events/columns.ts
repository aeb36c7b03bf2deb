/** The columns of an event from the resource that a client writes, and back. */
import type { Place } from "~/replicas/calendar/access";
import { requireColor } from "~/replicas/calendar/colors";
import { readConference } from "~/replicas/calendar/events/conference";
import type { EventResource } from "~/replicas/calendar/events/resource";
import { readRecurrence } from "~/replicas/calendar/events/series";
import { readType } from "~/replicas/calendar/events/types";
import {
  readAttachments,
  readExtended,
  readReminders,
  requireWord,
  STATUSES,
  TRANSPARENCIES,
  unlessDefault,
  VISIBILITIES,
} from "~/replicas/calendar/events/values";
import { PROPERTIES } from "~/replicas/calendar/events/view";
import type { EventRow, Guests } from "~/replicas/calendar/store/events";
import { readSpan } from "~/replicas/calendar/times";
import type { Source } from "~/source";

/** Parameters of calls that write events. */
export type WriteOptions = {
  readonly conferenceDataVersion?: number | undefined;
  readonly eventLabelVersion?: number | undefined;
  readonly supportsAttachments?: boolean | undefined;
  readonly sendUpdates?: string | undefined;
  readonly sendNotifications?: boolean | undefined;
};

/** Which guests the service notifies. */
export const updatesOf = ({ sendUpdates, sendNotifications }: WriteOptions): string | null =>
  sendUpdates ?? (sendNotifications ? "all" : null);

const guestsOf = (given: EventResource, before: Guests | undefined): Guests => ({
  ...(given.anyoneCanAddSelf && { anyoneCanAddSelf: true }),
  ...(given.guestsCanInviteOthers === false && { guestsCanInviteOthers: false }),
  ...(given.guestsCanModify && { guestsCanModify: true }),
  ...(given.guestsCanSeeOtherGuests === false && { guestsCanSeeOtherGuests: false }),
  ...(before?.removed && { removed: before.removed }),
  ...(before?.areOwn && { areOwn: true }),
  ...(before?.isImported && { isImported: true }),
});

const orNull = (text: string | null | undefined) => (text === "" ? null : (text ?? null));

const iso = (at: number) => new Date(at).toISOString();

/** `before`: the event that is changed; parts that the call does not handle stay as they are. */
export function columnsOf(
  given: EventResource,
  place: Place,
  source: Source,
  options: WriteOptions,
  before?: EventRow,
) {
  const { calendar } = place;
  const span = readSpan(given.start, given.end, calendar.timeZone);
  const recurrence = readRecurrence(given.recurrence, given.start, span, calendar.timeZone);
  if (given.colorId) requireColor("event", given.colorId);
  return {
    status: requireWord(given.status ?? "confirmed", STATUSES),
    ...{ summary: orNull(given.summary), description: orNull(given.description) },
    ...{ location: orNull(given.location), colorId: orNull(given.colorId) },
    ...{ start: span.start, end: span.end, startAt: iso(span.startAt) },
    endAt: recurrence ? recurrence.endAt && iso(recurrence.endAt) : iso(span.endAt),
    recurrence: recurrence?.lines ?? null,
    transparency: unlessDefault(given.transparency, TRANSPARENCIES, "opaque"),
    visibility: unlessDefault(given.visibility, VISIBILITIES, "default"),
    ...readType(given, place, before?.eventType),
    eventLabelId: options.eventLabelVersion
      ? orNull(given.eventLabelId)
      : (before?.eventLabelId ?? null),
    reminders: readReminders(given.reminders),
    extendedProperties: readExtended(given.extendedProperties),
    conferenceData: options.conferenceDataVersion
      ? readConference(given.conferenceData, before?.conferenceData, source)
      : (before?.conferenceData ?? null),
    attachments: options.supportsAttachments
      ? readAttachments(given.attachments)
      : (before?.attachments ?? null),
    guests: guestsOf(given, before?.guests),
    source: given.source ?? null,
  };
}

export type Columns = ReturnType<typeof columnsOf>;

/** The resource that a client would write to get this event. */
export function resourceOf(event: EventRow): EventResource {
  const { guests, eventType } = event;
  return {
    ...{ status: event.status, summary: event.summary, description: event.description },
    ...{ location: event.location, colorId: event.colorId, start: event.start, end: event.end },
    ...{ recurrence: event.recurrence, transparency: event.transparency },
    visibility: event.visibility,
    attendees: event.attendees,
    extendedProperties: event.extendedProperties as never,
    conferenceData: event.conferenceData as never,
    ...{ ...guests, reminders: event.reminders as never, source: event.source as never },
    attachments: event.attachments as never,
    ...{ eventType, eventLabelId: event.eventLabelId },
    ...(event.properties !== null && { [PROPERTIES[eventType] ?? ""]: event.properties }),
  };
}
