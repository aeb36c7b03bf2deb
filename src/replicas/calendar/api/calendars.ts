import { Type } from "@sinclair/typebox";
import {
  etagOf,
  type Place,
  requireMatch,
  requireOwner,
  requirePlace,
  requireUser,
  write,
} from "~/replicas/calendar/access";
import { colorAfter } from "~/replicas/calendar/colors";
import { isAgentDiff } from "~/replicas/calendar/compatibility";
import { CalendarError, forbidden, invalid, required } from "~/replicas/calendar/errors";
import { newCalendarId } from "~/replicas/calendar/ids";
import {
  answersOf,
  type CalendarCall,
  calendarId,
  flag,
  NO_CONTENT,
  operation,
  type WritingCall,
} from "~/replicas/calendar/operation";
import { Calendar, CalendarBody } from "~/replicas/calendar/shapes/calendar";
import type { CalendarRow } from "~/replicas/calendar/store/calendars";
import { cancelEvents } from "~/replicas/calendar/store/events";
import { countEntries } from "~/replicas/calendar/store/lists";
import { insert, update } from "~/replicas/calendar/store/write";
import { isZone } from "~/replicas/calendar/times";
import { dateOf } from "~/source";

const CALENDAR = "calendars/{calendarId}";

const CONFERENCES = { allowedConferenceSolutionTypes: ["hangoutsMeet"] };

/** The fields that a calendar has by itself and in a list. */
export function calendarFields(row: CalendarRow) {
  const { description, location, dataOwner } = row;
  return {
    ...{ id: row.id, summary: row.summary },
    ...(description !== null && { description }),
    ...(location !== null && { location }),
    timeZone: row.timeZone,
    ...(dataOwner !== null && { dataOwner }),
    conferenceProperties: row.conferenceProperties,
    ...(row.autoAcceptInvitations && { autoAcceptInvitations: true }),
  };
}

const calendarView = (row: CalendarRow) => ({
  ...{ kind: "calendar#calendar", etag: etagOf(row.version), ...calendarFields(row) },
  ...(row.labelProperties !== null && { labelProperties: row.labelProperties }),
  ...(row.workingHours !== null && { workingHours: row.workingHours }),
});

type Body = {
  readonly summary?: string | null;
  readonly description?: string | null;
  readonly location?: string | null;
  readonly timeZone?: string | null;
  readonly autoAcceptInvitations?: boolean | null;
  readonly labelProperties?: object | null;
  readonly workingHours?: object | null;
};

/** The columns of a whole calendar. */
function columnsOf(body: Body, usualZone: string) {
  const timeZone = body.timeZone ?? usualZone;
  if (!body.summary) throw required();
  if (!isZone(timeZone)) throw invalid("Invalid time zone definition.");
  return {
    ...{ summary: body.summary, timeZone },
    ...{ description: body.description ?? null, location: body.location ?? null },
    autoAcceptInvitations: body.autoAcceptInvitations ?? false,
    labelProperties: body.labelProperties ?? null,
    workingHours: body.workingHours ?? null,
  };
}

async function createCalendar(call: WritingCall, body: Body): Promise<CalendarRow> {
  const { session, userId, version } = call;
  const { email } = await requireUser(call);
  const id = newCalendarId(session.source);
  const columns = columnsOf(body, "UTC");
  const row = {
    ...{ id, ...columns, dataOwner: email, conferenceProperties: CONFERENCES },
    ...{ deleted: false, version: `${version}` },
  };
  await insert(session, "calendars", [row]);
  const rule = { scopeType: "user", scopeValue: email, role: "owner", deleted: false, version };
  await insert(session, "acl", [{ calendarId: id, id: `user:${email}`, ...rule }]);
  const colorId = colorAfter(await countEntries(session, userId));
  const entry = { hidden: false, selected: true, primary: false, deleted: false };
  await insert(session, "list_entries", [
    { userId, calendarId: id, colorId, ...entry, defaultReminders: [], version },
  ]);
  return row;
}

const changeCalendar = (call: CalendarCall, id: string, wanted: (place: Place) => Body) =>
  write(call, async (inside) => {
    const place = await requirePlace(inside, id);
    requireOwner(place);
    const { calendar } = place;
    requireMatch(inside, calendar.version);
    const columns = columnsOf(wanted(place), calendar.timeZone);
    const { version } = inside;
    await update(inside.session, "calendars", { id: calendar.id }, { ...columns, version });
    return calendarView({ ...calendar, ...columns, version: `${version}` });
  });

export const calendars = [
  operation("calendars.get", "GET", CALENDAR, {
    summary: "Show a calendar",
    description: "Its own fields, without those of a user's list.",
    path: { calendarId },
    answers: answersOf(Calendar),
    handle: async ({ path }, call) =>
      calendarView((await requirePlace(call, path.calendarId)).calendar),
  }),
  operation("calendars.insert", "POST", "calendars", {
    summary: "Create a calendar",
    description: "A secondary one, which its creator owns and has in the list.",
    body: CalendarBody,
    answers: answersOf(Calendar),
    handle: ({ body }, call) =>
      write(call, async (inside) => calendarView(await createCalendar(inside, body as Body))),
  }),
  operation("calendars.update", "PUT", CALENDAR, {
    summary: "Replace a calendar's fields",
    description: "Fields that are left out are cleared.",
    path: { calendarId },
    body: CalendarBody,
    answers: answersOf(Calendar),
    handle: ({ path, body }, call) => changeCalendar(call, path.calendarId, () => body as Body),
  }),
  operation("calendars.patch", "PATCH", CALENDAR, {
    summary: "Change a calendar",
    description: "Fields that are left out stay as they are.",
    path: { calendarId },
    body: CalendarBody,
    answers: answersOf(Calendar),
    handle: ({ path, body }, call) =>
      changeCalendar(call, path.calendarId, ({ calendar }) => ({
        ...(calendar as Body),
        ...(body as Body),
      })),
  }),
  operation("calendars.delete", "DELETE", CALENDAR, {
    summary: "Delete a secondary calendar",
    description: "It leaves the lists of all users.",
    path: { calendarId },
    answers: NO_CONTENT,
    handle: ({ path }, call) =>
      write(call, async (inside) => {
        const place = await requirePlace(inside, path.calendarId);
        const { calendar, me } = place;
        if (calendar.id === me.email)
          throw new CalendarError(
            "cannotDeletePrimaryCalendar",
            "Cannot delete the primary calendar of a user.",
          );
        requireOwner(place);
        const { version } = inside;
        await update(inside.session, "calendars", { id: calendar.id }, { deleted: true, version });
      }),
  }),
  operation("calendars.clear", "POST", `${CALENDAR}/clear`, {
    summary: "Clear the primary calendar",
    description: "All its events are cancelled.",
    path: { calendarId },
    answers: NO_CONTENT,
    handle: ({ path }, call) =>
      write(call, async (inside) => {
        const place = await requirePlace(inside, path.calendarId);
        requireOwner(place);
        // The service's own words, which say the opposite.
        if (place.calendar.id !== place.me.email && !isAgentDiff(place.me))
          throw invalid("Cannot clear primary calendar.");
        const { session, version } = inside;
        await cancelEvents(session, place.calendar.id, dateOf(session.source), version);
      }),
  }),
  operation("calendars.transferOwnership", "POST", `${CALENDAR}/transferOwnership`, {
    summary: "Rejected: give a calendar to another owner",
    description: "Only administrators may make this call.",
    path: { calendarId },
    query: {
      newDataOwner: Type.String({ description: "The address", examples: ["john@acme.test"] }),
      useAdminAccess: flag("As an administrator"),
    },
    answers: NO_CONTENT,
    async handle({ path }, call) {
      await requirePlace(call, path.calendarId);
      throw forbidden();
    },
  }),
];
