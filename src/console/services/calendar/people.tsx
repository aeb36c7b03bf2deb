/** The busy times of a day, a row for each calendar. */
import { useWorldLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Ready } from "~/console/parts/basics";
import { type Busy, type Calendars, PEOPLE_MAX } from "~/console/services/calendar/data";
import { minutesOn, timeOf } from "~/console/services/calendar/days";
import type { ServiceEnvironment } from "~/console/services/member";

type Named = { readonly id: string; readonly name: string };

const DAY_MINUTES = 24 * 60;
const HOURS = [0, 4, 8, 12, 16, 20];

export function People({
  environment,
  calendars,
  named,
  day,
  zone,
}: {
  environment: ServiceEnvironment;
  calendars: Calendars;
  /** The calendars, in the order of their rows. */
  named: readonly Named[];
  day: string;
  zone: string;
}) {
  const ids = named.map(({ id }) => id);
  const loaded = useLoad(
    (signal) => calendars.busy(ids, { day, zone }, signal),
    [calendars, day, zone, ids.join()],
  );
  useWorldLive(environment, loaded.reload);
  return (
    <Ready of={loaded}>
      {(busy) => (
        <div class="busy">
          <table>
            <thead>
              <tr>
                <th scope="col">Calendar</th>
                <th scope="col">
                  <span class="hidden">Busy times</span>
                  <span class="line" aria-hidden="true">
                    {HOURS.map((hour) => (
                      <span key={hour}>{String(hour).padStart(2, "0")}:00</span>
                    ))}
                  </span>
                </th>
              </tr>
            </thead>
            <tbody>
              {busy.map((each, index) => (
                <tr key={each.id}>
                  <th scope="row">
                    <bdi>{named[index]?.name ?? each.id}</bdi>
                  </th>
                  <td>
                    <Line of={each} day={day} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {named.length > PEOPLE_MAX && (
            <p class="quiet">and {named.length - PEOPLE_MAX} more calendars</p>
          )}
        </div>
      )}
    </Ready>
  );
}

function Line({ of: { periods }, day }: { of: Busy; day: string }) {
  if (!periods) return <span class="quiet">not shared</span>;
  const shown = periods
    .map(({ begin, end }) => ({
      ...{ from: minutesOn(day, begin), to: minutesOn(day, end) },
      text: `${timeOf(begin)}–${timeOf(end)}`,
    }))
    .filter(({ from, to }) => to > from);
  const percent = (minutes: number) => `${(100 * minutes) / DAY_MINUTES}%`;
  return (
    <div class="line">
      {shown.length === 0 && <span class="hidden">free</span>}
      {shown.map(({ from, to, text }) => (
        <span
          key={from}
          class="period"
          title={text}
          style={{ left: percent(from), width: percent(to - from) }}
        >
          <span class="hidden">busy {text}</span>
        </span>
      ))}
    </div>
  );
}
