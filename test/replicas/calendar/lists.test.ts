import { beforeAll, describe, expect, test } from "bun:test";
import { type Environment, timed, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment({ clock: { now: "2026-01-05T12:00:00Z", mode: "frozen" } });
});

const EVENTS = "calendars/primary/events";
type Item = { id: string; summary?: string; status: string };
const idsOf = ({ items }: { items: Item[] }) => items.map(({ id }) => id);
const list = (query: string, env = environment) => scene.get(env, `${EVENTS}?${query}`);

describe("a list of events", () => {
  test("has its envelope, and events in a stable order", async () => {
    const { items, ...envelope } = await list("");

    expect(idsOf({ items })).toEqual(["standup", "logincheck", "planning"]);
    expect(envelope).toMatchObject({
      ...{ kind: "calendar#events", summary: "Agent Smith", accessRole: "owner" },
      ...{ timeZone: "Europe/London", nextSyncToken: expect.stringMatching(/=$/) },
      defaultReminders: [{ method: "popup", minutes: 10 }],
    });
  });

  test.each([
    ["end after timeMin", "timeMin=2026-01-05T09:44:59Z", ["standup", "logincheck", "planning"]],
    ["do not end at timeMin", "timeMin=2026-01-05T09:45:00Z", ["logincheck", "planning"]],
    ["begin before timeMax", "timeMax=2026-01-06T15:00:01Z", ["standup", "logincheck"]],
    ["do not begin at timeMax", "timeMax=2026-01-06T15:00:00Z", ["standup"]],
    ["have all words", "q=LOGIN%20draft", ["logincheck"]],
    ["have words in addresses", "q=northwind", ["planning"]],
    ["have the type", "eventTypes=focusTime&eventTypes=outOfOffice", []],
    ["have the UID", "iCalUID=planning@google.com", ["planning"]],
  ])("shows those that %s", async (_, query, ids) => {
    expect(idsOf(await list(query))).toEqual(ids);
  });

  test("comes in pages, which are followed by a token of either kind", async () => {
    const first = await list("maxResults=2");
    expect([idsOf(first), first.nextSyncToken]).toEqual([["standup", "logincheck"], undefined]);

    const second = await list(`maxResults=2&pageToken=${first.nextPageToken}`);
    expect([idsOf(second), second.nextPageToken]).toEqual([["planning"], undefined]);
  });

  test("by properties has events with all of them", async () => {
    const own = await scene.environment();
    const create = (id: string, properties: object) =>
      scene.send(own, "POST", EVENTS, { id, ...timed(), extendedProperties: properties });
    await create("event1", { private: { a: "1", b: "2" }, shared: { c: "3" } });
    await create("event2", { private: { a: "1" } });

    const ids = async (query: string) => idsOf(await list(query, own));
    expect(await ids("privateExtendedProperty=a%3D1")).toEqual(["event1", "event2"]);
    expect(await ids("privateExtendedProperty=a%3D1&privateExtendedProperty=b%3D2")).toEqual([
      "event1",
    ]);
    expect(await ids("sharedExtendedProperty=c%3D3")).toEqual(["event1"]);
  });

  test("by the time of change is in that order, with deleted events", async () => {
    const own = await scene.environment();
    await scene.send(own, "PATCH", `${EVENTS}/standup`, { summary: "Later" });
    await scene.send(own, "DELETE", `${EVENTS}/planning`);

    expect(idsOf(await list("orderBy=updated", own))).toEqual(["logincheck", "standup"]);
    expect(idsOf(await list("orderBy=updated&updatedMin=2026-01-05T12:00:00Z", own))).toEqual([
      "standup",
      "planning",
    ]);
  });

  test("leaves unanswered invitations out if the user's settings hide them", async () => {
    const users = [
      { name: "Ann", email: "ann@acme.test", settings: { hideInvitations: "true" } },
      { name: "Bob", email: "bob@acme.test" },
    ];
    const events = [
      {
        ...{ id: "invited", calendar: "bob", guests: { ann: "needsAction" } },
        ...{ start: "2026-01-07T10:00", end: "2026-01-07T11:00" },
      },
    ];
    const seed = { users, events };
    await scene.program.post("/templates/import", { service: "calendar", name: "hiding", seed });
    const own = await scene.environment({
      templateName: "hiding",
      impersonateUserId: "ann@acme.test",
    });

    expect(idsOf(await list("", own))).toEqual([]);
    expect(idsOf(await list("showHiddenInvitations=true", own))).toEqual(["invited"]);
  });
});

describe("a sync token", () => {
  test("leads to what has changed since, with deleted events, also while the clock stands", async () => {
    const own = await scene.environment({ clock: { now: "2026-01-05T12:00:00Z", mode: "frozen" } });
    const { nextSyncToken } = await list("", own);
    expect(idsOf(await list(`syncToken=${nextSyncToken}`, own))).toEqual([]);
    await scene.send(own, "DELETE", `${EVENTS}/planning`);
    await scene.send(own, "PATCH", `${EVENTS}/logincheck`, {
      attendees: [{ email: "agent@acme.test", responseStatus: "tentative" }],
    });
    await scene.send(own, "POST", EVENTS, { id: "added1", ...timed() });

    const first = await list(`syncToken=${nextSyncToken}&maxResults=2`, own);
    expect(idsOf(first)).toEqual(["added1", "logincheck"]);
    const rest = await list(
      `syncToken=${nextSyncToken}&maxResults=2&pageToken=${first.nextPageToken}`,
      own,
    );
    expect(rest.items).toMatchObject([{ id: "planning", status: "cancelled" }]);
    expect(idsOf(await list(`syncToken=${rest.nextSyncToken}`, own))).toEqual([]);
  });

  test("is not given for a part of the events, and takes no further conditions", async () => {
    const { nextSyncToken } = await list("");
    expect((await list("q=login")).nextSyncToken).toBeUndefined();

    for (const condition of ["q=login", "orderBy=updated", "showDeleted=false"])
      expect(
        await scene.call(environment, "GET", `${EVENTS}?syncToken=${nextSyncToken}&${condition}`),
      ).toMatchObject({
        status: 400,
        body: { error: { message: "Sync token cannot be used with other request restrictions" } },
      });
  });

  test("is no longer valid after the rules of the calendar have changed", async () => {
    const own = await scene.environment();
    const { nextSyncToken } = await list("", own);
    await scene.send(own, "POST", "calendars/primary/acl", {
      role: "reader",
      scope: { type: "user", value: "robin@acme.test" },
    });

    expect(await scene.call(own, "GET", `${EVENTS}?syncToken=${nextSyncToken}`)).toMatchObject({
      status: 410,
      body: { error: { errors: [{ reason: "fullSyncRequired", location: "syncToken" }] } },
    });
  });
});

test("a page token with a time that cannot be written is invalid", async () => {
  const token = (at: string) =>
    Buffer.from(`["events agent@acme.test",1,${at},"a"]`).toString("base64url");

  for (const at of ["1e300", "-1e300", "9e15"])
    expect(await scene.call(environment, "GET", `${EVENTS}?pageToken=${token(at)}`)).toMatchObject({
      status: 400,
      body: { error: { message: "Invalid page token value." } },
    });
  expect((await scene.call(environment, "GET", `${EVENTS}?pageToken=${token("1")}`)).status).toBe(
    200,
  );
});
