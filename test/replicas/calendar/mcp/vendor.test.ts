/** The listing of the vendor's tools, and what all calls have in common. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { vendor } from "~/replicas/calendar/mcp/vendor";
import { undescribed, withoutDescription } from "../../../support/tool-listing";
import { JOHN } from "../scene";
import { useCalendarTools } from "./scene";

const { program, environment, changesOf, tool, rejection } = useCalendarTools();

const TIMES = { startTime: "2026-01-08T10:00:00", endTime: "2026-01-08T11:00:00" };

describe("the listing", () => {
  test("has the names, the order and the schemas of the capture", async () => {
    const captured = await Bun.file(join(import.meta.dir, "vendor.jsonl")).text();
    const listed = vendor.tools.map(({ name, inputSchema }) => ({
      name,
      inputSchema: undescribed(inputSchema),
    }));

    const lines = captured.trimEnd().split("\n");
    expect(listed).toEqual(lines.map((line) => JSON.parse(line)));
  });

  test("has 9 tools, of which 5 only read", () => {
    expect(vendor.tools).toHaveLength(9);
    expect(vendor.tools.filter(vendor.isReading).map(({ name }) => name)).toEqual([
      ...["list_events", "get_event", "list_calendars", "suggest_time", "search_events"],
    ]);
  });

  test("describes every tool and every argument", () => {
    expect(withoutDescription(vendor.tools)).toEqual([]);
  });
});

describe("a call", () => {
  test.each([
    ["get_event", {}, "Missing required field: eventId"],
    [
      "list_events",
      { pageSize: 251 },
      "Invalid value at 'pageSize': Too big: expected number to be <=250",
    ],
    [
      "create_event",
      { summary: "x", ...TIMES, start: "2026" },
      'Invalid JSON payload received. Unknown name "start": Cannot find field.',
    ],
    [
      "respond_to_event",
      { eventId: "logincheck", responseStatus: "needsAction" },
      `Invalid value at 'responseStatus': Invalid option: expected one of "declined"|"tentative"|"accepted"`,
    ],
    [
      "create_event",
      { summary: "x".repeat(10_001), ...TIMES },
      "Invalid value at 'summary': Too big: expected string to have <=10000 characters",
    ],
  ])("of %s with wrong arguments is rejected", async (name, args, text) => {
    expect(await rejection(await environment(), name, args)).toBe(text);
  });

  test("acts as the environment's user", async () => {
    const env = await environment({ impersonateUserId: JOHN });
    const { summary, events } = await tool(env, "list_events");

    expect(summary).toBe("John Doe");
    expect(events.map(({ id }: any) => id)).toContain("dentist");
  });

  test("that is rejected changes nothing", async () => {
    const env = await environment();
    const { inserts, updates, deletes } = await changesOf(env, async () => {
      const event = { summary: "x", ...TIMES };
      const team = "c_team@group.calendar.google.com";
      for (const [name, args, text] of [
        ["get_event", { eventId: "nothing" }, "Not Found"],
        ["list_events", { calendarId: "nobody@acme.test" }, "Not Found"],
        ["list_events", { startTime: "soon" }, "Invalid time value: soon"],
        ["list_events", { timeZone: "Nowhere" }, "Invalid time zone definition."],
        ["list_events", { pageToken: "x" }, "Invalid page token value."],
        [
          "list_events",
          { startTime: TIMES.endTime, endTime: TIMES.startTime },
          "The specified time range is empty.",
        ],
        [
          "create_event",
          { ...event, endTime: TIMES.startTime.replace("10", "09") },
          "The specified time range is empty.",
        ],
        [
          "create_event",
          { ...event, calendarId: JOHN },
          "You need to have writer access to this calendar.",
        ],
        ["create_event", { ...event, attendees: [{ email: "x" }] }, "Invalid attendee email."],
        [
          "create_event",
          { ...event, eventType: "FROM_GMAIL" },
          "The event type is not allowed here.",
        ],
        ["update_event", { eventId: "nothing", summary: "x" }, "Not Found"],
        [
          "update_event",
          { eventId: "planning", allDay: true },
          "A change of allDay needs startTime and endTime.",
        ],
        [
          "update_event",
          { eventId: "logincheck", summary: "x" },
          "Shared properties can only be changed by the organizer of the event.",
        ],
        ["delete_event", { eventId: "nothing" }, "Not Found"],
        [
          "respond_to_event",
          { eventId: "release", calendarId: team, responseStatus: "accepted" },
          "The user is not an attendee of the event.",
        ],
        ["suggest_time", { attendeeEmails: ["nobody@acme.test"], ...TIMES }, "Not Found"],
        [
          "suggest_time",
          { attendeeEmails: ["primary"], ...TIMES, durationMinutes: 0 },
          "Invalid duration value.",
        ],
        [
          "suggest_time",
          { attendeeEmails: ["primary"], ...TIMES, preferences: { startHour: "noon" } },
          "Invalid hour value: noon",
        ],
      ] as const)
        expect([name, await rejection(env, name, args)]).toEqual([name, text]);
    });

    expect([...inserts, ...updates, ...deletes]).toEqual([]);
  });
});

describe("the example of the document", () => {
  test("is the answer on the default template", async () => {
    const { name, arguments: args, text } = vendor.example;

    expect(await tool(await environment(), name, args)).toEqual(JSON.parse(text));
  });
});

describe("every tool", () => {
  test("is one call of the run's journal", async () => {
    const env = await environment();
    const { body: run } = await program.post("/startRun", { envId: env.environmentId });
    const { id: eventId } = await tool(env, "create_event", { summary: "One", ...TIMES });
    const rest: readonly (readonly [string, object])[] = [
      ["list_events", {}],
      ["get_event", { eventId }],
      ["list_calendars", {}],
      ["suggest_time", { attendeeEmails: ["primary"], ...TIMES }],
      ["search_events", { query: "one" }],
      ["update_event", { eventId, summary: "Two" }],
      ["respond_to_event", { eventId: "logincheck", responseStatus: "accepted" }],
      ["delete_event", { eventId }],
    ];
    for (const [name, args] of rest) await tool(env, name, args);
    const { body } = await program.get(`/runs/${run.runId}/calls?limit=1000`);
    const made = body.calls.map((call: any) => [call.service, call.via, call.name, call.error]);

    const names = ["create_event", ...rest.map(([name]) => name)];
    expect(made).toEqual(names.map((name) => ["calendar", "mcp", name, null]));
    expect(names.toSorted()).toEqual(vendor.tools.map(({ name }) => name).toSorted());
  });
});
