/** Acts that apps answer in their acknowledgements: submitted modals, commands. */
import { describe, expect, test } from "bun:test";
import { type Environment, GENERAL, JOHN, option, plain, useActing } from "../../support/acting";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const { withApp, connect, act, deliveries, post } = useActing(program);

const input = (id: string, element: object, fields: object = {}) => ({
  ...{ type: "input", block_id: id, label: plain(id), ...fields },
  element: { action_id: "it", ...element },
});
const modal = (title: string, fields: object = {}) => ({
  ...{ type: "modal", callback_id: "order", private_metadata: "m", title: plain(title) },
  submit: plain("Send"),
  blocks: [
    input("amount", { type: "number_input", is_decimal_allowed: false }),
    input("size", { type: "static_select", options: ["s", "l"].map(option) }, { optional: true }),
  ],
  ...fields,
});
const values = { amount: { it: "7" } };

/** A modal that John sees, and an app that answers its submission. */
async function opened(answer: object | undefined, view: object = modal("Order")) {
  const environment = await withApp();
  const app = await connect(
    environment,
    () => answer !== undefined,
    () => answer,
  );
  const { view: shown } = await program.chat(environment, "views.open", {
    trigger_id: await trigger(environment),
    view,
  });
  return { environment, app, view: shown };
}

async function trigger({ environmentId }: Environment) {
  const { body } = await program.post(`/env/${environmentId}/triggers`, { userId: JOHN });
  return body.triggerId;
}

const submission = { type: "view_submission", user: JOHN, values };

/** Does something in a run, and returns its diff and its calls. */
async function inRun<T>(
  { environmentId: envId }: Environment,
  work: () => Promise<T>,
  include: string[] = [],
) {
  const { runId } = (await program.post("/startRun", { envId })).body;
  const result = await work();
  const { diff } = (await program.post("/diffRun", { runId, include })).body;
  return { runId, diff, result };
}

describe("a submitted modal", () => {
  test("is reported with its values, and closes", async () => {
    const { environment, app, view } = await opened({});
    const { diff, result } = await inRun(environment, () =>
      act(environment, { ...submission, view: view.id }),
    );
    expectStatus(result, 200);
    expect(result.body).toMatchObject({
      type: "interactive.view_submission",
      deliveries: [{ app: APP, state: "delivered", attempts: [{ failed: null, answer: {} }] }],
    });
    expect(await app.acted()).toMatchObject({
      ...{ type: "interactive", accepts_response_payload: true },
      payload: {
        ...{ type: "view_submission", user: { id: JOHN }, api_app_id: APP, response_urls: [] },
        trigger_id: expect.any(String),
        view: {
          ...{ id: view.id, callback_id: "order", private_metadata: "m", hash: view.hash },
          state: {
            values: {
              amount: { it: { type: "number_input", value: "7" } },
              size: { it: { type: "static_select", selected_option: null } },
            },
          },
        },
      },
    });
    expect(diff.deletes).toMatchObject([{ __table__: "views", id: view.id }]);
    expect([diff.inserts, diff.updates]).toEqual([[], []]);
  });

  test.each([
    [
      { response_action: "errors", errors: { amount: "Too many" } },
      { updates: [], inserts: [], deletes: [] },
    ],
    [
      { response_action: "update", view: modal("Sure?") },
      { updates: [{ after: { title: { text: "Sure?" } } }], inserts: [], deletes: [] },
    ],
    [
      { response_action: "push", view: modal("More") },
      { inserts: [{ title: { text: "More" }, user_id: JOHN }], updates: [], deletes: [] },
    ],
    [{ response_action: "clear" }, { deletes: [{ __table__: "views" }], inserts: [], updates: [] }],
  ])("is answered with %j", async (answer, expected) => {
    const { environment, view } = await opened(answer);
    const { runId, diff, result } = await inRun(environment, () =>
      act(environment, { ...submission, view: view.id }),
    );
    expect(result.body.deliveries[0]).toMatchObject({ state: "delivered", attempts: [{ answer }] });
    expect(diff).toMatchObject(expected);
    for (const inserted of diff.inserts)
      expect(inserted).toMatchObject({ previous_view_id: view.id, root_view_id: view.id });
    const { calls } = await eventually(async () => {
      const { body } = await program.get(`/runs/${runId}/calls`);
      if (body.calls.length === 0) throw new Error("none yet");
      return body;
    });
    expect(calls).toMatchObject([{ name: "view_submission", arguments: answer, error: null }]);
  });

  test.each([
    [{ response_action: "errors", errors: { amont: "x" } }, 'the nearest is "amount"'],
    [{ response_action: "errors" }, "errors: a text for each"],
    [{ response_action: "update", view: { type: "home", blocks: [] } }, "must be one of: modal"],
    [{ response_action: "close" }, 'there is none "close"'],
  ])("rejects the answer %j, and stays", async (answer, problem) => {
    const { environment, view } = await opened(answer);
    const { diff, result } = await inRun(environment, () =>
      act(environment, { ...submission, view: view.id }),
    );
    const [{ state, attempts }] = result.body.deliveries;
    expect(state).toBe("failed");
    expect(attempts[0].failed).toStartWith("its answer is rejected: invalid_arguments");
    expect(attempts[0].failed).toContain(problem);
    expect(diff).toMatchObject({ inserts: [], updates: [], deletes: [] });
  });

  test("rejects an answer that no database stores, and stays", async () => {
    const errors = { amount: "a\0b" };
    const { environment, view } = await opened({ response_action: "errors", errors });
    const { diff, result } = await inRun(environment, () =>
      act(environment, { ...submission, view: view.id }),
    );
    expect(result.body.deliveries[0]).toMatchObject({
      state: "failed",
      attempts: [
        {
          answer: {},
          failed:
            "its answer is rejected: /errors/amount: a string contains NUL or half a surrogate pair",
        },
      ],
    });
    expect(diff).toMatchObject({ inserts: [], updates: [], deletes: [] });
  });

  test("stays without an acknowledgement", async () => {
    const { environment, view } = await opened(undefined);
    const answer = await act(environment, { ...submission, view: view.id });
    expect(answer.body.deliveries[0]).toMatchObject({
      ...{ state: "failed", attempts: [{ failed: "no acknowledgement", answer: null }] },
    });
    expectStatus(await act(environment, { ...submission, view: view.id }), 200);
  });

  test("is checked as the person's client does", async () => {
    const { environment, view } = await opened({});
    const tried = async (given: object) =>
      (await act(environment, { ...submission, view: view.id, ...given })).body.detail;
    expect(await tried({ values: {} })).toContain("act.values.amount.it: needed");
    expect(await tried({ values: { amount: { it: "7.5" } } })).toContain("cannot choose");
    expect(await tried({ values: { amount: { it: "7" }, size: { it: "m" } } })).toContain(
      "size.it",
    );
    expect(await tried({ user: "U03ROBINRAY" })).toContain("sees no view");
    const pushed = await program.chat(environment, "views.push", {
      ...{ trigger_id: await trigger(environment), view: modal("On top", { submit: undefined }) },
    });
    expect(await tried({})).toContain("sees no view");
    expect(await tried({ view: pushed.view.id })).toContain("cannot be submitted");
  });

  test("that is closed instead is reported, if it wants that", async () => {
    const { environment, app, view } = await opened({}, modal("Order", { notify_on_close: true }));
    const closing = { type: "view_closed", user: JOHN, view: view.id };
    const { diff, runId, result } = await inRun(environment, () => act(environment, closing), [
      "counterpart",
    ]);
    expectStatus(result, 200);
    expect((await app.acted()).payload).toMatchObject({
      ...{ type: "view_closed", is_cleared: false, view: { id: view.id } },
    });
    expect(diff.deletes).toMatchObject([
      { __table__: "views", __actor__: "counterpart", id: view.id },
    ]);
    const { body: results } = await program.get(`/results/${runId}`);
    expect(results.diff).toMatchObject({ inserts: [], updates: [], deletes: [] });
    expect(results.actedByHand).toBe(1);
    const silent = await opened({});
    const refused = await act(silent.environment, { ...closing, view: silent.view.id });
    expectRefusal(refused, 400, "invalid_request");
    expect(refused.body.detail).toContain("notify_on_close");
  });
});

/** John says that it is over when this happens. */
const colleague = (when: object) => ({
  ...{ name: "john", as: JOHN, when },
  say: { channel: GENERAL, text: "Over." },
});
async function fired({ environmentId }: Environment): Promise<number[]> {
  const { body } = await program.get(`/env/${environmentId}/counterparts`);
  return body.counterparts.map((rule: { fired: number }) => rule.fired);
}

test("a modal that a person closes sets off no rule, and is closed and reported once", async () => {
  const counterparts = [colleague({ diff_type: "removed", entity: "views" })];
  const environment = await withApp({ counterparts });
  const { view } = await program.chat(environment, "views.open", {
    trigger_id: await trigger(environment),
    view: modal("Order", { notify_on_close: true }),
  });
  const closing = { type: "view_closed", user: JOHN, view: view.id };
  const answers = await Promise.all([1, 2, 3].map(() => act(environment, closing)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  expect(await deliveries(environment)).toHaveLength(1);
  await program.chat(environment, "auth.test"); // Ahead of it, what is noted would set off rules.
  expect(await fired(environment)).toEqual([0]);
});

test("what an answer changes sets off rules before the person has it", async () => {
  const when = { diff_type: "added", entity: "messages", where: { text: "ordered" } };
  const environment = await withApp({ counterparts: [colleague(when)] });
  const answer = { response_type: "in_channel", text: "ordered" };
  await connect(
    environment,
    () => true,
    () => answer,
  );
  const typed = { type: "command", user: JOHN, channel: GENERAL, command: "/order", text: "tea" };
  const { body } = await act(environment, typed);
  expect(body.deliveries).toMatchObject([{ state: "delivered" }]);
  expect(await fired(environment)).toEqual([1]);
});

describe("a command", () => {
  const typed = {
    type: "command",
    user: JOHN,
    channel: GENERAL,
    command: "/order",
    text: "7 teas",
  };

  test("is reported as the service does", async () => {
    const environment = await withApp();
    const app = await connect(environment);
    const { diff, result } = await inRun(environment, () => act(environment, typed));
    expectStatus(result, 200);
    expect(await app.acted()).toEqual({
      envelope_id: expect.any(String),
      ...{ type: "slash_commands", accepts_response_payload: true },
      payload: {
        token: expect.any(String),
        ...{ command: "/order", text: "7 teas", api_app_id: APP },
        ...{ team_id: "T01ACMECORP", team_domain: "acme", is_enterprise_install: "false" },
        ...{ channel_id: GENERAL, channel_name: "general", user_id: JOHN, user_name: "john" },
        response_url: expect.stringContaining("/commands/T01ACMECORP/"),
        trigger_id: expect.stringContaining(JOHN),
      },
    });
    expect(diff).toMatchObject({ inserts: [], updates: [], deletes: [] });
  });

  test.each([
    [{ text: "noted" }, { __table__: "ephemeral_messages", text: "noted", user_id: JOHN }],
    [
      { response_type: "in_channel", text: "ordered", blocks: [{ type: "divider" }] },
      { __table__: "messages", text: "ordered", user_id: "U01AGENTONE" },
    ],
  ])("is answered with the message %j", async (answer, expected) => {
    const environment = await withApp();
    await connect(
      environment,
      () => true,
      () => answer,
    );
    const { diff } = await inRun(environment, () => act(environment, typed));
    expect(diff.inserts).toMatchObject([expected]);
  });

  test("with an answer that the service does not accept fails", async () => {
    const environment = await withApp();
    await connect(
      environment,
      () => true,
      () => ({ blocks: "none" }),
    );
    const { body } = await act(environment, typed);
    expect(body.deliveries[0]).toMatchObject({ state: "failed" });
    expect(body.deliveries[0].attempts[0].failed).toContain("invalid_blocks_format");
  });

  test("goes to the app that is named, if there are several", async () => {
    const environment = await withApp({}, [
      { app: APP, events: [] },
      { app: "A01AGENTTWO", events: [] },
    ]);
    const app = await connect(environment);
    const tried = async (given: object) => await act(environment, { ...typed, ...given });
    expect((await tried({})).body.detail).toBe("act.app: needed: one of A01AGENTONE, A01AGENTTWO");
    expect((await tried({ app: "A01AGENTTO" })).body.detail).toContain('nearest is "A01AGENTTWO"');
    expect((await tried({ app: APP, command: "order" })).body.detail).toContain("act.command");
    expectStatus(await tried({ app: APP }), 200);
    expect((await app.acted()).payload.api_app_id).toBe(APP);
  });
});

test("a shortcut, and one on a message, are reported", async () => {
  const environment = await withApp();
  const app = await connect(environment);
  const message = await post(environment, {});
  const given = { type: "shortcut", user: JOHN, callback_id: "new" };
  expectStatus(await act(environment, given), 200);
  expect((await app.acted()).payload).toMatchObject({
    ...{ type: "shortcut", callback_id: "new", user: { id: JOHN }, action_ts: expect.any(String) },
  });
  const place = { channel: GENERAL, message };
  expectStatus(await act(environment, { ...given, ...place, type: "message_action" }), 200);
  expect((await app.acted(2)).payload).toMatchObject({
    ...{ type: "message_action", message_ts: message, message: { text: "choose" } },
    response_url: expect.stringContaining("/app/T01ACMECORP/"),
  });
  const types = (await deliveries(environment)).slice(1).map(({ type }: any) => type);
  expect(types).toEqual(["interactive.shortcut", "interactive.message_action"]);
});
