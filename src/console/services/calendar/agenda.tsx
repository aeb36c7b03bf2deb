/** Events one below the other, by day. */
import { Empty } from "~/console/parts/basics";
import { MarkNote } from "~/console/parts/mark-note";
import { setQuery } from "~/console/place";
import { titleOf } from "~/console/services/calendar/data";
import { addDays, longDay, timeOf } from "~/console/services/calendar/days";
import { keyOf, type Shown, stateOf } from "~/console/services/calendar/grid";
import { changeOf } from "~/console/services/calendar/marks";

export function Agenda({ first, count, of }: { first: string; count: number; of: Shown }) {
  const days = Array.from({ length: count }, (_, index) => addDays(first, index))
    .map((day) => ({
      day,
      entries: of.entries.filter(
        // An event is on the day on which it begins; one that began earlier, on the first day.
        ({ begin }) => begin.startsWith(day) || (day === first && begin < day),
      ),
    }))
    .filter(({ entries }) => entries.length > 0);
  if (days.length === 0) return <Empty title="No events in these days." />;
  return (
    <div class="agenda">
      {days.map(({ day, entries }) => (
        <section key={day} aria-label={longDay(day)}>
          <h3 class="day">{longDay(day)}</h3>
          <ol>
            {entries.map((entry) => {
              const { event, calendar, begin, end, isAllDay } = entry;
              const change = changeOf(event, of.marks);
              const state = stateOf(entry);
              return (
                <li key={keyOf(entry)} class={change.mark ? `tinted ${change.mark}` : ""}>
                  <button type="button" onClick={() => setQuery({ event: keyOf(entry) })}>
                    <span class="times">
                      {isAllDay ? "all day" : `${timeOf(begin)}–${timeOf(end)}`}
                    </span>
                    <span class="title">
                      <span class="dot" style={{ "--own": calendar.backgroundColor }} />{" "}
                      <bdi>{titleOf(event)}</bdi>
                    </span>
                    <span class="quiet">
                      {[calendar.summary, event.location, state].filter(Boolean).join(" · ")}
                    </span>
                  </button>
                  <MarkNote {...change} />
                </li>
              );
            })}
          </ol>
        </section>
      ))}
    </div>
  );
}
