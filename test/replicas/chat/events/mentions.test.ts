/** Events of messages beside the message: mentions and metadata; and who was there to receive them. */
import { describe, expect, test } from "bun:test";
import { BOT, GENERAL, RANDOM, ROBIN, type Scene, STRAY, useScenes } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, secretChannel, typesOf } from "./observe";

const newScene = useScenes();
const NOT_IN = "its bot is not in the channel";

const post = ({ john }: Scene, text: string, more: object = {}) =>
  john.chat.postMessage({ channel: GENERAL, text, ...more });

describe("a mention", () => {
  const mention = `hey <@${BOT}> and <@${STRAY}>`;

  test("is a second event, for each app whose bot it names, in the channel or not", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const found = await seen(() => post(scene, mention));
    const single = await seen(() => post(scene, `<@${STRAY}|stray> only`));

    expect(typesOf(found)).toEqual(["message.channels", "app_mention"]);
    const [message, { event, missed }] = found as any;
    const { channel_type: _, ...rest } = message.event;
    expect(event).toEqual({ ...rest, type: "app_mention" });
    expect(missed).toEqual({});
    expect(onlyOf(single, "app_mention").missed).toEqual({
      [MEMBER.id]: "another app is mentioned",
    });
  });

  test("in a private channel needs the bot in it", async () => {
    const scene = await newScene();
    const group = await secretChannel(scene, BOT);
    const seen = await observe(scene);

    const found = await seen(() => scene.john.chat.postMessage({ channel: group, text: mention }));

    expect(onlyOf(found, "app_mention").missed).toEqual({ [OUTSIDER.id]: NOT_IN });
  });

  test("by the app itself counts; in direct messages and notices none does", async () => {
    const scene = await newScene();
    const { bot, john, agent } = scene;
    const { channel } = await john.conversations.open({ users: BOT });
    const { channel: made } = await agent.conversations.create({ name: "lobby" });
    const seen = await observe(scene);

    const own = await seen(() => bot.chat.postMessage({ channel: GENERAL, text: `<@${BOT}>` }));
    const direct = await seen(() =>
      john.chat.postMessage({ channel: channel?.id ?? "", text: `<@${BOT}>` }),
    );
    const joined = await seen(() => bot.conversations.join({ channel: made?.id ?? "" }));
    const nobody = await seen(() => post(scene, `<@${ROBIN}> and @buildbot`));

    expect(onlyOf(own, "app_mention").missed).not.toHaveProperty(MEMBER.id);
    expect(typesOf(direct)).toEqual(["message.im"]);
    expect(typesOf(joined)).not.toContain("app_mention");
    expect(typesOf(nobody)).toEqual(["message.channels"]);
  });
});

test("an app in the channel only later, or no longer, misses what was said", async () => {
  const scene = await newScene();
  const { bot, agent } = scene;
  const seen = await observe(scene);

  const found = await seen(async () => {
    const say = (text: string) => agent.chat.postMessage({ channel: RANDOM, text });
    await say("before");
    await bot.conversations.join({ channel: RANDOM });
    await say("during");
    await bot.conversations.leave({ channel: RANDOM });
    await say("after");
  });

  const received = found
    .filter(({ type, missed }) => type === "message.channels" && !missed[MEMBER.id])
    .map(({ event }) => event.text);
  expect(received).toEqual([`<@${BOT}> has joined the channel`, "during"]);
});

test("metadata has events of its own", async () => {
  const scene = await newScene();
  const { bot, john } = scene;
  const seen = await observe(scene);
  const metadata = (n: number) => ({ event_type: "built", event_payload: { n } });
  let ts = "";

  const posted = await seen(async () => {
    const answer = await bot.chat.postMessage({
      channel: GENERAL,
      text: "x",
      metadata: metadata(1),
    });
    ts = answer.ts ?? "";
  });
  const updated = await seen(() =>
    bot.chat.update({ channel: GENERAL, ts, text: "x", metadata: metadata(2) }),
  );
  const deleted = await seen(() => bot.chat.delete({ channel: GENERAL, ts }));
  const plain = await seen(() => john.chat.postMessage({ channel: GENERAL, text: "x" }));

  const common = {
    app_id: "A06BOT",
    bot_id: "B06BOT",
    user_id: BOT,
    team_id: "T01ACMECORP",
    channel_id: GENERAL,
    message_ts: ts,
  };
  const first = onlyOf(posted, "message_metadata_posted");
  expect(first.event).toMatchObject({ ...common, metadata: metadata(1) });
  expect(first.missed).toEqual({ [OUTSIDER.id]: NOT_IN });
  expect(onlyOf(updated, "message_metadata_updated").event).toMatchObject({
    ...common,
    metadata: metadata(2),
    previous_metadata: metadata(1),
  });
  const last = onlyOf(deleted, "message_metadata_deleted").event;
  expect(last).toMatchObject({ ...common, previous_metadata: metadata(2) });
  expect(last.deleted_ts).toBe(last.event_ts);
  expect(typesOf(plain)).toEqual(["message.channels"]);
});
