import { describe, expect, test } from "bun:test";
import { type Environment, JOHN, ROBIN, timed, useScene } from "./scene";

const scene = useScene();
const EVENTS = "calendars/primary/events";
const GUESTS = [{ email: JOHN }, { email: ROBIN }, { email: "tess@northwind.test" }];

const invite = (environment: Environment, fields: object = {}) =>
  scene.send(environment, "POST", `${EVENTS}?sendUpdates=all`, {
    ...{ summary: "Talk", ...timed(), attendees: GUESTS },
    ...fields,
  });
const answers = (event: { attendees: { email: string; responseStatus: string }[] }) =>
  event.attendees.map(({ responseStatus }) => responseStatus);

describe("an invitation", () => {
  test("of three is one row of events and three of attendees", async () => {
    const environment = await scene.environment();

    const { inserts, updates, deletes } = await scene.changesOf(environment, () =>
      invite(environment),
    );

    expect([updates, deletes]).toEqual([[], []]);
    expect(inserts.map((row: { __table__: string }) => row.__table__)).toEqual([
      "events",
      ...Array(3).fill("event_attendees"),
    ]);
    expect(inserts[0]).toMatchObject({ sendUpdates: "all" });
  });

  test("is in the calendar of the guest, who is himself there", async () => {
    const environment = await scene.environment();
    const { id, iCalUID } = await invite(environment);
    const john = await scene.copyFor(environment, JOHN);

    expect(await scene.get(john, `${EVENTS}/${id}`)).toMatchObject({
      ...{ id, iCalUID, summary: "Talk" },
      organizer: { email: "agent@acme.test" },
      attendees: [
        { email: JOHN, self: true, responseStatus: "needsAction" },
        { email: ROBIN },
        { email: "tess@northwind.test" },
      ],
    });
    const { items } = await scene.get(john, `${EVENTS}?q=Talk`);
    expect(items).toHaveLength(1);
  });

  test("does not add the organizer, and marks an entry that is his", async () => {
    const environment = await scene.environment();
    const attendees = [{ email: "agent@acme.test", responseStatus: "accepted" }];

    const event = await invite(environment, { attendees });

    expect(event.attendees).toEqual([
      { email: "agent@acme.test", organizer: true, self: true, responseStatus: "accepted" },
    ]);
  });
});

describe("an attendee", () => {
  test("answers: one update, which everybody sees", async () => {
    const environment = await scene.environment();

    const changes = await scene.changesOf(environment, () =>
      scene.send(environment, "PATCH", `${EVENTS}/logincheck`, {
        attendees: [{ email: "agent@acme.test", responseStatus: "declined", comment: "Away" }],
      }),
    );

    expect(changes).toEqual({
      inserts: [],
      updates: [
        {
          __table__: "event_attendees",
          key: { eventId: "logincheck", email: "agent@acme.test" },
          before: expect.objectContaining({ responseStatus: "needsAction" }),
          after: expect.objectContaining({ responseStatus: "declined", comment: "Away" }),
        },
      ],
      deletes: [],
    });
    const john = await scene.copyFor(environment, JOHN);
    const event = await scene.get(john, `${EVENTS}/logincheck`);
    expect(answers(event)).toEqual(["accepted", "declined", "accepted"]);
  });

  test("changes the etag by an answer", async () => {
    const environment = await scene.environment();
    const { etag } = await scene.get(environment, `${EVENTS}/logincheck`);

    const event = await scene.send(environment, "PATCH", `${EVENTS}/logincheck`, {
      attendees: [{ email: "agent@acme.test", responseStatus: "accepted" }],
    });

    expect(event.etag).not.toBe(etag);
  });

  test("has fields of the own copy", async () => {
    const environment = await scene.environment();
    const own = {
      ...{ colorId: "3", transparency: "transparent", visibility: "private" },
      reminders: { useDefault: false, overrides: [{ method: "popup", minutes: 1 }] },
      extendedProperties: { private: { mine: "1" } },
    };

    const event = await scene.send(environment, "PATCH", `${EVENTS}/logincheck`, own);

    expect(event).toMatchObject(own);
    const john = await scene.copyFor(environment, JOHN);
    const theirs = await scene.get(john, `${EVENTS}/logincheck`);
    expect(theirs).toMatchObject({ reminders: { useDefault: true } });
    for (const name of ["colorId", "transparency", "visibility", "extendedProperties"])
      expect(theirs[name]).toBeUndefined();
  });

  test.each([
    ["the title", { summary: "Mine" }],
    ["the time", timed()],
    ["shared properties", { extendedProperties: { shared: { a: "1" } } }],
  ])("cannot change %s", async (_, change) => {
    const environment = await scene.environment();

    expect(await scene.call(environment, "PATCH", `${EVENTS}/logincheck`, change)).toMatchObject({
      status: 403,
      body: { error: { errors: [{ reason: "forbiddenForNonOrganizer", domain: "calendar" }] } },
    });
  });

  test("changes shared fields if the organizer lets guests do so", async () => {
    const environment = await scene.environment();
    const { id } = await invite(environment, { guestsCanModify: true });
    const john = await scene.copyFor(environment, JOHN);

    const event = await scene.send(john, "PATCH", `${EVENTS}/${id}`, { summary: "Changed" });

    expect(event.summary).toBe("Changed");
  });

  test("invites others unless the organizer keeps that", async () => {
    const environment = await scene.environment();
    const { id } = await invite(environment);
    const { id: kept } = await invite(environment, { guestsCanInviteOthers: false });
    const john = await scene.copyFor(environment, JOHN);
    const body = { attendees: [...GUESTS, { email: "new@acme.test" }] };

    const event = await scene.send(john, "PATCH", `${EVENTS}/${id}`, body);

    expect(event.attendees).toHaveLength(4);
    expect(await scene.call(john, "PATCH", `${EVENTS}/${kept}`, body)).toMatchObject({
      status: 403,
    });
  });

  test("who deletes the event declines it, and has a cancelled copy", async () => {
    const environment = await scene.environment();

    await scene.send(environment, "DELETE", `${EVENTS}/logincheck`);

    expect(await scene.get(environment, `${EVENTS}/logincheck`)).toMatchObject({
      status: "cancelled",
    });
    const john = await scene.copyFor(environment, JOHN);
    const event = await scene.get(john, `${EVENTS}/logincheck`);
    expect(event.status).toBe("confirmed");
    expect(answers(event)).toEqual(["accepted", "declined", "accepted"]);
  });

  test("sees only the organizer and himself if the others are hidden", async () => {
    const environment = await scene.environment();
    const { id } = await invite(environment, { guestsCanSeeOtherGuests: false });
    const john = await scene.copyFor(environment, JOHN);

    const event = await scene.get(john, `${EVENTS}/${id}`);

    expect(event.attendees.map(({ email }: { email: string }) => email)).toEqual([JOHN]);
    expect(event.attendeesOmitted).toBe(true);
  });
});

describe("the organizer", () => {
  test("does not answer for others", async () => {
    const environment = await scene.environment();
    const { id } = await invite(environment);

    const event = await scene.send(environment, "PATCH", `${EVENTS}/${id}`, {
      attendees: GUESTS.map((guest) => ({ ...guest, responseStatus: "accepted" })),
    });

    expect(answers(event)).toEqual(["needsAction", "needsAction", "needsAction"]);
  });

  test("who moves the event asks everybody again", async () => {
    const environment = await scene.environment();

    const event = await scene.send(environment, "PATCH", `${EVENTS}/planning`, timed());

    expect(answers(event)).toEqual(["accepted", "needsAction", "needsAction"]);
    expect(event.sequence).toBe(1);
  });

  test("who takes an attendee off the list cancels his copy", async () => {
    const environment = await scene.environment();
    const { id } = await invite(environment);
    await scene.send(environment, "PATCH", `${EVENTS}/${id}`, { attendees: [{ email: ROBIN }] });
    const john = await scene.copyFor(environment, JOHN);

    expect(await scene.get(john, `${EVENTS}/${id}`)).toMatchObject({ status: "cancelled" });
    const { items } = await scene.get(john, `${EVENTS}?q=Talk`);
    expect(items).toEqual([]);
  });

  test("who deletes the event cancels all copies", async () => {
    const environment = await scene.environment();
    const { id } = await invite(environment);
    await scene.send(environment, "DELETE", `${EVENTS}/${id}`);
    const john = await scene.copyFor(environment, JOHN);

    expect(await scene.get(john, `${EVENTS}/${id}`)).toMatchObject({ status: "cancelled" });
  });
});

test("a limit on attendees leaves some out", async () => {
  const environment = await scene.environment();

  const event = await scene.get(environment, `${EVENTS}/standup?maxAttendees=1`);

  expect(event).toMatchObject({
    attendees: [{ email: "agent@acme.test", self: true }],
    attendeesOmitted: true,
  });
});
