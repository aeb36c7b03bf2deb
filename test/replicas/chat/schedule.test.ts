import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, RANDOM, useScenes, WELCOME } from "./scene";

const newScene = useScenes();

const later = (seconds = 3600) => Math.floor(Date.now() / 1000) + seconds;

describe("chat.scheduleMessage", () => {
  test("stores a message for later, outside the history", async () => {
    const { agent } = await newScene();
    const post_at = later();

    const answer = await agent.chat.scheduleMessage({ channel: "#general", text: "soon", post_at });
    const { messages } = await agent.conversations.history({ channel: GENERAL });

    expect(answer).toMatchObject({
      channel: GENERAL,
      post_at,
      message: { type: "delayed_message", text: "soon", user: AGENT },
    });
    expect(answer.scheduled_message_id).toMatch(/^Q[0-9A-Z]{8,}$/);
    expect(messages).toHaveLength(2);
  });

  test("posts due messages on the first read, with their scheduled time", async () => {
    const { agent, robin, write } = await newScene();
    await agent.chat.scheduleMessage({
      channel: GENERAL,
      text: "one",
      post_at: later(),
      blocks: [{ type: "divider" }],
    });
    await agent.chat.scheduleMessage({
      channel: GENERAL,
      text: "two",
      post_at: later(),
      thread_ts: WELCOME,
      reply_broadcast: true,
    });
    const due = later(-60);
    await write("scheduled_messages", `post_at = ${due}`);

    const { messages }: any = await robin.conversations.history({ channel: GENERAL });
    const { scheduled_messages } = await agent.chat.scheduledMessages.list();

    expect(
      messages
        .slice(0, 2)
        .map(({ text }: any) => text)
        .sort(),
    ).toEqual(["one", "two"]);
    expect(messages.find(({ text }: any) => text === "one")).toMatchObject({
      user: AGENT,
      blocks: [{ type: "divider" }],
    });
    expect(messages.find(({ text }: any) => text === "two")).toMatchObject({
      subtype: "thread_broadcast",
      thread_ts: WELCOME,
    });
    for (const { ts } of messages.slice(0, 2)) expect(ts.startsWith(`${due}.`)).toBe(true);
    expect(scheduled_messages).toEqual([]);
  });

  test("drops messages that can no longer be posted", async () => {
    const { agent, john, write } = await newScene();
    await agent.chat.scheduleMessage({ channel: RANDOM, text: "late", post_at: later() });
    await john.conversations.archive({ channel: RANDOM });
    await write("scheduled_messages", "post_at = 1767610000");

    const { messages }: any = await agent.conversations.history({ channel: RANDOM });

    expect(messages.map(({ text }: any) => text)).not.toContain("late");
  });
});

test("messages of one second are listed and posted in the order of scheduling", async () => {
  const { agent, write } = await newScene();
  const post_at = later();
  const texts = ["one", "two", "three", "four", "five", "six"];
  for (const text of texts) await agent.chat.scheduleMessage({ channel: GENERAL, text, post_at });

  const listed: unknown[] = [];
  for await (const page of agent.paginate("chat.scheduledMessages.list", { limit: 4 }))
    listed.push(...(page as any).scheduled_messages.map(({ text }: any) => text));
  await write("scheduled_messages", `post_at = ${later(-60)}`);
  const { messages }: any = await agent.conversations.history({ channel: GENERAL, limit: 6 });

  expect(listed).toEqual(texts);
  expect(messages.map(({ text }: any) => text).reverse()).toEqual(texts);
});

describe("chat.scheduledMessages.list", () => {
  test("lists the caller's messages by time, within bounds, page by page", async () => {
    const { agent, robin } = await newScene();
    const at = later();
    await robin.chat.scheduleMessage({ channel: GENERAL, text: "robin's", post_at: at });
    for (const [n, channel] of [GENERAL, RANDOM, GENERAL].entries())
      await agent.chat.scheduleMessage({ channel, text: `${n}`, post_at: at + (3 - n) * 60 });
    const list = async (args: object) =>
      (await agent.chat.scheduledMessages.list(args as never)).scheduled_messages?.map(
        ({ text }: any) => text,
      );

    expect(await list({})).toEqual(["2", "1", "0"]);
    expect(await list({ channel: GENERAL })).toEqual(["2", "0"]);
    expect(await list({ oldest: String(at + 100), latest: String(at + 130) })).toEqual(["1"]);
    const first = await agent.chat.scheduledMessages.list({ limit: 2 });
    expect(first.scheduled_messages?.[0]).toEqual({
      id: expect.stringMatching(/^Q/),
      channel_id: GENERAL,
      post_at: at + 60,
      date_created: expect.any(Number),
      text: "2",
    } as never);
    const cursor = first.response_metadata?.next_cursor ?? "";
    expect(await list({ limit: 2, cursor })).toEqual(["0"]);
  });
});

test("chat.deleteScheduledMessage deletes it", async () => {
  const { agent } = await newScene();
  const scheduled = await agent.chat.scheduleMessage({
    channel: GENERAL,
    text: "never",
    post_at: String(later()),
  });

  await agent.chat.deleteScheduledMessage({
    channel: GENERAL,
    scheduled_message_id: scheduled.scheduled_message_id!,
  });

  expect((await agent.chat.scheduledMessages.list()).scheduled_messages).toEqual([]);
});
