/** Tools that write. */
import { type Place, requirePlace, write } from "~/replicas/calendar/access";
import { invalid } from "~/replicas/calendar/errors";
import { changeEvent, deleteEvent } from "~/replicas/calendar/events/changes";
import type { WriteOptions } from "~/replicas/calendar/events/columns";
import { createEvent } from "~/replicas/calendar/events/creation";
import { requireEvent } from "~/replicas/calendar/events/find";
import type { AttendeeResource, EventResource } from "~/replicas/calendar/events/resource";
import { eventView } from "~/replicas/calendar/events/view";
import { eventShape, TYPES } from "~/replicas/calendar/mcp/shapes";
import { changedTimes, eventTime, type TimeArguments } from "~/replicas/calendar/mcp/times";
import { PRIMARY, type Tools } from "~/replicas/calendar/mcp/tool";
import type { CalendarCall, WritingCall } from "~/replicas/calendar/operation";
import type { EventRow } from "~/replicas/calendar/store/events";
import { hexOf, type Source } from "~/source";

type Guest = {
  readonly email: string;
  readonly displayName?: string;
  readonly responseStatus?: string;
  readonly optionalAttendee?: boolean;
};
type File = { readonly fileUrl: string; readonly title?: string };
type Reminder = { readonly method: string; readonly minutes: number };

/** The fields that both a new and a changed event have. */
type Fields = TimeArguments & {
  readonly calendarId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly location?: string;
  readonly availability?: string;
  readonly visibility?: string;
  readonly colorId?: string;
  readonly addGoogleMeetUrl?: boolean;
  readonly googleMeetUrl?: string;
  readonly overrideReminders?: readonly Reminder[];
  readonly guestPermissions?: {
    readonly guestsCanInviteOthers?: boolean;
    readonly guestsCanModify?: boolean;
    readonly guestsCanSeeGuests?: boolean;
  };
  readonly notificationLevel?: string;
};

type NewEvent = Fields & {
  readonly startTime: string;
  readonly endTime: string;
  readonly attendees?: readonly Guest[];
  readonly eventType?: string;
  readonly recurrenceData?: readonly string[];
  readonly attachments?: readonly File[];
  readonly workingLocationProperties?: {
    readonly type?: string;
    readonly customLocationLabel?: string;
  };
};

type Changes = Fields & {
  readonly eventId: string;
  readonly addedAttendees?: readonly Guest[];
  readonly removedAttendeeEmails?: readonly string[];
  readonly addedAttachments?: readonly File[];
  readonly removedAttachmentFileUrls?: readonly string[];
};

const UPDATES: { readonly [level: string]: string } = {
  NONE: "none",
  EXTERNAL_ONLY: "externalOnly",
};

/** Unlike the API, the tools notify guests unless they are told not to. */
const optionsOf = ({
  notificationLevel = "",
}: Pick<Fields, "notificationLevel">): WriteOptions => ({
  ...{ sendUpdates: UPDATES[notificationLevel] ?? "all" },
  ...{ conferenceDataVersion: 1, supportsAttachments: true },
});

const TRANSPARENCIES: { readonly [availability: string]: string } = {
  BUSY: "opaque",
  FREE: "transparent",
};

const guestOf = ({ optionalAttendee, ...guest }: Guest): AttendeeResource => ({
  ...guest,
  ...(optionalAttendee !== undefined && { optional: optionalAttendee }),
});

function conferenceOf({ addGoogleMeetUrl, googleMeetUrl }: Fields, source: Source) {
  if (googleMeetUrl !== undefined)
    return { conferenceData: { entryPoints: [{ entryPointType: "video", uri: googleMeetUrl }] } };
  return (
    addGoogleMeetUrl && { conferenceData: { createRequest: { requestId: hexOf(source, 16) } } }
  );
}

/** The fields as the API has them, without times, guests and files. */
function commonFields(args: Fields, source: Source): EventResource {
  const { summary, description, location, visibility, colorId, overrideReminders } = args;
  const { guestsCanSeeGuests, ...permissions } = args.guestPermissions ?? {};
  const transparency = TRANSPARENCIES[args.availability ?? ""];
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(transparency !== undefined && { transparency }),
    ...(visibility !== undefined && { visibility: visibility.toLowerCase() }),
    ...(colorId !== undefined && { colorId }),
    ...(overrideReminders && { reminders: { useDefault: false, overrides: overrideReminders } }),
    ...permissions,
    ...(guestsCanSeeGuests !== undefined && { guestsCanSeeOtherGuests: guestsCanSeeGuests }),
    ...conferenceOf(args, source),
  };
}

const NO_DECLINING = { autoDeclineMode: "declineNone" };

function workingLocation({
  type,
  customLocationLabel: label,
}: NonNullable<NewEvent["workingLocationProperties"]>) {
  if (type !== "CUSTOM_LOCATION") return { type: "homeOffice", homeOffice: {} };
  return { type: "customLocation", customLocation: { ...(label !== undefined && { label }) } };
}

/** The fields that the API wants of an event of a type. */
function typeFields({ eventType = "DEFAULT", ...args }: NewEvent): EventResource {
  const type = TYPES.get(eventType) ?? "default";
  const free = { eventType: type, transparency: "transparent" };
  switch (type) {
    case "outOfOffice":
      return { eventType: type, outOfOfficeProperties: NO_DECLINING };
    case "focusTime":
      return { eventType: type, focusTimeProperties: NO_DECLINING };
    case "birthday":
      return { ...free, visibility: "private", birthdayProperties: { type } };
    case "workingLocation": {
      const workingLocationProperties = workingLocation(args.workingLocationProperties ?? {});
      return { ...free, visibility: "public", workingLocationProperties };
    }
    default:
      return { eventType: type };
  }
}

/** With guests, the user of a primary calendar is one of them. */
function guestsOf(guests: readonly Guest[], { calendar, me }: Place): AttendeeResource[] {
  const given = guests.map(guestOf);
  const isOwn = calendar.id === me.email;
  if (given.length === 0 || !isOwn || guests.some(({ email }) => email.toLowerCase() === me.email))
    return given;
  return [{ email: me.email, responseStatus: "accepted" }, ...given];
}

/** Performs a change of a calendar, and shows the event. */
const writing = (
  call: CalendarCall,
  { calendarId = PRIMARY }: Pick<Fields, "calendarId">,
  work: (inside: WritingCall, place: Place) => Promise<EventRow>,
) =>
  write(call, async (inside) => {
    const place = await requirePlace(inside, calendarId);
    return eventShape(eventView(await work(inside, place), place));
  });

const create = (args: NewEvent, call: CalendarCall) =>
  writing(call, args, async (inside, place) => {
    const { startTime, endTime, timeZone, recurrenceData, attachments, attendees = [] } = args;
    const clock = { allDay: args.allDay ?? false, timeZone };
    const timeOf = (text: string) => eventTime(text, clock, place.calendar.timeZone);
    const body: EventResource = {
      ...commonFields(args, inside.session.source),
      ...typeFields(args),
      ...{ start: timeOf(startTime), end: timeOf(endTime) },
      ...(recurrenceData && { recurrence: recurrenceData }),
      ...(attachments && { attachments }),
      attendees: guestsOf(attendees, place),
    };
    return await createEvent(inside, place, body, optionsOf(args));
  });

/** The guests after the change, or undefined if it names none. */
function changedGuests({ addedAttendees, removedAttendeeEmails }: Changes, event: EventRow) {
  if (!addedAttendees && !removedAttendeeEmails) return undefined;
  const removed = new Set(removedAttendeeEmails?.map((email) => email.toLowerCase()));
  const left: AttendeeResource[] = event.attendees.filter(({ email }) => !removed.has(email));
  return [...left, ...(addedAttendees ?? []).map(guestOf)];
}

function changedFiles({ addedAttachments, removedAttachmentFileUrls }: Changes, event: EventRow) {
  if (!addedAttachments && !removedAttachmentFileUrls) return undefined;
  const known = (event.attachments ?? []) as readonly File[];
  const left = known.filter(({ fileUrl }) => !removedAttachmentFileUrls?.includes(fileUrl));
  return [...left, ...(addedAttachments ?? [])];
}

const update = (args: Changes, call: CalendarCall) =>
  writing(call, args, async (inside, place) => {
    const { event } = await requireEvent(inside, place.calendar, args.eventId);
    const attendees = changedGuests(args, event);
    const attachments = changedFiles(args, event);
    const body: EventResource = {
      ...commonFields(args, inside.session.source),
      ...changedTimes(args, event, place.calendar.timeZone),
      ...(attendees && { attendees }),
      ...(attachments && { attachments }),
    };
    const change = { body, replaces: false };
    return await changeEvent(inside, place, args.eventId, change, optionsOf(args));
  });

type One = Pick<Changes, "eventId" | "calendarId" | "notificationLevel">;

type Answer = One & { readonly responseStatus: string; readonly responseComment?: string };

const respond = (args: Answer, call: CalendarCall) =>
  writing(call, args, async (inside, place) => {
    const { event } = await requireEvent(inside, place.calendar, args.eventId);
    const mine = [place.calendar.id, place.me.email].find((own) =>
      event.attendees.some(({ email }) => email === own),
    );
    if (mine === undefined) throw invalid("The user is not an attendee of the event.");
    const { responseStatus, responseComment: comment } = args;
    const attendees = event.attendees.map((each) =>
      each.email === mine
        ? { ...each, responseStatus, ...(comment !== undefined && { comment }) }
        : each,
    );
    const change = { body: { attendees }, replaces: false };
    return await changeEvent(inside, place, args.eventId, change, optionsOf(args));
  });

export const writingTools: Tools = {
  create_event: create,
  update_event: update,
  delete_event: ({ eventId, calendarId = PRIMARY, ...args }: One, call) =>
    write(call, async (inside) => {
      await deleteEvent(inside, await requirePlace(inside, calendarId), eventId, optionsOf(args));
      return {};
    }),
  respond_to_event: respond,
};
