import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, TEAM, timed, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});
const EVENTS = "calendars/primary/events";
const insert = (body: object, query = "") =>
  scene.send(environment, "POST", `${EVENTS}${query}`, body);
const get = (path: string) => scene.get(environment, path);

describe("an event", () => {
  test("is stored as a wall clock with its zone, and shown in the order of the service", async () => {
    const event = await insert({
      summary: "Lunch",
      start: { dateTime: "2026-07-04T20:00:00Z", timeZone: "America/Los_Angeles" },
      end: { dateTime: "2026-07-04T21:00:00Z", timeZone: "America/Los_Angeles" },
    });

    expect(Object.keys(event)).toEqual([
      ...["kind", "etag", "id", "status", "htmlLink", "created", "updated", "summary"],
      ...["creator", "organizer", "start", "end", "iCalUID", "sequence", "reminders", "eventType"],
    ]);
    expect(event).toMatchObject({
      ...{ kind: "calendar#event", status: "confirmed", eventType: "default", sequence: 0 },
      start: { dateTime: "2026-07-04T21:00:00+01:00", timeZone: "America/Los_Angeles" },
      creator: { email: "agent@acme.test", self: true },
      organizer: { email: "agent@acme.test", self: true },
      reminders: { useDefault: true },
    });
    expect(event.id).toMatch(/^[a-v0-9]{26}$/);
    expect(event.iCalUID).toBe(`${event.id}@google.com`);
    const { start } = await get(`${EVENTS}/${event.id}?timeZone=America/Los_Angeles`);
    expect(start.dateTime).toBe("2026-07-04T13:00:00-07:00");
  });

  test("of a row has the wall clock of the zone that was sent", async () => {
    const changes = await scene.changesOf(environment, () =>
      insert({
        summary: "Stored",
        start: { dateTime: "2018-07-04T20:00:00Z", timeZone: "America/Los_Angeles" },
        end: { dateTime: "2018-07-04T21:00:00Z", timeZone: "America/Los_Angeles" },
      }),
    );

    expect(changes.inserts).toEqual([
      expect.objectContaining({
        __table__: "events",
        start: { dateTime: "2018-07-04T13:00:00-07:00", timeZone: "America/Los_Angeles" },
      }),
    ]);
  });

  test("of whole days has an exclusive end, and dates may have one digit", async () => {
    const event = await insert({ start: { date: "2026-2-1" }, end: { date: "2026-2-2" } });

    expect([event.start, event.end]).toEqual([{ date: "2026-02-01" }, { date: "2026-02-02" }]);
  });

  test("on a secondary calendar is organized by the calendar", async () => {
    const event = await scene.send(environment, "POST", `${TEAM}/events`, timed());

    expect(event).toMatchObject({
      creator: { email: "agent@acme.test", self: true },
      organizer: { email: "c_team@group.calendar.google.com", displayName: "Team", self: true },
    });
  });

  test("may have an id of the client, once", async () => {
    await insert({ id: "abcde01", ...timed() });
    await scene.send(environment, "DELETE", `${EVENTS}/abcde01`);

    expect(
      await scene.call(environment, "POST", EVENTS, { id: "abcde01", ...timed() }),
    ).toMatchObject({ status: 409, body: { error: { errors: [{ reason: "duplicate" }] } } });
  });

  test("is indented by one space, and its etag is a header", async () => {
    const { headers, text, body } = await scene.call(environment, "GET", `${EVENTS}/standup`);

    expect(text).toStartWith('{\n "kind"');
    expect(headers.get("etag")).toBe(body.etag);
    const again = await scene.callAs(
      { "if-none-match": body.etag },
      environment,
      "GET",
      `${EVENTS}/standup`,
    );
    expect([again.status, again.text]).toEqual([304, ""]);
  });
});

test("a property that is too long is cut, also in the middle of a character", async () => {
  const text = "x".repeat(1_023);
  const properties = { a: `${text}yz`, b: `${text}😀`, [text]: "c" };

  const { extendedProperties } = await insert({
    ...timed(),
    extendedProperties: { private: properties },
  });

  expect(extendedProperties.private).toEqual({ a: `${text}y`, b: `${text}\ufffd` });
});

describe("a patch", () => {
  test("merges objects, replaces arrays and removes what is null", async () => {
    const { id } = await insert({
      ...timed(),
      ...{ summary: "Before", location: "Room 3", description: "Text" },
      extendedProperties: { private: { a: "1", b: "2" } },
      attendees: [{ email: "john@acme.test" }, { email: "robin@acme.test" }],
    });

    const event = await scene.send(environment, "PATCH", `${EVENTS}/${id}`, {
      ...{ summary: "After", location: null },
      extendedProperties: { private: { b: null, c: "3" } },
      attendees: [{ email: "john@acme.test" }],
    });

    expect(event).toMatchObject({
      ...{ summary: "After", description: "Text", sequence: 1 },
      extendedProperties: { private: { a: "1", c: "3" } },
    });
    expect(event.location).toBeUndefined();
    expect(event.extendedProperties.private.b).toBeUndefined();
    expect(event.attendees).toHaveLength(1);
  });

  test("of one kind of time takes the place of the other", async () => {
    const { id } = await insert({ start: { date: "2026-02-01" }, end: { date: "2026-02-02" } });

    const { start } = await scene.send(environment, "PATCH", `${EVENTS}/${id}`, timed());

    expect(start).toEqual({ dateTime: "2026-01-07T14:00:00Z", timeZone: "Europe/London" });
  });

  test("of reminders leaves the time of the last change", async () => {
    const { id, updated } = await insert(timed());

    const event = await scene.send(environment, "PATCH", `${EVENTS}/${id}`, {
      reminders: { useDefault: false, overrides: [{ method: "popup", minutes: 5 }] },
    });

    expect(event).toMatchObject({ updated, sequence: 0, reminders: { useDefault: false } });
  });

  test("without a difference changes nothing", async () => {
    const changes = await scene.changesOf(environment, () =>
      scene.send(environment, "PATCH", `${EVENTS}/planning`, { summary: "Planning" }),
    );

    expect(changes).toEqual({ inserts: [], updates: [], deletes: [] });
  });

  test("for another state of the event is rejected", async () => {
    const { id, etag } = await insert(timed());
    const patch = (match: string) =>
      scene.callAs({ "if-match": match }, environment, "PATCH", `${EVENTS}/${id}`, {
        summary: `For ${match}`,
      });

    expect(await patch('"1"')).toMatchObject({
      status: 412,
      body: { error: { errors: [{ reason: "conditionNotMet", location: "If-Match" }] } },
    });
    expect(await patch(etag)).toMatchObject({ status: 200 });
    expect(await patch("*")).toMatchObject({ status: 200 });
  });
});

test("an update clears the fields that it leaves out", async () => {
  const { id } = await insert({ ...timed(), summary: "Before", location: "Room 3" });

  const event = await scene.send(environment, "PUT", `${EVENTS}/${id}`, {
    ...timed("2026-01-07T16:00:00Z", "2026-01-07T17:00:00Z"),
    summary: "After",
  });

  expect(event).toMatchObject({ summary: "After", sequence: 1 });
  expect(event.location).toBeUndefined();
});

describe("a deleted event", () => {
  test("stays, is listed on demand, cannot be deleted again, and can be revived", async () => {
    const { id } = await insert({ ...timed(), summary: "Gone" });
    const path = `${EVENTS}/${id}`;
    expect(await scene.call(environment, "DELETE", path)).toMatchObject({ status: 204, text: "" });

    expect(await get(path)).toMatchObject({ status: "cancelled", summary: "Gone" });
    const { items } = await get(`${EVENTS}?q=Gone`);
    expect(items).toEqual([]);
    const { items: all } = await get(`${EVENTS}?q=Gone&showDeleted=true`);
    expect(all).toHaveLength(1);
    expect(await scene.call(environment, "DELETE", path)).toMatchObject({
      status: 410,
      body: { error: { errors: [{ reason: "deleted" }], message: "Resource has been deleted" } },
    });
    await scene.send(environment, "PATCH", path, { status: "confirmed" });
    expect(await get(path)).toMatchObject({ status: "confirmed" });
  });

  test("is one update", async () => {
    const changes = await scene.changesOf(environment, () =>
      scene.send(environment, "DELETE", `${EVENTS}/planning`),
    );

    expect(changes).toMatchObject({
      inserts: [],
      updates: [{ __table__: "events", key: { id: "planning" }, after: { status: "cancelled" } }],
      deletes: [],
    });
  });
});

test("a conference is created with the event, once for each request", async () => {
  const conferenceData = { createRequest: { requestId: "one" } };
  const event = await insert({ ...timed(), conferenceData }, "?conferenceDataVersion=1");

  expect(event.hangoutLink).toMatch(/^https:\/\/meet\.google\.com\/[a-z]{3}-[a-z]{4}-[a-z]{3}$/);
  expect(event.conferenceData).toMatchObject({
    createRequest: { status: { statusCode: "success" } },
    entryPoints: [{ entryPointType: "video", uri: event.hangoutLink }],
  });
  const path = `${EVENTS}/${event.id}?conferenceDataVersion=1`;
  const again = await scene.send(environment, "PATCH", path, { conferenceData });
  expect(again.hangoutLink).toBe(event.hangoutLink);
  const without = await scene.send(environment, "PATCH", path, { conferenceData: null });
  expect(without.conferenceData).toBeUndefined();
});

test("conferences and attachments are ignored without their parameters", async () => {
  const event = await insert({
    ...timed(),
    conferenceData: { createRequest: { requestId: "two" } },
    attachments: [{ fileUrl: "https://drive.test/1" }],
  });

  expect(event.conferenceData).toBeUndefined();
  expect(event.attachments).toBeUndefined();
});
