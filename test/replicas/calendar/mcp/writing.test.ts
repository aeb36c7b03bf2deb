import { describe, expect, test } from "bun:test";
import { JOHN, ROBIN } from "../scene";
import { useCalendarTools } from "./scene";

const { environment, get, changesOf, tool, rejection } = useCalendarTools();

const TEAM = "c_team@group.calendar.google.com";
const MORNING = { startTime: "2026-01-08T10:00:00", endTime: "2026-01-08T11:00:00" };
const MIDNIGHTS = { startTime: "2026-01-08T00:00:00Z", endTime: "2026-01-09T00:00:00Z" };

type Environment = Awaited<ReturnType<typeof environment>>;

/** As the API shows it. */
const eventOf = (env: Environment, id: string, calendar = "primary") =>
  get(env, `calendars/${calendar}/events/${id}`);

/** The event that a call creates, as the API shows it. */
async function created(args: object) {
  const env = await environment();
  const { id } = await tool(env, "create_event", { summary: "Sync", ...MORNING, ...args });
  return await eventOf(env, id);
}

describe("create_event", () => {
  test("has nobody but its owner by default", async () => {
    const event = await created({});

    expect(event).toMatchObject({
      summary: "Sync",
      eventType: "default",
      start: { dateTime: "2026-01-08T10:00:00Z", timeZone: "Europe/London" },
      end: { dateTime: "2026-01-08T11:00:00Z", timeZone: "Europe/London" },
    });
    expect(event.attendees).toBeUndefined();
  });

  test("makes the user a guest among guests, who see it at once", async () => {
    const env = await environment();
    const diff = await changesOf(env, () =>
      tool(env, "create_event", {
        ...{ summary: "Sync", ...MORNING },
        attendees: [{ email: JOHN, optionalAttendee: true }, { email: ROBIN }],
      }),
    );
    const rows = diff.inserts.filter(({ __table__ }: any) => __table__ === "event_attendees");

    expect(
      rows.map(({ email, responseStatus, optional }: any) => [email, responseStatus, optional]),
    ).toEqual([
      ["agent@acme.test", "accepted", false],
      [JOHN, "needsAction", true],
      [ROBIN, "needsAction", false],
    ]);
  });

  test("of another calendar has only the given guests", async () => {
    const env = await environment();
    const { id } = await tool(env, "create_event", {
      ...{ summary: "Sync", ...MORNING, calendarId: TEAM, attendees: [{ email: JOHN }] },
    });

    const { attendees } = await eventOf(env, id, TEAM);
    expect(attendees.map(({ email }: any) => email)).toEqual([JOHN]);
  });

  test.each([
    ["ALL", "all"],
    ["EXTERNAL_ONLY", "externalOnly"],
    ["NONE", "none"],
    ["NOTIFICATION_LEVEL_UNSPECIFIED", "all"],
    [undefined, "all"],
  ])("notifies guests: %s", async (notificationLevel, sendUpdates) => {
    const env = await environment();
    const { inserts } = await changesOf(env, () =>
      tool(env, "create_event", { summary: "Sync", ...MORNING, notificationLevel }),
    );

    expect(inserts[0].sendUpdates).toBe(sendUpdates);
  });

  test.each([
    [
      "a zone, which overrides offsets",
      { startTime: "2026-01-08T10:00:00Z", timeZone: "Asia/Tokyo" },
      "2026-01-08T01:00:00Z",
    ],
    ["an offset", { startTime: "2026-01-08T10:00:00+02:00" }, "2026-01-08T08:00:00Z"],
    ["neither", {}, "2026-01-08T10:00:00Z"],
  ])("takes times with %s", async (_what, times, start) => {
    expect((await created(times)).start.dateTime).toBe(start);
  });

  test("takes whole days", async () => {
    expect(await created({ ...MIDNIGHTS, allDay: true })).toMatchObject({
      start: { date: "2026-01-08" },
      end: { date: "2026-01-09" },
    });
  });

  test("takes every other field", async () => {
    const event = await created({
      ...{ description: "<b>Agenda</b>", location: "Room 3", availability: "FREE" },
      ...{ visibility: "private", colorId: "7", recurrenceData: ["RRULE:FREQ=DAILY;COUNT=2"] },
      addGoogleMeetUrl: true,
      attachments: [{ fileUrl: "https://files.test/a", title: "A" }],
      overrideReminders: [{ method: "email", minutes: 30 }],
      guestPermissions: {
        ...{ guestsCanInviteOthers: false, guestsCanModify: true, guestsCanSeeGuests: false },
      },
    });

    expect(event).toMatchObject({
      ...{ description: "<b>Agenda</b>", location: "Room 3", transparency: "transparent" },
      ...{ visibility: "private", colorId: "7", recurrence: ["RRULE:FREQ=DAILY;COUNT=2"] },
      hangoutLink: expect.stringMatching(/^https:\/\/meet\.google\.com\/.{3}-.{4}-.{3}$/),
      attachments: [{ fileUrl: "https://files.test/a", title: "A" }],
      reminders: { useDefault: false, overrides: [{ method: "email", minutes: 30 }] },
      ...{ guestsCanInviteOthers: false, guestsCanModify: true, guestsCanSeeOtherGuests: false },
    });
  });

  test("takes a conference that exists", async () => {
    const { hangoutLink } = await created({
      googleMeetUrl: "https://meet.google.com/abc-defg-hij",
    });

    expect(hangoutLink).toBe("https://meet.google.com/abc-defg-hij");
  });

  test.each([
    ["OUT_OF_OFFICE", {}, { eventType: "outOfOffice", outOfOfficeProperties: {} }],
    ["FOCUS_TIME", {}, { eventType: "focusTime", focusTimeProperties: {} }],
    [
      "BIRTHDAY",
      { ...MIDNIGHTS, allDay: true, recurrenceData: ["RRULE:FREQ=YEARLY"] },
      { eventType: "birthday", visibility: "private", transparency: "transparent" },
    ],
    [
      "WORKING_LOCATION",
      { ...MIDNIGHTS, allDay: true, workingLocationProperties: { type: "HOME_OFFICE" } },
      { eventType: "workingLocation", workingLocationProperties: { type: "homeOffice" } },
    ],
    [
      "WORKING_LOCATION",
      { workingLocationProperties: { type: "CUSTOM_LOCATION", customLocationLabel: "Train" } },
      { workingLocationProperties: { type: "customLocation", customLocation: { label: "Train" } } },
    ],
  ])("has the type %s", async (eventType, args, fields) => {
    expect(await created({ eventType, ...args })).toMatchObject(fields);
  });

  test("shows a working location in the words of the tools", async () => {
    const workingLocationProperties = { type: "CUSTOM_LOCATION", customLocationLabel: "Train" };
    const args = { eventType: "WORKING_LOCATION", workingLocationProperties };
    const event = await tool(await environment(), "create_event", {
      ...{ summary: "On the way", ...MORNING, ...args },
    });

    expect(event).toMatchObject({ ...args, availability: "FREE" });
  });
});

describe("update_event", () => {
  test("changes the given fields only", async () => {
    const env = await environment();
    const diff = await changesOf(env, () =>
      tool(env, "update_event", { eventId: "planning", summary: "Planning, first quarter" }),
    );

    expect([diff.inserts, diff.deletes]).toEqual([[], []]);
    expect(diff.updates).toHaveLength(1);
    const [{ before, after }] = diff.updates;
    expect(Object.keys(after).toSorted()).toEqual(["sendUpdates", "summary", "updated", "version"]);
    expect({ before, after }).toMatchObject({
      before: { summary: "Planning" },
      after: { summary: "Planning, first quarter", sendUpdates: "all" },
    });
  });

  test.each([
    ["a start", { startTime: "2026-01-07T14:30:00" }, ["14:30", "15:30"]],
    ["an end", { endTime: "2026-01-07T12:00:00" }, ["10:00", "12:00"]],
    [
      "both",
      { startTime: "2026-01-07T08:00:00", endTime: "2026-01-07T08:15:00" },
      ["08:00", "08:15"],
    ],
    ["another zone", { timeZone: "Europe/Berlin" }, ["09:00", "10:00"]],
    [
      "a start in another zone",
      { startTime: "2026-01-07T14:00:00", timeZone: "Europe/Berlin" },
      ["13:00", "14:00"],
    ],
  ])("takes %s", async (_what, args, times) => {
    const env = await environment();
    const { start, end } = await tool(env, "update_event", { eventId: "planning", ...args });

    expect([start, end].map(({ dateTime }) => dateTime.slice(11, 16))).toEqual(times);
  });

  test("moves whole days by their start, and makes them of timed ones", async () => {
    const env = await environment();
    const calendarId = TEAM;
    const { start, end } = await tool(env, "update_event", {
      ...{ eventId: "epiphania", calendarId, startTime: "2026-01-09T00:00:00Z" },
    });
    expect([start.dateTime, end.dateTime]).toEqual([
      ...["2026-01-09T00:00:00Z", "2026-01-10T00:00:00Z"],
    ]);

    await tool(env, "update_event", {
      ...{ eventId: "release", calendarId, allDay: true, ...MIDNIGHTS },
    });
    expect((await eventOf(env, "release", TEAM)).start).toEqual({ date: "2026-01-08" });
  });

  test("adds and removes guests and files, and keeps the answers of the others", async () => {
    const env = await environment();
    await tool(env, "update_event", {
      eventId: "planning",
      addedAttendees: [{ email: ROBIN, optionalAttendee: true }],
      removedAttendeeEmails: [JOHN.toUpperCase()],
      addedAttachments: [{ fileUrl: "https://files.test/a" }, { fileUrl: "https://files.test/b" }],
    });
    await tool(env, "update_event", {
      ...{ eventId: "planning", removedAttachmentFileUrls: ["https://files.test/a"] },
    });
    const { attendees, attachments } = await eventOf(env, "planning");

    expect(
      attendees.map(({ email, responseStatus, optional }: any) => [
        ...[email, responseStatus, optional],
      ]),
    ).toEqual([
      ["agent@acme.test", "accepted", undefined],
      ["tess@northwind.test", "accepted", undefined],
      [ROBIN, "needsAction", true],
    ]);
    expect(attachments).toEqual([{ fileUrl: "https://files.test/b" }]);
  });

  test("changes one instance by its ID", async () => {
    const env = await environment();
    const { id } = await tool(env, "create_event", {
      ...{ summary: "Weekly", ...MORNING, recurrenceData: ["RRULE:FREQ=WEEKLY;COUNT=3"] },
    });
    const listed = await tool(env, "list_events", { fullText: "weekly" });
    await tool(env, "update_event", { eventId: listed.events[1].id, location: "Room 3" });

    const { events } = await tool(env, "list_events", { fullText: "weekly" });
    expect(events.map(({ location }: any) => location)).toEqual([undefined, "Room 3", undefined]);
    expect((await eventOf(env, id)).location).toBeUndefined();
  });
});

describe("respond_to_event", () => {
  test("changes the user's own answer, and no other", async () => {
    const env = await environment();
    const diff = await changesOf(env, () =>
      tool(env, "respond_to_event", {
        ...{ eventId: "logincheck", responseStatus: "declined", responseComment: "At the dentist" },
      }),
    );
    const rows = diff.updates.filter(({ __table__ }: any) => __table__ === "event_attendees");

    expect(rows).toHaveLength(1);
    const { key, after } = rows[0];
    expect(key).toMatchObject({ email: "agent@acme.test" });
    expect(after).toMatchObject({ responseStatus: "declined", comment: "At the dentist" });
  });

  test("answers an own event", async () => {
    const { attendees } = await tool(await environment(), "respond_to_event", {
      ...{ eventId: "planning", responseStatus: "tentative" },
    });

    expect(attendees[0]).toMatchObject({ self: true, responseStatus: "tentative" });
  });
});

describe("delete_event", () => {
  test("cancels an own event for everyone, and somebody else's for the user only", async () => {
    const env = await environment();
    expect(await tool(env, "delete_event", { eventId: "planning" })).toEqual({});
    expect(await tool(env, "delete_event", { eventId: "logincheck" })).toEqual({});

    expect((await eventOf(env, "planning")).status).toBe("cancelled");
    expect((await eventOf(env, "logincheck")).status).toBe("cancelled");
    expect((await eventOf(env, "logincheck", JOHN)).status).toBe("confirmed");
    expect(await rejection(env, "delete_event", { eventId: "planning" })).toBe(
      "Resource has been deleted",
    );
  });
});
