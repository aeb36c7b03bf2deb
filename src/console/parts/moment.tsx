/** The places that a call touched, and the world after any call. */
import { useMemo } from "preact/hooks";
import type { History } from "~/console/rebuilt";
import { type RunData, serviceOfRun } from "~/console/run-data";
import { serviceOf } from "~/console/services/index";
import type { ConsoleService } from "~/console/services/service";
import type { Line } from "~/console/timeline";

const PLACES_MAX = 40;

export function Touched({
  line,
  history,
  Place,
}: {
  line: Line;
  history: History;
  Place: ConsoleService["Place"];
}) {
  const places = useMemo(() => history.touched(line), [line, history]);
  return (
    <>
      {places.slice(0, PLACES_MAX).map(({ id, rows }) => (
        <Place key={id} id={id} rows={rows} names={history.names} latest={line.by} />
      ))}
    </>
  );
}

/** The places that the run changed, as they were after a call. */
export function Moment({
  data,
  history,
  chosen,
  choose,
}: {
  data: RunData;
  history: History;
  chosen: number | undefined;
  choose: (n: number) => void;
}) {
  const { Place } = serviceOf(serviceOfRun(data));
  const last = data.calls.length;
  const n = chosen ?? last;
  const places = useMemo(() => {
    const line = history.lines.find((each) => each.by === n);
    return history.placesAfter(n === 0 ? 0 : (line?.upTo ?? data.events.length));
  }, [data, n, history]);
  if (data.events.length === 0) return null;
  return (
    <section aria-label="The world at a call">
      <h2>The world after call {n}</h2>
      <label>
        Call
        <input
          type="range"
          min={0}
          max={last}
          value={n}
          onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
          aria-valuetext={`after call ${n} of ${last}`}
        />
      </label>
      {places.length === 0 ? (
        <p class="empty">Nothing has changed yet.</p>
      ) : (
        <div class="places">
          {places.slice(0, PLACES_MAX).map(({ id, rows }) => (
            <Place key={id} id={id} rows={rows} names={history.names} latest={n} />
          ))}
        </div>
      )}
      {places.length > PLACES_MAX && (
        <p class="quiet">and {places.length - PLACES_MAX} more places</p>
      )}
    </section>
  );
}
