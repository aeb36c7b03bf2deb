/** An event as an answer shows it. */
import { etagOf, isAtLeast, type Place } from "~/replicas/calendar/access";
import {
  type Copy,
  copyOf,
  statusOf,
  updatedOf,
  versionOf,
} from "~/replicas/calendar/events/copies";
import { htmlLinkOf } from "~/replicas/calendar/ids";
import type { AttendeeRow, Cursor, EventRow } from "~/replicas/calendar/store/events";
import { shownTime } from "~/replicas/calendar/times";

export type View = Record<string, unknown>;

/** An event of a list, with its place in the order. */
export type Item = { readonly key: Cursor; readonly view: View };

export type Shown = {
  /** In place of the zone of the calendar. */
  readonly timeZone?: string | undefined;
  readonly maxAttendees?: number | undefined;
};

/** The field of an event of a special type that has its properties. */
export const PROPERTIES: Readonly<Record<string, string>> = {
  birthday: "birthdayProperties",
  focusTime: "focusTimeProperties",
  outOfOffice: "outOfOfficeProperties",
  workingLocation: "workingLocationProperties",
};

/** Fields without a value are left out. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );

const isTrue = (value: boolean | undefined) => (value ? true : undefined);

function attendeeView(row: AttendeeRow, view: string, organizer: string) {
  const { email, displayName, responseStatus, comment, additionalGuests } = row;
  return given({
    ...{ email, displayName },
    organizer: isTrue(email === organizer),
    self: isTrue(email === view),
    resource: isTrue(row.resource),
    optional: isTrue(row.optional),
    ...{ responseStatus, comment },
    additionalGuests: additionalGuests || undefined,
  });
}

function attendeesOf(event: EventRow, view: string, copy: Copy, maxAttendees?: number) {
  const { attendees, organizer, guests } = event;
  const hidesOthers = copy.of !== "organizer" && guests.guestsCanSeeOtherGuests === false;
  const seen = hidesOthers
    ? attendees.filter(({ email }) => email === view || email === organizer.email)
    : attendees;
  const own = seen.filter(({ email }) => email === view);
  const others = seen.filter(({ email }) => email !== view);
  const isCut = maxAttendees !== undefined && seen.length > maxAttendees;
  const shown = isCut ? [...own, ...others].slice(0, Math.max(1, maxAttendees)) : seen;
  return {
    attendees:
      shown.length > 0 ? shown.map((row) => attendeeView(row, view, organizer.email)) : undefined,
    attendeesOmitted: isTrue(isCut || shown.length < attendees.length),
  };
}

const person = (who: { readonly email: string; readonly displayName?: string }, self: string) => ({
  ...{ email: who.email },
  ...(who.displayName !== undefined && { displayName: who.displayName }),
  ...(who.email === self && { self: true }),
});

type Conference = {
  readonly entryPoints?: readonly { readonly entryPointType?: string; readonly uri?: string }[];
};

/** The fields of a copy that its owner sets for himself. */
function ownFields(event: EventRow, copy: Copy) {
  const { extendedProperties, reminders } = event;
  const { private: own, shared } = (extendedProperties ?? {}) as {
    readonly private?: object;
    readonly shared?: object;
  };
  if (copy.of === "organizer")
    return {
      colorId: event.colorId,
      transparency: event.transparency,
      visibility: event.visibility,
      reminders,
      private: own,
      shared,
    };
  const mine = copy.of === "attendee" ? copy.attendee.own : {};
  return {
    colorId: mine.colorId,
    transparency: mine.transparency ?? event.transparency,
    visibility: mine.visibility ?? event.visibility,
    reminders: mine.reminders ?? { useDefault: true },
    private: mine.private,
    shared,
  };
}

const usual = (value: string | null | undefined, name: string) =>
  value === name ? undefined : value;

/** Those who may not read private events see only when they are. */
export const isHidden = (role: Place["role"], visibility: string | null | undefined) =>
  !isAtLeast(role, "reader") ||
  (!isAtLeast(role, "writer") && (visibility === "private" || visibility === "confidential"));

/** The event as a calendar shows it to the user of a place. Undefined if the calendar does not have it. */
export function eventView(
  event: EventRow,
  { me, calendar, role }: Place,
  { timeZone, maxAttendees }: Shown = {},
): View | undefined {
  const copy = copyOf(event, calendar.id);
  if (!copy) return undefined;
  const status = statusOf(event, copy);
  const zone = timeZone ?? calendar.timeZone;
  const head = { kind: "calendar#event", etag: etagOf(versionOf(event)), id: event.id, status };
  const { recurringEventId, originalStartTime } = event;
  const original = originalStartTime ? shownTime(originalStartTime, zone) : undefined;
  if (status === "cancelled" && recurringEventId !== null)
    return given({ ...head, recurringEventId, originalStartTime: original });
  const own = ownFields(event, copy);
  const { conferenceData, guests, eventType } = event;
  const times = {
    ...head,
    htmlLink: htmlLinkOf(event.id, calendar.id),
    created: event.created.toISOString().replace(/\.\d+Z$/, "Z"),
    updated: new Date(updatedOf(event)).toISOString(),
  };
  const placed = {
    start: shownTime(event.start, zone),
    end: shownTime(event.end, zone),
    recurrence: event.recurrence,
    recurringEventId,
    originalStartTime: original,
    transparency: usual(own.transparency, "opaque"),
  };
  const { iCalUID, sequence } = event;
  if (isHidden(role, own.visibility))
    return given({
      ...times,
      ...placed,
      ...{ visibility: "private", iCalUID, sequence, eventType },
    });
  const { entryPoints } = (conferenceData ?? {}) as Conference;
  return given({
    ...times,
    ...{ summary: event.summary, description: event.description, location: event.location },
    colorId: own.colorId,
    creator: person(event.creator, me.email),
    organizer: person(event.organizer, calendar.id),
    ...placed,
    visibility: usual(own.visibility, "default"),
    ...{ iCalUID, sequence },
    ...attendeesOf(event, calendar.id, copy, maxAttendees),
    extendedProperties:
      own.private || own.shared ? given({ private: own.private, shared: own.shared }) : undefined,
    hangoutLink: entryPoints?.find((each) => each.entryPointType === "video")?.uri,
    conferenceData,
    anyoneCanAddSelf: isTrue(guests.anyoneCanAddSelf),
    guestsCanInviteOthers: guests.guestsCanInviteOthers === false ? false : undefined,
    guestsCanModify: isTrue(guests.guestsCanModify),
    guestsCanSeeOtherGuests: guests.guestsCanSeeOtherGuests === false ? false : undefined,
    reminders: own.reminders,
    source: event.source,
    attachments: event.attachments,
    eventType,
    [PROPERTIES[eventType] ?? "properties"]: event.properties,
    eventLabelId: event.eventLabelId,
  });
}
