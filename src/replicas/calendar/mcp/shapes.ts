/** Events and calendars in the form of the tools. */
import { notFound } from "~/replicas/calendar/errors";
import type { View } from "~/replicas/calendar/events/view";

/** `OUT_OF_OFFICE` for `outOfOffice`: names of the API as the tools have them. */
const inCapitals = (word: string) => word.replace(/[A-Z]/g, "_$&").toUpperCase();

const NAMES = ["default", "outOfOffice", "focusTime", "workingLocation", "birthday", "fromGmail"];

/** The types of events in the API, by their names here. */
export const TYPES: ReadonlyMap<string, string> = new Map(
  NAMES.map((name) => [inCapitals(name), name]),
);

type Time = { readonly date?: string; readonly dateTime?: string };

/** Of whole days: midnight in UTC. */
const timeShape = (time: unknown) => {
  const { date } = (time ?? {}) as Time;
  return date === undefined ? time : { dateTime: `${date}T00:00:00Z` };
};

type Working = { readonly type: string; readonly customLocation?: { readonly label?: string } };

const workingShape = ({ type, customLocation }: Working) => ({
  ...{ type: inCapitals(type), customLocationLabel: customLocation?.label },
});

function attendeeShape({ optional, ...attendee }: View): View {
  return { ...attendee, ...(optional === true && { optionalAttendee: true }) };
}

/** A flag that answers leave out where it is as usual. */
const permission = (view: View, name: string, shown: string) =>
  view[name] !== undefined && { [shown]: view[name] };

/** Throws `notFound` for an event that the calendar does not show. */
export function eventShape(view: View | undefined): View {
  if (!view) throw notFound();
  const { attendees, start, end, originalStartTime, eventType, reminders } = view;
  const { overrides } = (reminders ?? {}) as { readonly overrides?: readonly object[] };
  const guestPermissions = {
    ...permission(view, "guestsCanInviteOthers", "guestsCanInviteOthers"),
    ...permission(view, "guestsCanModify", "guestsCanModify"),
    ...permission(view, "guestsCanSeeOtherGuests", "guestsCanSeeGuests"),
  };
  const { workingLocationProperties: working } = view;
  const isDay = (start as Time | undefined)?.date !== undefined;
  const own = ["id", "status", "htmlLink", "created", "updated", "summary", "description"];
  const rest = ["location", "colorId", "creator", "organizer"];
  return {
    ...Object.fromEntries([...own, ...rest].map((name) => [name, view[name]])),
    ...(isDay && { allDay: true }),
    ...{ start: timeShape(start), end: timeShape(end) },
    recurrenceData: view["recurrence"],
    recurringEventId: view["recurringEventId"],
    ...(originalStartTime !== undefined && { originalStartTime: timeShape(originalStartTime) }),
    availability: view["transparency"] === "transparent" ? "FREE" : "BUSY",
    visibility: view["visibility"],
    attendees: (attendees as readonly View[] | undefined)?.map(attendeeShape),
    ...(Object.keys(guestPermissions).length > 0 && { guestPermissions }),
    googleMeetUrl: view["hangoutLink"],
    attachments: view["attachments"],
    overrideReminders: overrides,
    eventType: inCapitals(String(eventType)),
    ...(working !== undefined && { workingLocationProperties: workingShape(working as Working) }),
  };
}

/** An entry of the user's list. */
export const calendarShape = (entry: View): View => ({
  id: entry["id"],
  summary: entry["summaryOverride"] ?? entry["summary"],
  description: entry["description"],
  timeZone: entry["timeZone"],
  accessRole: entry["accessRole"],
  primary: entry["primary"],
});
