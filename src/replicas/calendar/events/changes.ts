/** The rules of changes: whose calendar it is decides which fields a person may change. */
import { type Place, requireMatch, requireWriter } from "~/replicas/calendar/access";
import { CalendarError, notFound, quotaExceeded } from "~/replicas/calendar/errors";
import {
  answerForGuests,
  conflictsOf,
  declinesAll,
  messageOf,
} from "~/replicas/calendar/events/answering";
import type { Attendee } from "~/replicas/calendar/events/attendees";
import {
  attendeeOf,
  readAttendees,
  requireInviter,
  unanswered,
  withAnswers,
} from "~/replicas/calendar/events/attendees";
import {
  type Columns,
  columnsOf,
  resourceOf,
  updatesOf,
  type WriteOptions,
} from "~/replicas/calendar/events/columns";
import { type Copy, copyOf, statusOf, versionOf } from "~/replicas/calendar/events/copies";
import { type Found, requireEvent } from "~/replicas/calendar/events/find";
import { followSeries } from "~/replicas/calendar/events/following";
import { tellGuests } from "~/replicas/calendar/events/notices";
import { type EventResource, patched } from "~/replicas/calendar/events/resource";
import { withSeries } from "~/replicas/calendar/events/series";
import {
  changesOf,
  identityOf,
  insertEvent,
  instanceParts,
  isMoved,
  requireWritten,
  updateEvent,
} from "~/replicas/calendar/events/writing";
import type { WritingCall } from "~/replicas/calendar/operation";
import type { EventRow, Own } from "~/replicas/calendar/store/events";

/** `replaces`: fields that the body leaves out are cleared. */
export type Change = { readonly body: EventResource; readonly replaces: boolean };

/** Columns of an attendee's own copy. */
const OWN = ["colorId", "transparency", "visibility", "reminders", "extendedProperties"];

type Writing = {
  readonly call: WritingCall;
  readonly place: Place;
  readonly found: Found;
  readonly options: WriteOptions;
};

/** Stores the event with these columns and attendees, and returns it. */
async function store(
  { call, place, found: { event, series, isStored }, options }: Writing,
  columns: Columns,
  attendees: readonly Attendee[],
): Promise<EventRow> {
  requireInviter(place, attendees, event.attendees);
  const sendUpdates = updatesOf(options);
  if (isStored) {
    await updateEvent(call, event, columns, attendees, sendUpdates);
    if (event.recurrence !== null)
      await followSeries(call, event, { columns, attendees }, place.calendar);
  } else {
    const parts = instanceParts(event, columns, attendees);
    const sequence = (series?.sequence ?? 0) + (isMoved(event, columns) ? 1 : 0);
    await insertEvent(call, identityOf(event), parts.columns, parts.attendees, {
      sendUpdates,
      sequence,
    });
  }
  const written = await requireWritten(call, event.id);
  const after = series ? withSeries(written, series) : written;
  await tellGuests(call, place, { before: event, after }, sendUpdates);
  if (declinesAll(after) && isMoved(event, columns))
    await declineConflicts(call, place, after, sendUpdates);
  return await answerForGuests(call, place, { before: event, after }, sendUpdates);
}

/** Conflicts that one event declines: a change is rejected rather than done in part. */
const CONFLICTS_MAX = 500;

/** Declines the invitations that fall into the times of an event of the same person. */
export async function declineConflicts(
  call: WritingCall,
  place: Place,
  event: EventRow,
  sendUpdates: string | null,
): Promise<void> {
  const email = place.calendar.id;
  const isInvited = (other: EventRow) => copyOf(other, email)?.of === "attendee";
  const conflicts = await conflictsOf(call, event, place, isInvited);
  if (conflicts.length > CONFLICTS_MAX) throw quotaExceeded();
  const attendees = [{ email, responseStatus: "declined", comment: messageOf(event) }];
  const change = { body: { attendees }, replaces: false };
  for (const { id } of conflicts)
    await changeEvent({ ...call, ifMatch: null }, place, id, change, {
      ...(sendUpdates !== null && { sendUpdates }),
    });
}

export async function changeEvent(
  call: WritingCall,
  place: Place,
  id: string,
  change: Change,
  options: WriteOptions,
): Promise<EventRow> {
  const found = await requireEvent(call, place.calendar, id);
  requireWriter(place);
  const { event } = found;
  requireMatch(call, versionOf(event));
  const copy = copyOf(event, place.calendar.id);
  const writing = { call, place, found, options };
  if (copy?.of === "attendee") return await changeCopy(writing, copy, change);
  if (copy?.of !== "organizer") throw notFound();
  const { body, replaces } = change;
  const wanted = within(event, replaces ? kept(event, body) : patched(resourceOf(event), body));
  const columns = columnsOf(wanted, place, call.session.source, options, event);
  const known = event.attendees.map(attendeeOf);
  const answering = [event.organizer.email, place.me.email];
  const listed = withAnswers(readAttendees(wanted.attendees ?? []), known, answering);
  const moved = isMoved(event, columns);
  return await store(writing, columns, moved ? unanswered(listed, event.organizer.email) : listed);
}

/** A replacement cannot change the type, and leaves what it does not handle. */
const kept = (event: EventRow, body: EventResource): EventResource => ({
  ...body,
  eventType: event.eventType,
});

/** An instance is no series itself. */
const within = ({ recurringEventId }: EventRow, wanted: EventResource): EventResource =>
  recurringEventId === null ? wanted : { ...wanted, recurrence: null };

const notByAttendee = () =>
  new CalendarError(
    "forbiddenForNonOrganizer",
    "Shared properties can only be changed by the organizer of the event.",
  );

/** The resource of an attendee's copy. */
function ownResource(event: EventRow, own: Own): EventResource {
  const { extendedProperties, ...shared } = resourceOf(event);
  return {
    ...shared,
    colorId: own.colorId ?? null,
    transparency: own.transparency ?? event.transparency,
    visibility: own.visibility ?? event.visibility,
    reminders: (own.reminders ?? { useDefault: true }) as never,
    extendedProperties: {
      ...(own.private && { private: own.private }),
      ...(extendedProperties?.shared && { shared: extendedProperties.shared }),
    },
  };
}

/** The part of these columns that an attendee's own copy keeps. */
function ownOf(event: EventRow, columns: Columns): Own {
  const { private: mine } = (columns.extendedProperties ?? {}) as Pick<Own, "private">;
  const differs = (name: "transparency" | "visibility", usual: string) =>
    columns[name] !== event[name] && { [name]: columns[name] ?? usual };
  return {
    ...(columns.colorId !== null && { colorId: columns.colorId }),
    ...differs("transparency", "opaque"),
    ...differs("visibility", "default"),
    ...(!("useDefault" in columns.reminders && columns.reminders.useDefault) && {
      reminders: columns.reminders,
    }),
    ...(mine && { private: mine }),
  };
}

const sharedPart = (value: unknown) => (value as { readonly shared?: object } | null)?.shared;

function changesShared(event: EventRow, columns: Columns): boolean {
  const names = Object.keys(changesOf(event, columns));
  const { extendedProperties } = event;
  return (
    names.some((name) => !OWN.includes(name)) ||
    !Bun.deepEquals(sharedPart(columns.extendedProperties), sharedPart(extendedProperties))
  );
}

async function changeCopy(
  writing: Writing,
  { attendee }: Copy & { readonly of: "attendee" },
  { body }: Change,
): Promise<EventRow> {
  const { call, place, found, options } = writing;
  const { event } = found;
  const { guests } = event;
  const wanted = within(event, patched(ownResource(event, attendee.own), body));
  const columns = columnsOf(wanted, place, call.session.source, options, event);
  const given = readAttendees(wanted.attendees ?? []);
  const known = event.attendees.map(attendeeOf);
  const added = given.filter(({ email }) => known.every((each) => each.email !== email));
  const isShared = changesShared(event, columns);
  if (isShared && !guests.guestsCanModify) throw notByAttendee();
  if (added.length > 0 && guests.guestsCanInviteOthers === false && !guests.guestsCanModify)
    throw notByAttendee();
  const isAbsent = given.every(({ email }) => email !== attendee.email);
  const mine = given.find(({ email }) => email === attendee.email) ?? attendeeOf(attendee);
  const { isDeleted } = attendee.own;
  const own = {
    ...ownOf(event, columns),
    ...(isDeleted && mine.responseStatus === "declined" && { isDeleted }),
  };
  const list =
    guests.guestsCanModify && !isAbsent ? withAnswers(given, known, []) : [...known, ...added];
  const attendees = list.map((each) =>
    each.email === attendee.email
      ? {
          ...attendeeOf(attendee),
          ...{ responseStatus: mine.responseStatus, comment: mine.comment },
          ...{ additionalGuests: mine.additionalGuests, own },
        }
      : each,
  );
  const shared = resourceOf(event);
  const { colorId, transparency, visibility, reminders } = shared;
  const { private: theirs } = shared.extendedProperties ?? {};
  const { shared: both } = wanted.extendedProperties ?? {};
  const kept = {
    ...wanted,
    ...{ colorId, transparency, visibility, reminders },
    extendedProperties: { ...(theirs && { private: theirs }), ...(both && { shared: both }) },
  };
  return await store(
    writing,
    columnsOf(kept as EventResource, place, call.session.source, options, event),
    attendees,
  );
}

export async function deleteEvent(
  call: WritingCall,
  place: Place,
  id: string,
  options: WriteOptions,
): Promise<void> {
  const found = await requireEvent(call, place.calendar, id);
  requireWriter(place);
  const { event } = found;
  const copy = copyOf(event, place.calendar.id);
  if (!copy || statusOf(event, copy) === "cancelled")
    throw new CalendarError("deleted", "Resource has been deleted");
  requireMatch(call, versionOf(event));
  const writing = { call, place, found, options };
  const attendees = event.attendees.map(attendeeOf);
  const resource = resourceOf(event);
  const isOrganizer = copy.of === "organizer";
  const columns = columnsOf(
    isOrganizer ? { ...resource, status: "cancelled" } : resource,
    place,
    call.session.source,
    {},
    event,
  );
  const left = attendees.map((each) =>
    each.email === place.calendar.id && !isOrganizer
      ? { ...each, responseStatus: "declined", own: { ...each.own, isDeleted: true } }
      : each,
  );
  await store(writing, columns, left);
}
