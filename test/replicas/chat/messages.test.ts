import { describe, expect, test } from "bun:test";
import {
  AGENT,
  BOT,
  GENERAL,
  HELLO,
  JOHN,
  LUNCH,
  RANDOM,
  ROBIN,
  refused,
  useScenes,
  WELCOME,
} from "./scene";

const newScene = useScenes();

describe("chat.postMessage", () => {
  test("posts a message with a unique timestamp, which history shows", async () => {
    const { agent } = await newScene();

    const first = await agent.chat.postMessage({ channel: GENERAL, text: "one" });
    const second = await agent.chat.postMessage({ channel: GENERAL, text: "two" });
    const { messages } = await agent.conversations.history({ channel: GENERAL, limit: 2 });

    expect(Object.keys(first).slice(0, 4)).toEqual(["ok", "channel", "ts", "message"]);
    expect(first.message).toMatchObject({
      type: "message",
      user: AGENT,
      text: "one",
      team: "T01ACMECORP",
    });
    expect(second.ts! > first.ts!).toBe(true);
    expect(messages).toEqual([second.message, first.message] as never);
  });

  test("gives each message of a person an id of its own, the same in every answer", async () => {
    const { agent, john } = await newScene();

    const posted = [
      await agent.chat.postMessage({ channel: GENERAL, text: "one" }),
      await agent.chat.postMessage({ channel: GENERAL, text: "two" }),
      await john.chat.postMessage({ channel: RANDOM, text: "one" }),
    ];
    const { messages } = await agent.conversations.history({ channel: GENERAL, limit: 1 });

    const ids = posted.map(({ message }) => (message as { client_msg_id?: string }).client_msg_id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(messages?.[0]?.client_msg_id).toBe(ids[1]);
  });

  test("gives concurrent messages of one channel different timestamps", async () => {
    const { agent } = await newScene();

    const posted = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        agent.chat.postMessage({ channel: RANDOM, text: `${n}` }),
      ),
    );

    expect(new Set(posted.map(({ ts }) => ts)).size).toBe(40);
  });

  test.each([
    ["an id", GENERAL, GENERAL],
    ["a name", "general", GENERAL],
    ["a name with its sign", "#random", RANDOM],
  ])("accepts %s as the channel", async (_what, channel, id) => {
    const { agent } = await newScene();

    expect((await agent.chat.postMessage({ channel, text: "hi" })).channel).toBe(id);
  });

  test("opens the direct message with a user, and reuses it", async () => {
    const { agent, john, robin } = await newScene();

    const first = await agent.chat.postMessage({ channel: JOHN, text: "psst" });
    const answer = await john.chat.postMessage({ channel: AGENT, text: "what?" });

    expect(first.channel).toMatch(/^D/);
    expect(answer.channel).toBe(first.channel!);
    const seen = await refused(robin.conversations.history({ channel: first.channel! }));
    expect(seen.error).toBe("channel_not_found");
  });

  test("opens no direct message for a message that is rejected", async () => {
    const scene = await newScene();
    await scene.write("teams", "message_limit = 0");
    const before = await scene.state();

    const { error } = await refused(scene.agent.chat.postMessage({ channel: ROBIN, text: "psst" }));

    expect(error).toBe("message_limit_exceeded");
    expect(await scene.state()).toEqual(before);
  });

  test("posts as a bot for a bot, also in public channels that it has not joined", async () => {
    const { bot } = await newScene();

    const { message } = await bot.chat.postMessage({ channel: RANDOM, text: "built" });

    expect(message).toMatchObject({
      user: BOT,
      bot_id: "B06BOT",
      app_id: "A06BOT",
      bot_profile: { id: "B06BOT", name: "Build Bot", user_id: BOT, deleted: false },
    });
    expect(message?.["client_msg_id" as never]).toBeUndefined();
  });

  test("shows a given name and picture instead of the author's", async () => {
    const { agent } = await newScene();

    const { message } = await agent.chat.postMessage({
      channel: GENERAL,
      text: "beep",
      username: "Robot",
      icon_emoji: ":robot_face:",
    });

    expect(message).toMatchObject({
      subtype: "bot_message",
      username: "Robot",
      icons: { emoji: ":robot_face:" },
    });
  });

  test("stores blocks with ids, attachments with numbers, and metadata", async () => {
    const { agent } = await newScene();
    const metadata = { event_type: "deploy", event_payload: { build: 7 } };

    const { ts, message } = await agent.chat.postMessage({
      channel: GENERAL,
      text: "fallback",
      blocks: [
        { type: "section", text: { type: "mrkdwn", text: "*hi*" } },
        { type: "divider", block_id: "mine" },
      ],
      attachments: [{ text: "more", color: "#ff0000" }],
      metadata,
    });
    const [plain] = (await agent.conversations.history({ channel: GENERAL, limit: 1 })).messages!;
    const [full] = (
      await agent.conversations.history({
        channel: GENERAL,
        latest: ts!,
        inclusive: true,
        limit: 1,
        include_all_metadata: true,
      })
    ).messages!;

    expect(message?.blocks).toEqual([
      {
        type: "section",
        block_id: expect.stringMatching(/^.{5,}$/),
        text: { type: "mrkdwn", text: "*hi*", verbatim: false },
      },
      { type: "divider", block_id: "mine" },
    ] as never);
    expect(message?.attachments).toMatchObject([{ id: 1, text: "more" }] as never);
    expect(plain?.metadata).toBeUndefined();
    expect(full?.metadata).toEqual(metadata);
  });

  test("stores Markdown as a block, and as text for clients without blocks", async () => {
    const { agent } = await newScene();

    const { message } = await agent.chat.postMessage({
      channel: GENERAL,
      markdown_text: "# News\n**bold** and [a link](https://a.test)",
    });

    expect(message?.text).toBe("*News*\n*bold* and <https://a.test|a link>");
    expect(message?.blocks).toMatchObject([{ type: "markdown" }] as never);
  });

  test.each([
    ["escapes what is no construct", "a < b & c > d &amp; e", "a &lt; b &amp; c &gt; d &amp; e"],
    [
      "keeps mentions",
      `<@${JOHN}> <#${RANDOM}|random> <!here>`,
      `<@${JOHN}> <#${RANDOM}|random> <!here>`,
    ],
    ["wraps addresses", "see https://a.test/b?c=1&d=2.", "see <https://a.test/b?c=1&amp;d=2>."],
    ["cuts the last newline", "  hi \n", "  hi "],
    ["keeps emoji as they are typed", ":tada: :nope:", ":tada: :nope:"],
    ["leaves names alone", "@john in #random", "@john in #random"],
  ])("%s", async (_what, text, stored) => {
    const { agent } = await newScene();

    expect((await agent.chat.postMessage({ channel: GENERAL, text })).message?.text).toBe(stored);
  });

  test("links channels and groups by name on request", async () => {
    const { agent, sql, schema } = await newScene();
    await sql.unsafe(`
      insert into "${schema}".usergroups
      values ('S01DEV', 'Developers', 'dev', '', '{"channels": [], "groups": []}', '[]', 1, 1, 0, '${JOHN}', '${JOHN}', null)
    `);
    const text = "@dev see #random or #nowhere, @john";

    const named = await agent.chat.postMessage({ channel: GENERAL, text, link_names: true });
    const full = await agent.chat.postMessage({ channel: GENERAL, text, parse: "full" });

    expect(named.message?.text).toBe("<!subteam^S01DEV|@dev> see #random or #nowhere, @john");
    expect(full.message?.text).toBe(
      `<!subteam^S01DEV|@dev> see <#${RANDOM}|random> or #nowhere, @john`,
    );
  });

  test("reports which block is wrong, and where", async () => {
    const { agent } = await newScene();
    const blocks = [{ type: "divider" }, { type: "header", text: { type: "mrkdwn", text: "x" } }];

    const answer = await refused(
      agent.chat.postMessage({ channel: GENERAL, text: "x", blocks: blocks as never }),
    );

    expect(answer).toEqual({
      ok: false,
      error: "invalid_blocks",
      errors: ["must be a valid enum value [json-pointer:/blocks/1/text/type]"],
      response_metadata: {
        messages: ["[ERROR] must be a valid enum value [json-pointer:/blocks/1/text/type]"],
      },
    });
  });
});

describe("chat.update", () => {
  test("changes the text, keeps the timestamp and marks the message as edited", async () => {
    const { agent } = await newScene();

    const { ts, text, message } = await agent.chat.update({
      channel: RANDOM,
      ts: LUNCH,
      text: "Dinner",
    });
    const { messages } = await agent.conversations.history({ channel: RANDOM });

    expect({ ts, text }).toEqual({ ts: LUNCH, text: "Dinner" });
    expect(message?.["edited" as never]).toEqual({
      user: AGENT,
      ts: expect.stringMatching(/^\d{10}\.000000$/),
    } as never);
    expect(messages?.find((each) => each.ts === LUNCH)?.text).toBe("Dinner");
  });

  test("removes blocks for a new text, keeps attachments, and clears empty arguments", async () => {
    const { agent } = await newScene();
    const { ts = "" } = await agent.chat.postMessage({
      channel: RANDOM,
      text: "one",
      blocks: [{ type: "divider" }],
      attachments: [{ text: "more" }],
      metadata: { event_type: "e", event_payload: {} },
    });
    const edit = { channel: RANDOM, ts };

    const byText: any = (await agent.chat.update({ ...edit, text: "two" })).message;
    const byBlocks: any = (
      await agent.chat.update({ ...edit, blocks: [{ type: "divider" }] } as never)
    ).message;
    const cleared: any = (
      await agent.chat.update({ ...edit, text: "three", attachments: [], metadata: {} } as never)
    ).message;

    expect(byText.blocks).toBeUndefined();
    expect(byText.attachments).toHaveLength(1);
    expect(byBlocks).toMatchObject({ text: "two", blocks: [{ type: "divider" }] });
    expect(byBlocks.edited).toEqual(byText.edited);
    expect(cleared).not.toHaveProperty("attachments");
    expect(cleared).not.toHaveProperty("metadata");
  });

  test("does not mark a message as edited when only its blocks change", async () => {
    const { agent } = await newScene();

    const { message } = await agent.chat.update({
      channel: RANDOM,
      ts: LUNCH,
      blocks: [{ type: "divider" }],
    } as never);

    expect(message).not.toHaveProperty("edited");
  });

  test("shows a reply in the channel on request", async () => {
    const { agent } = await newScene();
    const { ts = "" } = await agent.chat.postMessage({
      channel: GENERAL,
      text: "so",
      thread_ts: WELCOME,
    });

    await agent.chat.update({ channel: GENERAL, ts, text: "so!", reply_broadcast: true });
    const [newest] = (await agent.conversations.history({ channel: GENERAL, limit: 1 })).messages!;

    expect(newest).toMatchObject({
      ts,
      subtype: "thread_broadcast",
      thread_ts: WELCOME,
      root: { ts: WELCOME, reply_count: 1 },
    });
  });

  test("is for the author only; even an owner may not", async () => {
    const { john } = await newScene();

    const answer = await refused(john.chat.update({ channel: GENERAL, ts: HELLO, text: "mine" }));

    expect(answer.error).toBe("cant_update_message");
  });
});

describe("chat.delete", () => {
  test("removes a message with its reactions and its pin", async () => {
    const { agent, state } = await newScene();
    const before = await state();
    const { ts = "" } = await agent.chat.postMessage({ channel: GENERAL, text: "oops" });
    await agent.reactions.add({ channel: GENERAL, timestamp: ts, name: "tada" });
    await agent.pins.add({ channel: GENERAL, timestamp: ts });

    const { ok: _, ...answer } = await agent.chat.delete({ channel: GENERAL, ts });

    expect(answer).toMatchObject({ channel: GENERAL, ts });
    expect(await state()).toEqual(before);
  });

  test("lets an owner delete messages of others", async () => {
    const { john, agent } = await newScene();

    await john.chat.delete({ channel: GENERAL, ts: HELLO });

    const { messages } = await agent.conversations.history({ channel: GENERAL });
    expect(messages?.map(({ ts }) => ts)).toEqual([WELCOME]);
  });
});

describe("chat.postEphemeral", () => {
  test("is not part of the history", async () => {
    const { agent, sql, schema } = await newScene();

    const { message_ts: ts } = await agent.chat.postEphemeral({
      channel: GENERAL,
      user: ROBIN,
      text: "only you",
    });

    const rows = await sql.unsafe(`select * from "${schema}".ephemeral_messages`);
    const { messages } = await agent.conversations.history({ channel: GENERAL, limit: 1 });
    expect(rows).toMatchObject([
      { channel_id: GENERAL, message_ts: ts, user_id: ROBIN, author_id: AGENT, text: "only you" },
    ] as never);
    expect(messages?.[0]?.ts).toBe(HELLO);
    const edit = await refused(agent.chat.update({ channel: GENERAL, ts: ts!, text: "x" }));
    expect(edit.error).toBe("message_not_found");
  });
});

test("chat.meMessage posts an action", async () => {
  const { agent } = await newScene();

  const { ts } = await agent.chat.meMessage({ channel: GENERAL, text: "waves" });
  const [newest] = (await agent.conversations.history({ channel: GENERAL, limit: 1 })).messages!;

  expect(newest).toMatchObject({ ts, subtype: "me_message", text: "waves", user: AGENT });
});

test("chat.getPermalink leads to a message, and to a reply in its thread", async () => {
  const { agent } = await newScene();
  const { ts = "" } = await agent.chat.postMessage({
    channel: GENERAL,
    text: "re",
    thread_ts: HELLO,
  });

  const root = await agent.chat.getPermalink({ channel: GENERAL, message_ts: HELLO });
  const reply = await agent.chat.getPermalink({ channel: GENERAL, message_ts: ts });

  expect(root.permalink).toBe(`https://acme.chat.test/archives/${GENERAL}/p1767604200989456`);
  expect(reply.permalink).toBe(
    `https://acme.chat.test/archives/${GENERAL}/p${ts.replace(".", "")}?thread_ts=${HELLO}&cid=${GENERAL}`,
  );
});
