/** Changed instances follow their series. */
import { type Attendee, attendeeOf } from "~/replicas/calendar/events/attendees";
import type { Columns } from "~/replicas/calendar/events/columns";
import { instanceOf } from "~/replicas/calendar/events/series";
import { changeAttendees, changesOf, isMoved, stampOf } from "~/replicas/calendar/events/writing";
import type { WritingCall } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import { type EventRow, findEvents, listExceptions } from "~/replicas/calendar/store/events";
import { remove, update } from "~/replicas/calendar/store/write";

const EXCEPTIONS_MAX = 20_000;

/** Columns that an instance has from its series in another way, or of its own. */
const OWN = ["start", "end", "startAt", "endAt", "recurrence", "status", "guests"];

type Series = { readonly columns: Columns; readonly attendees: readonly Attendee[] };

/**
 * The guests that a change of a series adds and removes, and those who delete their copy of it or have it again; undefined
 * if there are none.
 */
function guestChanges({ attendees: rows }: EventRow, attendees: readonly Attendee[]) {
  const known = new Map(rows.map((row) => [row.email, row]));
  const listed = new Set(attendees.map(({ email }) => email));
  const isTurned = ({ email, own }: Attendee) => {
    const row = known.get(email);
    return row !== undefined && Boolean(row.own.isDeleted) !== Boolean(own.isDeleted);
  };
  const added = attendees.filter(({ email }) => !known.has(email));
  const gone = new Set(rows.map(({ email }) => email).filter((email) => !listed.has(email)));
  const turned = new Map(attendees.filter(isTurned).map((each) => [each.email, each]));
  return added.length + gone.size + turned.size > 0 ? { added, gone, turned } : undefined;
}

/** Changes the guests of an instance that has its own as those of its series, and returns the column that changes then. */
async function followGuests(
  call: WritingCall,
  each: EventRow,
  { added, gone, turned }: NonNullable<ReturnType<typeof guestChanges>>,
): Promise<Partial<Pick<EventRow, "guests">>> {
  if (!each.guests.areOwn) return {};
  const invited = new Set(each.attendees.map(({ email }) => email));
  const former = each.attendees.filter(({ email }) => gone.has(email));
  const kept = each.attendees
    .filter(({ email }) => !gone.has(email))
    .map((row) => {
      const { responseStatus, own } = turned.get(row.email) ?? row;
      return {
        ...attendeeOf(row),
        ...{ responseStatus, own: { ...row.own, isDeleted: own.isDeleted } },
      };
    });
  const further = added.filter(({ email }) => !invited.has(email));
  await changeAttendees(call, each, [...kept, ...further], former);
  const back = new Set(further.map(({ email }) => email));
  const removed = [
    ...(each.guests.removed ?? []).filter((email) => !back.has(email)),
    ...former.map(({ email }) => email),
  ];
  return Bun.deepEquals(removed, each.guests.removed ?? [])
    ? {}
    : { guests: { ...each.guests, removed } };
}

/**
 * After a change of a series, its changed instances have the new values in the fields in which they were like it, and its
 * new guests. Those that its new times or rule do not produce are removed.
 */
export async function followSeries(
  call: WritingCall,
  before: EventRow,
  { columns, attendees }: Series,
  { timeZone }: CalendarRow,
): Promise<void> {
  const { session } = call;
  const changes = Object.entries(changesOf(before, columns)).filter(
    ([name]) => !OWN.includes(name),
  );
  const moved = isMoved(before, columns);
  const guests = guestChanges(before, attendees);
  if (!moved && changes.length === 0 && !guests) return;
  const [series] = await findEvents(session, [before.id]);
  for (const each of await listExceptions(session, [before.id], EXCEPTIONS_MAX)) {
    if (series && moved && !instanceOf(series, each.id, timeZone)) {
      for (const { email } of each.attendees)
        await remove(session, "event_attendees", { eventId: each.id, email });
      await remove(session, "events", { id: each.id });
      continue;
    }
    const followed = changes.filter(([name]) =>
      Bun.deepEquals(each[name as keyof EventRow], before[name as keyof EventRow]),
    );
    const fields = {
      ...Object.fromEntries(followed),
      ...(guests && (await followGuests(call, each, guests))),
    };
    if (Object.keys(fields).length > 0)
      await update(session, "events", { id: each.id }, { ...fields, ...stampOf(call) });
  }
}
