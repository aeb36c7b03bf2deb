import { Type } from "@sinclair/typebox";
import { findPlaces } from "~/replicas/calendar/access";
import { CalendarError, invalid, required } from "~/replicas/calendar/errors";
import { busyTimes } from "~/replicas/calendar/events/busy";
import { requireZone, windowOf } from "~/replicas/calendar/events/matching";
import {
  answersOf,
  type CalendarCall,
  operation,
  optional,
  text,
} from "~/replicas/calendar/operation";
import { bodyOf } from "~/replicas/calendar/shapes/calendar";
import { wallClock } from "~/replicas/calendar/times";

const CALENDARS_MAX = 50;
const DAYS_MAX = 93;
const DAY_MS = 24 * 3_600_000;

const Period = Type.Object(
  {
    start: text("Its first moment", "2026-01-07T14:00:00Z"),
    end: text("The moment after it", "2026-01-07T15:00:00Z"),
  },
  { description: "A time that is not free" },
);
const Problem = Type.Object(
  { domain: text("Of the reason", "global"), reason: text("For programs", "notFound") },
  { description: "The reason for which there are no times" },
);
const Busy = Type.Object(
  {
    errors: optional(Type.Array(Problem, { description: "Of a calendar that cannot be read" })),
    busy: Type.Array(Period, { description: "In order; times that touch are joined" }),
  },
  { description: "The times of one calendar" },
);

const FreeBusy = Type.Object(
  {
    kind: text("Always the same", "calendar#freeBusy"),
    timeMin: text("Of the query", "2026-01-07T00:00:00.000Z"),
    timeMax: text("Of the query", "2026-01-08T00:00:00.000Z"),
    calendars: Type.Record(Type.String(), Busy, { description: "By the ids of the query" }),
    groups: optional(
      Type.Object({}, { additionalProperties: true, description: "There are no groups" }),
    ),
  },
  { title: "CalendarFreeBusy", description: "The times at which calendars are not free" },
);

const Item = Type.Object(
  { id: text("Of a calendar", "primary") },
  { description: "A calendar", additionalProperties: true },
);
const FreeBusyBody = bodyOf({
  timeMin: Type.String({ description: "The beginning", examples: ["2026-01-07T00:00:00Z"] }),
  timeMax: Type.String({ description: "The end", examples: ["2026-01-08T00:00:00Z"] }),
  timeZone: Type.String({ description: "Of times in the answer", examples: ["Europe/Berlin"] }),
  items: Type.Array(Item, { description: "Calendars, at most 50" }),
  calendarExpansionMax: Type.Integer({ description: "Calendars, at most this many" }),
  groupExpansionMax: Type.Integer({ description: "There are no groups" }),
});

type Query = {
  readonly timeMin?: string | null;
  readonly timeMax?: string | null;
  readonly timeZone?: string | null;
  readonly items?: readonly { readonly id?: string }[] | null;
  readonly calendarExpansionMax?: number | null;
};

/** The window of a query. Throws for one that is too long. */
export function requireSpan({ timeMin, timeMax }: Pick<Query, "timeMin" | "timeMax">) {
  if (!timeMin || !timeMax) throw required();
  const { from = 0, to = 0 } = windowOf({ timeMin, timeMax });
  if (to - from > DAYS_MAX * DAY_MS)
    throw new CalendarError("timeRangeTooLong", "The requested time range is too long.", [
      "parameter",
      "timeMax",
    ]);
  return { from, to };
}

const UNKNOWN = { domain: "global", reason: "notFound" };

async function query(call: CalendarCall, asked: Query) {
  const window = requireSpan(asked);
  const { items, timeZone } = asked;
  requireZone(timeZone ?? undefined);
  const ids = [...new Set((items ?? []).flatMap(({ id }) => id ?? []))];
  const max = Math.min(asked.calendarExpansionMax ?? CALENDARS_MAX, CALENDARS_MAX);
  if (ids.length > max) throw invalid("Too many calendars are requested.");
  const places = await findPlaces(call, ids);
  const found = places.flatMap((place) => place?.calendar ?? []);
  const times = await busyTimes(call.session, found, window);
  const shown = (at: number) => wallClock(at, timeZone ?? "UTC");
  const calendars: Record<string, object> = Object.create(null);
  for (const [at, id] of ids.entries()) {
    const periods = times.get(places[at]?.calendar.id ?? "");
    const busy = (periods ?? []).map(({ start, end }) => ({
      start: shown(start),
      end: shown(end),
    }));
    calendars[id] = periods ? { busy } : { errors: [UNKNOWN], busy };
  }
  return {
    kind: "calendar#freeBusy",
    timeMin: new Date(window.from).toISOString(),
    timeMax: new Date(window.to).toISOString(),
    calendars,
  };
}

export const freebusy = [
  operation("freebusy.query", "POST", "freeBusy", {
    summary: "Show busy times",
    description: "The times at which calendars are not free, whatever else they show to the user.",
    body: FreeBusyBody,
    answers: answersOf(FreeBusy),
    handle: async ({ body }, call) => await query(call, body as Query),
  }),
];
