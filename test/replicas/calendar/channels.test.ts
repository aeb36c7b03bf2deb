/** Channels for notifications: stored, and stopped. */
import { expect, test } from "bun:test";
import { useScene } from "./scene";

const { environment, call, send, changesOf } = useScene();

const EVENTS = "calendars/primary/events/watch";
const channel = (fields: object = {}) => ({
  ...{ id: "c1", type: "web_hook", address: "https://example.org/hook" },
  ...fields,
});

test.each([
  [EVENTS, "calendars/primary/events"],
  ["calendars/primary/acl/watch", "calendars/primary/acl"],
  ["users/me/calendarList/watch", "users/me/calendarList"],
  ["users/me/settings/watch", "users/me/settings"],
])("%s stores a channel, and stop removes it", async (path, resource) => {
  const env = await environment();
  let made: any;
  const { inserts } = await changesOf(env, async () => {
    made = await send(env, "POST", path, channel({ token: "t", params: { ttl: "60" } }));
  });

  expect(made).toEqual({
    ...{ kind: "api#channel", id: "c1", token: "t", resourceId: expect.any(String) },
    resourceUri: `https://www.googleapis.com/calendar/v3/${resource}?alt=json`,
    expiration: expect.stringMatching(/^\d{13}$/),
  });
  expect(inserts).toMatchObject([{ __table__: "channels", id: "c1" }]);
  const stop = { id: "c1", resourceId: made.resourceId };
  expect((await call(env, "POST", "channels/stop", stop)).status).toBe(204);
  expect((await call(env, "POST", "channels/stop", stop)).status).toBe(404);
});

test.each([
  ["no id", { id: null }, "required"],
  ["no address", { address: null }, "required"],
  ["another type", { type: "email" }, "push.channelTypeNotSupported"],
  ["no encryption", { address: "http://example.org" }, "push.webhookUrlNotHttps"],
  ["an unfit id", { id: "a b" }, "invalid"],
  ["a bad lifetime", { params: { ttl: "soon" } }, "invalid"],
  ["an expiration in words", { expiration: "soon" }, "invalid"],
  ["an expiration in the past", { expiration: 604_800_000 }, "invalid"],
  ["a long token", { token: "x".repeat(257) }, "invalid"],
])("a channel with %s is rejected", async (_, fields, reason) => {
  const answer = await call(await environment(), "POST", EVENTS, channel(fields));
  expect([answer.status, answer.body.error.errors[0].reason]).toEqual([400, reason]);
});

const NOW = Date.parse("2026-01-05T09:00:00Z");
const DAY_MS = 86_400_000;
test.each<[string, object, number]>([
  ["7 days", {}, 7],
  ["its lifetime", { params: { ttl: `${DAY_MS / 1_000}` } }, 1],
  ["the time that is wanted, a text", { expiration: `${NOW + 2 * DAY_MS}` }, 2],
  ["the time that is wanted, a number", { expiration: NOW + 2 * DAY_MS }, 2],
  ["30 days at most", { expiration: NOW + 90 * DAY_MS }, 30],
])("a channel expires after %s", async (_, fields, days) => {
  const env = await environment({ clock: { now: new Date(NOW).toISOString(), mode: "frozen" } });
  const { expiration } = await send(env, "POST", EVENTS, channel(fields));
  expect(Number(expiration)).toBe(NOW + days * DAY_MS);
});

test("the type has two spellings", async () => {
  const made = await send(await environment(), "POST", EVENTS, channel({ type: "webhook" }));
  expect(made.kind).toBe("api#channel");
});

test("an id that is taken is rejected", async () => {
  const env = await environment();
  await send(env, "POST", EVENTS, channel());
  const answer = await call(env, "POST", "users/me/settings/watch", channel());
  const [{ reason }] = answer.body.error.errors;
  expect([answer.status, reason]).toEqual([400, "channelIdNotUnique"]);
  expect(answer.body.error.message).toBe("Channel id c1 not unique");
});

test("an environment has at most 200 channels at the same time", async () => {
  const env = await environment();
  const numbers = Array.from({ length: 201 }, (_, number) => number);
  const statuses: number[] = [];
  for (const number of numbers)
    statuses.push((await call(env, "POST", EVENTS, channel({ id: `c${number}` }))).status);
  expect(statuses).toEqual(numbers.map((number) => (number < 200 ? 200 : 403)));
  const { body } = await call(env, "POST", EVENTS, channel({ id: "c200" }));
  expect(body.error.errors[0].reason).toBe("quotaExceeded");
});
