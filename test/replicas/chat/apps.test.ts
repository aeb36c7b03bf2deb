/** Features of apps: blocks, streams, unfurls, views, and threads with an assistant. */
import { describe, expect, test } from "bun:test";
import { home, modal } from "./refusals/apps";
import { AGENT, BOT, GENERAL, HELLO, JOHN, ROBIN, refused, useScenes, WELCOME } from "./scene";

const newScene = useScenes();
const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

describe("blocks.validate", () => {
  test("reports every mistake with its place, and posts nothing", async () => {
    const { agent } = await newScene();
    const wrong = [{ type: "section" }, { type: "header", text: { type: "mrkdwn", text: "x" } }];

    const alone: any = await agent.blocks.validate({ blocks: wrong } as never);
    const inMessage: any = await agent.blocks.validate({ message: { blocks: wrong } } as never);
    const inView: any = await agent.blocks.validate({ view: { ...home, blocks: wrong } } as never);
    const right: any = await agent.blocks.validate({ blocks: [section("*hi*")] } as never);

    expect(alone.errors.map(({ pointer }: any) => pointer)).toEqual([
      "/blocks/0",
      "/blocks/1/text/type",
    ]);
    expect(alone.errors[0]).toMatchObject({ code: "invalid_blocks", message: expect.any(String) });
    expect(inMessage.errors[0].pointer).toBe("/message/blocks/0");
    expect(inView.errors[0].pointer).toBe("/view/blocks/0");
    expect(right.errors).toEqual([]);
  });
});

describe("streams", () => {
  const to = { recipient_user_id: JOHN, recipient_team_id: "T01ACMECORP" };

  test("build a reply in chunks", async () => {
    const { agent, robin } = await newScene();
    const started = await agent.chat.startStream({
      channel: GENERAL,
      thread_ts: WELCOME,
      markdown_text: "Let me **see",
      ...to,
    });
    const which = { channel: started.channel ?? "", ts: started.ts ?? "" };
    const task = (status: string) => ({ type: "task_update", id: "t1", title: "Look", status });

    await agent.chat.appendStream({
      ...which,
      chunks: [task("in_progress"), { type: "plan_update", title: "Plan" }],
    } as never);
    await agent.chat.appendStream({
      ...which,
      markdown_text: "**. Found & done.",
      chunks: [task("complete")],
    } as never);
    const stopped: any = await agent.chat.stopStream({
      ...which,
      blocks: [section("done")],
      metadata: { event_type: "answered", event_payload: { n: 1 } },
    } as never);

    expect(stopped.message).toMatchObject({
      text: "Let me *see*. Found &amp; done.",
      thread_ts: WELCOME,
      user: AGENT,
      streaming_state: "completed",
    });
    expect(stopped.message.blocks).toMatchObject([
      { type: "task_card", task_id: "t1", title: "Look", status: "complete" },
      { type: "plan", title: "Plan" },
      { type: "section", text: { text: "done" } },
    ]);
    const { messages }: any = await robin.conversations.replies({
      channel: GENERAL,
      ts: WELCOME,
      include_all_metadata: true,
    });
    expect(messages).toHaveLength(2);
    expect(messages[1]).toMatchObject({ ts: which.ts, metadata: { event_type: "answered" } });
    const late = await refused(agent.chat.appendStream({ ...which, markdown_text: "more" }));
    expect(late.error).toBe("message_not_in_streaming_state");
  });

  test("belong to the user who started them, and need no recipient in a direct message", async () => {
    const { agent, john } = await newScene();
    const { channel } = await agent.conversations.open({ users: JOHN });
    const { ts = "" } = await john.chat.postMessage({ channel: channel?.id ?? "", text: "Help!" });

    const stream = await agent.chat.startStream({
      channel: channel?.id ?? "",
      thread_ts: ts,
    } as never);

    const answer = await refused(
      john.chat.stopStream({ channel: channel?.id ?? "", ts: stream.ts ?? "" }),
    );
    expect(answer.error).toBe("message_not_owned_by_app");
  });

  test("come from the client's own helper", async () => {
    const { agent } = await newScene();
    const streamer = agent.chatStream({
      channel: GENERAL,
      thread_ts: HELLO,
      buffer_size: 4,
      ...to,
    } as never);

    await streamer.append({ markdown_text: "one " });
    await streamer.append({ markdown_text: "two " });
    await streamer.append({ markdown_text: "three" });
    const stopped: any = await streamer.stop();

    expect(stopped.message.text).toContain("one");
    expect(stopped.message.text).toContain("three");
  });
});

describe("chat.unfurl", () => {
  test("adds previews of links to the message, one per address", async () => {
    const { agent, bot } = await newScene();
    const { ts = "" } = await agent.chat.postMessage({
      channel: GENERAL,
      text: "see https://acme.test/1 and https://acme.test/2?a=1&b=2",
    });
    const unfurl = (unfurls: object) => bot.chat.unfurl({ channel: GENERAL, ts, unfurls } as never);

    await unfurl({
      "https://acme.test/1": { title: "One" },
      "https://acme.test/2?a=1&b=2": { title: "Two" },
    });
    await unfurl({ "https://acme.test/1": { title: "Uno", blocks: [section("uno")] } });

    const { messages }: any = await agent.conversations.history({ channel: GENERAL, limit: 1 });
    expect(messages[0].attachments).toMatchObject([
      { id: 1, title: "Two", from_url: "https://acme.test/2?a=1&b=2" },
      { id: 2, title: "Uno", from_url: "https://acme.test/1", blocks: [{ type: "section" }] },
    ]);
    expect(messages[0]).not.toHaveProperty("edited");
  });

  test("asks the author, and no one else, to sign in", async () => {
    const { agent, bot, sql, schema } = await newScene();
    const { ts = "" } = await agent.chat.postMessage({
      channel: GENERAL,
      text: "https://acme.test/1",
    });

    await bot.chat.unfurl({
      channel: GENERAL,
      ts,
      unfurls: {},
      user_auth_required: true,
      user_auth_message: "Please sign in",
      user_auth_url: "https://acme.test/login",
    } as never);

    const asked = await sql.unsafe(
      `select user_id, author_id, text, attachments from "${schema}".ephemeral_messages`,
    );
    expect([...asked]).toMatchObject([
      {
        user_id: AGENT,
        author_id: BOT,
        text: "Please sign in",
        attachments: [{ title_link: "https://acme.test/login" }],
      },
    ]);
  });
});

describe("views", () => {
  test("of the home tab are published once per user, and protected by their hash", async () => {
    const { agent } = await newScene();
    const publish = (user: string, text: string, more: object = {}) =>
      agent.views.publish({
        user_id: user,
        view: { ...home, blocks: [section(text)] },
        ...more,
      } as never);

    const first: any = await publish(ROBIN, "one");
    const second: any = await publish(ROBIN, "two", { hash: first.view.hash });
    const other: any = await publish(JOHN, "hello");

    expect(first.view).toMatchObject({
      team_id: "T01ACMECORP",
      type: "home",
      state: { values: {} },
      root_view_id: first.view.id,
      previous_view_id: null,
      private_metadata: "",
      callback_id: "",
      external_id: "",
    });
    expect(second.view.id).toBe(first.view.id);
    expect(second.view.blocks).toMatchObject([
      { text: { text: "two" }, block_id: expect.any(String) },
    ]);
    expect(other.view.id).not.toBe(first.view.id);
    expect((await refused(publish(ROBIN, "three", { hash: first.view.hash }))).error).toBe(
      "hash_conflict",
    );
  });

  test("of modals are stacked, three at most, and changed by id or external id", async () => {
    const { agent, bot, trigger } = await newScene();
    const show = (title: string, more: object = {}) => ({
      ...modal,
      title: { type: "plain_text", text: title },
      ...more,
    });
    const opened: any = await agent.views.open({
      trigger_id: await trigger(),
      view: show("One", {
        external_id: "first",
        private_metadata: "m",
        callback_id: "c",
        submit: { type: "plain_text", text: "Go" },
        notify_on_close: true,
      }),
    } as never);
    const pushed: any = await agent.views.push({
      interactivity_pointer: await trigger(),
      view: show("Two"),
    } as never);

    const updated: any = await agent.views.update({
      external_id: "first",
      view: show("Uno"),
      hash: opened.view.hash,
    } as never);
    const again: any = await agent.views.update({
      view_id: pushed.view.id,
      view: show("Due"),
    } as never);

    expect(opened.view).toMatchObject({
      external_id: "first",
      private_metadata: "m",
      callback_id: "c",
      submit: { text: "Go" },
      notify_on_close: true,
      clear_on_close: false,
    });
    expect(pushed.view).toMatchObject({
      previous_view_id: opened.view.id,
      root_view_id: opened.view.id,
    });
    expect(updated.view).toMatchObject({
      id: opened.view.id,
      title: { text: "Uno" },
      external_id: "",
    });
    expect(updated.view.hash).not.toBe(opened.view.hash);
    expect(again.view).toMatchObject({ id: pushed.view.id, title: { text: "Due" } });
    // A stack belongs to one user.
    expect(
      (await refused(bot.views.push({ trigger_id: await trigger(), view: modal as never }))).error,
    ).toBe("not_found");
  });
});

describe("a trigger", () => {
  test("shows the modal of the app that uses it to the user it was issued for", async () => {
    const { bot, trigger, state } = await newScene();

    const { view }: any = await bot.views.open({
      trigger_id: await trigger(JOHN),
      view: modal as never,
    });
    const pushed: any = await bot.views.push({
      trigger_id: await trigger(JOHN),
      view: modal as never,
    });

    expect(pushed.view.root_view_id).toBe(view.id);
    const { views }: any = await state();
    expect(views.map(({ user_id, app_id }: any) => [user_id, app_id])).toEqual([
      [JOHN, "A06BOT"],
      [JOHN, "A06BOT"],
    ]);
  });

  test("of another environment is invalid, and issuing one changes nothing", async () => {
    const { agent, state } = await newScene();
    const other = await newScene();
    const before = await state();
    const foreign = { trigger_id: await other.trigger(), view: modal as never };
    expect((await refused(agent.views.open(foreign))).error).toBe("invalid_trigger_id");
    expect(await state()).toEqual(before);
  });

  test("is for a user of the environment", async () => {
    const { trigger } = await newScene();
    await expect(trigger("U99NOBODY")).rejects.toThrow("no user U99NOBODY");
  });
});

describe("assistant threads", () => {
  test("keep their status, title and prompts", async () => {
    const { agent, sql, schema } = await newScene();
    const thread = { channel_id: GENERAL, thread_ts: WELCOME };
    const kept = async () => {
      const rows = await sql.unsafe(
        `select id, data from "${schema}".records where type = 'assistant_thread'`,
      );
      return Object.fromEntries(rows.map((row) => [row["id"], row["data"]]));
    };
    const prompts = [{ title: "Tea", message: "Make tea" }] as never;

    await agent.assistant.threads.setStatus({
      ...thread,
      status: "is thinking",
      loading_messages: ["a", "b"],
    });
    await agent.assistant.threads.setTitle({ ...thread, title: "Welcome" });
    await agent.assistant.threads.setSuggestedPrompts({ ...thread, prompts, title: "Try" });
    expect(await kept()).toEqual({
      [`${GENERAL} ${WELCOME}`]: {
        status: "is thinking",
        loading_messages: ["a", "b"],
        user: AGENT,
        at: expect.any(Number),
        title: "Welcome",
        prompts: [{ title: "Tea", message: "Make tea" }],
        prompts_title: "Try",
      },
    });

    await agent.assistant.threads.setStatus({ ...thread, status: "" });
    expect(await kept()).toMatchObject({ [`${GENERAL} ${WELCOME}`]: { title: "Welcome" } });
    expect(JSON.stringify(await kept())).not.toContain("thinking");
  });

  test("lose their status when the assistant answers, and not when another person does", async () => {
    const { agent, robin, sql, schema } = await newScene();
    const thread = { channel_id: GENERAL, thread_ts: WELCOME };
    const kept = async () => {
      const rows = await sql.unsafe(
        `select data from "${schema}".records where type = 'assistant_thread'`,
      );
      return rows[0]?.["data"];
    };
    await agent.assistant.threads.setTitle({ ...thread, title: "Welcome" });
    await agent.assistant.threads.setStatus({ ...thread, status: "is thinking" });
    const reply = { channel: GENERAL, thread_ts: WELCOME, text: "Hm" };
    await robin.chat.postMessage(reply);
    await agent.chat.postMessage({ channel: GENERAL, text: "Elsewhere" });
    expect(await kept()).toMatchObject({ status: "is thinking" });
    await agent.chat.postMessage(reply);
    expect(await kept()).toEqual({ title: "Welcome" });
  });
});
