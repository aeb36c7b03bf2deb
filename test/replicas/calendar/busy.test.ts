/** Busy times of calendars. */
import { expect, test } from "bun:test";
import { type Environment, JOHN, TEAM, timed, useScene } from "./scene";

const { environment, copyFor, call, send, get } = useScene();

const EVENTS = "calendars/primary/events";
const WINDOW = { timeMin: "2026-03-16T00:00:00Z", timeMax: "2026-03-18T00:00:00Z" };
const ME = "agent@acme.test";

const busyOf = async (env: Environment, id = "primary", more: object = {}) =>
  (await send(env, "POST", "freeBusy", { ...WINDOW, items: [{ id }], ...more })).calendars[id];
const create = (env: Environment, from: string, to: string, fields: object = {}) =>
  send(env, "POST", EVENTS, {
    ...timed(`2026-03-16T${from}:00Z`, `2026-03-16T${to}:00Z`),
    summary: "Busy",
    ...fields,
  });

test("are joined, clipped to the window and in order", async () => {
  const env = await environment();
  await create(env, "14:00", "15:00");
  await create(env, "09:00", "10:00");
  await create(env, "09:30", "11:00");
  await create(env, "11:00", "11:30");
  await create(env, "23:00", "23:30", { end: { dateTime: "2026-03-19T00:00:00Z" } });

  const answer = await send(env, "POST", "freeBusy", { ...WINDOW, items: [{ id: "primary" }] });

  expect(answer).toEqual({
    kind: "calendar#freeBusy",
    timeMin: "2026-03-16T00:00:00.000Z",
    timeMax: "2026-03-18T00:00:00.000Z",
    calendars: {
      primary: {
        busy: [
          { start: "2026-03-16T09:00:00Z", end: "2026-03-16T11:30:00Z" },
          { start: "2026-03-16T14:00:00Z", end: "2026-03-16T15:00:00Z" },
          { start: "2026-03-16T23:00:00Z", end: "2026-03-18T00:00:00Z" },
        ],
      },
    },
  });
});

test("of one calendar are the same by both of its names", async () => {
  const env = await environment();
  await create(env, "09:00", "10:00");
  const items = [{ id: "primary" }, { id: ME }, { id: ME.toUpperCase() }, { id: JOHN }];

  const { calendars } = await send(env, "POST", "freeBusy", { ...WINDOW, items });

  const busy = [{ start: "2026-03-16T09:00:00Z", end: "2026-03-16T10:00:00Z" }];
  expect(calendars).toEqual({
    ...{ primary: { busy }, [ME]: { busy }, [ME.toUpperCase()]: { busy } },
    [JOHN]: { busy: [] },
  });
});

test("have the instances of series, and whole days in the zone of the calendar", async () => {
  const env = await environment();
  const { timeZone } = await get(env, "calendars/primary");
  await create(env, "09:00", "09:30", {
    start: { dateTime: "2026-03-16T09:00:00", timeZone: "Europe/London" },
    end: { dateTime: "2026-03-16T09:30:00", timeZone: "Europe/London" },
    recurrence: ["RRULE:FREQ=DAILY;COUNT=5"],
  });
  await send(env, "POST", EVENTS, { start: { date: "2026-03-17" }, end: { date: "2026-03-18" } });
  const dayStart = Temporal.PlainDate.from("2026-03-17").toZonedDateTime(timeZone).toInstant();

  const { busy } = await busyOf(env);

  expect(busy[0]).toEqual({ start: "2026-03-16T09:00:00Z", end: "2026-03-16T09:30:00Z" });
  expect(busy[1].start).toBe(dayStart.toString());
});

test.each([
  ["a transparent event", { transparency: "transparent" }],
  ["one that the owner has declined", { attendees: [{ email: ME, responseStatus: "declined" }] }],
])("leave out %s", async (_, fields) => {
  const env = await environment();
  await create(env, "14:00", "15:00", fields);
  expect((await busyOf(env)).busy).toEqual([]);
});

test("leave out a cancelled event, and show an invitation to its guest", async () => {
  const env = await environment();
  const { id } = await create(env, "14:00", "15:00", { attendees: [{ email: JOHN }] });
  const copy = { start: "2026-03-16T15:00:00+01:00", end: "2026-03-16T16:00:00+01:00" };
  expect((await busyOf(env, "primary", { timeZone: "Europe/Berlin" })).busy).toEqual([copy]);
  await send(env, "DELETE", `${EVENTS}/${id}`);
  expect((await busyOf(env)).busy).toEqual([]);
});

test("of a calendar that cannot be read are an error of its own", async () => {
  const env = await environment();
  const { calendars } = await send(env, "POST", "freeBusy", {
    ...WINDOW,
    items: [{ id: "nobody@acme.test" }, { id: "primary" }],
  });
  expect(calendars).toEqual({
    "nobody@acme.test": { errors: [{ domain: "global", reason: "notFound" }], busy: [] },
    primary: { busy: [] },
  });
});

test.each([
  ["no end", { timeMin: WINDOW.timeMin }, "required"],
  ["an empty window", { timeMin: WINDOW.timeMax, timeMax: WINDOW.timeMin }, "timeRangeEmpty"],
  [
    "a year",
    { timeMin: "2026-01-01T00:00:00Z", timeMax: "2027-01-01T00:00:00Z" },
    "timeRangeTooLong",
  ],
  ["an unknown zone", { ...WINDOW, timeZone: "Mars/Base" }, "invalid"],
  [
    "51 calendars",
    { ...WINDOW, items: Array.from({ length: 51 }, (_, n) => ({ id: `${n}` })) },
    "invalid",
  ],
])("are not read with %s", async (_, body, reason) => {
  const answer = await call(await environment(), "POST", "freeBusy", body);
  expect([answer.status, answer.body.error.errors[0].reason]).toEqual([400, reason]);
});

test("an event moves to another calendar, with the changed instances of its series", async () => {
  const env = await environment();
  await send(env, "POST", EVENTS, {
    id: "moving",
    summary: "Moving",
    start: { dateTime: "2026-03-16T09:00:00", timeZone: "Europe/London" },
    end: { dateTime: "2026-03-16T09:30:00", timeZone: "Europe/London" },
    recurrence: ["RRULE:FREQ=DAILY;COUNT=3"],
  });
  const second = "moving_20260317T090000Z";
  await send(env, "PATCH", `${EVENTS}/${second}`, { summary: "Another" });
  const [, team = ""] = TEAM.split("/");
  const move = (id: string, to: string) =>
    call(env, "POST", `${EVENTS}/${id}/move?destination=${to}`);

  const ofInstance = await move(second, team);
  expect(ofInstance.body.error.errors[0].reason).toBe("cannotChangeOrganizerOfInstance");
  const moved = await move("moving", team);

  expect(moved.body).toMatchObject({ id: "moving", organizer: { email: team, self: true } });
  expect((await get(env, `${TEAM}/events/${second}`)).summary).toBe("Another");
  expect((await get(env, `${EVENTS}/moving`)).status).toBe("cancelled");
  expect((await move("moving", team)).status).toBe(403);
  expect((await move("moving", "")).status).toBe(404);
});

test("an imported event is a copy that its attendees do not have, and is replaced by its UID", async () => {
  const env = await environment();
  const body = {
    ...timed("2026-03-16T14:00:00Z", "2026-03-16T15:00:00Z"),
    ...{ iCalUID: "abc@example.org", summary: "Imported", organizer: { email: "Eve@example.org" } },
    attendees: [{ email: JOHN }, { email: ME, responseStatus: "accepted" }],
  };
  const made = await send(env, "POST", `${EVENTS}/import`, body);
  expect(made).toMatchObject({ iCalUID: body.iCalUID, organizer: { email: "eve@example.org" } });
  expect((await get(await copyFor(env, JOHN), `${EVENTS}?iCalUID=${body.iCalUID}`)).items).toEqual(
    [],
  );

  const again = await send(env, "POST", `${EVENTS}/import`, { ...body, summary: "Again" });
  expect([again.id, again.summary]).toEqual([made.id, "Again"]);
  expect((await get(await copyFor(env, JOHN), `${EVENTS}?iCalUID=${body.iCalUID}`)).items).toEqual(
    [],
  );
});

test.each([
  ["no UID", { iCalUID: undefined }, "required"],
  ["another type", { eventType: "focusTime" }, "eventTypeRestriction"],
  ["a bad organizer", { organizer: { email: "nobody" } }, "invalid"],
  ["a list as the address of the organizer", { organizer: { email: [JOHN] } }, "invalid"],
])("an import with %s is rejected", async (_, fields, reason) => {
  const body = { ...timed(), iCalUID: "a@example.org", ...fields };
  const answer = await call(await environment(), "POST", `${EVENTS}/import`, body);
  expect([answer.status, answer.body.error.errors[0].reason]).toEqual([400, reason]);
});
