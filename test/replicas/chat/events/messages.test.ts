/** Events of new messages: who learns of a post. */
import { describe, expect, test } from "bun:test";
import { AGENT, BOT, GENERAL, JOHN, ROBIN, type Scene, useScenes, WELCOME } from "../scene";
import { MEMBER, OUTSIDER, observe, onlyOf, secretChannel, typesOf } from "./observe";

const newScene = useScenes();
const NOT_IN = "its bot is not in the channel";

const post = ({ john }: Scene, text: string, more: object = {}) =>
  john.chat.postMessage({ channel: GENERAL, text, ...more });

describe("a message", () => {
  test("of a person in a channel reaches the apps in it", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const found = await seen(() => post(scene, "hello"));

    expect(typesOf(found)).toEqual(["message.channels"]);
    const [{ event, payload, missed }] = found as any;
    const { messages }: any = await scene.agent.conversations.history({
      channel: GENERAL,
      limit: 1,
    });
    expect(payload.team_id).toBe("T01ACMECORP");
    expect(payload.event_time).toBe(Math.floor(Number(event.ts)));
    const { channel, channel_type: type, event_ts: at, ...message } = event;
    expect({ channel, type, at }).toEqual({ channel: GENERAL, type: "channel", at: event.ts });
    expect(message).toEqual(messages[0]);
    expect(missed).toEqual({ [OUTSIDER.id]: NOT_IN });
  });

  test("reaches an app that subscribes to its kind and has the scope", async () => {
    const scene = await newScene();
    const seen = await observe(scene);
    const apps = [
      { ...MEMBER, id: "A1", events: ["message.groups", "app_mention"] },
      { ...MEMBER, id: "A2", scopes: ["groups:history"] },
      { ...MEMBER, id: "A3", scopes: ["channels:history"] },
    ];

    const [found] = await seen(() => post(scene, "hello"), apps);

    expect(found?.missed).toEqual({
      A1: "not subscribed",
      A2: "needs the scope channels:history",
    });
  });

  test("has the kind of its conversation", async () => {
    const scene = await newScene();
    const { agent, john } = scene;
    const group = await secretChannel(scene, BOT);
    const open = async (users: string) =>
      (await john.conversations.open({ users })).channel?.id ?? "";
    const [direct, multi] = [await open(BOT), await open(`${BOT},${AGENT}`)];
    const seen = await observe(scene);

    const found = await seen(async () => {
      await agent.chat.postMessage({ channel: group, text: "a" });
      await john.chat.postMessage({ channel: direct, text: "b" });
      await john.chat.postMessage({ channel: multi, text: "c" });
    });

    expect(found.map(({ type, event }) => [type, event.channel_type])).toEqual([
      ["message.groups", "group"],
      ["message.im", "im"],
      ["message.mpim", "mpim"],
    ]);
    for (const { missed } of found) expect(missed).toEqual({ [OUTSIDER.id]: NOT_IN });
  });

  test("of an app has its profile and no subtype, and reaches that app too", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const [found] = await seen(() =>
      scene.bot.chat.postMessage({ channel: GENERAL, text: "done" }),
    );

    expect(found?.event).toMatchObject({
      user: BOT,
      bot_id: "B06BOT",
      app_id: "A06BOT",
      bot_profile: { id: "B06BOT", app_id: "A06BOT", name: "Build Bot", team_id: "T01ACMECORP" },
    });
    expect(found?.event).not.toHaveProperty("subtype");
    expect(found?.event).not.toHaveProperty("client_msg_id");
    expect(found?.missed).not.toHaveProperty(MEMBER.id);
  });

  test("under another name is a bot_message", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const [found] = await seen(() =>
      scene.bot.chat.postMessage({ channel: GENERAL, text: "x", username: "Nightly" }),
    );

    expect(found?.event).toMatchObject({ subtype: "bot_message", username: "Nightly" });
  });

  test("in a thread names the author of the root; a broadcast shows the root", async () => {
    const scene = await newScene();
    const seen = await observe(scene);
    const reply = { thread_ts: WELCOME };

    const [plain, broadcast] = await seen(async () => {
      await scene.robin.chat.postMessage({ channel: GENERAL, text: "a", ...reply });
      await post(scene, "b", { ...reply, reply_broadcast: true });
      await scene.robin.chat.postMessage({ channel: GENERAL, text: "c", ...reply });
    });

    expect(plain?.event).toMatchObject({ thread_ts: WELCOME, parent_user_id: JOHN });
    expect(plain?.event).not.toHaveProperty("subtype");
    expect(broadcast?.event).toMatchObject({
      subtype: "thread_broadcast",
      thread_ts: WELCOME,
      root: {
        ts: WELCOME,
        user: JOHN,
        thread_ts: WELCOME,
        reply_count: 2,
        reply_users: [ROBIN, JOHN],
        reply_users_count: 2,
        latest_reply: broadcast?.event.ts,
      },
    });
  });

  test("of /me has its subtype", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const [found] = await seen(() =>
      scene.john.chat.meMessage({ channel: GENERAL, text: "waves" }),
    );

    expect(found?.event).toMatchObject({ subtype: "me_message", text: "waves", user: JOHN });
  });

  test("with files is a file_share whose addresses lack the service's", async () => {
    const scene = await newScene();
    const seen = await observe(scene);

    const found = await seen(() =>
      scene.john.files.uploadV2({
        channel_id: GENERAL,
        filename: "a.txt",
        content: "text",
        initial_comment: `for <@${BOT}>`,
      } as never),
    );

    const { event } = onlyOf(found, "message.channels");
    expect(event).toMatchObject({
      subtype: "file_share",
      upload: true,
      files: [{ name: "a.txt", url_private: expect.stringMatching(/^\/files-pri\//) }],
    });
    expect(onlyOf(found, "app_mention").event).toMatchObject({ files: [{ name: "a.txt" }] });
    expect(onlyOf(found, "app_mention").event).not.toHaveProperty("subtype");
  });
});

test.each<[string, (scene: Scene) => Promise<unknown>, object]>([
  [
    "channel_topic",
    ({ john }) => john.conversations.setTopic({ channel: GENERAL, topic: "Tea" }),
    { topic: "Tea", user: JOHN, text: `<@${JOHN}> set the channel topic: Tea` },
  ],
  [
    "channel_purpose",
    ({ john }) => john.conversations.setPurpose({ channel: GENERAL, purpose: "Talk" }),
    { purpose: "Talk" },
  ],
  [
    "channel_name",
    ({ john }) => john.conversations.rename({ channel: GENERAL, name: "all-hands" }),
    { name: "all-hands", old_name: "general" },
  ],
])("the service's own %s", async (subtype, act, fields) => {
  const scene = await newScene();
  const seen = await observe(scene);

  const { event } = onlyOf(await seen(() => act(scene)), "message.channels");

  expect(event).toMatchObject({ subtype, ...fields });
});
