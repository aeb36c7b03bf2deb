/** The attendees of an event. */
import type { Place } from "~/replicas/calendar/access";
import { CalendarError, invalid, required } from "~/replicas/calendar/errors";
import type { AttendeeResource } from "~/replicas/calendar/events/resource";
import { RESPONSES, requireWord } from "~/replicas/calendar/events/values";
import { isAddress } from "~/replicas/calendar/ids";
import type { AttendeeRow } from "~/replicas/calendar/store/events";

/** The columns that a client sets. */
export type Attendee = Pick<
  AttendeeRow,
  | "email"
  | "displayName"
  | "responseStatus"
  | "optional"
  | "resource"
  | "comment"
  | "additionalGuests"
  | "own"
>;

const ATTENDEES_MAX = 500;

/** Each address once. Throws for an entry without an address. */
export function readAttendees(given: readonly AttendeeResource[]): Attendee[] {
  if (given.length > ATTENDEES_MAX) throw invalid("Too many attendees.");
  const found = new Map<string, Attendee>();
  for (const each of given) {
    const email = (each.email ?? "").toLowerCase();
    if (email === "") throw required("Missing attendee email.");
    if (!isAddress(email)) throw invalid("Invalid attendee email.");
    found.set(email, {
      email,
      displayName: each.displayName ?? null,
      responseStatus: requireWord(each.responseStatus ?? "needsAction", RESPONSES),
      optional: each.optional ?? false,
      resource: each.resource ?? false,
      comment: each.comment ?? null,
      additionalGuests: Math.max(0, each.additionalGuests ?? 0),
      own: {},
    });
  }
  return [...found.values()];
}

const SERVICE_ACCOUNT = /\.gserviceaccount\.com$/;

/** Throws for a service account that invites anyone else. `known`: who is invited already. */
export function requireInviter(
  { me }: Place,
  wanted: readonly Pick<Attendee, "email">[],
  known: readonly Pick<Attendee, "email">[],
): void {
  const before = new Set([me.email, ...known.map(({ email }) => email)]);
  if (SERVICE_ACCOUNT.test(me.email) && wanted.some(({ email }) => !before.has(email)))
    throw new CalendarError(
      "forbiddenForServiceAccounts",
      "Service accounts cannot invite attendees without Domain-Wide Delegation of Authority.",
    );
}

export const attendeeOf = (row: AttendeeRow): Attendee => ({
  email: row.email,
  displayName: row.displayName,
  responseStatus: row.responseStatus,
  optional: row.optional,
  resource: row.resource,
  comment: row.comment,
  additionalGuests: row.additionalGuests,
  own: row.own,
});

const answerOf = ({ responseStatus, comment, additionalGuests, own }: Attendee) => ({
  ...{ responseStatus, comment, additionalGuests, own },
});

/**
 * The list that a client has sent, where those who are on it already keep their answers: only the `answering` one gives
 * his own.
 */
export const withAnswers = (
  wanted: readonly Attendee[],
  known: readonly Attendee[],
  answering: readonly string[],
): Attendee[] =>
  wanted.map((each) => {
    const before = known.find(({ email }) => email === each.email);
    if (!before) return each;
    if (answering.includes(each.email)) return { ...each, own: before.own };
    return { ...each, ...answerOf(before) };
  });

/** After another time, everyone but the organizer has to answer again. */
export const unanswered = (attendees: readonly Attendee[], organizer: string): Attendee[] =>
  attendees.map((each) =>
    each.email === organizer ? each : { ...each, responseStatus: "needsAction" },
  );
