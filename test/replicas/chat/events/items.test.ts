/** Events of what people attach to messages: reactions, pins and stars. */
import { expect, test } from "bun:test";
import { AGENT, BOT, GENERAL, HELLO, JOHN, ROBIN, useScenes, WELCOME } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, typesOf } from "./observe";

const newScene = useScenes();
const NOT_IN = { [OUTSIDER.id]: "its bot is not in the channel" };
const item = { channel: GENERAL, timestamp: WELCOME };

test("a reaction is added and removed", async () => {
  const scene = await newScene();
  const { robin } = scene;
  const seen = await observe(scene);

  const added = await seen(() => robin.reactions.add({ ...item, name: "tada" }));
  const removed = await seen(() => robin.reactions.remove({ ...item, name: "tada" }));

  for (const [found, type] of [
    [added, "reaction_added"],
    [removed, "reaction_removed"],
  ] as const) {
    expect(typesOf(found)).toEqual([type]);
    const [{ event, missed }] = found as any;
    const { event_ts: _, ...fields } = event;
    expect(fields).toEqual({
      type,
      user: ROBIN,
      reaction: "tada",
      item_user: JOHN,
      item: { type: "message", channel: GENERAL, ts: WELCOME },
    });
    expect(missed).toEqual(NOT_IN);
  }
});

test("a reaction reaches no app without the scope", async () => {
  const scene = await newScene();
  const seen = await observe(scene);
  const apps = [
    { ...MEMBER, id: "A1", scopes: ["channels:history"] },
    { ...MEMBER, id: "A2", events: ["reaction_removed"] },
  ];

  const [found] = await seen(() => scene.john.reactions.add({ ...item, name: "eyes" }), apps);

  expect(found?.missed).toEqual({ A1: "needs the scope reactions:read", A2: "not subscribed" });
});

test("a pin is added and removed, with the number of those in the channel", async () => {
  const scene = await newScene();
  const { robin, agent } = scene;
  const seen = await observe(scene);

  const added = await seen(async () => {
    await robin.pins.add(item);
    await robin.pins.add({ channel: GENERAL, timestamp: HELLO });
  });
  const removed = await seen(() => agent.pins.remove(item));
  const last = await seen(() => agent.pins.remove({ channel: GENERAL, timestamp: HELLO }));

  expect(typesOf(added)).toEqual(["pin_added", "pin_added"]);
  expect(added.map(({ event }) => event.pin_count)).toEqual([1, 2]);
  const [{ event, missed }] = added as any;
  expect(event).toMatchObject({
    user: ROBIN,
    channel_id: GENERAL,
    item: {
      type: "message",
      channel: GENERAL,
      created: expect.any(Number),
      created_by: ROBIN,
      message: {
        ts: WELCOME,
        user: JOHN,
        pinned_to: [GENERAL],
        permalink: expect.stringContaining(GENERAL),
      },
    },
    item_user: JOHN,
    pinned_info: { channel: GENERAL, pinned_by: ROBIN, pinned_ts: expect.any(Number) },
  });
  expect(missed).toEqual(NOT_IN);
  expect(onlyOf(removed, "pin_removed").event).toMatchObject({ pin_count: 1, has_pins: true });
  expect(onlyOf(removed, "pin_removed").event.item.message).not.toHaveProperty("pinned_to");
  expect(onlyOf(last, "pin_removed").event).toMatchObject({ pin_count: 0, has_pins: false });
});

test("stars are for apps with a user's token", async () => {
  const scene = await newScene();
  const { john } = scene;
  const seen = await observe(scene);

  const added = await seen(() => john.stars.add(item));
  const removed = await seen(() => john.stars.remove(item));

  expect([...typesOf(added), ...typesOf(removed)]).toEqual(["star_added", "star_removed"]);
  expect(added[0]?.event).toMatchObject({
    user: JOHN,
    item: { type: "message", channel: GENERAL, message: { ts: WELCOME } },
  });
  const reason = "only apps with a user's token receive it";
  expect(removed[0]?.missed).toEqual({ [MEMBER.id]: reason, [OUTSIDER.id]: reason });
});

test("an app that acts as a person is where that person is", async () => {
  const scene = await newScene();
  const seen = await observe(scene);
  const agent = { ...MEMBER, id: "A1", user: AGENT };

  const [found] = await seen(() => scene.john.reactions.add({ ...item, name: "eyes" }), [agent]);
  const posted = await seen(
    () => scene.john.chat.postMessage({ channel: GENERAL, text: `<@${AGENT}> <@${BOT}>` }),
    [agent],
  );

  expect(found?.missed).toEqual({});
  expect(onlyOf(posted, "app_mention").missed).toEqual({});
});
