/** Acts of people: a button, a choice. The app that is meant learns of them. */
import { describe, expect, test } from "bun:test";
import { button, FROZEN, GENERAL, JOHN, option, plain, useActing } from "../../support/acting";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const { withApp, connect, act, deliveries, post } = useActing(program);

const actions = (...elements: object[]) => [{ type: "actions", block_id: "choice", elements }];
const click = { type: "block_actions", user: JOHN, channel: GENERAL, action_id: "approve" };

describe("a person who uses a button", () => {
  test("is reported to the app of the message, as the service does", async () => {
    const environment = await withApp(FROZEN, [
      { app: APP, events: [] },
      { app: "A01AGENTTWO", userId: "U02JOHNADOE", events: ["message.channels"] },
    ]);
    const app = await connect(environment);
    const message = await post(environment, { blocks: actions(button) });

    const answer = await act(environment, { ...click, message });

    expectStatus(answer, 200);
    expect(answer.body).toMatchObject({
      ...{ service: "chat", type: "interactive.block_actions" },
      cause: { by: "hand", request: null },
      deliveries: [{ app: APP }],
      missed: [{ app: "A01AGENTTWO", reason: "it goes to another app" }],
    });
    const envelope = await app.acted();
    expect(envelope).toEqual({
      envelope_id: expect.any(String),
      type: "interactive",
      accepts_response_payload: false,
      payload: {
        type: "block_actions",
        user: { id: JOHN, username: "john", name: "john", team_id: "T01ACMECORP" },
        api_app_id: APP,
        token: expect.any(String),
        container: {
          ...{ type: "message", message_ts: message, channel_id: GENERAL, is_ephemeral: false },
        },
        trigger_id: expect.stringMatching(/^\d{13}\.[0-9a-f]{10}\.U02JOHNADOE\./),
        team: { id: "T01ACMECORP", domain: expect.any(String) },
        enterprise: null,
        is_enterprise_install: false,
        channel: { id: GENERAL, name: "general" },
        message: expect.objectContaining({ ts: message, user: "U01AGENTONE", text: "choose" }),
        state: { values: {} },
        response_url: expect.stringContaining("/services/chat/actions/T01ACMECORP/"),
        actions: [
          {
            ...{ type: "button", action_id: "approve", block_id: "choice", value: "order-7" },
            text: { ...plain("OK"), emoji: true },
            action_ts: "1773219600.000000",
          },
        ],
      },
    });
    await eventually(async () => {
      const event = (await deliveries(environment)).at(-1);
      expect(event.deliveries[0]).toMatchObject({ state: "delivered" });
      expect(event.payload).not.toHaveProperty("response_url");
    });
  });

  test("gives the app a trigger, for 3 s of the environment", async () => {
    const environment = await withApp(FROZEN);
    const app = await connect(environment);
    const message = await post(environment, { blocks: actions(button) });
    const view = { type: "modal", title: plain("Sure?"), blocks: [{ type: "divider" }] };
    const opened = async () => {
      const { trigger_id } = (await app.acted(count)).payload;
      return await program.chat(environment, "views.open", { trigger_id, view });
    };
    let count = 1;

    expectStatus(await act(environment, { ...click, message }), 200);
    expect(await opened()).toMatchObject({ ok: true });
    expect(await opened()).toMatchObject({ error: "exchanged_trigger_id" });
    expectStatus(await act(environment, { ...click, message }), 200);
    count = 2;
    const clock = `/env/${environment.environmentId}/clock`;
    expectStatus(await program.post(clock, { advance: "PT4S" }), 200);
    expect(await opened()).toMatchObject({ error: "expired_trigger_id" });
  });

  test("is reported once, also if the app does not acknowledge it", async () => {
    const environment = await withApp();
    const app = await connect(environment, () => false);
    const message = await post(environment, { blocks: actions(button) });
    expectStatus(await act(environment, { ...click, message }), 200);
    await eventually(async () => {
      const event = (await deliveries(environment)).at(-1);
      expect(event.deliveries[0]).toMatchObject({
        state: "failed",
        attempts: [{ failed: "no acknowledgement" }],
      });
    });
    expect(app.received.filter(({ type }) => type === "interactive")).toHaveLength(1);
  });

  test("changes nothing in a run, is waited for, and is counted", async () => {
    const environment = await withApp();
    const { environmentId: envId } = environment;
    const message = await post(environment, { blocks: actions(button) });
    const { runId } = (await program.post("/startRun", { envId })).body;
    const until = { type: "interactive.block_actions" };
    const waiting = program.post(`/env/${envId}/wait`, { until });
    expectStatus(await act(environment, { ...click, message }), 200);
    expect((await waiting).body).toMatchObject({ ended: "event" });
    const clicked = { diff_type: "delivered", entity: until.type, where: { app: APP } };
    const expectedOutput = {
      assertions: [{ ...clicked, expected_count: 1 }],
      closed_world: true,
    };
    const { body } = await program.post("/evaluateRun", { runId, expectedOutput });
    expect(body).toMatchObject({ status: "passed", unsafe: { count: 0 } });
  });

  test("does so in a message that only this person sees, and in an attachment", async () => {
    const environment = await withApp();
    const app = await connect(environment);
    const own = { channel: GENERAL, user: JOHN, text: "x", blocks: actions(button) };
    const { message_ts } = await program.chat(environment, "chat.postEphemeral", own);
    expectStatus(await act(environment, { ...click, message: message_ts }), 200);
    const ephemeral = (await app.acted()).payload;
    expect(ephemeral.container).toMatchObject({ message_ts, is_ephemeral: true });
    expect(ephemeral).not.toHaveProperty("message");

    const attachments = [{ blocks: actions(button) }];
    const message = await post(environment, { attachments });
    expectStatus(await act(environment, { ...click, message }), 200);
    expect((await app.acted(2)).payload.container).toMatchObject({
      ...{ type: "message_attachment", attachment_id: 1, is_app_unfurl: false },
    });
  });

  test("does so in a view", async () => {
    const environment = await withApp(FROZEN);
    const app = await connect(environment);
    const input = {
      ...{ type: "input", block_id: "why", label: plain("Why"), optional: true },
      element: { type: "plain_text_input", action_id: "reason", initial_value: "so" },
    };
    const view = { type: "home", blocks: [...actions(button), input] };
    const published = await program.chat(environment, "views.publish", { user_id: JOHN, view });
    const { user, type, action_id } = click;
    const given = { type, user, action_id, view: published.view.id };
    expectStatus(await act(environment, given), 200);
    const { payload } = await app.acted();
    expect(payload).toMatchObject({
      container: { type: "view", view_id: published.view.id },
      view: {
        type: "home",
        state: { values: { why: { reason: { type: "plain_text_input", value: "so" } } } },
      },
    });
    expect(payload).not.toHaveProperty("channel");
    expect(payload).not.toHaveProperty("response_url");
    expectRefusal(
      await act(environment, { ...given, user: "U01AGENTONE" }),
      400,
      "invalid_request",
    );
  });
});

const element = (type: string, fields: object = {}) => ({ type, action_id: "approve", ...fields });
const options = { options: ["a", "b", "c"].map(option) };
const shown = (value: string) => ({ text: { ...plain(value), emoji: true }, value });

describe("a choice", () => {
  test.each([
    [element("static_select", options), "b", { selected_option: shown("b") }],
    [
      element("static_select", { option_groups: [{ label: plain("x"), ...options }] }),
      "c",
      { selected_option: shown("c") },
    ],
    [element("radio_buttons", options), null, { selected_option: null }],
    [element("overflow", options), "a", { selected_option: shown("a") }],
    [element("checkboxes", options), ["c", "a"], { selected_options: [shown("c"), shown("a")] }],
    [element("multi_static_select", options), [], { selected_options: [] }],
    [element("users_select"), JOHN, { selected_user: JOHN }],
    [element("multi_users_select"), [JOHN], { selected_users: [JOHN] }],
    [element("channels_select"), GENERAL, { selected_channel: GENERAL }],
    [element("conversations_select"), GENERAL, { selected_conversation: GENERAL }],
    [element("datepicker"), "2026-03-12", { selected_date: "2026-03-12" }],
    [element("timepicker"), "09:30", { selected_time: "09:30" }],
    [element("datetimepicker"), 1773219600, { selected_date_time: 1773219600 }],
  ])("in %j is sent, and shown in the state", async (one, value, fields) => {
    const environment = await withApp();
    const app = await connect(environment);
    const message = await post(environment, { blocks: actions(one) });
    expectStatus(await act(environment, { ...click, message, value }), 200);
    const { payload } = await app.acted();
    expect(payload.actions).toMatchObject([{ type: one.type, action_id: "approve", ...fields }]);
    const kept = { choice: { approve: { type: one.type, ...fields } } };
    expect(payload.state.values).toEqual(one.type === "overflow" ? {} : kept);
  });

  test("is sent with the other values of the message, as they are at first or as the person has chosen", async () => {
    const environment = await withApp();
    const app = await connect(environment);
    const initial = element("static_select", { ...options, initial_option: option("c") });
    const input = {
      ...{ type: "input", block_id: "note", label: plain("Note") },
      element: { type: "plain_text_input", action_id: "text" },
    };
    const blocks = [...actions(button, { ...initial, action_id: "size" }), input];
    const message = await post(environment, { blocks });
    const values = { note: { text: "please" } };
    expectStatus(await act(environment, { ...click, message, values }), 200);
    expect((await app.acted()).payload.state.values).toEqual({
      choice: { size: { type: "static_select", selected_option: shown("c") } },
      note: { text: { type: "plain_text_input", value: "please" } },
    });
  });
});

describe("an act that the person cannot do", () => {
  const blocks = [
    ...actions(button, element("static_select", { ...options, action_id: "size" })),
    { type: "section", block_id: "other", text: plain("x"), accessory: button },
    {
      ...{ type: "input", block_id: "note", label: plain("Note") },
      element: { type: "plain_text_input", action_id: "text", max_length: 5 },
    },
  ];
  const first = { ...click, block_id: "choice" };

  test.each([
    [{ ...first, message: "1.000000" }, "act.message: the person sees no message"],
    [{ ...first, channel: "C09NOWHERE" }, "act.channel: the person sees no channel"],
    [{ ...first, user: "U09NOBODY" }, "act.user: there is no user"],
    [
      { ...first, action_id: "aprove" },
      'there is no such interactive element; the nearest is "approve"',
    ],
    [click, "act.block_id: needed"],
    [{ ...first, value: "order-8" }, "act.value: the element has another value"],
    [{ ...first, action_id: "size" }, "act.value: needed"],
    [{ ...first, action_id: "size", value: "d" }, 'act.value: the person cannot choose "d"'],
    [{ ...first, action_id: "size", value: ["a"] }, "act.value: one value is needed"],
    [{ ...click, action_id: "text", value: "x" }, "it has no dispatch_action"],
    [{ ...first, values: { note: { text: "too long" } } }, "act.values.note.text"],
    [{ ...first, values: { note: { txt: "x" } } }, 'the nearest is "note.text"'],
    [{ ...first, view: "V0123456789" }, "act.view: either a view is needed"],
    [{ ...first, tpye: 1 }, "act.tpye"],
    [{ ...first, type: "block_action" }, 'the nearest is "block_actions"'],
  ])("is rejected: %j", async (given, problem) => {
    const environment = await withApp();
    const message = await post(environment, { blocks });
    const answer = await act(environment, { message, ...given });
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(problem);
    expect((await deliveries(environment)).map(({ type }: any) => type)).toEqual([
      "message.channels",
    ]);
  });

  test("concerns a private channel without the person, or an app that receives nothing", async () => {
    const environment = await withApp({}, [{ app: "A09OTHER", userId: JOHN, events: [] }]);
    const channel = (
      await program.chat(environment, "conversations.create", { name: "own", is_private: true })
    ).channel.id;
    const hidden = await post(environment, { channel, blocks: actions(button) });
    const seen = await post(environment, { blocks: actions(button) });
    const tried = async (given: object) => (await act(environment, { ...click, ...given })).body;
    expect((await tried({ channel, message: hidden })).detail).toContain("sees no channel");
    expect((await tried({ message: seen })).detail).toContain("is of the user U01AGENTONE, which");
  });

  test("is one of a bot", async () => {
    const environment = await withApp({ templateName: "chat_bench_default" });
    const given = { ...click, user: "U27PIPESBOT", message: "1.000000" };
    expect((await act(environment, given)).body.detail).toBe(
      "act.user: a bot cannot act as a person does",
    );
  });

  test("is given alone", async () => {
    const environment = await withApp();
    const path = `/env/${environment.environmentId}/events`;
    const answer = await program.post(path, { type: "team_join", event: {}, act: click });
    expectRefusal(answer, 400, "invalid_request");
  });
});
