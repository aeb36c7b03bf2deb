/** The suite "Calendar benchmark": solutions and plausible mistakes of each test. */
import { auth, calendar, type calendar_v3 } from "@googleapis/calendar";
import type { Proofs } from "./prove";
import type { Given, Tools } from "./server";

type Calendars = {
  readonly api: calendar_v3.Calendar;
  readonly at: { readonly rootUrl: string };
};
type Event = calendar_v3.Schema$Event;

const at = (person: string) => `${person}@harborline.test`;
const ME = at("assistant");
const OMAR = at("omar.haddad");
const LENA = at("lena.hoffmann");
const MAYA = at("maya.chen");
const TIDEWATER = "c_tidewater@group.calendar.google.com";
const VISITS = "c_visits@group.calendar.google.com";
const ELBE = "c_elbe@resource.calendar.google.com";
const ALSTER = "c_alster@resource.calendar.google.com";
const BERLIN = "Europe/Berlin";
const NEW_YORK = "America/New_York";
const HOUR_MS = 3_600_000;

export function clientOf({ token, serviceUrl }: Given): Calendars {
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: token });
  const api = calendar({ version: "v3", auth: credentials });
  return { api, at: { rootUrl: `${serviceUrl}/` } };
}

const none = (entity: string, nth = 1) => `assertion#${nth} ${entity} expected count 1 but got 0`;
const unexpected = (entity: string, kind = "added") =>
  `closed_world ${entity} has an unexpected ${kind} row`;

// ---- Calls of the API

/** Wall clocks of a zone: `2026-03-13T09:00`. */
export const timed = (from: string, to: string, timeZone = BERLIN): Event => ({
  start: { dateTime: `${from}:00`, timeZone },
  end: { dateTime: `${to}:00`, timeZone },
});
export const guests = (...emails: readonly string[]): Event => ({
  attendees: emails.map((email) => ({ email })),
});

export const create =
  (requestBody: Event, calendarId = "primary") =>
  ({ api, at: options }: Calendars) =>
    api.events.insert({ calendarId, requestBody }, options);
const get = async (
  { api, at: options }: Calendars,
  eventId: string,
  calendarId = "primary",
): Promise<Event> => (await api.events.get({ calendarId, eventId }, options)).data;
const patch =
  (eventId: string, requestBody: Event, calendarId = "primary", more: object = {}) =>
  ({ api, at: options }: Calendars) =>
    api.events.patch({ calendarId, eventId, requestBody, ...more }, options);
const cancel =
  (eventId: string, calendarId = "primary") =>
  ({ api, at: options }: Calendars) =>
    api.events.delete({ calendarId, eventId }, options);

/** The first event of a calendar that a search finds, by its start. */
async function find(
  { api, at: options }: Calendars,
  q: string,
  calendarId = "primary",
): Promise<Event & { id: string }> {
  const timeMin = "2026-03-10T12:00:00Z";
  const { data } = await api.events.list(
    { calendarId, q, timeMin, singleEvents: true, orderBy: "startTime" },
    options,
  );
  const [found] = data.items ?? [];
  if (!found?.id) throw new Error(`nothing is found by ${q}`);
  return found as Event & { id: string };
}

/** One's own answer to an invitation, in one's own calendar or in that of somebody else. */
const answer =
  (q: string, responseStatus: string, fields: object = {}, calendarId = "primary") =>
  async (calendars: Calendars) => {
    const { id } = await find(calendars, q, calendarId);
    const email = calendarId === "primary" ? ME : calendarId;
    const attendees = [{ email, responseStatus, ...fields }];
    await patch(id, { attendees }, calendarId)(calendars);
  };

type Span = { readonly from: number; readonly to: number };

/** The first time in a window at which all of these calendars are free. */
async function firstFree(
  { api, at: options }: Calendars,
  calendars: readonly string[],
  { from, to }: Span,
  lengthMs: number,
): Promise<number | undefined> {
  const [timeMin, timeMax] = [from, to].map((ms) => new Date(ms).toISOString());
  const requestBody = {
    ...{ timeMin: `${timeMin}`, timeMax: `${timeMax}` },
    items: calendars.map((id) => ({ id })),
  };
  const { data } = await api.freebusy.query({ requestBody }, options);
  const busy = Object.values(data.calendars ?? {}).flatMap(({ busy: periods = [] }) =>
    periods.map(({ start, end }) => ({ from: Date.parse(`${start}`), to: Date.parse(`${end}`) })),
  );
  const isFree = (start: number) =>
    busy.every((each) => each.to <= start || each.from >= start + lengthMs);
  for (let start = from; start + lengthMs <= to; start += HOUR_MS / 4)
    if (isFree(start)) return start;
  return undefined;
}

const moments = (from: number, lengthMs: number): Event => ({
  start: { dateTime: new Date(from).toISOString() },
  end: { dateTime: new Date(from + lengthMs).toISOString() },
});
const hour = (text: string) => Date.parse(text);

/** A slot that is found, with these guests. */
const meet =
  (summary: string, people: readonly string[], window: Span, lengthMs: number) =>
  async (calendars: Calendars) => {
    const from = await firstFree(calendars, [ME, ...people], window, lengthMs);
    await create({ summary, ...moments(from ?? 0, lengthMs), ...guests(...people) })(calendars);
  };

export const share =
  (calendarId: string, person: string, role: string) =>
  ({ api, at: options }: Calendars) =>
    api.acl.insert(
      { calendarId, requestBody: { role, scope: { type: "user", value: person } } },
      options,
    );

const both =
  (first: (calendars: Calendars) => unknown, second: (calendars: Calendars) => unknown) =>
  async (calendars: Calendars) => {
    await first(calendars);
    await second(calendars);
  };

// ---- Calls of tools

export const invited = (...emails: readonly string[]) => ({
  attendees: emails.map((email) => ({ email })),
});
export const creating = (args: object) => (tools: Tools) => tools("create_event", args);
export const span = (startTime: string, endTime: string, timeZone = BERLIN) => ({
  ...{ startTime: `${startTime}:00`, endTime: `${endTime}:00`, timeZone },
});

/** The id of the first event to come that a search finds. */
async function seek(tools: Tools, fullText: string, calendarId = "primary"): Promise<any> {
  const { events } = await tools("list_events", {
    ...{ calendarId, fullText, startTime: "2026-03-10T12:00:00Z" },
  });
  return events[0];
}
const respond =
  (fullText: string, responseStatus: string, fields: object = {}, calendarId = "primary") =>
  async (tools: Tools) => {
    const { id: eventId } = await seek(tools, fullText, calendarId);
    await tools("respond_to_event", { calendarId, eventId, responseStatus, ...fields });
  };
const updating =
  (fullText: string, fields: object, calendarId = "primary") =>
  async (tools: Tools) => {
    const { id: eventId } = await seek(tools, fullText, calendarId);
    await tools("update_event", { calendarId, eventId, ...fields });
  };

/** The first slot that is suggested, with these guests. */
const meeting =
  (summary: string, people: readonly string[], window: object, durationMinutes: number) =>
  async (tools: Tools) => {
    const attendeeEmails = [ME, ...people];
    const { timeSlots = [] } = await tools("suggest_time", {
      ...{ attendeeEmails, durationMinutes },
      ...window,
    });
    const [{ start: startTime, end: endTime }] = timeSlots;
    await tools("create_event", { summary, startTime, endTime, ...invited(...people) });
  };

// ---- The tasks

const DECISION = {
  summary: "Label printers: decision",
  ...timed("2026-03-13T09:00", "2026-03-13T09:30"),
};
const PRICES = { summary: "Nordhaven: prices", ...guests(at("marcus.webb")) };
const WAVE = { summary: "Second wave", transparency: "transparent" };
const CHECK = {
  summary: "Check the label printers",
  ...timed("2026-03-11T09:00", "2026-03-11T09:15"),
};
const SIX_TIMES = "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=6";
const PORT = { summary: "Port API", ...guests(at("samantha.ribeiro")) };
const FIVE_TIMES = "RRULE:FREQ=WEEKLY;COUNT=5;BYDAY=TH";
const ROADMAP = [MAYA, at("kris.parker")];
const LATENCY = [at("sam.rivera"), at("samir.patel")];
const CHRISTINE = at("christine.parks");
const LABELS = { summary: "Labels", ...timed("2026-03-17T10:30", "2026-03-17T11:30") };
const NEXT_PLANNING = "planning_20260316T073000Z";
const LUNCH = "officelunch_20260312T113000Z";
const WEEKLY = "RRULE:FREQ=WEEKLY;BYDAY=MO";
const TRAIN = "On a train until five";
const LATER = timed("2026-03-23T10:00", "2026-03-23T10:30");
const FRIDAY = timed("2026-03-13T09:00", "2026-03-13T09:30");
const TOWNHALL = { end: { dateTime: "2026-03-11T17:30:00", timeZone: BERLIN } };
const HARROW = { location: "Burchardkai, Hamburg", description: "Bring safety shoes." };
const DOCTOR = { summary: "Doctor", ...timed("2026-03-13T16:30", "2026-03-13T17:30") };
const LAWYER = { summary: "Lawyer", ...timed("2026-03-13T12:00", "2026-03-13T13:00") };
const PRIVATE = { visibility: "private" };
const MEET = { conferenceData: { createRequest: { requestId: "vendor" } } };
const PRINTERS = { summary: "Label printers", description: "Rollout of the printers" };

const withoutGuest = (left: string, eventId: string) => async (calendars: Calendars) => {
  const { attendees = [] } = await get(calendars, eventId);
  await patch(eventId, { attendees: attendees.filter(({ email }) => email !== left) })(calendars);
};
const withGuest = (guest: object) => async (calendars: Calendars) => {
  const { id } = await find(calendars, "label printers");
  const { attendees = [] } = await get(calendars, id);
  await patch(id, { attendees: [...attendees, guest] })(calendars);
};
const newCalendar =
  (requestBody: calendar_v3.Schema$Calendar) =>
  ({ api, at: options }: Calendars) =>
    api.calendars.insert({ requestBody }, options);

const away = (autoDeclineMode: string, fields: Event = {}): Event => ({
  ...{ summary: "Out of office", eventType: "outOfOffice" },
  ...timed("2026-03-13T09:00", "2026-03-13T18:00"),
  outOfOfficeProperties: { autoDeclineMode, declineMessage: "I am in Kiel" },
  ...fields,
});

export const proofs: Proofs<Calendars> = {
  "create: a meeting with a guest": {
    solution: create({ ...DECISION, ...guests(OMAR) }),
    viaTools: creating({
      ...{ summary: DECISION.summary, ...invited(OMAR) },
      ...span("2026-03-13T09:00", "2026-03-13T09:30"),
    }),
    mistakes: {
      "nobody is invited": { act: create(DECISION), failure: none("event_attendees", 2) },
      "by the clock of UTC": {
        act: create({
          ...{ summary: DECISION.summary, ...guests(OMAR) },
          ...timed("2026-03-13T09:00", "2026-03-13T09:30", "UTC"),
        }),
        failure: none("events"),
      },
      "in the calendar of somebody else": {
        act: create({ ...DECISION, ...guests(OMAR) }, MAYA),
        failure: none("events"),
      },
    },
  },

  "create: at ten in New York": {
    solution: create({ ...PRICES, ...timed("2026-03-12T10:00", "2026-03-12T10:30", NEW_YORK) }),
    viaTools: creating({
      ...{ summary: PRICES.summary, ...invited(at("marcus.webb")) },
      ...span("2026-03-12T10:00", "2026-03-12T10:30", NEW_YORK),
    }),
    mistakes: {
      "six hours apart, as in winter": {
        act: create({ ...PRICES, ...timed("2026-03-12T16:00", "2026-03-12T16:30") }),
        failure: none("events"),
      },
      "by the own clock": {
        act: create({ ...PRICES, ...timed("2026-03-12T10:00", "2026-03-12T10:30") }),
        failure: none("events"),
      },
    },
  },

  "create: days in the calendar of the launch": {
    solution: create(
      { ...WAVE, start: { date: "2026-03-23" }, end: { date: "2026-03-25" } },
      TIDEWATER,
    ),
    viaTools: creating({
      ...{ summary: WAVE.summary, calendarId: TIDEWATER, allDay: true, availability: "FREE" },
      ...{ startTime: "2026-03-23T00:00:00Z", endTime: "2026-03-25T00:00:00Z" },
    }),
    mistakes: {
      "the end is the last day": {
        act: create(
          { ...WAVE, start: { date: "2026-03-23" }, end: { date: "2026-03-24" } },
          TIDEWATER,
        ),
        failure: none("events"),
      },
      "everybody is busy": {
        act: create(
          {
            ...{ summary: WAVE.summary },
            ...{ start: { date: "2026-03-23" }, end: { date: "2026-03-25" } },
          },
          TIDEWATER,
        ),
        failure: none("events"),
      },
      "in the own calendar": {
        act: create({ ...WAVE, start: { date: "2026-03-23" }, end: { date: "2026-03-25" } }),
        failure: none("events"),
      },
    },
  },

  "create: a series": {
    solution: create({ ...CHECK, recurrence: [SIX_TIMES] }),
    viaTools: creating({
      ...{ summary: CHECK.summary, recurrenceData: [`${SIX_TIMES};BYDAY=WE`] },
      ...span("2026-03-11T09:00", "2026-03-11T09:15"),
    }),
    mistakes: {
      "every week": {
        act: create({ ...CHECK, recurrence: ["RRULE:FREQ=WEEKLY;COUNT=6"] }),
        failure: none("events"),
      },
      "with no end": {
        act: create({ ...CHECK, recurrence: ["RRULE:FREQ=WEEKLY;INTERVAL=2"] }),
        failure: none("events"),
      },
      "ends one too early": {
        act: create({
          ...CHECK,
          recurrence: ["RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=20260519T220000Z"],
        }),
        failure: none("events"),
      },
    },
  },

  "create: a series by another clock": {
    solution: create({
      ...{ ...PORT, recurrence: [FIVE_TIMES] },
      ...timed("2026-03-12T09:00", "2026-03-12T09:30", NEW_YORK),
    }),
    viaTools: creating({
      ...{ summary: PORT.summary, ...invited(at("samantha.ribeiro")) },
      ...{ recurrenceData: ["RRULE:FREQ=WEEKLY;UNTIL=20260409T130000Z"] },
      ...span("2026-03-12T09:00", "2026-03-12T09:30", NEW_YORK),
    }),
    mistakes: {
      "by the clock of Hamburg, which changes later": {
        act: create({
          ...{ ...PORT, recurrence: [FIVE_TIMES] },
          ...timed("2026-03-12T14:00", "2026-03-12T14:30"),
        }),
        failure: none("events"),
      },
      "through March": {
        act: create({
          ...{ ...PORT, recurrence: ["RRULE:FREQ=WEEKLY;UNTIL=20260331T220000Z"] },
          ...timed("2026-03-12T09:00", "2026-03-12T09:30", NEW_YORK),
        }),
        failure: none("events"),
      },
    },
  },

  "slots: an hour for three": {
    solution: meet(
      "Roadmap",
      ROADMAP,
      { from: hour("2026-03-12T12:00+01:00"), to: hour("2026-03-12T20:00+01:00") },
      HOUR_MS,
    ),
    viaTools: meeting(
      "Roadmap",
      ROADMAP,
      { startTime: "2026-03-12T12:00:00+01:00", endTime: "2026-03-12T20:00:00+01:00" },
      60,
    ),
    mistakes: {
      "in the focus time of Kris": {
        act: create({
          ...{ summary: "Roadmap", ...guests(...ROADMAP) },
          ...timed("2026-03-12T13:00", "2026-03-12T14:00"),
        }),
        failure: none("events"),
      },
      "a gap that is too short": {
        act: create({
          ...{ summary: "Roadmap", ...guests(...ROADMAP) },
          ...timed("2026-03-12T12:00", "2026-03-12T13:00"),
        }),
        failure: none("events"),
      },
      "the other Maya": {
        act: create({
          ...{ summary: "Roadmap", ...guests(at("maya.cheng"), at("kris.parker")) },
          ...timed("2026-03-12T15:30", "2026-03-12T16:30"),
        }),
        failure: none("event_attendees", 2),
      },
    },
  },

  "slots: an hour in three zones": {
    solution: async (calendars) => {
      for (const day of ["2026-03-19", "2026-03-20"]) {
        // The morning of Los Angeles is the evening of Hamburg.
        const window = { from: hour(`${day}T17:00+01:00`), to: hour(`${day}T18:00+01:00`) };
        const from = await firstFree(calendars, [ME, ...LATENCY], window, HOUR_MS);
        if (from === undefined) continue;
        const event = { summary: "Latency", ...moments(from, HOUR_MS), ...guests(...LATENCY) };
        return await create(event)(calendars);
      }
      return undefined;
    },
    viaTools: async (tools) => {
      const attendeeEmails = [ME, ...LATENCY];
      for (const day of ["2026-03-19", "2026-03-20"]) {
        const [startTime, endTime] = [`${day}T17:00:00+01:00`, `${day}T18:00:00+01:00`];
        const wanted = { attendeeEmails, startTime, endTime, durationMinutes: 60 };
        const { timeSlots = [] } = await tools("suggest_time", wanted);
        if (timeSlots.length === 0) continue;
        await tools("create_event", {
          ...{ summary: "Latency", startTime, endTime },
          ...invited(...LATENCY),
        });
        return;
      }
    },
    mistakes: {
      "on a day on which Los Angeles has a meeting": {
        act: create({
          ...{ summary: "Latency", ...guests(...LATENCY) },
          ...timed("2026-03-19T17:00", "2026-03-19T18:00"),
        }),
        failure: none("events"),
      },
      "nine hours apart, as in winter": {
        act: create({
          ...{ summary: "Latency", ...guests(...LATENCY) },
          ...timed("2026-03-20T18:00", "2026-03-20T19:00"),
        }),
        failure: none("events"),
      },
    },
  },

  "slots: with somebody who shows busy times only": {
    solution: meet(
      "Budget of the fair",
      [CHRISTINE],
      { from: hour("2026-03-12T09:00-04:00"), to: hour("2026-03-12T12:00-04:00") },
      HOUR_MS / 2,
    ),
    viaTools: meeting(
      "Budget of the fair",
      [CHRISTINE],
      { startTime: "2026-03-12T09:00:00-04:00", endTime: "2026-03-12T12:00:00-04:00" },
      30,
    ),
    mistakes: {
      "over her board papers": {
        act: create({
          ...{ summary: "Budget of the fair", ...guests(CHRISTINE) },
          ...timed("2026-03-12T09:00", "2026-03-12T09:30", NEW_YORK),
        }),
        failure: none("events"),
      },
      "an hour later, as in winter": {
        act: create({
          ...{ summary: "Budget of the fair", ...guests(CHRISTINE) },
          ...timed("2026-03-12T17:30", "2026-03-12T18:00"),
        }),
        failure: none("events"),
      },
      "Chris Park": {
        act: create({
          ...{ summary: "Budget of the fair", ...guests(at("chris.park")) },
          ...timed("2026-03-12T11:30", "2026-03-12T12:00", NEW_YORK),
        }),
        failure: none("event_attendees", 2),
      },
    },
  },

  "rooms: the one that is free": {
    solution: async (calendars) => {
      const window = { from: hour("2026-03-17T10:30+01:00"), to: hour("2026-03-17T11:30+01:00") };
      for (const room of [ELBE, ALSTER]) {
        const from = await firstFree(calendars, [room, OMAR, ME], window, HOUR_MS);
        if (from !== undefined)
          return await create({ ...LABELS, ...guests(OMAR, room) })(calendars);
      }
      return undefined;
    },
    viaTools: async (tools) => {
      const [startTime, endTime] = ["2026-03-17T10:30:00+01:00", "2026-03-17T11:30:00+01:00"];
      for (const room of [ELBE, ALSTER]) {
        const wanted = { attendeeEmails: [room], startTime, endTime, durationMinutes: 60 };
        const { timeSlots = [] } = await tools("suggest_time", wanted);
        if (timeSlots.length === 0) continue;
        const event = { summary: "Labels", startTime, endTime, ...invited(OMAR, room) };
        await tools("create_event", event);
      }
    },
    mistakes: {
      "a room that is taken, and declines": {
        act: create({ ...LABELS, ...guests(OMAR, ELBE) }),
        failure: none("event_attendees", 3),
      },
      "both rooms": {
        act: create({ ...LABELS, ...guests(OMAR, ELBE, ALSTER) }),
        failure: unexpected("event_attendees"),
      },
      "the room as a place only": {
        act: create({ ...LABELS, ...guests(OMAR), location: "Alster" }),
        failure: none("event_attendees", 3),
      },
    },
  },

  "answers: accept": {
    solution: answer("kick-off", "accepted"),
    viaTools: respond("kick-off", "accepted"),
    mistakes: {
      tentatively: { act: answer("kick-off", "tentative"), failure: none("event_attendees") },
      "another meeting": {
        act: answer("contract", "accepted"),
        failure: none("event_attendees"),
      },
    },
  },

  "answers: decline with a reason": {
    solution: answer("demo", "declined", { comment: TRAIN }),
    viaTools: respond("demo", "declined", { responseComment: TRAIN }),
    mistakes: {
      "without the reason": { act: answer("demo", "declined"), failure: none("event_attendees") },
      "removed from the calendar": {
        act: async (calendars) => cancel((await find(calendars, "demo")).id)(calendars),
        failure: none("event_attendees"),
      },
    },
  },

  "answers: the date that moved": {
    solution: async (calendars) => {
      const { start } = await find(calendars, "carrier training", at("dani.okoro"));
      const day = new Date(`${start?.dateTime}`);
      const comment = `${day.getUTCDate()} March`;
      await answer("carrier training", "declined", { comment })(calendars);
    },
    viaTools: async (tools) => {
      const { start } = await seek(tools, "carrier training", at("dani.okoro"));
      const responseComment = `${new Date(start.dateTime).getUTCDate()} March`;
      await respond("carrier training", "declined", { responseComment })(tools);
    },
    mistakes: {
      "the old day": {
        act: answer("carrier training", "declined", { comment: "13 March" }),
        failure: none("event_attendees"),
      },
      accepted: {
        act: answer("carrier training", "accepted", { comment: "16 March" }),
        failure: none("event_attendees"),
      },
    },
  },

  "answers: for Maya Chen": {
    solution: answer("townhall", "accepted", {}, MAYA),
    viaTools: respond("townhall", "accepted", {}, MAYA),
    mistakes: {
      "for oneself": {
        act: answer("townhall", "tentative"),
        failure: none("event_attendees"),
      },
      "another meeting of hers": {
        act: answer("kick-off", "accepted", {}, MAYA),
        failure: none("event_attendees"),
      },
    },
  },

  "changes: one instance": {
    solution: patch(NEXT_PLANNING, timed("2026-03-16T09:30", "2026-03-16T10:00")),
    viaTools: updating("weekly planning", span("2026-03-16T09:30", "2026-03-16T10:00")),
    mistakes: {
      "the whole series": {
        act: patch("planning", timed("2026-02-02T09:30", "2026-02-02T10:00")),
        failure: none("events"),
      },
      "longer as well": {
        act: patch(NEXT_PLANNING, timed("2026-03-16T09:30", "2026-03-16T10:30")),
        failure: none("events"),
      },
      "the Monday after": {
        act: patch("planning_20260323T073000Z", timed("2026-03-23T09:30", "2026-03-23T10:00")),
        failure: none("events"),
      },
    },
  },

  "changes: this one and those that follow": {
    solution: both(
      patch("planning", { recurrence: ["RRULE:FREQ=WEEKLY;UNTIL=20260322T225959Z;BYDAY=MO"] }),
      create({ summary: "Weekly planning", ...LATER, recurrence: [WEEKLY] }),
    ),
    viaTools: "no tool changes the rule of a series",
    mistakes: {
      "all of them": {
        act: patch("planning", timed("2026-02-02T10:00", "2026-02-02T10:30")),
        failure: none("events"),
      },
      "the former series goes on": {
        act: create({ summary: "Weekly planning", ...LATER, recurrence: [WEEKLY] }),
        failure: none("events"),
        reward: 0.5,
      },
      "only that Monday": {
        act: patch("planning_20260323T073000Z", LATER),
        failure: none("events", 2),
      },
    },
  },

  "changes: cancel one instance": {
    solution: cancel(LUNCH),
    viaTools: async (tools) => {
      const { id: eventId } = await seek(tools, "office lunch");
      await tools("delete_event", { eventId });
    },
    mistakes: {
      "all of them": { act: cancel("officelunch"), failure: none("events") },
      "the next one": {
        act: cancel("officelunch_20260409T103000Z"),
        failure: none("events"),
      },
      "declined alone": {
        act: answer("office lunch", "declined"),
        failure: none("events"),
      },
    },
  },

  "changes: the end of a series": {
    solution: patch("planning", { recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=9"] }),
    viaTools: "no tool changes the rule of a series",
    mistakes: {
      "one too early": {
        act: patch("planning", {
          recurrence: ["RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260330T060000Z"],
        }),
        failure: none("events"),
      },
      "only the next one after it": {
        act: cancel("planning_20260406T063000Z"),
        failure: none("events"),
      },
      "the whole series": { act: cancel("planning"), failure: none("events") },
    },
  },

  "changes: booked twice": {
    solution: patch("vendorcall", FRIDAY),
    viaTools: updating("label printers", span("2026-03-13T09:00", "2026-03-13T09:30")),
    mistakes: {
      "the one that cannot move": {
        act: patch("budgetq2", timed("2026-03-13T09:00", "2026-03-13T10:00")),
        failure: none("events"),
      },
      "an hour long": {
        act: patch("vendorcall", timed("2026-03-13T09:00", "2026-03-13T10:00")),
        failure: none("events"),
      },
      "a second event": {
        act: both(
          create({ summary: "Vendor call: label printers", ...FRIDAY }),
          cancel("vendorcall"),
        ),
        failure: none("events"),
      },
    },
  },

  "changes: invite the right Maya": {
    solution: withGuest({ email: at("maya.cheng"), optional: true }),
    viaTools: updating("label printers", {
      addedAttendees: [{ email: at("maya.cheng"), optionalAttendee: true }],
    }),
    mistakes: {
      "the other Maya": {
        act: withGuest({ email: MAYA, optional: true }),
        failure: none("event_attendees"),
      },
      "as a guest who is needed": {
        act: withGuest({ email: at("maya.cheng") }),
        failure: none("event_attendees"),
      },
      "instead of the others": {
        act: patch("vendorcall", { attendees: [{ email: at("maya.cheng"), optional: true }] }),
        failure: unexpected("event_attendees", "removed"),
      },
    },
  },

  "changes: take a guest off the list": {
    solution: withoutGuest(at("tom.becker"), "officelunch"),
    viaTools: async (tools) => {
      const { recurringEventId: eventId } = await seek(tools, "office lunch");
      const removedAttendeeEmails = [at("tom.becker")];
      await tools("update_event", { eventId, removedAttendeeEmails });
    },
    mistakes: {
      "of one lunch only": {
        act: withoutGuest(at("tom.becker"), LUNCH),
        failure: none("event_attendees"),
      },
      "somebody else": {
        act: withoutGuest(at("kris.parker"), "officelunch"),
        failure: none("event_attendees"),
      },
    },
  },

  "changes: a longer townhall": {
    solution: patch("hallofall", TOWNHALL, LENA),
    viaTools: updating(
      "townhall",
      { endTime: "2026-03-11T17:30:00+01:00", startTime: "2026-03-11T16:00:00+01:00" },
      LENA,
    ),
    mistakes: {
      "at its beginning": {
        act: patch("hallofall", { start: { dateTime: "2026-03-11T15:30:00+01:00" } }, LENA),
        failure: none("events"),
      },
      "half an hour in all": {
        act: patch("hallofall", { end: { dateTime: "2026-03-11T16:30:00+01:00" } }, LENA),
        failure: none("events"),
      },
    },
  },

  "changes: a video call": {
    solution: patch("vendorcall", MEET, "primary", { conferenceDataVersion: 1 }),
    viaTools: updating("label printers", { addGoogleMeetUrl: true }),
    mistakes: {
      "without the version that is needed": {
        act: patch("vendorcall", MEET),
        failure: none("events"),
      },
      "a link in the description": {
        act: patch("vendorcall", { description: "https://meet.google.com/abc-defg-hij" }),
        failure: none("events"),
      },
      "in another meeting": {
        act: patch("budgetq2", MEET, "primary", { conferenceDataVersion: 1 }),
        failure: none("events"),
      },
    },
  },

  "changes: where, and what to bring": {
    solution: patch("visithar", HARROW, VISITS),
    viaTools: updating("harrow", HARROW, VISITS),
    mistakes: {
      "the place alone": {
        act: patch("visithar", { location: HARROW.location }, VISITS),
        failure: none("events"),
      },
      "another visit": {
        act: patch("visitnordhaven", HARROW, VISITS),
        failure: none("events"),
      },
    },
  },

  "private: an appointment": {
    solution: create({ ...DOCTOR, ...PRIVATE }),
    viaTools: creating({
      ...{ summary: DOCTOR.summary, visibility: "private" },
      ...span("2026-03-13T16:30", "2026-03-13T17:30"),
    }),
    mistakes: {
      "for everybody to read": { act: create(DOCTOR), failure: none("events") },
      "without a title": {
        act: create({ ...DOCTOR, ...PRIVATE, summary: "Busy" }),
        failure: none("events"),
      },
    },
  },

  "private: an hour for Lena": {
    solution: create({ ...LAWYER, ...PRIVATE }, LENA),
    viaTools: creating({
      ...{ calendarId: LENA, summary: LAWYER.summary, visibility: "private" },
      ...span("2026-03-13T12:00", "2026-03-13T13:00"),
    }),
    mistakes: {
      "for everybody to read": { act: create(LAWYER, LENA), failure: none("events") },
      "in the own calendar, with her as a guest": {
        act: create({ ...LAWYER, ...PRIVATE, ...guests(LENA) }),
        failure: none("events"),
      },
      "an invitation of her assistant in her calendar": {
        act: create({ ...LAWYER, ...PRIVATE, ...guests(ME) }, LENA),
        failure: unexpected("event_attendees"),
      },
    },
  },

  "sharing: no more than is needed": {
    solution: share(ME, at("kris.parker"), "freeBusyReader"),
    viaTools: "no tool shares a calendar",
    mistakes: {
      "with all that is in it": {
        act: share(ME, at("kris.parker"), "reader"),
        failure: none("acl"),
      },
      "with Chris": {
        act: share(ME, at("chris.park"), "freeBusyReader"),
        failure: none("acl"),
      },
      "with everybody": {
        act: ({ api, at: options }) =>
          api.acl.insert(
            { calendarId: ME, requestBody: { role: "freeBusyReader", scope: { type: "default" } } },
            options,
          ),
        failure: none("acl"),
      },
    },
  },

  "sharing: the one who keeps the books": {
    solution: share(VISITS, CHRISTINE, "reader"),
    viaTools: "no tool shares a calendar",
    mistakes: {
      "to write": { act: share(VISITS, CHRISTINE, "writer"), failure: none("acl") },
      "the own calendar": { act: share(ME, CHRISTINE, "reader"), failure: none("acl") },
      "Chris Park": { act: share(VISITS, at("chris.park"), "reader"), failure: none("acl") },
    },
  },

  "sharing: read, not write": {
    solution: ({ api, at: options }) =>
      api.acl.patch(
        {
          calendarId: VISITS,
          ruleId: `user:${at("marcus.webb")}`,
          requestBody: { role: "reader" },
        },
        options,
      ),
    viaTools: "no tool shares a calendar",
    mistakes: {
      "no right at all": {
        act: ({ api, at: options }) =>
          api.acl.delete({ calendarId: VISITS, ruleId: `user:${at("marcus.webb")}` }, options),
        failure: none("acl"),
      },
      "busy times only": {
        act: share(VISITS, at("marcus.webb"), "freeBusyReader"),
        failure: none("acl"),
      },
    },
  },

  "calendars: a new one": {
    solution: newCalendar({ ...PRINTERS, timeZone: BERLIN }),
    viaTools: "no tool creates a calendar",
    mistakes: {
      "in the zone that is the default": {
        act: newCalendar(PRINTERS),
        failure: none("calendars"),
      },
      "without its description": {
        act: newCalendar({ summary: PRINTERS.summary, timeZone: BERLIN }),
        failure: none("calendars"),
      },
    },
  },

  "absence: decline what is new": {
    solution: create(away("declineOnlyNewConflictingInvitations")),
    viaTools: "no tool lets an absence decline invitations",
    mistakes: {
      "what is there already is declined too": {
        act: create(away("declineAllConflictingInvitations")),
        failure: unexpected("event_attendees", "changed"),
      },
      "nothing is declined": {
        act: create(away("declineNone")),
        failure: none("events"),
      },
      "a meeting of that name": {
        act: create({
          ...{ summary: "Out of office", description: "I am in Kiel" },
          ...timed("2026-03-13T09:00", "2026-03-13T18:00"),
        }),
        failure: none("events"),
      },
    },
  },
};
