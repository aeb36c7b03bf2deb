/** Events as clients write them. */
import { isObject } from "~/input/json";
import type { EventTime } from "~/replicas/calendar/times";

export type AttendeeResource = {
  readonly email?: string | null;
  readonly displayName?: string | null;
  readonly responseStatus?: string | null;
  readonly optional?: boolean | null;
  readonly resource?: boolean | null;
  readonly comment?: string | null;
  readonly additionalGuests?: number | null;
};

type Texts = Readonly<Record<string, string | null>>;

/** The shape of a body, which the router has checked. A field that is null is absent. */
export type EventResource = {
  readonly id?: string | null;
  readonly iCalUID?: string | null;
  readonly status?: string | null;
  readonly summary?: string | null;
  readonly description?: string | null;
  readonly location?: string | null;
  readonly colorId?: string | null;
  readonly start?: EventTime | null;
  readonly end?: EventTime | null;
  readonly recurrence?: readonly string[] | null;
  readonly transparency?: string | null;
  readonly visibility?: string | null;
  readonly attendees?: readonly AttendeeResource[] | null;
  readonly extendedProperties?: { readonly private?: Texts; readonly shared?: Texts } | null;
  readonly conferenceData?: Readonly<Record<string, unknown>> | null;
  readonly anyoneCanAddSelf?: boolean | null;
  readonly guestsCanInviteOthers?: boolean | null;
  readonly guestsCanModify?: boolean | null;
  readonly guestsCanSeeOtherGuests?: boolean | null;
  readonly reminders?: {
    readonly useDefault?: boolean | null;
    readonly overrides?: readonly { readonly method?: string; readonly minutes?: number }[] | null;
  } | null;
  readonly source?: Readonly<Record<string, unknown>> | null;
  readonly attachments?: readonly Readonly<Record<string, unknown>>[] | null;
  readonly eventType?: string | null;
  readonly eventLabelId?: string | null;
  readonly organizer?: { readonly email?: string; readonly displayName?: string } | null;
  readonly birthdayProperties?: object | null;
  readonly focusTimeProperties?: object | null;
  readonly outOfOfficeProperties?: object | null;
  readonly workingLocationProperties?: object | null;
};

const KINDS = ["date", "dateTime"] as const;

/** A time of one kind takes the place of one of the other. */
function mergedTime(base: EventTime, patch: EventTime): EventTime {
  const kind = KINDS.find((each) => typeof patch[each] === "string");
  const other = KINDS.find((each) => each !== kind);
  if (!kind || !other) return { ...base, ...patch };
  return { ...base, ...(kind === "date" && { timeZone: null }), ...patch, [other]: null };
}

const merged = (base: unknown, patch: unknown): unknown => {
  if (!isObject(patch) || !isObject(base)) return patch;
  const fields = Object.entries(patch).map(([name, value]) => [name, merged(base[name], value)]);
  const all: Record<string, unknown> = { ...base, ...Object.fromEntries(fields) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
};

/** The resource after a patch: objects merge, arrays replace, and null removes. */
export function patched(base: EventResource, patch: EventResource): EventResource {
  const { start, end, ...rest } = patch;
  return {
    ...(merged(base, rest) as EventResource),
    ...(start && { start: mergedTime(base.start ?? {}, start) }),
    ...(end && { end: mergedTime(base.end ?? {}, end) }),
    ...(start === null && { start }),
    ...(end === null && { end }),
  };
}
