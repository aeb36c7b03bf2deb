/** Selects whose options come from the app: it is asked for them, and a person chooses one that it has offered. */
import { describe, expect, test } from "bun:test";
import { GENERAL, JOHN, option, plain, useActing } from "../../support/acting";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const { withApp, connect, act, post } = useActing(program);

const SELECT = { type: "external_select", action_id: "city", placeholder: plain("City") };
const OFFERED = { options: [option("Bergen"), option("Berlin")] };

/** A message of an app with this element, and the app, which gives this answer. */
async function asked(answer: object | undefined = OFFERED, element: object = SELECT) {
  const environment = await withApp();
  const app = await connect(
    environment,
    () => answer !== undefined,
    () => answer,
  );
  const blocks = [{ type: "actions", block_id: "where", elements: [element] }];
  const message = await post(environment, { blocks });
  const place = { user: JOHN, channel: GENERAL, message, action_id: "city" };
  return {
    app,
    suggest: (fields: object = {}) =>
      act(environment, { type: "block_suggestion", ...place, value: "Ber", ...fields }),
    choose: (value: unknown) => act(environment, { type: "block_actions", ...place, value }),
  };
}

describe("what a person types into a select", () => {
  test("is sent to its app, whose options are in the delivery", async () => {
    const { app, suggest } = await asked();
    const { status, body } = await suggest();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: "interactive.block_suggestion",
      deliveries: [{ app: APP, state: "delivered", attempts: [{ failed: null, answer: OFFERED }] }],
    });
    const { payload, ...envelope } = await app.acted();
    expect(envelope).toMatchObject({ type: "interactive", accepts_response_payload: true });
    expect(payload).toMatchObject({
      ...{ type: "block_suggestion", block_id: "where", action_id: "city", value: "Ber" },
      ...{ api_app_id: APP, user: { id: JOHN }, channel: { id: GENERAL } },
      container: { type: "message", channel_id: GENERAL },
    });
    for (const field of ["trigger_id", "response_url", "actions", "state"])
      expect(payload).not.toHaveProperty(field);
  });

  test("fails when the app answers with what are no options", async () => {
    const { suggest } = await asked({ options: [{ value: "x" }], option_groups: [] });
    const { body } = await suggest();
    expect(body.deliveries[0]).toMatchObject({ state: "failed" });
    expect(body.deliveries[0].attempts[0].failed).toContain("invalid_arguments");
  });

  test("may have no match, and options in groups", async () => {
    const groups = [{ label: plain("Germany"), options: [option("Berlin")] }];
    for (const answer of [{ options: [] }, { option_groups: groups }]) {
      const { suggest } = await asked(answer);
      expect((await suggest()).body.deliveries[0]).toMatchObject({
        ...{ state: "delivered", attempts: [{ answer }] },
      });
    }
  });

  test("is sent once it is as long as the element wants", async () => {
    const { suggest } = await asked();
    const short = await suggest({ value: "B" });
    expectRefusal(short, 400, "invalid_request");
    expect(short.body.detail).toContain("act.value: the app is asked once 3 characters are typed");
    const { suggest: soon } = await asked(OFFERED, { ...SELECT, min_query_length: 0 });
    expectStatus(await soon({ value: "" }), 200);
  });

  test("is sent for selects with options of the app only", async () => {
    const { suggest } = await asked(OFFERED, { type: "users_select", action_id: "city" });
    const answer = await suggest();
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain("an element users_select asks its app for no options");
  });
});

test("a person chooses an option as the app has offered it", async () => {
  const { app, choose } = await asked();
  expectStatus(await choose(option("Berlin")), 200);
  expect((await app.acted()).payload.actions).toMatchObject([
    { type: "external_select", selected_option: option("Berlin") },
  ]);
  for (const value of ["Berlin", { value: "Berlin" }])
    expectRefusal(await choose(value), 400, "invalid_request");
  const { app: other, choose: chooseMany } = await asked(OFFERED, {
    ...{ ...SELECT, type: "multi_external_select" },
  });
  expectStatus(await chooseMany(OFFERED.options), 200);
  expect((await other.acted()).payload.actions).toMatchObject([
    { selected_options: OFFERED.options },
  ]);
});
