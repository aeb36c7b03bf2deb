import { Type } from "@sinclair/typebox";
import { requirePlace, write } from "~/replicas/calendar/access";
import { required } from "~/replicas/calendar/errors";
import { changeEvent, deleteEvent } from "~/replicas/calendar/events/changes";
import type { WriteOptions } from "~/replicas/calendar/events/columns";
import { createEvent } from "~/replicas/calendar/events/creation";
import { requireEvent } from "~/replicas/calendar/events/find";
import { importEvent } from "~/replicas/calendar/events/importing";
import { listInstances } from "~/replicas/calendar/events/instances";
import { listEvents } from "~/replicas/calendar/events/listing";
import { requireZone } from "~/replicas/calendar/events/matching";
import { moveEvent } from "~/replicas/calendar/events/moving";
import { quickAddEvent } from "~/replicas/calendar/events/quick";
import type { EventResource } from "~/replicas/calendar/events/resource";
import { eventView, type Shown } from "~/replicas/calendar/events/view";
import { requireEventId } from "~/replicas/calendar/ids";
import {
  answersOf,
  type CalendarCall,
  calendarId,
  choice,
  flag,
  NO_CONTENT,
  operation,
  optional,
  text,
} from "~/replicas/calendar/operation";
import { Event, EventBody, EventList } from "~/replicas/calendar/shapes/event";

const EVENTS = "calendars/{calendarId}/events";
const EVENT = `${EVENTS}/{eventId}` as const;

const eventId = Type.String({
  description: "Of the event",
  examples: ["5p1c2v8i0gd0kgj3k2t4ctkn3o"],
});
const count = (description: string) => optional(Type.Integer({ minimum: 1, description }));

const maxAttendees = count("Attendees of an event; more are left out");
const timeZone = text("The zone of times in the answer", "Europe/Berlin");
const alwaysIncludeEmail = flag("Ignored");
const version = (description: string) =>
  optional(Type.Integer({ minimum: 0, maximum: 1, description }));
const TOLD = ["all", "externalOnly", "none"];
const NOTIFICATIONS = {
  sendUpdates: optional(
    choice(TOLD, "Which guests are notified of the change: all, externalOnly, none"),
  ),
  sendNotifications: flag("The older name: true is `all`"),
};
const VERSIONS = {
  conferenceDataVersion: version("1: the call handles conferences"),
  eventLabelVersion: version("1: the call handles labels"),
  supportsAttachments: flag("The call handles attachments"),
};
const WRITING = { ...NOTIFICATIONS, ...VERSIONS, maxAttendees };

const ORDERS = ["startTime", "updated"];
const TYPES = ["birthday", "default", "focusTime", "fromGmail", "outOfOffice", "workingLocation"];

export const LISTING = {
  ...{ alwaysIncludeEmail, maxAttendees, timeZone },
  eventTypes: optional(
    Type.Array(choice(TYPES, "A type"), { description: "Types of events; none: all" }),
  ),
  iCalUID: text("Only the events with this one", "a@google.com"),
  maxResults: count("Events of a page, at most 2500"),
  orderBy: optional(choice(ORDERS, "startTime, with single events only, or updated")),
  pageToken: text("`nextPageToken` of the page before", "Q"),
  privateExtendedProperty: optional(
    Type.Array(Type.String(), { description: "`name=value`, of this copy" }),
  ),
  q: text("Words that an event must have", "review"),
  sharedExtendedProperty: optional(
    Type.Array(Type.String(), { description: "`name=value`, of all copies" }),
  ),
  showDeleted: flag("Also cancelled events"),
  showHiddenInvitations: flag("Also invitations that the user's settings hide"),
  singleEvents: flag("Instances in place of series"),
  syncToken: text("`nextSyncToken` of an earlier list: only changes since then", "Q="),
  timeMax: text("Events begin before this moment", "2026-01-12T00:00:00Z"),
  timeMin: text("Events end after this moment", "2026-01-05T00:00:00Z"),
  updatedMin: text("Events have changed since this moment", "2026-01-05T00:00:00Z"),
};

const INSTANCES = {
  ...{ alwaysIncludeEmail, maxAttendees, timeZone },
  maxResults: LISTING.maxResults,
  originalStart: text("Only the instance with this start by the rule", "2026-01-12T09:30:00Z"),
  pageToken: LISTING.pageToken,
  showDeleted: flag("Also cancelled instances"),
  timeMax: LISTING.timeMax,
  timeMin: LISTING.timeMin,
};

type Path = { readonly calendarId: string; readonly eventId: string };

async function change(
  call: CalendarCall,
  path: Path,
  query: WriteOptions & Shown,
  body: EventResource,
  { replaces }: { readonly replaces: boolean },
) {
  return await write(call, async (inside) => {
    const place = await requirePlace(inside, path.calendarId);
    const row = await changeEvent(inside, place, path.eventId, { body, replaces }, query);
    return eventView(row, place, query);
  });
}

export const events = [
  operation("events.list", "GET", EVENTS, {
    summary: "List events",
    description: "Pages of the events of a calendar, or of those that changed.",
    path: { calendarId },
    query: LISTING,
    answers: answersOf(EventList),
    handle: async ({ path, query }, call) =>
      listEvents(call, await requirePlace(call, path.calendarId), query),
  }),
  operation("events.get", "GET", EVENT, {
    summary: "Show an event",
    description: "One event, or one instance of a series.",
    path: { calendarId, eventId },
    query: { alwaysIncludeEmail, maxAttendees, timeZone },
    answers: answersOf(Event),
    async handle({ path, query }, call) {
      requireZone(query.timeZone);
      const place = await requirePlace(call, path.calendarId);
      const { event } = await requireEvent(call, place.calendar, path.eventId);
      return eventView(event, place, query);
    },
  }),
  operation("events.insert", "POST", EVENTS, {
    summary: "Create an event",
    description: "Attendees have it in their calendars at the same time.",
    path: { calendarId },
    query: WRITING,
    body: EventBody,
    answers: answersOf(Event),
    handle: ({ path, query, body }, call) =>
      write(call, async (inside) => {
        const place = await requirePlace(inside, path.calendarId);
        const event = body as EventResource;
        if (event.id) requireEventId(event.id);
        const row = await createEvent(inside, place, event, query);
        return eventView(row, place, query);
      }),
  }),
  operation("events.import", "POST", `${EVENTS}/import`, {
    summary: "Create a private copy of an event",
    description: "With its UID; one that is there is replaced. Nobody else has the copy.",
    path: { calendarId },
    query: VERSIONS,
    body: EventBody,
    answers: answersOf(Event),
    handle: ({ path, query, body }, call) =>
      write(call, async (inside) => {
        const place = await requirePlace(inside, path.calendarId);
        return eventView(await importEvent(inside, place, body as EventResource, query), place, {});
      }),
  }),
  operation("events.quickAdd", "POST", `${EVENTS}/quickAdd`, {
    summary: "Create an event from a text",
    description: "Time and place are taken out of the text; the rest is the summary.",
    path: { calendarId },
    query: { ...NOTIFICATIONS, text: text("The text", "Lunch with Robin tomorrow at noon") },
    answers: answersOf(Event),
    handle: ({ path, query }, call) =>
      write(call, async (inside) => {
        const place = await requirePlace(inside, path.calendarId);
        return eventView(await quickAddEvent(inside, place, query), place, {});
      }),
  }),
  operation("events.update", "PUT", EVENT, {
    summary: "Replace an event",
    description: "Fields that are left out are cleared.",
    path: { calendarId, eventId },
    query: { ...WRITING, alwaysIncludeEmail },
    body: EventBody,
    answers: answersOf(Event),
    handle: ({ path, query, body }, call) =>
      change(call, path, query, body as EventResource, { replaces: true }),
  }),
  operation("events.patch", "PATCH", EVENT, {
    summary: "Change an event",
    description: "Objects are merged, arrays replaced, and null removes a field.",
    path: { calendarId, eventId },
    query: { ...WRITING, alwaysIncludeEmail },
    body: EventBody,
    answers: answersOf(Event),
    handle: ({ path, query, body }, call) =>
      change(call, path, query, body as EventResource, { replaces: false }),
  }),
  operation("events.instances", "GET", `${EVENT}/instances`, {
    summary: "List the instances of a series",
    description: "Pages of the instances, changed ones in place of those of the rule.",
    path: { calendarId, eventId },
    query: INSTANCES,
    answers: answersOf(EventList),
    handle: async ({ path, query }, call) =>
      listInstances(call, await requirePlace(call, path.calendarId), path.eventId, query),
  }),
  operation("events.move", "POST", `${EVENT}/move`, {
    summary: "Move an event to another calendar",
    description: "The other calendar becomes its organizer.",
    path: { calendarId, eventId },
    query: { ...NOTIFICATIONS, destination: text("The other calendar", "primary") },
    answers: answersOf(Event),
    handle: ({ path, query }, call) =>
      write(call, async (inside) => {
        const { destination } = query;
        if (destination === undefined) throw required();
        const to = await requirePlace(inside, destination);
        const from = await requirePlace(inside, path.calendarId);
        return eventView(await moveEvent(inside, from, path.eventId, to, query), to, {});
      }),
  }),
  operation("events.delete", "DELETE", EVENT, {
    summary: "Delete an event",
    description: "It stays as a cancelled event. An attendee deletes only the own copy.",
    path: { calendarId, eventId },
    query: NOTIFICATIONS,
    answers: NO_CONTENT,
    handle: ({ path, query }, call) =>
      write(call, async (inside) => {
        const place = await requirePlace(inside, path.calendarId);
        await deleteEvent(inside, place, path.eventId, query);
      }),
  }),
];
