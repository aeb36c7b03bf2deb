import { describe, expect, test } from "bun:test";
import { JOHN, ROBIN } from "../scene";
import { useCalendarTools } from "./scene";

const { environment, send, tool, rejection } = useCalendarTools();

const TEAM = "c_team@group.calendar.google.com";
const idsOf = ({ events = [] }: any) => events.map(({ id }: any) => id);

describe("list_events", () => {
  test("shows the calendar, and its events by their start", async () => {
    const listed = await tool(await environment(), "list_events");

    expect(Object.keys(listed)).toEqual([
      ...["summary", "updated", "timeZone", "accessRole", "defaultReminders", "events"],
    ]);
    expect(idsOf(listed)).toEqual(["standup", "logincheck", "planning"]);
    expect(listed.events[2]).toEqual({
      id: "planning",
      status: "confirmed",
      htmlLink: expect.stringContaining("https://www.google.com/calendar/event?eid="),
      created: "2026-01-02T09:00:00Z",
      updated: "2026-01-02T09:00:00.000Z",
      summary: "Planning",
      location: "Room 3",
      colorId: "5",
      creator: { email: "agent@acme.test", self: true },
      organizer: { email: "agent@acme.test", self: true },
      start: { dateTime: "2026-01-07T10:00:00Z", timeZone: "Europe/London" },
      end: { dateTime: "2026-01-07T11:00:00Z", timeZone: "Europe/London" },
      availability: "BUSY",
      attendees: [
        { email: "agent@acme.test", organizer: true, self: true, responseStatus: "accepted" },
        { email: "tess@northwind.test", responseStatus: "accepted" },
        { email: JOHN, responseStatus: "declined" },
      ],
      eventType: "DEFAULT",
    });
  });

  test("shows whole days as midnight, and times that are free", async () => {
    const { events } = await tool(await environment(), "list_events", { calendarId: TEAM });

    expect(events[0]).toMatchObject({
      id: "epiphania",
      allDay: true,
      start: { dateTime: "2026-01-06T00:00:00Z" },
      end: { dateTime: "2026-01-07T00:00:00Z" },
      availability: "FREE",
    });
  });

  test("takes times without an offset, on the clock of the calendar or of a given zone", async () => {
    const env = await environment();
    const found = async (args: object) => idsOf(await tool(env, "list_events", args));
    const span = { startTime: "2026-01-07T11:30:00", endTime: "2026-01-07T12:30:00" };

    expect(await found(span)).toEqual([]);
    expect(await found({ ...span, timeZone: "Europe/Berlin" })).toEqual(["planning"]);
    expect(await found({ startTime: "2026-01-07T11:30:00+01:00" })).toEqual(["planning"]);
    expect(await found({ endTime: "2026-01-06" })).toEqual(["standup"]);
  });

  test("shows times in a given zone", async () => {
    const args = { fullText: "planning", timeZone: "Asia/Tokyo" };
    const { events } = await tool(await environment(), "list_events", args);

    expect(events[0].start.dateTime).toBe("2026-01-07T19:00:00+09:00");
  });

  test("finds words, types and orders", async () => {
    const env = await environment();
    await tool(env, "create_event", {
      ...{ summary: "At home", eventType: "WORKING_LOCATION", allDay: true },
      ...{ startTime: "2026-01-08T00:00:00Z", endTime: "2026-01-09T00:00:00Z" },
    });
    const { id } = await tool(env, "create_event", {
      ...{ summary: "Deep work", eventType: "FOCUS_TIME" },
      ...{ startTime: "2026-01-08T09:00:00", endTime: "2026-01-08T11:00:00" },
    });
    const { id: away } = await tool(env, "create_event", {
      ...{ summary: "Away", eventType: "OUT_OF_OFFICE" },
      ...{ startTime: "2026-01-08T14:00:00", endTime: "2026-01-08T18:00:00" },
    });
    const found = async (args: object) => idsOf(await tool(env, "list_events", args));

    expect(await found({ fullText: "login" })).toEqual(["logincheck"]);
    expect(await found({})).toEqual(["standup", "logincheck", "planning", id, away]);
    expect(await found({ eventType: ["FOCUS_TIME"] })).toEqual([id]);
    expect(await found({ eventType: ["WORKING_LOCATION", "BIRTHDAY"] })).toHaveLength(1);
    expect(await found({ orderBy: "startTimeDesc" })).toEqual([
      ...[away, id, "planning", "logincheck", "standup"],
    ]);
    expect((await found({ orderBy: "lastModified" })).slice(-2)).toEqual([id, away]);
  });

  test.each(["startTime", "startTimeDesc"])("has pages in the order %s", async (orderBy) => {
    const env = await environment();
    const all = idsOf(await tool(env, "list_events", { orderBy }));
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const args = { orderBy, pageSize: 2, ...(pageToken && { pageToken }) };
      const page = await tool(env, "list_events", args);
      found.push(...idsOf(page));
      pageToken = page.nextPageToken;
    } while (pageToken);

    expect(found).toEqual(all);
    expect(all).toHaveLength(3);
  });

  test("shows series as their instances", async () => {
    const env = await environment();
    const { id } = await tool(env, "create_event", {
      ...{ summary: "Weekly", recurrenceData: ["RRULE:FREQ=WEEKLY;COUNT=3"] },
      ...{ startTime: "2026-01-12T09:00:00", endTime: "2026-01-12T09:30:00" },
    });
    const { events } = await tool(env, "list_events", { fullText: "weekly" });

    expect(events.map((event: any) => [event.recurringEventId, event.start.dateTime])).toEqual([
      [id, "2026-01-12T09:00:00Z"],
      [id, "2026-01-19T09:00:00Z"],
      [id, "2026-01-26T09:00:00Z"],
    ]);
    expect((await tool(env, "get_event", { eventId: id })).recurrenceData).toEqual([
      "RRULE:FREQ=WEEKLY;COUNT=3",
    ]);
  });

  test("rejects the order from the end for more events than it can sort", async () => {
    const env = await environment();
    await send(env, "POST", "calendars/primary/events", {
      recurrence: ["RRULE:FREQ=HOURLY;COUNT=2600"],
      start: { dateTime: "2026-01-08T00:00:00Z", timeZone: "UTC" },
      end: { dateTime: "2026-01-08T00:10:00Z", timeZone: "UTC" },
    });

    expect(await rejection(env, "list_events", { orderBy: "startTimeDesc" })).toBe(
      "More than 2500 events: startTime and endTime are required.",
    );
    const span = { startTime: "2026-01-08T00:00:00Z", endTime: "2026-01-08T03:00:00Z" };
    const { events } = await tool(env, "list_events", { orderBy: "startTimeDesc", ...span });
    expect(events).toHaveLength(3);
  });
});

describe("get_event", () => {
  test("hides what the user may not see", async () => {
    const event = await tool(await environment(), "get_event", {
      ...{ eventId: "dentist", calendarId: JOHN },
    });

    expect(event.summary).toBeUndefined();
    expect(event).toMatchObject({ visibility: "private", availability: "BUSY" });
  });
});

describe("search_events", () => {
  test("finds all words in the primary calendar", async () => {
    const env = await environment();
    const found = async (query: string) => idsOf(await tool(env, "search_events", { query }));

    expect(await found("review robin")).toEqual(["logincheck"]);
    expect(await found("release")).toEqual([]);
    expect(await found("@")).toEqual(["standup", "logincheck", "planning"]);
  });
});

describe("suggest_time", () => {
  const day = { startTime: "2026-01-06T08:00:00", endTime: "2026-01-06T18:00:00" };
  const everyone = { attendeeEmails: ["primary", JOHN, ROBIN] };
  const startsOf = async (args: object) => {
    const { timeSlots = [] } = await tool(await environment(), "suggest_time", args);
    return timeSlots.map(({ start }: any) => start.slice(11, 16));
  };

  test("finds the first spans in which everyone is free", async () => {
    const { timeSlots } = await tool(await environment(), "suggest_time", { ...everyone, ...day });

    // Robin draws until 12:00 in Berlin.
    expect(timeSlots[0]).toEqual({ start: "2026-01-06T11:00:00Z", end: "2026-01-06T11:30:00Z" });
    expect(timeSlots).toHaveLength(5);
  });

  test("does not cross what is busy", async () => {
    const preferences = { pageSize: 20 };
    const long = { durationMinutes: 120, preferences };

    // The review is from 15:00 to 15:30.
    expect(await startsOf({ ...everyone, ...day, ...long })).toEqual(["11:00", "13:00", "15:30"]);
    expect(await startsOf({ attendeeEmails: ["primary"], ...day, ...long })).toEqual([
      ...["08:00", "10:00", "12:00", "15:30"],
    ]);
  });

  test("keeps to hours and working days of a zone", async () => {
    const week = { startTime: "2026-01-09T00:00:00", endTime: "2026-01-12T23:00:00" };
    const preferences = { startHour: "09:00", endHour: "11:00", excludeWeekends: true };
    const { timeSlots } = await tool(await environment(), "suggest_time", {
      ...{ attendeeEmails: ["primary"], ...week, timeZone: "Europe/Berlin" },
      ...{ durationMinutes: 90, preferences },
    });

    expect(timeSlots.map(({ start }: any) => start)).toEqual([
      ...["2026-01-09T09:00:00+01:00", "2026-01-12T09:00:00+01:00"],
    ]);
  });

  test("finds nothing where nothing is free", async () => {
    const span = { startTime: "2026-01-07T10:00:00", endTime: "2026-01-07T11:00:00" };

    expect(await tool(await environment(), "suggest_time", { ...everyone, ...span })).toEqual({});
  });
});
