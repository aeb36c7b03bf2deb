import { beforeAll, describe, expect, test } from "bun:test";
import { AGENT, GENERAL, HELLO, JOHN, ROBIN, type Scene, useScenes, WELCOME } from "./scene";

const newScene = useScenes();

const root = async ({ agent }: Scene, ts = WELCOME): Promise<any> =>
  (await agent.conversations.history({ channel: GENERAL })).messages?.find(
    (each) => each.ts === ts,
  );

describe("a thread", () => {
  test("is counted at its root, and its replies are not in the history", async () => {
    const scene = await newScene();
    const { agent, john, robin } = scene;
    const reply = { channel: GENERAL, thread_ts: WELCOME };

    await robin.chat.postMessage({ ...reply, text: "first" });
    await john.chat.postMessage({ ...reply, text: "second" });
    const { ts, message } = await robin.chat.postMessage({ ...reply, text: "third" });
    const { messages } = await agent.conversations.history({ channel: GENERAL });

    expect(message).toMatchObject({ thread_ts: WELCOME, parent_user_id: JOHN });
    expect(messages?.map((each) => each.ts)).toEqual([HELLO, WELCOME]);
    expect(messages?.[1]).toMatchObject({
      thread_ts: WELCOME,
      reply_count: 3,
      reply_users: [ROBIN, JOHN],
      reply_users_count: 2,
      latest_reply: ts,
      is_locked: false,
      subscribed: false,
    });
  });

  test("is read from its root or from any reply, oldest first", async () => {
    const { agent } = await newScene();
    const reply = { channel: GENERAL, thread_ts: WELCOME };
    const one = await agent.chat.postMessage({ ...reply, text: "one" });
    const two = await agent.chat.postMessage({ ...reply, text: "two" });

    for (const ts of [WELCOME, two.ts!]) {
      const { messages, has_more } = await agent.conversations.replies({ channel: GENERAL, ts });
      expect(messages?.map((each) => each.ts)).toEqual([WELCOME, one.ts!, two.ts!]);
      expect(has_more).toBe(false);
    }
  });

  test("continues at its root when a reply is replied to", async () => {
    const { agent } = await newScene();
    const { ts } = await agent.chat.postMessage({
      channel: GENERAL,
      thread_ts: WELCOME,
      text: "one",
    });

    const nested = await agent.chat.postMessage({ channel: GENERAL, thread_ts: ts!, text: "two" });

    expect((nested.message as any).thread_ts).toBe(WELCOME);
  });

  test("is followed by its author, repliers and mentioned users", async () => {
    const scene = await newScene();
    await scene.robin.chat.postMessage({ channel: GENERAL, thread_ts: WELCOME, text: "hm" });

    const subscribed = async (client: Scene["agent"]) => {
      const { messages }: any = await client.conversations.replies({
        channel: GENERAL,
        ts: WELCOME,
      });
      return messages[0].subscribed;
    };

    expect(await subscribed(scene.john)).toBe(true);
    expect(await subscribed(scene.robin)).toBe(true);
    expect(await subscribed(scene.agent)).toBe(false);
  });

  test("shows a broadcast in the channel with its root, as one message", async () => {
    const { agent } = await newScene();

    const { ts, message } = await agent.chat.postMessage({
      channel: GENERAL,
      thread_ts: WELCOME,
      text: "for all",
      reply_broadcast: true,
    });
    const { messages } = await agent.conversations.history({ channel: GENERAL });
    const thread = await agent.conversations.replies({ channel: GENERAL, ts: WELCOME });

    expect(message).toMatchObject({ subtype: "thread_broadcast", root: { ts: WELCOME } });
    expect(messages?.map((each) => each.ts)).toEqual([ts!, HELLO, WELCOME]);
    expect(thread.messages?.map((each) => each.ts)).toEqual([WELCOME, ts!]);
  });

  test("has no counts after its last reply is deleted", async () => {
    const scene = await newScene();
    const { ts = "" } = await scene.agent.chat.postMessage({
      channel: GENERAL,
      thread_ts: WELCOME,
      text: "re",
    });
    expect(await root(scene)).toHaveProperty("reply_count", 1);

    await scene.agent.chat.delete({ channel: GENERAL, ts });

    const left = await root(scene);
    expect(left).toMatchObject({ ts: WELCOME, user: JOHN });
    expect(left).not.toHaveProperty("reply_count");
    expect(left).not.toHaveProperty("thread_ts");
  });

  test("keeps a tombstone of its root as long as there are replies", async () => {
    const scene = await newScene();
    const { agent, robin } = scene;
    const { ts = "" } = await agent.chat.postMessage({ channel: GENERAL, text: "gone soon" });
    const reply = await robin.chat.postMessage({ channel: GENERAL, thread_ts: ts, text: "why?" });

    await agent.chat.delete({ channel: GENERAL, ts });
    const { messages } = await agent.conversations.replies({ channel: GENERAL, ts });

    expect(messages).toMatchObject([
      {
        subtype: "tombstone",
        user: "USLACKBOT",
        hidden: true,
        text: "This message was deleted.",
        thread_ts: ts,
        reply_count: 1,
      },
      { text: "why?", parent_user_id: "USLACKBOT" },
    ] as never);
    await robin.chat.delete({ channel: GENERAL, ts: reply.ts! });
    expect(await root(scene, ts)).toBeUndefined();
  });

  test("shows five of its authors and counts all of them", async () => {
    const scene = await newScene();
    for (const user of [JOHN, ROBIN, AGENT, "U04GUEST", "U06BOT", "U07STRAY"])
      await scene.as(user).chat.postMessage({ channel: GENERAL, thread_ts: WELCOME, text: user });

    expect(await root(scene)).toMatchObject({
      reply_users: [JOHN, ROBIN, AGENT, "U04GUEST", "U06BOT"],
      reply_users_count: 6,
    });
  });
});

describe("conversations.replies", () => {
  test("returns a message without replies alone", async () => {
    const { agent } = await newScene();

    const { messages } = await agent.conversations.replies({ channel: GENERAL, ts: HELLO });

    expect(messages?.map(({ ts }) => ts)).toEqual([HELLO]);
  });

  test("pages through every reply once, the root first", async () => {
    const { agent } = await newScene();
    const posted = [WELCOME];
    for (let n = 0; n < 7; n++) {
      const { ts } = await agent.chat.postMessage({
        channel: GENERAL,
        thread_ts: WELCOME,
        text: `${n}`,
      });
      posted.push(ts!);
    }

    const seen: string[] = [];
    for await (const page of agent.paginate("conversations.replies", {
      channel: GENERAL,
      ts: WELCOME,
      limit: 3,
    }))
      seen.push(...(page as any).messages.map(({ ts }: { ts: string }) => ts));

    expect(seen).toEqual(posted);
  });

  test("respects its bounds, and always shows the root", async () => {
    const { agent } = await newScene();
    const reply = { channel: GENERAL, thread_ts: WELCOME };
    const [one, two, three] = [
      await agent.chat.postMessage({ ...reply, text: "1" }),
      await agent.chat.postMessage({ ...reply, text: "2" }),
      await agent.chat.postMessage({ ...reply, text: "3" }),
    ];
    const read = async (window: object) =>
      (
        await agent.conversations.replies({ channel: GENERAL, ts: WELCOME, ...window })
      ).messages?.map(({ ts }) => ts);

    expect(await read({ oldest: one.ts })).toEqual([WELCOME, two.ts, three.ts] as never);
    expect(await read({ oldest: two.ts, inclusive: true })).toEqual([
      WELCOME,
      two.ts,
      three.ts,
    ] as never);
    expect(await read({ latest: two.ts })).toEqual([WELCOME, one.ts] as never);
  });
});

describe("a reply to", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await newScene();
  });
  const replyTo = async (subtype: string) => {
    await scene.write("messages", `subtype = '${subtype}'`, `ts = '${WELCOME}'`);
    const reply = { channel: GENERAL, text: "Indeed", thread_ts: WELCOME };
    return await scene.agent.chat.postMessage(reply).catch(({ data }) => data);
  };

  test.each([
    ...["channel", "group"].flatMap((kind) =>
      ["join", "leave", "topic", "purpose", "name", "archive", "unarchive"].map(
        (event) => `${kind}_${event}`,
      ),
    ),
    "channel_convert_to_private",
  ])("the notice %s is rejected", async (subtype) => {
    expect(await replyTo(subtype)).toMatchObject({ ok: false, error: "cannot_reply_to_message" });
  });

  test.each(["bot_message", "me_message", "reminder_add"])("a %s is posted", async (subtype) => {
    expect(await replyTo(subtype)).toMatchObject({ ok: true });
  });
});
