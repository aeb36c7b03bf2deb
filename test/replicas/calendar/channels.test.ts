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
  ["a long token", { token: "x".repeat(257) }, "invalid"],
])("a channel with %s is rejected", async (_, fields, reason) => {
  const answer = await call(await environment(), "POST", EVENTS, channel(fields));
  expect([answer.status, answer.body.error.errors[0].reason]).toEqual([400, reason]);
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
