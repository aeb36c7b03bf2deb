/** The vendor's tools of chat: result texts, every argument, every error, and rows equal to those of the Web API. */
import { afterAll, describe, expect, test } from "bun:test";
import { vendor } from "~/replicas/chat/mcp/vendor";
import { useSharedDatabase } from "../../../support/database";
import { callTool, endpointOf } from "../../../support/mcp";
import { expectStatus, useProgram } from "../../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);

const BENCH = "chat_bench_default";
const GENERAL = "C01GENERAL";
const WELCOME = "1767603600.731938";
const HELLO = "1767604200.989456";

/** Arguments that a test has passed, as `tool.argument`. */
const used = new Set<string>();

function note(name: string, args: object): void {
  for (const [key, value] of Object.entries(args)) {
    used.add(`${name}.${key}`);
    const items = Array.isArray(value) ? value : [];
    for (const item of items.filter((each) => typeof each === "object"))
      for (const inner of Object.keys(item)) used.add(`${name}.${key}.${inner}`);
  }
}

async function open(fields: object = { impersonateUserId: "U02JOHNADOE" }) {
  const environment = await program.environment({ clock: "real", ...fields });
  const at = endpointOf(program, environment);
  const call = (name: string, args: object) => {
    note(name, args);
    return callTool(at, name, args);
  };
  return {
    environment,
    /** The result. Throws for an error. */
    async run(name: string, args: object): Promise<any> {
      const { text, isError } = await call(name, args);
      if (isError) throw new Error(`${name}: ${text}`);
      return JSON.parse(text);
    },
    /** The text of an error. Throws for a result. */
    async error(name: string, args: object): Promise<string> {
      const { text, isError } = await call(name, args);
      if (!isError) throw new Error(`${name} succeeded: ${text}`);
      return text;
    },
    api: (method: string, args: object = {}) => program.chat(environment, method, args),
  };
}

const openBench = (user = "U01AGENTONE") => open({ templateName: BENCH, impersonateUserId: user });

const IN_LONDON = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:GMT|BST|GMT\+1)/g;
const LAST_PAGE = "End of results - No more pages available.\\n";

describe("slack_send_message", () => {
  test("posts Markdown and answers with link and coordinates", async () => {
    const { run, api } = await open();
    const message = "**Ship** it, <@U03ROBINRAY>: [notes](https://example.com/n)";
    const sent = await run("slack_send_message", {
      channel_id: GENERAL,
      message,
      unfurl_app_links: true,
    });
    const { message_ts: ts } = sent.message_context;
    const link = `https://acme.chat.test/archives/${GENERAL}/p${ts.replace(".", "")}`;
    const { messages } = await api("conversations.history", { channel: GENERAL, limit: 1 });

    expect(sent).toEqual({
      message_link: link,
      message_context: { message_ts: ts, channel_id: GENERAL },
    });
    expect(messages[0]).toMatchObject({
      ts,
      user: "U02JOHNADOE",
      text: "*Ship* it, <@U03ROBINRAY>: <https://example.com/n|notes>",
    });
  });

  test("replies, also in the channel", async () => {
    const { run, api } = await open();
    const sent = await run("slack_send_message", {
      channel_id: "#general",
      message: "Hi",
      thread_ts: WELCOME,
      reply_broadcast: true,
    });
    const { messages } = await api("conversations.history", { channel: GENERAL, limit: 1 });

    expect(sent.message_link).toEndWith(`?thread_ts=${WELCOME}&cid=${GENERAL}`);
    expect(messages[0]).toMatchObject({ subtype: "thread_broadcast", thread_ts: WELCOME });
  });

  test("to a user's id goes to their direct message, and deletes the draft", async () => {
    const { run, api } = await open();
    const to = { channel_id: "U03ROBINRAY", message: "Lunch?" };
    const { draft_id: draft } = await run("slack_send_message_draft", to);
    const { channel_id: channel } = (await run("slack_send_message", { ...to, draft_id: draft }))
      .message_context;
    const opened = await api("conversations.open", { users: "U03ROBINRAY" });
    const next = await run("slack_send_message_draft", to);

    expect(channel).toBe(opened.channel.id);
    expect(next.draft_id).toStartWith("Dr");
    expect(next.draft_id).not.toBe(draft);
  });

  const long = "a".repeat(5_001);
  test.each([
    [{ message: long }, "msg_too_long"],
    [{ message: " \n" }, "no_text"],
    [{ message: "x", channel_id: "C0NOWHERE" }, "channel_not_found"],
    [{ message: "x", channel_id: "#nowhere" }, "channel_not_found"],
    [{ message: "x", channel_id: "U0NOBODY" }, "channel_not_found"],
    [{ message: "x", thread_ts: "1767603600.999999" }, "thread_reply_not_available"],
    [{ message: "x", thread_ts: "yesterday" }, "thread_reply_not_available"],
    [{ message: undefined }, "Missing required argument: message"],
    [{ message: 7 }, "Invalid argument message: expected string"],
    [
      { message: "x", reply_broadcast: "yes" },
      "Invalid argument reply_broadcast: expected boolean",
    ],
    [{ message: "\u0000" }, "Invalid argument message: expected valid text"],
  ])("%j is rejected: %s", async (args, code) => {
    const { error } = await open();

    expect(await error("slack_send_message", { channel_id: GENERAL, ...args })).toBe(code);
  });

  test("where the caller may not post is rejected", async () => {
    const { error, api } = await openBench("U18LHOFFMANN");
    const { channels } = await api("conversations.list", { limit: 999, exclude_archived: true });
    const outside = channels.find(({ is_member: isMember }: any) => !isMember).id;
    const message = { channel_id: outside, message: "x" };

    expect(await error("slack_send_message", message)).toBe("not_in_channel");
  });

  test("of more than 12,000 characters is rejected", async () => {
    const { error } = await open();
    const message = "a paragraph\n\n".repeat(1_000);

    expect(await error("slack_send_message", { channel_id: GENERAL, message })).toBe(
      "msg_too_long",
    );
  });

  test("takes several paragraphs of 5,000 characters", async () => {
    const { run } = await open();
    const message = `${long.slice(1)}\n\n${long.slice(1)}`;

    await run("slack_send_message", { channel_id: GENERAL, message });
  });
});

describe("a text that is too long is rejected", () => {
  const long = "x".repeat(100_001);
  const query = "x ".repeat(2_001);
  const most = "of at most 100000 characters";

  test.each([
    [
      "slack_send_message",
      { channel_id: GENERAL, message: long },
      `message: expected string ${most}`,
    ],
    ["slack_read_channel", { channel_id: long }, `channel_id: expected string ${most}`],
    ["slack_create_conversation", { user_ids: [long] }, `user_ids[0]: expected string ${most}`],
    ...["public", "public_and_private", "channels", "users", "emojis"].map(
      (what) =>
        [
          `slack_search_${what}`,
          { query },
          "query: expected string of at most 4000 characters",
        ] as const,
    ),
  ] as const)("by %s", async (name, args, problem) => {
    const { error, run } = await open();

    expect(await error(name, args)).toBe(`Invalid argument ${problem}`);
    if ("query" in args) await run(name, { query: args.query.slice(0, 4_000) });
  });
});

describe("slack_schedule_message", () => {
  const soon = () => Math.floor(Date.now() / 1000) + 3_600;

  test("describes what it has scheduled", async () => {
    const { run, api } = await open();
    const at = soon();
    const { result } = await run("slack_schedule_message", {
      channel_id: GENERAL,
      message: "Stand-up",
      post_at: at,
      thread_ts: WELCOME,
      reply_broadcast: false,
    });
    const { scheduled_messages: scheduled } = await api("chat.scheduledMessages.list");

    expect(scheduled).toMatchObject([{ post_at: at, channel_id: GENERAL, text: "Stand-up" }]);
    expect(result.replace(IN_LONDON, "TIME")).toBe(
      `Message scheduled successfully!\nScheduled Message ID: ${scheduled[0].id}\nChannel: general (${GENERAL})\nPost at: TIME (${at})`,
    );
  });

  test.each([
    [{ post_at: 60 }, "time_in_past"],
    [{ post_at: soon() - 3_500 }, "time_in_past"],
    [{ post_at: soon() + 121 * 86_400 }, "time_too_far"],
    [{ message: "" }, "no_text"],
    [{ channel_id: "C0NOWHERE" }, "channel_not_found"],
    [{ post_at: 1.5 }, "Invalid argument post_at: expected integer"],
  ])("%j is rejected: %s", async (args, code) => {
    const { error } = await open();
    const whole = { channel_id: GENERAL, message: "x", post_at: soon(), ...args };

    expect(await error("slack_schedule_message", whole)).toBe(code);
  });

  test("a 31st message for the same five minutes is rejected", async () => {
    const { run, error } = await open();
    const one = { channel_id: GENERAL, message: "x", post_at: Math.ceil(soon() / 300) * 300 };
    for (let count = 0; count < 30; count++) await run("slack_schedule_message", one);

    expect(await error("slack_schedule_message", one)).toBe("restricted_too_many");
  });
});

describe("slack_send_message_draft", () => {
  test("leaves one draft for each conversation and thread", async () => {
    const { run } = await open();
    const draft = (args: object) =>
      run("slack_send_message_draft", { channel_id: GENERAL, message: "So far", ...args });
    const [first, second, inThread] = [
      await draft({}),
      await draft({ message: "So far, so good" }),
      await draft({ thread_ts: WELCOME }),
    ];

    expect(first).toEqual({
      channel_link: `https://acme.chat.test/archives/${GENERAL}`,
      widget_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      draft_id: expect.stringMatching(/^Dr[0-9A-Z]{10}$/),
      channel_info: { channel_id: GENERAL, name: "general", is_dm: false },
      result: "Draft message is created. They can edit it before sending.",
    });
    expect(second).not.toHaveProperty("draft_id");
    expect(inThread.draft_id).not.toBe(first.draft_id);
  });

  test("names the other person of a direct message", async () => {
    const { run } = await open();
    const draft = { channel_id: "U03ROBINRAY", message: "Hi" };
    const { channel_info: info } = await run("slack_send_message_draft", draft);

    expect(info).toMatchObject({ name: "Robin Ray", is_dm: true });
  });

  test("an unknown conversation is rejected", async () => {
    const { error } = await open();
    const draft = { channel_id: "C0NOWHERE", message: "Hi" };

    expect(await error("slack_send_message_draft", draft)).toBe("channel_not_found");
  });
});

describe("reactions", () => {
  const at = { channel_id: GENERAL, message_ts: WELCOME };

  test("are added once, and listed with names", async () => {
    const { run } = await open();
    const added = await run("slack_add_reaction", { ...at, emoji: "wave" });
    const again = await run("slack_add_reaction", { ...at, emoji: ":wave:" });

    expect(added).toEqual({ result: "Reaction :wave: added to message." });
    expect(again).toEqual(added);
    expect(await run("slack_get_reactions", at)).toEqual({
      result:
        "Reactions on message:\n\n:wave: × 2 — Robin Ray (U03ROBINRAY), John Doe (U02JOHNADOE)",
    });
  });

  test("none", async () => {
    const { run } = await open();
    const silent = { channel_id: "C02RANDOM", message_ts: "1767607800.990316" };

    expect(await run("slack_get_reactions", silent)).toEqual({
      result: "No reactions found on this message.",
    });
  });

  test.each([
    [{ message_ts: "1767603600.999999" }, "message_not_found"],
    [{ message_ts: "noon" }, "message_not_found"],
    [{ channel_id: "C0NOWHERE" }, "channel_not_found"],
  ])("on %j are rejected: %s", async (args, code) => {
    const { error } = await open();

    expect(await error("slack_add_reaction", { ...at, emoji: "eyes", ...args })).toBe(code);
    expect(await error("slack_get_reactions", { ...at, ...args })).toBe(code);
  });

  test("with an unknown name, and a 24th emoji, are rejected", async () => {
    const { run, error } = await open();
    const names =
      "one two three four five six seven eight nine eyes tada fire 100 heart star rocket pray ok_hand clap muscle bug bulb".split(
        " ",
      );
    for (const emoji of names) await run("slack_add_reaction", { ...at, emoji });

    expect(await error("slack_add_reaction", { ...at, emoji: "no_such_emoji" })).toBe(
      "invalid_name",
    );
    expect(await error("slack_add_reaction", { ...at, emoji: "sunny" })).toBe("too_many_emoji");
  });
});

describe("slack_create_conversation", () => {
  test("creates a channel of a cleaned name, with people", async () => {
    const { run, api } = await open();
    const created = await run("slack_create_conversation", {
      channel_name: "#Project  Tide Water",
      user_ids: ["U03ROBINRAY"],
      is_private: true,
    });
    const { members } = await api("conversations.members", { channel: created.channel_id });

    expect(created).toEqual({
      channel_id: created.channel_id,
      channel_name: "project-tide-water",
      is_private: true,
    });
    expect(members).toEqual(["U02JOHNADOE", "U03ROBINRAY"]);
  });

  test("keeps a channel whose invitation fails", async () => {
    const { run, api } = await open();
    const wanted = { channel_name: "alone", user_ids: ["U0NOBODY"] };
    const created = await run("slack_create_conversation", wanted);
    const { channel } = await api("conversations.info", { channel: created.channel_id });

    expect(created.invite_error).toBe("user_not_found");
    expect(channel.name).toBe("alone");
  });

  test("opens the same direct message again", async () => {
    const { run } = await open();
    const pair = { user_ids: ["U03ROBINRAY"] };
    const group = { user_ids: ["U03ROBINRAY", "U01AGENTONE"] };

    expect(await run("slack_create_conversation", pair)).toEqual(
      await run("slack_create_conversation", pair),
    );
    expect((await run("slack_create_conversation", group)).channel_id).toStartWith("C");
  });

  test.each([
    [{}, "invalid_arguments"],
    [{ user_ids: [] }, "invalid_arguments"],
    [{ user_ids: ["U0NOBODY"] }, "user_not_found"],
    [{ user_ids: Array.from({ length: 9 }, (_, n) => `U0${n}ABC`) }, "too_many_users"],
    [{ channel_name: "General" }, "name_taken"],
    [
      { user_ids: "U03ROBINRAY" },
      "Invalid argument user_ids: expected array of at most 1000 items",
    ],
    [{ user_ids: [3] }, "Invalid argument user_ids[0]: expected string"],
  ])("%j is rejected: %s", async (args, code) => {
    const { error } = await open();

    expect(await error("slack_create_conversation", args)).toBe(code);
  });

  test("by a guest, or between bots, is rejected", async () => {
    const guest = await openBench("U17TOBECK");
    const { members } = await guest.api("users.list");
    const bots = members.filter(({ is_bot: isBot }: any) => isBot).map(({ id }: any) => id);
    const bot = await openBench(bots[0]);

    expect(await guest.error("slack_create_conversation", { channel_name: "x" })).toBe(
      "restricted_action",
    );
    expect(await bot.error("slack_create_conversation", { user_ids: [bots[1]] })).toBe(
      "cannot_dm_bot",
    );
  });
});

describe("slack_read_channel", () => {
  test("shows the messages of a channel", async () => {
    const { run } = await open();

    expect(await run("slack_read_channel", { channel_id: GENERAL })).toEqual({
      messages: [
        `Channel: #general (${GENERAL})`,
        "",
        "=== Message from Robin Ray <robin@acme.test> (U03ROBINRAY) at 2026-01-05 09:10:00 GMT === ",
        `Message TS: ${HELLO}`,
        "Hello, I am Robin. I draw things. <@U02JOHNADOE|john> let me know where to start.",
        "Reactions: eyes (1)",
        "",
        "=== Message from John Doe <john@acme.test> (U02JOHNADOE) at 2026-01-05 09:00:00 GMT === ",
        `Message TS: ${WELCOME}`,
        "Welcome to Acme! Please introduce yourselves.",
        "Reactions: wave (1)",
        "",
      ].join("\n"),
      pagination_info: "There are no more messages available.\n",
    });
  });

  test("shows files and threads", async () => {
    const { run } = await openBench();
    const mobile = { channel_id: "#mobile", latest: "1772433060.999999", limit: 1 };
    const { messages } = await run("slack_read_channel", mobile);

    expect(messages).toContain("\n4.2.1 is out.\nFiles: tracking-app-4.2.1.md (ID: F08RELNOTES, ");
    expect(messages).toMatch(/\nReactions: tada \(2\)\n$/);
  });

  test("shows who wrote under which name, and system messages", async () => {
    const { run, api, environment } = await open();
    await api("chat.postMessage", { channel: GENERAL, text: "beep", username: "Robot" });
    const { channel_id: channel } = await run("slack_create_conversation", {
      channel_name: "new",
      user_ids: ["U03ROBINRAY"],
    });
    const general = await run("slack_read_channel", { channel_id: GENERAL, limit: 1 });
    const joined = await run("slack_read_channel", { channel_id: channel });

    expect(environment.service).toBe("chat");
    expect(general.messages).toContain("=== Message from Robot (U02JOHNADOE) at ");
    expect(joined.messages).toContain("\n<@U03ROBINRAY|robin> has joined the channel\n");
  });

  test("reads a page at a time, and a period", async () => {
    const { run } = await open();
    const first = await run("slack_read_channel", { channel_id: GENERAL, limit: 1 });
    const [, cursor] = /use cursor: `(.+)`\n$/.exec(first.pagination_info) ?? [];
    const next = await run("slack_read_channel", { channel_id: GENERAL, limit: 1, cursor });
    const period = { channel_id: GENERAL, oldest: WELCOME, latest: WELCOME };
    const exact = await run("slack_read_channel", period);

    expect(first.pagination_info).toStartWith(
      "There are more messages available. To view the next page, use cursor: `",
    );
    expect(next.messages).toContain(WELCOME);
    expect(exact.messages).toBe(next.messages);
  });

  test("concise has no headers, and an empty page nothing but the channel", async () => {
    const { run } = await open();
    const concise = { channel_id: GENERAL, response_format: "concise" };
    const empty = { channel_id: "U03ROBINRAY" };

    expect((await run("slack_read_channel", concise)).messages).toEndWith(
      "John Doe: Welcome to Acme! Please introduce yourselves. [2026-01-05 09:00:00 GMT]\n",
    );
    expect((await run("slack_read_channel", empty)).messages).toMatch(
      /^Channel: DM \(D[0-9A-Z]+\)\n\n$/,
    );
  });

  test.each([
    [{ channel_id: "C0NOWHERE" }, "channel_not_found"],
    [{ cursor: "bm93aGVyZQ==" }, "invalid_cursor"],
    [{ latest: "noon" }, "invalid_ts_latest"],
    [{ oldest: "noon" }, "invalid_ts_oldest"],
    [{ limit: 0 }, "invalid_limit"],
  ])("%j is rejected: %s", async (args, code) => {
    const { error } = await open();

    expect(await error("slack_read_channel", { channel_id: GENERAL, ...args })).toBe(code);
  });

  test("by a bot that is not in the channel is rejected", async () => {
    const { api } = await openBench();
    const { members } = await api("users.list");
    const bot = members.find(({ is_bot: isBot }: any) => isBot).id;
    const { channels } = await api("conversations.list", { limit: 999 });
    const { error } = await openBench(bot);
    const outside = [];
    for (const { id } of channels) {
      const { members: inside } = await api("conversations.members", { channel: id, limit: 999 });
      if (!inside?.includes(bot)) outside.push(id);
    }

    expect(await error("slack_read_channel", { channel_id: outside[0] })).toBe("not_in_channel");
  });
});

describe("slack_read_thread", () => {
  const root = { channel_id: GENERAL, message_ts: WELCOME };

  async function withReplies() {
    const opened = await open();
    const replies = [];
    for (const message of ["first", "second"])
      replies.push(
        (
          await opened.run("slack_send_message", {
            channel_id: GENERAL,
            message,
            thread_ts: WELCOME,
          })
        ).message_context.message_ts,
      );
    return { ...opened, replies };
  }

  test("shows the root and its replies", async () => {
    const { run, replies } = await withReplies();
    const { messages, pagination_info } = await run("slack_read_thread", root);

    expect(messages.replaceAll(IN_LONDON, "TIME")).toBe(
      [
        "=== THREAD PARENT MESSAGE ===",
        "From: John Doe <john@acme.test> (U02JOHNADOE)",
        "Time: TIME",
        `Message TS: ${WELCOME}`,
        "Welcome to Acme! Please introduce yourselves.",
        "Reactions: wave (1)",
        "",
        "=== THREAD REPLIES (2 total) ===",
        "",
        "--- Reply 1 of 2 ---",
        "From: John Doe <john@acme.test> (U02JOHNADOE)",
        "Time: TIME",
        `Message TS: ${replies[0]}`,
        "first",
        "",
        "--- Reply 2 of 2 ---",
        "From: John Doe <john@acme.test> (U02JOHNADOE)",
        "Time: TIME",
        `Message TS: ${replies[1]}`,
        "second",
        "",
      ].join("\n"),
    );
    expect(pagination_info).toBe("There are no more messages in this thread.\n");
  });

  test("has the root on every page, in a period and in the concise form", async () => {
    const { run, replies } = await withReplies();
    const first = await run("slack_read_thread", { ...root, limit: 2 });
    const [, cursor] = /use cursor: `(.+)`\n$/.exec(first.pagination_info) ?? [];
    const next = await run("slack_read_thread", { ...root, limit: 2, cursor });
    const period = { ...root, oldest: replies[1], latest: replies[1] };
    const concise = await run("slack_read_thread", { ...root, response_format: "concise" });

    expect(first.messages).toContain("--- Reply 1 of 1 ---");
    expect(next.messages).toContain("Welcome to Acme!");
    expect(next.messages).toContain("second");
    expect((await run("slack_read_thread", period)).messages).not.toContain("first");
    expect(concise.messages.replaceAll(IN_LONDON, "TIME")).toBe(
      "John Doe: Welcome to Acme! Please introduce yourselves. [TIME]\nJohn Doe: first [TIME]\nJohn Doe: second [TIME]\n",
    );
  });

  test("without replies says so", async () => {
    const { run } = await open();

    expect((await run("slack_read_thread", root)).messages).toEndWith(
      "Reactions: wave (1)\n\nNo thread messsages\n",
    );
  });

  test.each([
    [{ message_ts: "1767603600.999999" }, "thread_not_found"],
    [{ channel_id: "C0NOWHERE" }, "channel_not_found"],
    [{ cursor: "bm93aGVyZQ==" }, "invalid_cursor"],
  ])("%j is rejected: %s", async (args, code) => {
    const { error } = await open();

    expect(await error("slack_read_thread", { ...root, ...args })).toBe(code);
  });
});

describe("slack_list_channel_members", () => {
  const general = { channel_id: GENERAL };

  test("shows profiles, names or ids", async () => {
    const { run } = await open();
    const detailed = await run("slack_list_channel_members", { ...general, limit: 1 });
    const concise = await run("slack_list_channel_members", {
      ...general,
      response_format: "concise",
    });
    const [, cursor] = /use cursor `(.+)`\n$/.exec(detailed.pagination_info) ?? [];
    const ids = { ...general, response_format: "ids_only", cursor };

    expect(detailed.members).toStartWith(
      "User ID: U02JOHNADOE\nUsername: john\nDisplay Name: john\n",
    );
    expect(concise).toEqual({
      members: "@john (john)\n@agent (agent)\n@robin (robin)",
      pagination_info: LAST_PAGE,
    });
    expect((await run("slack_list_channel_members", ids)).members).toBe("U01AGENTONE\nU03ROBINRAY");
  });

  test("leaves bots and deactivated people out unless they are asked for", async () => {
    const { run, api } = await openBench();
    const { channels } = await api("conversations.list", { limit: 999 });
    const listed = async (channel: string, args: object) => {
      const asked = { channel_id: channel, response_format: "concise", ...args };
      return (await run("slack_list_channel_members", asked)).members.split("\n").length;
    };
    const counts = [];
    for (const { id } of channels)
      counts.push([
        await listed(id, {}),
        await listed(id, { include_bots: true, include_deleted: true }),
      ]);

    expect(counts.some(([few = 0, all = 0]) => few < all)).toBe(true);
  });

  test("of a direct message, or of no channel, is rejected", async () => {
    const { run, error } = await open();
    const pair = await run("slack_create_conversation", { user_ids: ["U03ROBINRAY"] });

    expect(await error("slack_list_channel_members", pair)).toBe(
      "method_not_supported_for_channel_type",
    );
    expect(await error("slack_list_channel_members", { channel_id: "C0NOWHERE" })).toBe(
      "channel_not_found",
    );
  });
});

describe("searches of messages and files", () => {
  test("show a hit with what is around it", async () => {
    const { run } = await open();
    const found = await run("slack_search_public", { query: "draw" });

    expect(found).toEqual({
      results: [
        "# Search Results for: draw",
        "",
        "## Messages (1 results)",
        "### Result 1 of 1",
        `Channel: #general (ID: ${GENERAL})`,
        "From: Robin Ray <robin@acme.test> (ID: U03ROBINRAY) ",
        "Time: 2026-01-05 09:10:00 GMT",
        `Message_ts: ${HELLO}`,
        `Permalink: [link](https://acme.chat.test/archives/${GENERAL}/p1767604200989456)`,
        "Text: ",
        "Hello, I am Robin. I draw things. <@U02JOHNADOE|john> let me know where to start.",
        "Context before: ",
        "- From: John Doe <john@acme.test> (ID: U02JOHNADOE) ",
        `  Message_ts: ${WELCOME}`,
        "  Welcome to Acme! Please introduce yourselves.",
        "",
        "---",
        "",
        "",
      ].join("\n"),
      pagination_info: LAST_PAGE,
    });
  });

  test("show nothing twice, and no more of the context than asked", async () => {
    const { run } = await open();
    const both = { query: "from:john", sort: "timestamp", sort_dir: "asc" };
    await run("slack_send_message", { channel_id: GENERAL, message: "Anything new?" });
    const { results } = await run("slack_search_public", both);
    const short = await run("slack_search_public", { query: "draw", max_context_length: 7 });
    const without = await run("slack_search_public", { query: "draw", include_context: false });

    expect(results).toContain(
      "- [See result above] From: John Doe <john@acme.test> (ID: U02JOHNADOE) Message_ts: 1767603600.731938\n",
    );
    expect(short.results).toContain("\n  Welcome…\n");
    expect(without.results).not.toContain("Context");
  });

  test("find nothing, or a page at a time", async () => {
    const { run } = await openBench();
    const nothing = await run("slack_search_public", { query: "zyzzyva" });
    const first = await run("slack_search_public", { query: "launch", limit: 1 });
    const cursor = "Q1VSUkVOVF9QQUdFOjI=";
    const second = await run("slack_search_public", { query: "launch", limit: 1, cursor });

    expect(nothing).toEqual({
      results: "# Search Results for: zyzzyva\n\nNo results found.\n",
      pagination_info: LAST_PAGE,
    });
    expect(first.pagination_info).toBe(`For the next page of results use cursor \`${cursor}\`\n`);
    expect(second.results).not.toBe(first.results);
  });

  test("concise is a line for each hit", async () => {
    const { run } = await open();
    const concise = { query: "draw", response_format: "concise" };

    expect((await run("slack_search_public", concise)).results).toBe(
      "# Search Results for: draw\n\n## Messages (1 results)\n1. #general - Robin Ray: Hello, I am Robin. I draw things. <@U02JOHNADOE|john> let me know where to start. [Jan 5]\n",
    );
  });

  test("keep to the kinds of conversations", async () => {
    const { run } = await open();
    await run("slack_send_message", { channel_id: "U03ROBINRAY", message: "quokka" });
    const search = async (args: object) =>
      (await run("slack_search_public_and_private", { query: "quokka", ...args })).results;

    expect((await run("slack_search_public", { query: "quokka" })).results).toContain("No results");
    expect(await search({ channel_types: "public_channel,private_channel" })).toContain(
      "No results",
    );
    expect(await search({ channel_types: "im" })).toContain(
      "\nParticipants: John Doe (ID: U02JOHNADOE), Robin Ray (ID: U03ROBINRAY)\n",
    );
    expect(await search({ only_my_channels: true, context_channel_id: GENERAL })).toContain(
      "quokka",
    );
  });

  test("keep to a time, exactly and inclusively", async () => {
    const { run } = await open();
    const hits = async (args: object) =>
      (
        await run("slack_search_public_and_private", { query: "in:general", ...args })
      ).results.match(/^### /gm)?.length ?? 0;

    expect(await hits({})).toBe(2);
    expect(await hits({ after: "1767604200" })).toBe(1);
    expect(await hits({ before: "1767603600" })).toBe(0);
    expect(await hits({ before: "1767603601" })).toBe(1);
    expect(await hits({ after: "1767604201" })).toBe(0);
  });

  test("leave bots out unless they are asked for", async () => {
    const { run } = await openBench();
    const search = async (args: object) =>
      (
        await run("slack_search_public_and_private", {
          query: "in:deploys",
          include_context: false,
          ...args,
        })
      ).results;

    expect(await search({})).not.toContain("[BOT]");
    expect(await search({ include_bots: true })).toMatch(/\nFrom: .* \(ID: U\w+\) {2}\[BOT\]\n/);
  });

  test("find files by words, class and owner", async () => {
    const { run } = await openBench();
    const files = async (query: string, args: object = {}) => {
      const asked = { query, content_types: "files", response_format: "concise", ...args };
      return (await run("slack_search_public_and_private", asked)).results;
    };
    const detailed = await run("slack_search_public", {
      query: "failover",
      content_types: "files",
    });

    expect(detailed.results).toContain(
      "## Files (1 results)\n### Result 1 of 1\nName: port-api-failover.md\nFile ID: F01RUNBOOK\n",
    );
    expect(await files("type:images creator:kris")).toContain("F03ONBOARD3");
    expect(await files("type:pdfs", { limit: 20 })).not.toContain("F03ONBOARD3");
    expect(await files("type:canvases")).toContain("F20LAUNCHPLAN");
    expect(await files("failover", { content_types: "messages" })).not.toContain("Files");
  });

  test("take every argument in both tools", async () => {
    const { run } = await open();
    const args = {
      query: "welcome",
      content_types: "messages",
      context_channel_id: GENERAL,
      cursor: "",
      limit: 50,
      after: "",
      before: "9999999999",
      include_bots: true,
      sort: "score",
      sort_dir: "desc",
      response_format: "detailed",
      include_context: false,
      max_context_length: 10,
      only_my_channels: true,
    };
    const one = await run("slack_search_public", args);

    expect(one.results).toContain("Welcome to Acme!");
    expect(await run("slack_search_public_and_private", args)).toEqual(one);
  });

  test.each([
    [{ query: " " }, "no_query"],
    [{ cursor: "x" }, "invalid_cursor"],
    [{ limit: 0 }, "invalid_limit"],
    [{ after: "yesterday" }, "invalid_arguments"],
    [{ channel_types: "secret" }, "invalid_types"],
  ])("%j is rejected: %s", async (args, code) => {
    const { error } = await open();

    expect(await error("slack_search_public_and_private", { query: "x", ...args })).toBe(code);
  });
});

describe("searches of channels, people and emoji", () => {
  test("show a channel", async () => {
    const { run } = await open();

    expect(await run("slack_search_channels", { query: "#random" })).toEqual({
      results: [
        "# Search Results for: #random",
        "",
        "## Channels (1 results)",
        "### Result 1 of 1",
        "Name: #random",
        "Creator: John Doe (<@U02JOHNADOE)",
        "Created: 2026-01-05 09:01:00 GMT",
        "Topic: Anything goes",
        "Purpose: What does not fit elsewhere",
        "Permalink: [link](https://acme.chat.test/archives/C02RANDOM)",
        "Is Archived: false",
        "Channel Type: public_channel",
        "",
        "---",
        "",
        "",
      ].join("\n"),
      pagination_info: LAST_PAGE,
    });
  });

  test("find archived and private channels on request, page by page", async () => {
    const { run } = await openBench();
    const search = async (args: object) =>
      (await run("slack_search_channels", { response_format: "concise", ...args })).results;

    expect(await search({ query: "atlas" })).not.toContain("#project-atlas");
    expect(await search({ query: "atlas", include_archived: true })).toContain("#project-atlas");
    expect(await search({ query: "offsite-2025", include_archived: true })).toContain("No results");
    expect(
      await search({
        query: "offsite-2025",
        include_archived: true,
        channel_types: "private_channel",
      }),
    ).toContain("#offsite-2025");
    expect(await search({ query: "e", limit: 1, cursor: "Q1VSUkVOVF9QQUdFOjI=" })).toContain(
      "1. #",
    );
  });

  test("show channels by their names before those by what they say", async () => {
    const { run, api } = await open();
    const { channel } = await api("conversations.create", { name: "aside" });
    await api("conversations.setPurpose", { channel: channel.id, purpose: "Every launch" });
    for (const name of ["all-the-launch", "the-launch-plans", "launches", "launch"])
      await api("conversations.create", { name });

    const { results } = await run("slack_search_channels", {
      query: "Launch",
      response_format: "concise",
    });

    const names: string[] = results.match(/(?<=#)\S+(?= \()/g);
    expect([...names.slice(0, 2), ...names.slice(2, 4).toSorted(), ...names.slice(4)]).toEqual([
      ...["launch", "launches", "all-the-launch", "the-launch-plans", "aside"],
    ]);
  });

  test("show a person, and leave people out", async () => {
    const { run } = await open();
    const search = async (query: string, args: object = {}) =>
      (await run("slack_search_users", { query, ...args })).results;

    expect(await search("@robin designer")).toBe(
      [
        "# Search Results for: @robin designer",
        "",
        "## Users (1 results)",
        "### Result 1 of 1",
        "Name: Robin Ray",
        "User ID: U03ROBINRAY",
        "Title: Designer",
        "Email: robin@acme.test",
        "Timezone: Europe/Berlin",
        "Profile Pic: [Photo](https://acme.chat.test/avatars/U03ROBINRAY_gu03robinray_512.png)",
        "Permalink: [link](https://acme.chat.test/team/U03ROBINRAY)",
        "",
        "---",
        "",
        "",
      ].join("\n"),
    );
    expect(await search("acme.test -designer", { response_format: "concise" })).not.toContain(
      "Robin",
    );
    expect(await search("acme", { limit: 1, cursor: "Q1VSUkVOVF9QQUdFOjI=" })).toContain(
      "### Result 1 of 1",
    );
  });

  test("show custom emoji and their aliases", async () => {
    const { run } = await openBench();

    expect(await run("slack_search_emojis", { query: "ACK, drop" })).toEqual({
      results:
        "# Search Results for: ACK, drop\n\n## Emojis (2 results)\n:ack: (alias for :white_check_mark:)\n:container-drop:\n",
    });
    expect((await run("slack_search_emojis", { query: "smile" })).results).toContain("No results");
  });
});

describe("slack_read_user_profile", () => {
  test("shows the caller, or another user in short", async () => {
    const { run } = await open();
    const own = await run("slack_read_user_profile", { include_locale: true });
    const short = { user_id: "U03ROBINRAY", response_format: "concise" };

    expect(own.result).toBe(
      [
        "User ID: U02JOHNADOE",
        "Username: john",
        "Display Name: john",
        "Real Name: John Doe",
        "Pronouns: ",
        "Title: Engineer",
        "Email: john@acme.test",
        "Organization Name: Acme",
        "Phone: ",
        "Status: ",
        "Timezone: Europe/London",
        "Admin: Yes",
        "Owner: Yes",
        "Bot: No",
        "Restricted: No",
        "Locale: en-US",
      ].join("\n"),
    );
    expect((await run("slack_read_user_profile", short)).result.split("\n")).toHaveLength(7);
  });

  test("of an unknown user, or of one whom a guest cannot see, is rejected", async () => {
    const { error } = await open();
    const guest = await openBench("U17TOBECK");
    const { members } = await guest.api("users.list");
    const codes = new Set<string>();
    for (const { id } of members)
      await guest.error("slack_read_user_profile", { user_id: id }).then(
        (code) => codes.add(code),
        () => undefined,
      );

    expect(await error("slack_read_user_profile", { user_id: "U0NOBODY" })).toBe("user_not_found");
    expect([...codes]).toEqual(["user_not_visible"]);
  });
});

describe("canvases", () => {
  const plan = { title: "Plan", content: "# Goal\n\nShip it\n\n- one\n- two" };

  async function withCanvas() {
    const opened = await open();
    const { canvas_id: id, canvas_url: url } = await opened.run("slack_create_canvas", plan);
    const read = async () => await opened.run("slack_read_canvas", { canvas_id: id });
    const update = (args: object) => opened.run("slack_update_canvas", { canvas_id: id, ...args });
    return { ...opened, id, url, read, update };
  }

  test("are created and read in sections, the title first", async () => {
    const { id, url, read } = await withCanvas();
    const { section_id_mapping: sections, ...canvas } = await read();

    expect(url).toBe(`https://acme.chat.test/docs/T01ACMECORP/${id}`);
    expect(canvas).toEqual({ canvas_id: id, markdown_content: `# Plan\n\n${plan.content}` });
    expect(Object.values(sections)).toEqual(["# Plan", "# Goal", "Ship it", "- one\n- two"]);
  });

  test("are changed by several edits of one snapshot, after which the ids are others", async () => {
    const { id, url, read, update } = await withCanvas();
    const before = Object.keys((await read()).section_id_mapping);
    const [title, goal, text, list] = before;
    const changed = await update({
      sections: [
        { edit_type: "replace", section_id: title, content: "# Plan B" },
        { edit_type: "append", section_id: goal, content: "Soon" },
        { edit_type: "prepend", section_id: text, content: "Very" },
        { edit_type: "delete", section_id: list },
        { edit_type: "append", content: "The end" },
      ],
    });
    const after = await read();

    expect(changed).toEqual({ canvas_id: id, canvas_url: url });
    expect(after.markdown_content).toBe("# Plan B\n\n# Goal\n\nSoon\n\nVery\n\nShip it\n\nThe end");
    expect(Object.keys(after.section_id_mapping).filter((each) => before.includes(each))).toEqual(
      [],
    );
  });

  test("take the older form with one edit", async () => {
    const { read, update } = await withCanvas();
    const [, goal] = Object.keys((await read()).section_id_mapping);
    await update({ action: "append", section_id: goal, content: "Soon" });
    await update({ action: "prepend", content: "First" });
    const extended = await read();
    await update({ action: "replace", content: "Nothing else" });

    expect(extended.markdown_content).toStartWith("# Plan\n\nFirst\n\n# Goal\n\nSoon\n\n");
    expect((await read()).markdown_content).toBe("# Plan\n\nNothing else");
  });

  test("stay as they are if one edit of several is rejected", async () => {
    const { read, error, id } = await withCanvas();
    const before = await read();
    const sections = [
      { edit_type: "append", content: "More" },
      { edit_type: "delete", section_id: "temp:C:000000000000" },
    ];

    expect(await error("slack_update_canvas", { canvas_id: id, sections })).toBe(
      "section_not_found",
    );
    expect(await read()).toEqual(before);
  });

  test.each([
    [{ sections: [] }, "invalid_arguments"],
    [{ sections: [{ edit_type: "delete" }] }, "invalid_arguments"],
    [{ content: "no action" }, "invalid_arguments"],
    [{ action: "append" }, "invalid_arguments"],
    [{ action: "append", content: "x", sections: [] }, "invalid_arguments"],
    [{ action: "erase" }, "Invalid argument action: expected one of append, prepend, replace"],
    [{ sections: [{}] }, "Missing required argument: sections[0].edit_type"],
    [{ action: "append", content: "x".repeat(100_001) }, "invalid_rich_text_content"],
    [{ action: "append", content: " ".repeat(100_001) }, "invalid_rich_text_content"],
  ])("reject an edit %j: %s", async (args, code) => {
    const { error, id } = await withCanvas();

    expect(await error("slack_update_canvas", { canvas_id: id, ...args })).toBe(code);
  });

  test("reject a title of two lines, an unknown canvas, and people without access", async () => {
    const { read, error, id } = await withCanvas();
    const [title] = Object.keys((await read()).section_id_mapping);
    const rename = { edit_type: "replace", section_id: title, content: "a\nb" };
    const guest = await openBench("U17TOBECK");
    const write = { title: "x", content: "y" };
    const long = { title: "x".repeat(256), content: "y" };
    const longText = { title: "x", content: `![](@U0NOBODY)${"x".repeat(100_001)}` };

    expect(await error("slack_update_canvas", { canvas_id: id, sections: [rename] })).toBe(
      "invalid_arguments",
    );
    expect(await error("slack_read_canvas", { canvas_id: "F0NOWHERE" })).toBe("canvas_not_found");
    expect(await guest.error("slack_create_canvas", write)).toBe("permission_denied");
    expect(await error("slack_create_canvas", long)).toBe("invalid_rich_text_content");
    expect(await error("slack_create_canvas", longText)).toBe("invalid_rich_text_content");
  });
});

describe("slack_read_file", () => {
  test("reads text inside a tag, other files in base64, and canvases as Markdown", async () => {
    const { run } = await openBench();
    const text = await run("slack_read_file", { file_id: "F08RELNOTES" });
    const image = await run("slack_read_file", { file_id: "F03ONBOARD3" });
    const canvas = await run("slack_read_file", { file_id: "F20LAUNCHPLAN" });
    const [, tag] = /^<(file_content_[0-9a-f]{8})>\n- Fixed: /.exec(text.content) ?? [];

    expect(text).toMatchObject({ file_id: "F08RELNOTES", name: "tracking-app-4.2.1.md" });
    expect(text.content).toEndWith(`\n</${tag}>`);
    expect(image).toMatchObject({ mimetype: "image/png" });
    expect(image.content_base64).toStartWith("iVBORw0KGgo");
    expect(canvas.content).toContain("Go-live is **Tuesday 10 March, 08:00 CET**.");
  });

  test("of an unknown or deleted file is rejected", async () => {
    const { error, api } = await openBench();
    const { error: denied } = await open();
    const uploaded = await api("files.getUploadURLExternal", { filename: "a.txt", length: 1 });
    await fetch(uploaded.upload_url, { method: "POST", body: "x" });
    await api("files.completeUploadExternal", { files: [{ id: uploaded.file_id }] });
    await api("files.delete", { file: uploaded.file_id });

    expect(await denied("slack_read_file", { file_id: "F0NOWHERE" })).toBe("file_not_found");
    expect(await error("slack_read_file", { file_id: uploaded.file_id })).toBe("file_deleted");
  });
});

describe("rows", () => {
  type Opened = Awaited<ReturnType<typeof open>>;

  /** The changes of `act` in a new environment, with new ids and times by the order of their appearance. */
  async function changesOf(act: (opened: Opened) => Promise<unknown>) {
    const opened = await open();
    const { environmentId: envId } = opened.environment;
    const { body: run } = await program.post("/startRun", { envId });
    await act(opened);
    const answer = await program.post("/diffRun", { runId: run.runId });
    expectStatus(answer, 200);
    const known = new Map<string, string>();
    const text = JSON.stringify(answer.body.diff ?? answer.body)
      .replace(/"(before|after)Snapshot":"[^"]*"|"runId":"[^"]*"/g, "")
      .replace(/temp:C:\w{12}/g, "SECTION")
      .replace(/"block_id":"\w+"/g, "BLOCK")
      .replace(/\b179\d{7,}(\.\d+)?\b|\b1[89]\d{8,}(\.\d+)?\b/g, "TIME");
    return text.replace(/\b(?:[CDF]|Q|Dr)[0-9A-Z]{10,16}\b/g, (id) => {
      if (!known.has(id)) known.set(id, `ID${known.size}`);
      return known.get(id) ?? id;
    });
  }

  const soon = Math.floor(Date.now() / 1000) + 3_600;
  const CASES: [
    string,
    (opened: Opened) => Promise<unknown>,
    (opened: Opened) => Promise<unknown>,
  ][] = [
    [
      "a message",
      ({ run }) => run("slack_send_message", { channel_id: GENERAL, message: "**a**" }),
      ({ api }) => api("chat.postMessage", { channel: GENERAL, markdown_text: "**a**" }),
    ],
    [
      "a direct message",
      ({ run }) => run("slack_send_message", { channel_id: "U03ROBINRAY", message: "a" }),
      ({ api }) => api("chat.postMessage", { channel: "U03ROBINRAY", markdown_text: "a" }),
    ],
    [
      "a scheduled message",
      ({ run }) =>
        run("slack_schedule_message", { channel_id: GENERAL, message: "a", post_at: soon }),
      ({ api }) =>
        api("chat.scheduleMessage", { channel: GENERAL, markdown_text: "a", post_at: soon }),
    ],
    [
      "a reaction",
      ({ run }) =>
        run("slack_add_reaction", { channel_id: GENERAL, message_ts: HELLO, emoji: "tada" }),
      ({ api }) => api("reactions.add", { channel: GENERAL, timestamp: HELLO, name: "tada" }),
    ],
    [
      "a channel with a member",
      ({ run }) =>
        run("slack_create_conversation", { channel_name: "q", user_ids: ["U03ROBINRAY"] }),
      async ({ api }) => {
        const { channel } = await api("conversations.create", { name: "q" });
        await api("conversations.invite", { channel: channel.id, users: "U03ROBINRAY" });
      },
    ],
    [
      "a canvas",
      ({ run }) => run("slack_create_canvas", { title: "T", content: "a" }),
      ({ api }) =>
        api("canvases.create", {
          title: "T",
          document_content: { type: "markdown", markdown: "a" },
        }),
    ],
  ];

  test.each(CASES)("of %s are those of the Web API", async (_what, byTool, byMethod) => {
    const rows = await changesOf(byTool);

    expect(rows).toBe(await changesOf(byMethod));
    expect(rows).toContain("U02JOHNADOE");
  });

  test("a rejected tool leaves none", async () => {
    const rows = await changesOf(async ({ error }) => {
      await error("slack_create_conversation", {
        channel_name: "general",
        user_ids: ["U03ROBINRAY"],
      });
      await error("slack_read_channel", { channel_id: "U03ROBINRAY", cursor: "bm93aGVyZQ==" });
      await error("slack_send_message", {
        channel_id: "U03ROBINRAY",
        message: "x",
        thread_ts: HELLO,
      });
    });

    expect(rows).toContain('"inserts":[]');
    expect(rows).toContain('"updates":[]');
  });
});

afterAll(() => {
  type Schema = { properties?: Record<string, Schema>; items?: Schema };
  const names = (schema: Schema, prefix: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
      `${prefix}.${name}`,
      ...names(inner.items ?? {}, `${prefix}.${name}`),
    ]);
  const declared = vendor.tools.flatMap((tool) => names(tool.inputSchema as Schema, tool.name));

  expect(declared.filter((each) => !used.has(each))).toEqual([]);
});
