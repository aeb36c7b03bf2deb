/** The events of a seed. */
import type { Place } from "~/replicas/calendar/access";
import { CalendarError } from "~/replicas/calendar/errors";
import { changeEvent, deleteEvent } from "~/replicas/calendar/events/changes";
import { createEvent } from "~/replicas/calendar/events/creation";
import type { EventResource } from "~/replicas/calendar/events/resource";
import type { CalendarSession, WritingCall } from "~/replicas/calendar/operation";
import type { SeedEvent } from "~/replicas/calendar/seed-shape";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import type { UserRow } from "~/replicas/calendar/store/users";
import { plainMoment } from "~/replicas/calendar/times";
import { SeedError } from "~/replicas/kit/seed-mistakes";

export type SeedNames = {
  readonly addressOf: (name: string, path: string) => string;
  readonly users: readonly UserRow[];
  readonly calendars: readonly CalendarRow[];
  /** A session at a time, with the bytes of the event at a place. */
  readonly begin: (place: number, at: string | undefined) => CalendarSession;
  /** The number of the first event. */
  readonly first: number;
};

const OPTIONS = { conferenceDataVersion: 1, eventLabelVersion: 1, supportsAttachments: true };

type Part = Pick<SeedEvent, "summary" | "zone" | "guests" | "fields"> & {
  readonly start?: string;
  readonly end?: string;
};

const timeOf = (text: string, timeZone: string) =>
  text.includes("T")
    ? { dateTime: text.length === 16 ? `${text}:00` : text, timeZone }
    : { date: text };

/** The resource that a call would send. */
function resourceOf(
  part: Part,
  zone: string,
  { addressOf }: SeedNames,
  path: string,
): EventResource {
  const { summary, start, end, guests, fields } = part;
  return {
    ...(summary !== undefined && { summary }),
    ...(start !== undefined && { start: timeOf(start, zone) }),
    ...(end !== undefined && { end: timeOf(end, zone) }),
    ...(guests && {
      attendees: Object.entries(guests).map(([who, responseStatus]) => ({
        ...{ email: addressOf(who, `${path}.guests`), responseStatus },
      })),
    }),
    ...fields,
  };
}

/** The id of the instance of a series that begins at a wall clock of its zone, or on a day. */
function instanceId(series: string, original: string, zone: string, path: string): string {
  if (!original.includes("T")) return `${series}_${original.replaceAll("-", "")}`;
  const at = plainMoment(original, zone);
  if (at === undefined) throw new SeedError(path, `${original} is no time`);
  return `${series}_${new Date(at).toISOString().replace(/[-:]|\.\d+/g, "")}`;
}

export async function createEvents(events: readonly SeedEvent[], names: SeedNames): Promise<void> {
  for (const [at, event] of events.entries()) {
    const path = `events[${at}]`;
    const id = names.addressOf(event.calendar, `${path}.calendar`);
    const calendar = names.calendars.find((each) => each.id === id);
    const person = names.addressOf(event.by ?? calendar?.dataOwner ?? "", `${path}.by`);
    const me = names.users.find(({ email }) => email === person);
    if (!calendar || !me) throw new SeedError(path, "its calendar or its creator is unknown");
    const session = names.begin(at, event.created);
    const version = names.first + at;
    const call = { session, userId: me.id, ifMatch: null, baseUrl: "", version };
    try {
      await createOne(call, { me, calendar, role: "owner" }, event, names, path);
    } catch (error) {
      if (error instanceof CalendarError) throw new SeedError(path, error.message);
      throw error;
    }
  }
}

async function createOne(
  call: WritingCall,
  place: Place,
  event: SeedEvent,
  names: SeedNames,
  path: string,
): Promise<void> {
  const { id, recurrence, except = {} } = event;
  const zone = event.zone ?? place.calendar.timeZone;
  const body = {
    ...resourceOf(event, zone, names, path),
    ...(id !== undefined && { id }),
    ...(recurrence && { recurrence }),
  };
  const created = await createEvent(call, place, body, OPTIONS);
  for (const [original, part] of Object.entries(except)) {
    const instance = instanceId(created.id, original, zone, `${path}.except`);
    if (part === "cancelled") await deleteEvent(call, place, instance, {});
    else {
      const change = { body: resourceOf(part, zone, names, path), replaces: false };
      await changeEvent(call, place, instance, change, OPTIONS);
    }
  }
}
