/** One event with all that its calendar shows of it. */
import { Avatar } from "~/console/parts/avatar";
import { MarkNote } from "~/console/parts/mark-note";
import { Link, Long } from "~/console/parts/text";
import { setQuery } from "~/console/place";
import { type Entry, titleOf } from "~/console/services/calendar/data";
import { addDays, longDay, timeOf } from "~/console/services/calendar/days";
import { type CalendarMarks, changeOf } from "~/console/services/calendar/marks";

const ANSWERS: Readonly<Record<string, string>> = {
  ...{ accepted: "accepted", declined: "declined" },
  ...{ tentative: "maybe", needsAction: "no answer" },
};

export function Opened({ of, marks, zone }: { of: Entry; marks: CalendarMarks; zone: string }) {
  const { event, calendar } = of;
  const { attendees = [], organizer, description, location, hangoutLink, visibility } = event;
  const change = changeOf(event, marks);
  return (
    <section class="room" aria-label="Event">
      <header>
        <h2>
          <bdi>{titleOf(event)}</bdi>
        </h2>
        <button type="button" onClick={() => setQuery({ event: undefined })}>
          Close
        </button>
      </header>
      <div class={`event ${change.mark ? "tinted" : ""}`}>
        <MarkNote {...change} />
        <p>
          <When of={of} /> <span class="quiet">{zone}</span>
        </p>
        <p class="quiet">
          {[calendar.summary, visibility, event.recurringEventId && "one of a series"]
            .filter(Boolean)
            .join(" · ")}
        </p>
        {location && <p>{location}</p>}
        {hangoutLink && (
          <p>
            <Link href={hangoutLink}>{hangoutLink}</Link>
          </p>
        )}
        {description && (
          <div class="words">
            <Long text={description} />
          </div>
        )}
        {organizer && (
          <p class="quiet">
            organized by <bdi>{organizer.displayName ?? organizer.email}</bdi>
          </p>
        )}
        <ul>
          {attendees.map(({ email, displayName = email, responseStatus, comment }) => (
            <li key={email}>
              <Avatar id={email} name={displayName} /> <bdi>{displayName}</bdi>{" "}
              <span class="quiet">
                {ANSWERS[responseStatus] ?? responseStatus}
                {comment && `: ${comment}`}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function When({ of: { begin, end, isAllDay } }: { of: Entry }) {
  const [first, last] = [begin.slice(0, 10), end.slice(0, 10)];
  if (isAllDay) {
    const until = addDays(last, -1);
    return <>{until > first ? `${longDay(first)} – ${longDay(until)}` : longDay(first)}</>;
  }
  const to = last > first ? `${longDay(last)}, ${timeOf(end)}` : timeOf(end);
  return (
    <>
      {longDay(first)}, {timeOf(begin)}–{to}
    </>
  );
}
