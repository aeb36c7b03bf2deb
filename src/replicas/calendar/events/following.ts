/** Changed instances follow their series. */
import type { Columns } from "~/replicas/calendar/events/columns";
import { instanceOf } from "~/replicas/calendar/events/series";
import { changesOf, isMoved, stampOf } from "~/replicas/calendar/events/writing";
import type { WritingCall } from "~/replicas/calendar/operation";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import { type EventRow, findEvents, listExceptions } from "~/replicas/calendar/store/events";
import { remove, update } from "~/replicas/calendar/store/write";

const EXCEPTIONS_MAX = 20_000;

/** Columns that an instance has from its series in another way, or of its own. */
const OWN = ["start", "end", "startAt", "endAt", "recurrence", "status", "guests"];

/**
 * After a change of a series, its changed instances have the new values in the fields in which they were like it. Those
 * that its new times or rule do not produce are removed.
 */
export async function followSeries(
  call: WritingCall,
  before: EventRow,
  columns: Columns,
  { timeZone }: CalendarRow,
): Promise<void> {
  const { session } = call;
  const changes = Object.entries(changesOf(before, columns)).filter(
    ([name]) => !OWN.includes(name),
  );
  const moved = isMoved(before, columns);
  if (!moved && changes.length === 0) return;
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
    if (followed.length > 0)
      await update(
        session,
        "events",
        { id: each.id },
        { ...Object.fromEntries(followed), ...stampOf(call) },
      );
  }
}
