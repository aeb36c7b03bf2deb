/** The shape of seeds. */
import { type Static, Type } from "@sinclair/typebox";
import { AGENT_DIFF } from "~/replicas/calendar/compatibility";
import { HEADING } from "~/replicas/kit/seed-shape";

const closed = { additionalProperties: false };
const optional = Type.Optional;
const Name = Type.String({ minLength: 1 });
const Email = Type.String({
  pattern: '^[^\\s@<>",;:A-Z]+@[^\\s@<>",;:A-Z]+$',
  expected: "a mail address in small letters",
});
const Moment = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$",
  expected: "a moment in UTC: 2026-01-05T09:00:00Z",
});
/** A date, or a wall clock in the zone of the event: `2026-01-06T15:00`. */
const Time = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\d(?:T\\d\\d:\\d\\d(?::\\d\\d)?)?$",
  expected: "a date or a wall clock: 2026-01-06 or 2026-01-06T15:00",
});
const Words = Type.Record(Type.String(), Name);
/** Fields of the API's own event. */
const Fields = Type.Object({}, { additionalProperties: true });

const EVENT = {
  summary: optional(Type.String()),
  start: optional(Time),
  end: optional(Time),
  zone: optional(Name),
  /** Answers by guest: a user, or any address. */
  guests: optional(Words),
  fields: optional(Fields),
};

const SeedEvent = Type.Object(
  {
    ...EVENT,
    id: optional(
      Type.String({ pattern: "^[a-z0-9_]{5,64}$", expected: "5 to 64 letters a-z, digits and _" }),
    ),
    calendar: Name,
    /** The user who created it; that of the calendar by default. */
    by: optional(Name),
    start: Time,
    end: Time,
    created: optional(Moment),
    recurrence: optional(Type.Array(Name)),
    /** Instances by their original start: `cancelled`, or what is different. */
    except: optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.Literal("cancelled"), Type.Object(EVENT, closed)]),
      ),
    ),
  },
  closed,
);

export const CalendarSeed = Type.Object({
  ...HEADING,
  compatibility: optional(Type.Literal(AGENT_DIFF)),
  users: Type.Array(
    Type.Object(
      {
        id: optional(Name),
        name: Name,
        email: Email,
        zone: optional(Name),
        settings: optional(Words),
        /** Roles by user or address in the primary calendar. */
        share: optional(Words),
      },
      closed,
    ),
    { minItems: 1 },
  ),
  calendars: optional(
    Type.Array(
      Type.Object(
        {
          key: Name,
          id: Email,
          summary: Name,
          description: optional(Name),
          location: optional(Name),
          zone: optional(Name),
          owner: Name,
          resource: optional(Type.Boolean()),
          /** Roles by user or address, or for `default`. */
          share: optional(Words),
          /** Users who have it in their lists, besides the owner. */
          listed: optional(Type.Array(Name)),
        },
        closed,
      ),
    ),
  ),
  events: optional(Type.Array(SeedEvent)),
});

export type CalendarSeed = Static<typeof CalendarSeed>;
export type SeedEvent = Static<typeof SeedEvent>;
