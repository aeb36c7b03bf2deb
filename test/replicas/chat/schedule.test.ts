import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, outcome, RANDOM, type Scene, useScenes, WELCOME } from "./scene";

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

  test.each<[string, (scene: Scene, thread: string) => Promise<unknown>]>([
    ["nothing happened meanwhile", async () => {}],
    ["its channel was archived", ({ john }) => john.conversations.archive({ channel: RANDOM })],
    ["its author left the channel", ({ agent }) => agent.conversations.leave({ channel: RANDOM })],
    [
      "its author was deactivated",
      ({ write }) => write("users", "deleted = true", `id = '${AGENT}'`),
    ],
    ["its thread was deleted", ({ john }, ts) => john.chat.delete({ channel: RANDOM, ts })],
  ])("posts a due message only if it still can: %s", async (happened, happens) => {
    const scene = await newScene();
    const { agent, robin, write } = scene;
    const { ts: thread_ts = "" } = await robin.chat.postMessage({ channel: RANDOM, text: "root" });
    const message = { channel: RANDOM, text: "late", post_at: later(), reply_broadcast: true };
    await agent.chat.scheduleMessage({ ...message, thread_ts });
    await happens(scene, thread_ts);
    await write("scheduled_messages", `post_at = ${later(-1)}`);

    const { messages }: any = await robin.conversations.history({ channel: RANDOM });

    const isPosted = messages.some(({ text }: any) => text === "late");
    expect(isPosted).toBe(happened === "nothing happened meanwhile");
    expect(((await scene.state()) as any).scheduled_messages).toEqual([]);
  });

  test("posts a due reply to a reply in the thread of its root", async () => {
    const { agent, write } = await newScene();
    const { ts = "" } = await agent.chat.postMessage({
      ...{ channel: GENERAL, thread_ts: WELCOME, text: "a reply" },
    });
    await agent.chat.scheduleMessage({
      ...{ channel: GENERAL, thread_ts: ts, text: "late", post_at: later() },
    });
    await write("scheduled_messages", `post_at = ${later(-1)}`);
    await agent.conversations.history({ channel: GENERAL });

    const { messages }: any = await agent.conversations.replies({ channel: GENERAL, ts: WELCOME });
    expect(
      messages
        .map(({ text }: any) => text)
        .slice(1)
        .toSorted(),
    ).toEqual(["a reply", "late"]);
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

test("chat.deleteScheduledMessage deletes the caller's own, before its time", async () => {
  const { agent, robin, write } = await newScene();
  const scheduled = await agent.chat.scheduleMessage({
    channel: GENERAL,
    text: "never",
    post_at: String(later()),
  });

  const which = { channel: GENERAL, scheduled_message_id: scheduled.scheduled_message_id! };
  const invalid = "invalid_scheduled_message_id";
  expect(await outcome(robin.chat.deleteScheduledMessage(which))).toBe(invalid);
  expect(await outcome(agent.chat.deleteScheduledMessage({ ...which, channel: RANDOM }))).toBe(
    invalid,
  );
  await agent.chat.deleteScheduledMessage(which);
  expect(await outcome(agent.chat.deleteScheduledMessage(which))).toBe(invalid);

  expect((await agent.chat.scheduledMessages.list()).scheduled_messages).toEqual([]);
  const due = await agent.chat.scheduleMessage({ channel: GENERAL, text: "due", post_at: later() });
  await write("scheduled_messages", `post_at = ${later(-1)}`);
  const late = { channel: GENERAL, scheduled_message_id: due.scheduled_message_id! };
  expect(await outcome(agent.chat.deleteScheduledMessage(late))).toBe(invalid);
});
