/** A calendar environment as one of its people sees it. Differences from the template are tinted. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { ask } from "~/console/api";
import { useWorldLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { useMarks } from "~/console/marks";
import { Ready } from "~/console/parts/basics";
import { Choice } from "~/console/parts/filters";
import { UserChoice } from "~/console/parts/user-choice";
import { place, setQuery } from "~/console/place";
import { textOf } from "~/console/rows";
import { Agenda } from "~/console/services/calendar/agenda";
import {
  type Calendars,
  createCalendars,
  type Entry,
  type ListedCalendar,
} from "~/console/services/calendar/data";
import { addDays, isDay, longDay, wallOf, weekOf } from "~/console/services/calendar/days";
import { Opened } from "~/console/services/calendar/event";
import { Days, keyOf } from "~/console/services/calendar/grid";
import {
  type CalendarMarks,
  changeOf,
  readBaseline,
  subjectsOf,
} from "~/console/services/calendar/marks";
import { People } from "~/console/services/calendar/people";
import { readOwnRows, type ServiceEnvironment } from "~/console/services/member";
import type { WorldProps } from "~/console/services/service";

/** Days of each view. */
const VIEWS: Readonly<Record<string, number>> = { week: 7, day: 1, agenda: 14, people: 1 };
const CLEARED = { event: undefined };
const clears = Object.keys(CLEARED);
/** Requests of a reload beside those for the events of each calendar. */
const REQUESTS = 2;

type View = {
  readonly environment: ServiceEnvironment;
  readonly calendars: Calendars;
  readonly listed: readonly ListedCalendar[];
  /** False if the person has more calendars. */
  readonly isWhole: boolean;
  readonly zone: string;
  readonly marks: CalendarMarks;
  readonly now: string;
  /** Of all calendars of the template. */
  readonly named: readonly { readonly id: string; readonly name: string }[];
};

export function CalendarWorld({ environment }: WorldProps) {
  const as = place.value.query.get("as") ?? "";
  const { environmentId, clock } = environment;
  const calendars = useMemo(() => createCalendars(environment, as), [environmentId, as]);
  const overview = useLoad((signal) => calendars.overview(signal), [calendars]);
  const known = useLoad(() => readKnown(environment), [environmentId]);
  const marks = useMarks(environment, readBaseline, subjectsOf);
  const cost = REQUESTS + (overview.data?.calendars.length ?? 0);
  useWorldLive(environment, overview.reload, cost);
  return (
    <Ready of={overview}>
      {({ zone, calendars: listed, isWhole }) => {
        const { users = [], named = [] } = known.data ?? {};
        const now = wallOf(Date.parse(clock.now), zone);
        const view = { environment, calendars, listed, isWhole, zone, marks, now, named };
        return (
          <>
            <div class="filters">
              <Choice
                label="View"
                name="view"
                value={chosenView()}
                options={Object.keys(VIEWS)}
                clears={clears}
              />
              <Travel now={now} />
              <UserChoice environment={environment} users={users} clears={clears} />
              <span class="quiet">Times in {zone}</span>
            </div>
            <Shown view={view} />
          </>
        );
      }}
    </Ready>
  );
}

/** The people, and the calendars with their names: those of people first. */
async function readKnown(environment: ServiceEnvironment) {
  const rows = await readOwnRows(ask, environment, ["users", "calendars"]);
  const users = (rows["users"] ?? []).map(({ id, email, displayName }) => ({
    // A token names a person by the address.
    id: id === environment.impersonateUserId ? textOf(id) : textOf(email),
    ...{ email: textOf(email), name: textOf(displayName) },
  }));
  const people = users.map(({ email, name }) => ({ id: email, name }));
  const others = (rows["calendars"] ?? [])
    .map(({ id, summary }) => ({ id: textOf(id), name: textOf(summary) }))
    .filter(({ id }) => !people.some((each) => each.id === id));
  return { users, named: [...people, ...others] };
}

function chosenView(): string {
  const view = place.value.query.get("view") ?? "";
  return Object.hasOwn(VIEWS, view) ? view : "week";
}

/** The chosen day; by default the one of the environment's clock. */
function chosenDay(now: string): string {
  const day = place.value.query.get("day") ?? "";
  return isDay(day) ? day : now.slice(0, 10);
}

function Travel({ now }: { now: string }) {
  const step = chosenView() === "agenda" ? 7 : (VIEWS[chosenView()] ?? 1);
  const go = (day: string | undefined) => setQuery({ ...CLEARED, day });
  return (
    <>
      <button type="button" onClick={() => go(addDays(chosenDay(now), -step))}>
        Earlier
      </button>
      <button type="button" onClick={() => go(undefined)}>
        Today
      </button>
      <button type="button" onClick={() => go(addDays(chosenDay(now), step))}>
        Later
      </button>
    </>
  );
}

function Shown({ view }: { view: View }) {
  const { environment, calendars, zone, now, named } = view;
  const kind = chosenView();
  const day = chosenDay(now);
  const first = kind === "week" ? weekOf(day) : day;
  const days = VIEWS[kind] ?? 1;
  const title =
    days === 1 ? longDay(first) : `${longDay(first)} – ${longDay(addDays(first, days - 1))}`;
  if (kind !== "people") return <Events view={view} of={{ first, days, title }} />;
  return (
    <div class="calendar">
      <Room title={title}>
        <People {...{ environment, calendars, named, zone }} day={first} />
      </Room>
    </div>
  );
}

function Room({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="room" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      {children}
    </section>
  );
}

function Events({
  view,
  of: { first, days, title },
}: {
  view: View;
  of: { first: string; days: number; title: string };
}) {
  const { calendars, listed, zone, marks, now } = view;
  const loaded = useLoad(
    (signal) => calendars.events(listed, { first, days, zone }, signal),
    [calendars, listed, first, days, zone],
  );
  const chosen = place.value.query.get("event");
  const isSeen = ({ event }: Entry) =>
    event.status !== "cancelled" || changeOf(event, marks).mark === "removed";
  const opened = loaded.data?.entries.find((entry) => keyOf(entry) === chosen);
  return (
    <div class={`calendar ${opened ? "opened" : ""}`}>
      <Room title={title}>
        <Ready of={loaded}>
          {({ entries, isWhole }) => {
            const of = { entries: entries.filter(isSeen), marks, now };
            const Layout = chosenView() === "agenda" ? Agenda : Days;
            return (
              <>
                {!(isWhole && view.isWhole) && (
                  <p class="note">Some calendars or events are not shown: there are too many.</p>
                )}
                <Layout first={first} count={days} of={of} />
              </>
            );
          }}
        </Ready>
      </Room>
      {opened && <Opened of={opened} marks={marks} zone={zone} />}
    </div>
  );
}
