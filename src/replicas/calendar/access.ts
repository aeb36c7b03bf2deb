/** Who may do what: the role of a person in a calendar is the highest of the rules that match. */
import { CalendarError, forbidden, notFound } from "~/replicas/calendar/errors";
import type { CalendarCall, CalendarSession, WritingCall } from "~/replicas/calendar/operation";
import { type CalendarRow, reachCalendars } from "~/replicas/calendar/store/calendars";
import { findUser, type UserRow } from "~/replicas/calendar/store/users";
import { beginWriting } from "~/replicas/calendar/store/versions";

/** Rising. `none` is no rule. */
export const ROLES = [
  "none",
  "freeBusyReader",
  "reader",
  "writerWithoutPrivateAccess",
  "writer",
  "owner",
] as const;

export type Role = (typeof ROLES)[number];

const rank = (role: string) => ROLES.indexOf(role as Role);

export const isAtLeast = (role: string, wanted: Role): boolean => rank(role) >= rank(wanted);

export const highestOf = (roles: readonly string[]): Role =>
  ROLES[Math.max(0, ...roles.map(rank))] ?? "none";

/** A calendar as the user of a call has it. */
export type Place = {
  readonly me: UserRow;
  readonly calendar: CalendarRow;
  readonly role: Role;
};

/** The calendars with these ids, in their order; undefined for one in which the user has no role. */
export async function findPlaces(
  { session, userId }: Pick<CalendarCall, "session" | "userId">,
  ids: readonly string[],
): Promise<(Place | undefined)[]> {
  const reached = await reachCalendars(
    session,
    userId,
    ids.map((id) => id.toLowerCase()),
  );
  return ids.map((_, at) => {
    const { me, calendar = null, roles = [] } = reached[at] ?? {};
    const role = highestOf(roles);
    return me && calendar && role !== "none" ? { me, calendar, role } : undefined;
  });
}

/** Throws `notFound` for a calendar in which the user has no role. */
export async function requirePlace(call: CalendarCall, calendarId: string): Promise<Place> {
  const [place] = await findPlaces(call, [calendarId]);
  if (!place) throw notFound();
  return place;
}

/** Throws below the role that changes events. */
export function requireWriter({ role }: Place): void {
  if (!isAtLeast(role, "writerWithoutPrivateAccess"))
    throw new CalendarError(
      "requiredAccessLevel",
      "You need to have writer access to this calendar.",
    );
}

export function requireOwner({ role }: Place): void {
  if (role !== "owner") throw forbidden();
}

export async function requireUser({
  session,
  userId,
}: {
  readonly session: CalendarSession;
  readonly userId: string;
}): Promise<UserRow> {
  const user = await findUser(session, userId);
  if (!user) throw notFound();
  return user;
}

/** Runs `work` in one transaction, with the number of the call. */
export const write = <T>(call: CalendarCall, work: (call: WritingCall) => Promise<T>): Promise<T> =>
  call.session.transaction(async (session) =>
    work({ ...call, session, version: await beginWriting(session) }),
  );

export const etagOf = (version: number | string): string => `"${Number(version) * 2}"`;

/** Throws `conditionNotMet` if the call is for another state of a resource. */
export function requireMatch({ ifMatch }: CalendarCall, version: number | string): void {
  if (ifMatch !== null && ifMatch !== "*" && ifMatch !== etagOf(version))
    throw new CalendarError("conditionNotMet", "Precondition Failed", ["header", "If-Match"]);
}
