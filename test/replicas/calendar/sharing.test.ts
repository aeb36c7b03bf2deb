import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, JOHN, ROBIN, TEAM, timed, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});
const LIST = "users/me/calendarList";
const ACL = "calendars/primary/acl";
const send = (verb: string, path: string, body?: object) =>
  scene.send(environment, verb, path, body);
const get = (path: string) => scene.get(environment, path);

describe("a call with an address as its token", () => {
  test("is the person's own", async () => {
    const as = (token: string) =>
      scene.callAs({ Authorization: `Bearer ${token}` }, environment, "GET", "calendars/primary");
    expect((await as(ROBIN)).body.id).toBe(ROBIN);
    const unknown = await as("nobody@acme.test");
    expect([unknown.status, unknown.body.error.errors[0].reason]).toEqual([401, "authError"]);
  });
});

describe("somebody else's calendar", () => {
  test("of which a person may see times only has no details", async () => {
    const { items, accessRole } = await get(`calendars/${ROBIN}/events?q=`);

    expect(accessRole).toBe("freeBusyReader");
    expect(items.map(({ id }: { id: string }) => id)).toContain("drafting");
    for (const item of items) {
      expect(item.visibility).toBe("private");
      for (const name of ["summary", "description", "attendees"])
        expect(item[name]).toBeUndefined();
    }
  });

  test("that a person reads shows private events as busy", async () => {
    const dentist = await get(`calendars/${JOHN}/events/dentist`);
    expect(dentist).toMatchObject({ visibility: "private", status: "confirmed" });
    expect(dentist.summary).toBeUndefined();
    expect(await get(`calendars/${JOHN}/events/logincheck`)).toMatchObject({
      summary: "Login review (ENG-2)",
    });
  });

  test("is not found by words that the reader may not see", async () => {
    const { items } = await get(`calendars/${JOHN}/events?q=dentist`);

    expect(items).toEqual([]);
  });
});

describe("rules", () => {
  test("share a calendar, in one insert, and replace a role in one update", async () => {
    const rule = { scope: { type: "user", value: ROBIN } };
    const changes = await scene.changesOf(environment, async () => {
      await send("POST", ACL, { ...rule, role: "reader" });
    });
    expect(changes).toMatchObject({
      inserts: [{ __table__: "acl", id: `user:${ROBIN}`, role: "reader", deleted: false }],
      updates: [],
    });

    const again = await scene.changesOf(environment, () =>
      send("POST", ACL, { ...rule, role: "writer" }),
    );
    expect(again).toMatchObject({
      inserts: [],
      updates: [{ __table__: "acl", after: { role: "writer" } }],
    });
    const robin = await scene.copyFor(environment, ROBIN);
    await scene.send(robin, "POST", "calendars/agent@acme.test/events", timed());
  });

  test("are replaced by PUT, which creates one that is not there", async () => {
    const path = `${ACL}/domain:northwind.test`;

    expect(await send("PUT", path, { role: "freeBusyReader" })).toMatchObject({
      ...{ id: "domain:northwind.test", role: "freeBusyReader" },
      scope: { type: "domain", value: "northwind.test" },
    });
    expect(await send("PATCH", path, { role: "reader" })).toMatchObject({ role: "reader" });
    expect(await scene.call(environment, "PUT", `${ACL}/nobody`, { role: "reader" })).toMatchObject(
      { status: 404 },
    );
  });

  test("that are revoked are listed with the role none, if asked for", async () => {
    await send("POST", ACL, { role: "reader", scope: { type: "user", value: "x@acme.test" } });
    await send("DELETE", `${ACL}/user:x@acme.test`);

    const ids = async (query: string) =>
      (await get(`${ACL}${query}`)).items.map(({ id, role }: Record<string, string>) => [id, role]);
    expect(await ids("")).not.toContainEqual(["user:x@acme.test", expect.any(String)]);
    expect(await ids("?showDeleted=true")).toContainEqual(["user:x@acme.test", "none"]);
    expect(await scene.call(environment, "GET", `${ACL}/user:x@acme.test`)).toMatchObject({
      status: 404,
    });
  });

  test("of the owner of the data are kept from another owner", async () => {
    const own = await scene.environment();
    await scene.send(own, "PATCH", `${TEAM}/acl/user:${JOHN}`, { role: "owner" });
    const john = await scene.copyFor(own, JOHN);

    expect(await scene.call(john, "DELETE", `${TEAM}/acl/user:agent@acme.test`)).toMatchObject({
      status: 403,
      body: { error: { errors: [{ reason: "cannotChangeOwnerAcl" }] } },
    });
  });

  test("have sync tokens", async () => {
    const { nextSyncToken } = await get(ACL);
    await send("POST", ACL, { role: "reader", scope: { type: "user", value: "y@acme.test" } });

    const { items } = await get(`${ACL}?syncToken=${nextSyncToken}`);

    expect(items).toMatchObject([{ id: "user:y@acme.test", role: "reader" }]);
  });
});

describe("the list of calendars", () => {
  test("has the primary one first, and those that were added", async () => {
    const { items } = await get(LIST);

    expect(items).toMatchObject([
      { id: "agent@acme.test", primary: true, accessRole: "owner", selected: true },
      { id: "c_team@group.calendar.google.com", summary: "Team", accessRole: "owner" },
    ]);
  });

  test("gets a calendar that is shared, and loses it again", async () => {
    const added = await send("POST", LIST, { id: JOHN, colorId: "7", hidden: true });
    expect(added).toMatchObject({ id: JOHN, accessRole: "reader", colorId: "7", hidden: true });
    const ids = async (query: string) =>
      (await get(`${LIST}${query}`)).items.map(({ id }: { id: string }) => id);
    expect(await ids("")).not.toContain(JOHN);
    expect(await ids("?showHidden=true")).toContain(JOHN);
    expect(await ids("?showHidden=true&minAccessRole=writer")).not.toContain(JOHN);

    const { nextSyncToken } = await get(LIST);
    await send("DELETE", `${LIST}/${JOHN}`);
    const { items } = await get(`${LIST}?syncToken=${nextSyncToken}`);
    expect(items).toMatchObject([{ id: JOHN, deleted: true }]);
  });

  test("does not get a calendar in which the person has no role", async () => {
    expect(await scene.call(environment, "POST", LIST, { id: "unknown@acme.test" })).toMatchObject({
      status: 404,
    });
  });

  test("has titles of its own, and the nearest of the service's colours", async () => {
    const path = `${LIST}/c_team@group.calendar.google.com`;
    const entry = await send("PATCH", `${path}?colorRgbFormat=true`, {
      ...{ summaryOverride: "Us", backgroundColor: "#ac725f", foregroundColor: "#000000" },
    });
    expect(entry).toMatchObject({
      ...{ summary: "Team", summaryOverride: "Us", colorId: "1" },
      ...{ backgroundColor: "#ac725f", foregroundColor: "#000000" },
    });

    expect(await send("PATCH", path, { backgroundColor: "#ffffff" })).toMatchObject({
      ...{ colorId: "1", backgroundColor: "#ac725e" },
    });
  });
});

describe("a calendar", () => {
  test("that is created belongs to its creator, in whose list it is", async () => {
    const calendar = await send("POST", "calendars", { summary: "Trips" });
    const { id } = calendar;

    expect(calendar).toMatchObject({
      ...{ kind: "calendar#calendar", summary: "Trips", timeZone: "UTC" },
      ...{ id: expect.stringMatching(/^c_[0-9a-f]{64}@group\.calendar\.google\.com$/) },
    });
    expect(await get(`${LIST}/${id}`)).toMatchObject({ accessRole: "owner" });
  });

  test("is changed by its owner, by parts or as a whole", async () => {
    const { id } = await send("POST", "calendars", { summary: "Trips", description: "All" });
    const path = `calendars/${id}`;

    expect(await send("PATCH", path, { timeZone: "Europe/Berlin" })).toMatchObject({
      ...{ summary: "Trips", description: "All", timeZone: "Europe/Berlin" },
    });
    const replaced = await send("PUT", path, { summary: "Journeys" });
    expect(replaced).toMatchObject({ summary: "Journeys", timeZone: "Europe/Berlin" });
    expect(replaced.description).toBeUndefined();
  });

  test("that is deleted is gone for everybody", async () => {
    const { id } = await send("POST", "calendars", { summary: "Short" });
    await send("DELETE", `calendars/${id}`);

    for (const path of [`calendars/${id}`, `${LIST}/${id}`, `calendars/${id}/events`])
      expect(await scene.call(environment, "GET", path)).toMatchObject({ status: 404 });
  });

  test("is cleared if it is the primary one", async () => {
    const own = await scene.environment();
    await scene.send(own, "POST", "calendars/primary/clear");

    const { items } = await scene.get(own, "calendars/primary/events");
    expect(items.map(({ id }: { id: string }) => id)).toEqual(["logincheck"]);
  });
});

test("settings are texts, with their defaults", async () => {
  expect(await get("users/me/settings/timezone")).toMatchObject({
    ...{ kind: "calendar#setting", id: "timezone", value: "Europe/London" },
  });
  const { items } = await get("users/me/settings");
  expect(items).toContainEqual(expect.objectContaining({ id: "weekStart", value: "0" }));
});

test("colours are 24 of calendars and 11 of events", async () => {
  const { calendar, event } = await get("colors");

  expect([Object.keys(calendar).length, Object.keys(event).length]).toEqual([24, 11]);
});

test("someone who may write changes and deletes events of special types, and creates none", async () => {
  const env = await scene.environment();
  const focus = {
    summary: "Focus",
    start: { dateTime: "2026-03-16T09:00:00Z" },
    end: { dateTime: "2026-03-16T10:00:00Z" },
    eventType: "focusTime",
    focusTimeProperties: { autoDeclineMode: "declineNone" },
  };
  await scene.send(env, "POST", "calendars/primary/events", { id: "focus", ...focus });
  const scope = { type: "user", value: JOHN };
  await scene.send(env, "POST", "calendars/primary/acl", { role: "writer", scope });
  const john = await scene.copyFor(env, JOHN);
  const events = "calendars/agent@acme.test/events";

  const changed = await scene.send(john, "PATCH", `${events}/focus`, { summary: "Quiet" });
  expect(changed).toMatchObject({ summary: "Quiet", eventType: "focusTime" });
  expect((await scene.call(john, "POST", events, focus)).body.error.errors[0].reason).toBe(
    "eventTypeRestriction",
  );
  expect((await scene.call(john, "DELETE", `${events}/focus`)).status).toBe(204);
});
