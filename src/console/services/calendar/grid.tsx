/** Days beside each other, with their events at their hours. */
import { place, setQuery } from "~/console/place";
import { answerOf, type Entry, titleOf } from "~/console/services/calendar/data";
import { addDays, lanesOf, minutesOn, shortDay, timeOf } from "~/console/services/calendar/days";
import { type CalendarMarks, changeOf } from "~/console/services/calendar/marks";

export type Shown = {
  readonly entries: readonly Entry[];
  readonly marks: CalendarMarks;
  /** The wall clock of the environment. */
  readonly now: string;
};

export const keyOf = ({ event, calendar }: Entry) => `${calendar.id} ${event.id}`;

/** The hours that are always shown, as far as no event needs others. */
const [OPENS, CLOSES] = [8, 19];
const HOUR = 60;

/** The days from `first` on. */
export function Days({ first, count, of }: { first: string; count: number; of: Shown }) {
  const days = Array.from({ length: count }, (_, index) => addDays(first, index));
  const timed = of.entries.filter(({ isAllDay }) => !isAllDay);
  const spans = days.map((day) =>
    timed
      .filter(({ begin, end }) => begin < `${addDays(day, 1)}T00:00` && end > `${day}T00:00`)
      .map((entry) => ({
        ...{ entry, from: minutesOn(day, entry.begin), to: minutesOn(day, entry.end) },
      })),
  );
  const all = spans.flat();
  const opens = Math.floor(Math.min(OPENS * HOUR, ...all.map(({ from }) => from)) / HOUR);
  const closes = Math.ceil(Math.max(CLOSES * HOUR, ...all.map(({ to }) => to)) / HOUR);
  const minutes = (closes - opens) * HOUR;
  const percent = (from: number) => `${(100 * from) / minutes}%`;
  const hours = Array.from({ length: closes - opens }, (_, index) => opens + index);
  return (
    <div class="days" style={{ "--days": count, "--hours": hours.length }}>
      <div class="hours">
        <div class="heads" />
        <div class="scale" aria-hidden="true">
          {hours.map((hour) => (
            <span key={hour}>{String(hour).padStart(2, "0")}:00</span>
          ))}
        </div>
      </div>
      {days.map((day, index) => (
        <section key={day} aria-label={shortDay(day)} class={of.now.startsWith(day) ? "today" : ""}>
          <div class="heads">
            <h3>{shortDay(day)}</h3>
            {of.entries
              .filter(({ isAllDay }) => isAllDay)
              .filter(({ begin, end }) => begin <= `${day}T00:00` && end > `${day}T00:00`)
              .map((entry) => (
                <Block key={keyOf(entry)} of={entry} marks={of.marks} />
              ))}
          </div>
          <div class="scale">
            {lanesOf(spans[index] ?? []).map(({ item: { entry, from, to }, lane, lanes }) => (
              <Block
                key={keyOf(entry)}
                of={entry}
                marks={of.marks}
                style={{
                  top: percent(from - opens * HOUR),
                  height: percent(Math.max(to - from, HOUR / 2)),
                  left: `${(100 * lane) / lanes}%`,
                  width: `${100 / lanes}%`,
                }}
              />
            ))}
            {of.now.startsWith(day) && (
              <div class="now" style={{ top: percent(minutesOn(day, of.now) - opens * HOUR) }} />
            )}
          </div>
        </section>
      ))}
    </div>
  );
}

/** Words for what the form of an event shows. */
export function stateOf({ event }: Entry): string {
  const answer = answerOf(event);
  if (answer === "needsAction") return "not answered";
  if (answer === "tentative" || answer === "declined") return answer;
  return event.transparency === "transparent" ? "free" : "";
}

function Block({
  of,
  marks,
  style = {},
}: {
  of: Entry;
  marks: CalendarMarks;
  style?: Readonly<Record<string, string>>;
}) {
  const { event, calendar, begin, end, isAllDay } = of;
  const { mark, cause } = changeOf(event, marks);
  const times = isAllDay ? "all day" : `${timeOf(begin)}–${timeOf(end)}`;
  const state = stateOf(of);
  const by = mark ? `${mark}${cause ? ` by call ${cause.n}` : ""}` : "";
  const kind = [answerOf(event) ?? "", event.transparency ?? "", mark ? `tinted ${mark}` : ""];
  return (
    <button
      type="button"
      class={`block ${kind.join(" ")}`}
      style={style}
      title={[titleOf(event), times, calendar.summary, state, by].filter(Boolean).join(" · ")}
      aria-current={place.value.query.get("event") === keyOf(of)}
      onClick={() => setQuery({ event: keyOf(of) })}
    >
      <span class="title">
        <span class="dot" style={{ "--own": calendar.backgroundColor }} />{" "}
        <bdi>{titleOf(event)}</bdi>
      </span>
      {by && <span class="by">{by}</span>}
      {!isAllDay && <span class="times">{times}</span>}
      {state && <span class="hidden">{state}</span>}
    </button>
  );
}
