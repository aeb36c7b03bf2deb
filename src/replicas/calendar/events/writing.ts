/** Writes events: each call first computes its changes, and then writes them. */
import type { Attendee } from "~/replicas/calendar/events/attendees";
import type { Columns } from "~/replicas/calendar/events/columns";
import type { WritingCall } from "~/replicas/calendar/operation";
import { type AttendeeRow, type EventRow, findEvents } from "~/replicas/calendar/store/events";
import { insert, remove, update } from "~/replicas/calendar/store/write";
import { dateOf } from "~/source";

/** Columns whose change counts as another version for guests. */
const COUNTED = ["start", "end", "recurrence", "location", "status"] as const;
const TIMES = ["start", "end", "recurrence"] as const;

const same = (a: unknown, b: unknown) => Bun.deepEquals(a ?? null, b ?? null);

export type Identity = Pick<
  EventRow,
  | "id"
  | "calendarId"
  | "iCalUID"
  | "organizer"
  | "creator"
  | "recurringEventId"
  | "originalStartTime"
>;

export const identityOf = (event: EventRow): Identity => ({
  ...{ id: event.id, calendarId: event.calendarId, iCalUID: event.iCalUID },
  ...{ organizer: event.organizer, creator: event.creator },
  recurringEventId: event.recurringEventId,
  originalStartTime: event.originalStartTime,
});

export const stampOf = ({ session, version }: WritingCall) => ({
  updated: dateOf(session.source).toISOString(),
  version,
});

const insertAttendees = (
  call: WritingCall,
  eventId: string,
  attendees: readonly Attendee[],
  first = 0,
) =>
  insert(
    call.session,
    "event_attendees",
    attendees.map((each, at) => ({ ...each, eventId, position: first + at, ...stampOf(call) })),
  );

/** Inserts an event with its attendees. `sequence`: of the series, for an instance. */
export async function insertEvent(
  call: WritingCall,
  identity: Identity,
  columns: Columns,
  attendees: readonly Attendee[],
  { sendUpdates, sequence }: { readonly sendUpdates: string | null; readonly sequence: number },
): Promise<void> {
  const stamp = stampOf(call);
  await insert(call.session, "events", [
    { ...identity, ...columns, sequence, sendUpdates, created: stamp.updated, ...stamp },
  ]);
  await insertAttendees(call, identity.id, attendees);
}

/** Columns that differ from the row. The times of windows follow from others. */
export function changesOf(before: EventRow, columns: Columns): Partial<Columns> {
  const { startAt, endAt, ...compared } = columns;
  const changed = Object.entries(compared).filter(
    ([name, value]) => !same(value, before[name as keyof EventRow]),
  );
  return { ...Object.fromEntries(changed), ...(isMoved(before, columns) && { startAt, endAt }) };
}

/** True of another time or rule. */
export const isMoved = (
  before: EventRow,
  columns: Pick<EventRow | Columns, (typeof TIMES)[number]>,
): boolean => TIMES.some((name) => !same(columns[name], before[name]));

/** True of an instance that has the attendees of its series. */
const inherits = ({ recurringEventId, guests }: EventRow) =>
  recurringEventId !== null && !guests.areOwn;

const isAttendeeChanged = (each: Attendee, row: AttendeeRow | undefined) =>
  Object.entries(each).filter(([name, value]) => !same(value, row?.[name as keyof AttendeeRow]));

const areAlike = (attendees: readonly Attendee[], rows: readonly AttendeeRow[]) =>
  attendees.length === rows.length &&
  attendees.every((each) => {
    const row = rows.find(({ email }) => email === each.email);
    return row !== undefined && isAttendeeChanged(each, row).length === 0;
  });

/** The columns and attendees of an instance that is stored for the first time. */
export function instanceParts(event: EventRow, columns: Columns, attendees: readonly Attendee[]) {
  if (areAlike(attendees, event.attendees)) return { columns, attendees: [] };
  const removed = event.attendees
    .map(({ email }) => email)
    .filter((email) => attendees.every((each) => each.email !== email));
  const guests = { ...columns.guests, areOwn: true, ...(removed.length > 0 && { removed }) };
  return { columns: { ...columns, guests }, attendees };
}

/** Changes a stored event. Without a difference, nothing is written. */
export async function updateEvent(
  call: WritingCall,
  before: EventRow,
  columns: Columns,
  attendees: readonly Attendee[],
  sendUpdates: string | null,
): Promise<void> {
  const { id } = before;
  const isList = !inherits(before) || !areAlike(attendees, before.attendees);
  const listed = attendees.map(({ email }) => email);
  const gone = before.attendees.filter(({ email }) => !listed.includes(email));
  const removed = [
    ...(before.guests.removed ?? []).filter((email) => !listed.includes(email)),
    ...gone.map(({ email }) => email),
  ];
  const { removed: _, ...guests } = columns.guests;
  const changes = changesOf(before, {
    ...columns,
    guests: {
      ...guests,
      ...(inherits(before) && isList && { areOwn: true }),
      ...(removed.length > 0 && { removed }),
    },
  });
  if (Object.keys(changes).length > 0) {
    const isCounted = COUNTED.some((name) => name in changes);
    const isQuiet = Object.keys(changes).every((name) => name === "reminders");
    const { updated, version } = stampOf(call);
    const fields = {
      ...changes,
      ...(isCounted && { sequence: before.sequence + 1 }),
      ...(sendUpdates !== null && { sendUpdates }),
      ...(!isQuiet && { updated }),
      version,
    };
    await update(call.session, "events", { id }, fields);
  }
  if (inherits(before)) {
    if (isList) await insertAttendees(call, id, attendees);
  } else await changeAttendees(call, before, attendees, gone);
}

/** `gone`: those of the event's rows that are no longer listed. */
export async function changeAttendees(
  call: WritingCall,
  { id: eventId, attendees: rows }: Pick<EventRow, "id" | "attendees">,
  attendees: readonly Attendee[],
  gone: readonly AttendeeRow[],
): Promise<void> {
  const { session } = call;
  for (const { email } of gone) await remove(session, "event_attendees", { eventId, email });
  const known = new Map(rows.map((row) => [row.email, row]));
  const last = Math.max(-1, ...rows.map(({ position }) => position));
  const added = attendees.filter(({ email }) => !known.has(email));
  await insertAttendees(call, eventId, added, last + 1);
  for (const each of attendees) {
    const row = known.get(each.email);
    const changed = row ? isAttendeeChanged(each, row) : [];
    if (changed.length > 0)
      await update(
        session,
        "event_attendees",
        { eventId, email: each.email },
        { ...Object.fromEntries(changed), ...stampOf(call) },
      );
  }
}

/** An event that the call has written. */
export async function requireWritten(call: WritingCall, id: string): Promise<EventRow> {
  const [row] = await findEvents(call.session, [id]);
  if (!row) throw new Error(`the event ${id} is not there`);
  return row;
}
