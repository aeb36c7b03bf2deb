/** The copies of an event: of its organizer, and of each attendee. */
import type { AttendeeRow, EventRow } from "~/replicas/calendar/store/events";

export type Copy =
  | { readonly of: "organizer" }
  | { readonly of: "attendee"; readonly attendee: AttendeeRow }
  /** Of a former attendee. */
  | { readonly of: "removed" };

/** The copy of an event in a calendar, if it has one. */
export function copyOf(event: EventRow, view: string): Copy | undefined {
  if (event.calendarId === view) return { of: "organizer" };
  if (event.guests.isImported) return undefined;
  const attendee = event.attendees.find(({ email }) => email === view);
  if (attendee) return { of: "attendee", attendee };
  return event.guests.removed?.includes(view) ? { of: "removed" } : undefined;
}

/** The status of a copy. */
export const statusOf = (event: EventRow, copy: Copy): string =>
  copy.of === "removed" || (copy.of === "attendee" && copy.attendee.own.isDeleted)
    ? "cancelled"
    : event.status;

/** The number of the last change that a copy shows. */
export const versionOf = ({ version, attendees }: EventRow): number =>
  Math.max(Number(version), ...attendees.map((each) => each.version));

/** The time of the last change, in milliseconds. */
export const updatedOf = ({ updated, attendees }: EventRow): number =>
  Math.max(updated.getTime(), ...attendees.map((each) => Date.parse(each.updated)));
