/** The rules of events of special types. */
import { isObject } from "~/input/json";
import type { Place } from "~/replicas/calendar/access";
import { CalendarError, invalid, type Reason } from "~/replicas/calendar/errors";
import type { EventResource } from "~/replicas/calendar/events/resource";
import { requireWord } from "~/replicas/calendar/events/values";
import { PROPERTIES } from "~/replicas/calendar/events/view";
import { DECLINING } from "~/replicas/calendar/store/calendars";
import { isAllDay } from "~/replicas/calendar/times";

const TYPES = ["default", "birthday", "focusTime", "fromGmail", "outOfOffice", "workingLocation"];
const DECLINE_MODES = ["declineNone", ...DECLINING];

const MALFORMED: { readonly [type: string]: Reason } = {
  focusTime: "malformedFocusTimeEvent",
  outOfOffice: "malformedOutOfOfficeEvent",
  workingLocation: "malformedWorkingLocationEvent",
};

const NAMES: { readonly [type: string]: string } = {
  focusTime: "focus time",
  outOfOffice: "out of office",
  workingLocation: "working location",
};

const malformed = (type: string, reason: string) =>
  new CalendarError(
    MALFORMED[type] ?? "invalid",
    `Malformed ${NAMES[type] ?? type} event: ${reason}`,
  );

/**
 * The type of an event and its own properties. Throws for an event that the type does not allow. `before`: the type of an
 * event that is changed, which others than its owner may do too.
 */
export function readType(resource: EventResource, { calendar, me }: Place, before?: string) {
  const type = requireWord(resource.eventType ?? "default", TYPES);
  const name = PROPERTIES[type];
  const isAllowed = type !== "fromGmail" && (name === undefined || calendar.id === me.email);
  if (!isAllowed && type !== before)
    throw new CalendarError("eventTypeRestriction", "The event type is not allowed here.");
  if (name === undefined) return { eventType: type, properties: null };
  const properties = resource[name as keyof EventResource];
  if (type === "birthday") {
    requireBirthday(resource);
    return { eventType: type, properties: isObject(properties) ? properties : { type } };
  }
  if (!isObject(properties)) throw malformed(type, `${name} is missing.`);
  requireForm(type, resource, properties);
  return { eventType: type, properties };
}

function requireForm(type: string, resource: EventResource, properties: object): void {
  const isDay = isAllDay(resource.start ?? {});
  if (type === "workingLocation") {
    if (resource.visibility !== "public") throw malformed(type, "visibility must be public.");
    if (resource.transparency !== "transparent")
      throw malformed(type, "transparency must be transparent.");
    const { type: place } = properties as { readonly type?: string };
    requireWord(place ?? "", ["homeOffice", "officeLocation", "customLocation"]);
    return;
  }
  if (isDay) throw malformed(type, "start and end must have a dateTime.");
  const { autoDeclineMode } = properties as { readonly autoDeclineMode?: string };
  if (autoDeclineMode !== undefined) requireWord(autoDeclineMode, DECLINE_MODES);
  const hasGuests = (resource.attendees?.length ?? 0) > 0;
  if (type === "outOfOffice" && (resource.description || hasGuests))
    throw malformed(type, "it has neither a description nor attendees.");
}

const YEARLY = /^RRULE:(?:.*;)?FREQ=YEARLY/i;

function requireBirthday({ start, visibility, transparency, recurrence }: EventResource): void {
  if (!isAllDay(start ?? {})) throw invalid("A birthday must be an all-day event.");
  if (visibility !== "private" || transparency !== "transparent")
    throw invalid("A birthday must have visibility private and transparency transparent.");
  if (recurrence?.length !== 1 || !YEARLY.test(recurrence[0] ?? ""))
    throw invalid("A birthday must recur every year.");
}
