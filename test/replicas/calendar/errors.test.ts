import { beforeAll, describe, expect, test } from "bun:test";
import { expectStatus } from "../../support/program";
import { type Environment, TEAM, timed, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});

const EVENTS = "calendars/primary/events";
const START = { dateTime: "2026-01-07T14:00:00Z" };
const END = { dateTime: "2026-01-07T15:00:00Z" };
const JOHN = "calendars/john@acme.test";
const ROBIN = "calendars/robin@acme.test";

/** Verb, path, body; status, reason, message. */
const CASES: readonly (readonly [string, string, unknown, number, string, string])[] = [
  ["POST", EVENTS, {}, 400, "required", "Missing end time."],
  [
    ...(["POST", EVENTS, { end: END }, 400, "invalid"] as const),
    "Start and end times must either both be date or both be dateTime.",
  ],
  [
    ...(["POST", EVENTS, { start: { date: "2026-01-07" }, end: END }, 400, "invalid"] as const),
    "Start and end times must either both be date or both be dateTime.",
  ],
  [
    ...(["POST", EVENTS, { start: END, end: START }, 400, "timeRangeEmpty"] as const),
    "The specified time range is empty.",
  ],
  [
    ...(["POST", EVENTS, timed("2026-01-07T14:00:00", "2026-01-07T15:00:00")] as const),
    ...([400, "required", "Missing time zone definition for start time."] as const),
  ],
  [
    ...(["POST", EVENTS, { start: { ...START, timeZone: "Mars/Base" }, end: END }] as const),
    ...([400, "invalid", "Invalid time zone definition for start time."] as const),
  ],
  [
    ...(["POST", EVENTS, { start: { dateTime: "tomorrow" }, end: END }, 400, "invalid"] as const),
    'Invalid value for: Invalid format: "tomorrow"',
  ],
  ["POST", EVENTS, { ...timed(), id: "ABC" }, 400, "invalid", "Invalid resource id value."],
  [
    ...(["POST", EVENTS, { ...timed(), id: "standup" }, 409, "duplicate"] as const),
    "The requested identifier already exists.",
  ],
  [
    ...(["POST", EVENTS, { ...timed(), attendees: [{}] }, 400, "required"] as const),
    "Missing attendee email.",
  ],
  [
    ...(["POST", EVENTS, { ...timed(), attendees: [{ email: "x" }] }, 400, "invalid"] as const),
    "Invalid attendee email.",
  ],
  ["POST", EVENTS, { ...timed(), colorId: "99" }, 400, "invalid", "Invalid color id."],
  [
    ...(["POST", EVENTS, { ...timed(), visibility: "secret" }, 400, "invalidParameter"] as const),
    "Invalid value 'secret'. Values must match the following regular expression: '(default|public|private|confidential)'",
  ],
  [
    "POST",
    EVENTS,
    { ...timed(), reminders: { useDefault: true, overrides: [{ method: "popup", minutes: 1 }] } },
    ...([400, "cannotUseDefaultRemindersAndSpecifyOverride"] as const),
    "Cannot specify both default reminders and overrides at the same time.",
  ],
  [
    "POST",
    EVENTS,
    {
      ...{ ...timed(), eventType: "outOfOffice", description: "x" },
      outOfOfficeProperties: {},
    },
    ...([400, "malformedOutOfOfficeEvent"] as const),
    "Malformed out of office event: it has neither a description nor attendees.",
  ],
  [
    ...(["POST", EVENTS, { ...timed(), eventType: "focusTime" }] as const),
    ...([400, "malformedFocusTimeEvent"] as const),
    "Malformed focus time event: focusTimeProperties is missing.",
  ],
  [
    "POST",
    EVENTS,
    {
      ...{ ...timed(), eventType: "workingLocation", transparency: "transparent" },
      workingLocationProperties: { type: "homeOffice" },
    },
    ...([400, "malformedWorkingLocationEvent"] as const),
    "Malformed working location event: visibility must be public.",
  ],
  [
    "POST",
    `${EVENTS}/import`,
    { ...timed(), iCalUID: "1@example.org", organizer: { email: "eve@example.org" } },
    ...([400, "participantIsNeitherOrganizerNorAttendee"] as const),
    "The owner of the calendar must either be the organizer or an attendee of an event that is imported.",
  ],
  [
    "POST",
    `${EVENTS}/logincheck/move?destination=c_team@group.calendar.google.com`,
    ...([undefined, 403, "cannotChangeOrganizer"] as const),
    "Cannot change the organizer of the event.",
  ],
  [
    ...(["POST", EVENTS, { ...timed(), eventType: "fromGmail" }] as const),
    ...([400, "eventTypeRestriction", "The event type is not allowed here."] as const),
  ],
  [
    "POST",
    `${EVENTS}?conferenceDataVersion=1`,
    {
      ...timed(),
      conferenceData: {
        createRequest: { requestId: "1", conferenceSolutionKey: { type: "eventHangout" } },
      },
    },
    ...([400, "invalid", "Invalid conference type value."] as const),
  ],
  ["POST", EVENTS, "{", 400, "parseError", "Parse Error"],
  ["POST", EVENTS, { ...timed(), summary: 5 }, 400, "invalid", expect.stringContaining("summary")],
  ["GET", `${EVENTS}/unknown`, undefined, 404, "notFound", "Not Found"],
  ["GET", "calendars/unknown@acme.test/events", undefined, 404, "notFound", "Not Found"],
  ["GET", "users/me/settings/unknown", undefined, 404, "notFound", "Not Found"],
  ["GET", `${EVENTS}?timeMin=2026-01-05`, undefined, 400, "badRequest", "Bad Request"],
  [
    "GET",
    `${EVENTS}?timeMin=2026-01-05T00:00:00Z&timeMax=2026-01-05T00:00:00Z`,
    ...([undefined, 400, "timeRangeEmpty", "The specified time range is empty."] as const),
  ],
  [
    ...(["GET", `${EVENTS}?orderBy=startTime`, undefined, 400, "badRequest"] as const),
    "The requested ordering is not available for the particular query.",
  ],
  [
    ...(["GET", `${EVENTS}?orderBy=size`, undefined, 400, "invalidParameter"] as const),
    "Invalid value 'size'. Values must match the following regular expression: '(startTime|updated)'",
  ],
  [
    ...(["GET", `${EVENTS}?syncToken=x`, undefined, 400, "invalid"] as const),
    "Invalid sync token value.",
  ],
  [
    ...(["GET", `${EVENTS}?pageToken=x`, undefined, 400, "invalid"] as const),
    "Invalid page token value.",
  ],
  [
    ...(["GET", `${EVENTS}?updatedMin=2020-01-01T00:00:00Z`, undefined, 410] as const),
    "updatedMinTooLongAgo",
    "The requested minimum modification time lies too far in the past.",
  ],
  [
    ...(["GET", `${EVENTS}?fields=items(`, undefined, 400, "invalidParameter"] as const),
    "Invalid field selection items(",
  ],
  ...(
    [
      ["GET", `${EVENTS}?fields=items(id,titel)`, undefined, "titel"],
      ["GET", `${EVENTS}?fields=items/id,events/summary`, undefined, "events"],
      ["POST", `${EVENTS}?fields=constructor`, timed(), "constructor"],
      ["POST", "freeBusy?fields=busy", { timeMin: START.dateTime, timeMax: END.dateTime }, "busy"],
    ] as const
  ).map(
    ([verb, path, body, name]) =>
      [verb, path, body, 400, "invalidParameter", `Invalid field selection ${name}`] as const,
  ),
  [
    ...(["POST", `${JOHN}/events`, timed(), 403, "requiredAccessLevel"] as const),
    "You need to have writer access to this calendar.",
  ],
  ["PATCH", JOHN, { summary: "Mine" }, 403, "forbidden", "Forbidden"],
  ["GET", `${ROBIN}/acl`, undefined, 403, "forbidden", "Forbidden"],
  [
    ...(["POST", "calendars/primary/acl", { role: "reader", scope: { type: "user" } }] as const),
    ...([400, "invalidScopeValue", "Invalid scope value."] as const),
  ],
  [
    "POST",
    "calendars/primary/acl",
    { role: "owner", scope: { type: "default" } },
    ...([400, "illegalAccessRoleForDefault"] as const),
    "This access role is not allowed for the default scope.",
  ],
  [
    "POST",
    "calendars/primary/acl",
    { role: "reader", scope: { type: "user", value: "agent@acme.test" } },
    ...([403, "cannotChangeOwnAcl", "Cannot change your own access level."] as const),
  ],
  ["POST", "calendars", {}, 400, "required", "Required"],
  [
    ...(["DELETE", "calendars/primary", undefined, 403, "cannotDeletePrimaryCalendar"] as const),
    "Cannot delete the primary calendar of a user.",
  ],
  ["POST", `${TEAM}/clear`, undefined, 400, "invalid", "Cannot clear primary calendar."],
  [
    "POST",
    `${TEAM}/transferOwnership?newDataOwner=john@acme.test`,
    ...([undefined, 403, "forbidden", "Forbidden"] as const),
  ],
  [
    "DELETE",
    "users/me/calendarList/primary",
    undefined,
    ...([403, "cannotChangeOwnPrimarySubscription"] as const),
    "Cannot change the subscription to the own primary calendar.",
  ],
  [
    "DELETE",
    "users/me/calendarList/c_team@group.calendar.google.com",
    undefined,
    ...([403, "cannotUnsubscribeFromOwnedCalendar"] as const),
    "Cannot unsubscribe from a calendar that the user owns.",
  ],
];

describe("rejections", () => {
  test.each(CASES)("%s %s with %j", async (verb, path, body, status, reason, message) => {
    const changes = await scene.changesOf(environment, async () => {
      const answer = await scene.call(environment, verb, path, body as object | undefined);
      expect(answer).toMatchObject({
        status,
        body: { error: { code: status, message, errors: [{ reason, message }] } },
      });
    });

    expect(changes).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("have no status by name, and are indented by one space", async () => {
    const { text } = await scene.call(environment, "GET", `${EVENTS}/unknown`);

    expect(text).toBe(
      JSON.stringify(
        {
          error: {
            errors: [{ domain: "global", reason: "notFound", message: "Not Found" }],
            ...{ code: 404, message: "Not Found" },
          },
        },
        null,
        1,
      ),
    );
  });

  test("of a parameter say where it is", async () => {
    const path = `${EVENTS}?timeMin=2026-01-06T00:00:00Z&timeMax=2026-01-05T00:00:00Z`;

    expect((await scene.call(environment, "GET", path)).body.error.errors).toEqual([
      {
        ...{ domain: "calendar", reason: "timeRangeEmpty", locationType: "parameter" },
        ...{ message: "The specified time range is empty.", location: "timeMax" },
      },
    ]);
  });

  test("of unknown parameters and fields do not exist: they are ignored", async () => {
    const path = `${EVENTS}?unknown=1`;

    expect(await scene.call(environment, "POST", path, { ...timed(), unknown: 1 })).toMatchObject({
      status: 200,
    });
  });
});

describe("a fault", () => {
  test.each([
    [{ fault: "rate_limited" }, 429, "rateLimitExceeded", "Rate Limit Exceeded"],
    [
      { fault: "rate_limited", perUser: true },
      ...([403, "userRateLimitExceeded", "User Rate Limit Exceeded"] as const),
    ],
    [{ fault: "server_error" }, 500, "backendError", "Backend Error"],
    [{ fault: "lost_answer" }, 503, "backendUnavailable", "The service is currently unavailable."],
    [
      { fault: "no_answer", ms: 1 },
      ...([504, "backendUnavailable", "The service is currently unavailable."] as const),
    ],
    [{ fault: "token_expired" }, 401, "authError", "Invalid Credentials"],
  ])("%j is answered in the words of the service", async (fault, status, reason, message) => {
    const struck = await scene.environment();
    const faults = [{ method: "events.list", ...fault }];
    const path = `/env/${struck.environmentId}/faults`;
    expectStatus(await scene.program.call("PUT", path, { faults }), 200);

    const answer = await scene.call(struck, "GET", EVENTS);

    const problem = { code: status, errors: [{ reason, message }] };
    expect(answer).toMatchObject({ status, body: { error: problem } });
  });
});

test("a service account invites nobody", async () => {
  const robot = "robot@acme.iam.gserviceaccount.com";
  const john = { email: "john@acme.test", name: "John" };
  const seed = { users: [{ email: robot, name: "Robot" }, john] };
  const wanted = { service: "calendar", name: "service_accounts", seed };
  expectStatus(await scene.program.post("/templates/import", wanted), 201);
  const env = await scene.environment({
    templateName: "service_accounts",
    impersonateUserId: robot,
  });
  const alone = { ...timed(), attendees: [{ email: robot }] };
  const { id } = await scene.send(env, "POST", EVENTS, alone);
  const attendees = [{ email: robot }, { email: "john@acme.test" }];
  for (const [verb, path] of [
    ["POST", EVENTS],
    ["PATCH", `${EVENTS}/${id}`],
  ] as const) {
    const answer = await scene.call(env, verb, path, { ...timed(), attendees });
    const message =
      "Service accounts cannot invite attendees without Domain-Wide Delegation of Authority.";
    const reasons = [{ domain: "calendar", reason: "forbiddenForServiceAccounts", message }];
    expect(answer).toMatchObject({ status: 403, body: { error: { errors: reasons } } });
  }
  const organizer = { email: "kim@elsewhere.test" };
  const event = { ...timed(), iCalUID: "party@elsewhere.test", organizer, attendees };
  expectStatus(await scene.call(env, "POST", `${EVENTS}/import`, event), 200);
});

test("somebody who has no calendar is told so", async () => {
  const seed = {
    now: "2026-01-05T12:00:00Z",
    members: { calendar: "calendar_default", chat: "chat_bench_default" },
  };
  const wanted = { service: "world", name: "visited", seed };
  expectStatus(await scene.program.post("/templates/import", wanted), 201);
  const visitor = await scene.environment({
    ...{ templateService: "world", templateName: "visited" },
    ...{ impersonateUserId: undefined, impersonateEmail: "maya.chen@harborline.test" },
  });
  const environmentUrl = `${visitor.environmentUrl}/calendar`;

  const answer = await scene.call({ ...visitor, environmentUrl }, "GET", EVENTS);

  expect(answer).toMatchObject({
    status: 403,
    body: { error: { errors: [{ reason: "notACalendarUser", domain: "calendar" }] } },
  });
});

test("every reason is in some test", async () => {
  const files = new Bun.Glob("**/*.test.ts").scan({ cwd: import.meta.dir, absolute: true });
  let all = "";
  for await (const file of files) all += await Bun.file(file).text();

  const source = await Bun.file(
    `${import.meta.dir}/../../../src/replicas/calendar/errors.ts`,
  ).text();
  const [, list = ""] = /const REASONS = \{(.*?)\n\}/s.exec(source) ?? [];
  const reasons = [...list.matchAll(/^ {2}"?([\w.]+)"?:/gm)].map(([, reason]) => `${reason}`);

  expect(reasons.length).toBeGreaterThan(35);
  expect(reasons.filter((reason) => !all.includes(`"${reason}"`))).toEqual([]);
});
