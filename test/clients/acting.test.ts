/** An app by Bolt for JavaScript, unmodified, over Socket Mode: people act, and its listeners answer. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { button, type Environment, GENERAL, JOHN, useActing } from "../support/acting";
import { eventually, useDatabase } from "../support/database";
import { nodePackages } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";
import { APP } from "../support/socket-mode";

const program = useProgram(useDatabase());
const { withApp, act, post } = useActing(program);

const running: Bun.Subprocess[] = [];
afterAll(() => {
  for (const each of running) each.kill("SIGKILL");
});

/** An environment with the app, once that is connected. */
async function started(fields: object = {}) {
  const environment = await withApp(fields);
  const { environmentUrl, token } = environment;
  const folder = await nodePackages("@slack/bolt@5.1.0");
  const child = Bun.spawn(["node", join(import.meta.dir, "scenarios/acting.mjs"), folder], {
    env: {
      ...process.env,
      URL: `${program.url}${environmentUrl}`,
      TOKEN: token,
      APP_TOKEN: `xapp-1-${APP}-${token}`,
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  running.push(child);
  let output = "";
  void (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) output += text;
  })();
  const printed = (line: RegExp) =>
    eventually(() => {
      const [, found] = line.exec(output) ?? [];
      if (found === undefined) throw new Error(output);
      return found;
    });
  await printed(/^(connected)$/m);
  return { ...environment, printed };
}

const said = async ({ environmentId }: Environment, text: string) => {
  const until = { type: "message.channels", where: { "payload.event.text": text } };
  const { body } = await program.post(`/env/${environmentId}/wait`, { until, timeoutMs: 60_000 });
  expect(body.ended).toBe("event");
};

test("a shortcut, and the modal that it opens: errors, another view, and the end", async () => {
  const { printed, ...environment } = await started();
  expectStatus(
    await act(environment, { type: "shortcut", user: JOHN, callback_id: "new-order" }),
    200,
  );
  const view = await printed(/^opened (\w+)$/m);
  const submit = async (number: string) => {
    const values = { amount: { number } };
    const given = { type: "view_submission", user: JOHN, view, values };
    const answer = await act(environment, given);
    expectStatus(answer, 200);
    const { deliveries, payload } = answer.body;
    expect(deliveries).toMatchObject([{ state: "delivered" }]);
    return { title: payload.view.title.text, answer: deliveries[0].attempts[0].answer };
  };
  expect((await submit("many")).answer).toEqual({
    ...{ response_action: "errors", errors: { amount: "A number" } },
  });
  expect(await submit("7")).toMatchObject({
    ...{ title: "Order", answer: { response_action: "update" } },
  });
  expect(await submit("8")).toEqual({ title: "Sure?", answer: {} });
  const again = await act(environment, { type: "view_submission", user: JOHN, view });
  expect(again.body.detail).toContain("the person sees no view");
});

test("a command, with an answer and with a response; and a shortcut on a message", async () => {
  const environment = await started();
  const command = { type: "command", user: JOHN, channel: GENERAL };
  const answer = await act(environment, { ...command, command: "/order", text: "tea" });
  expect(answer.body.deliveries).toMatchObject([
    { state: "delivered", attempts: [{ answer: { text: "ordered tea" } }] },
  ]);
  await said(environment, "ordered tea");
  expectStatus(await act(environment, { ...command, command: "/slow" }), 200);
  await said(environment, "at last");
  const message = await post(environment, { text: "a word" });
  const { user, channel } = command;
  const quote = { type: "message_action", user, channel, message, callback_id: "quote" };
  expectStatus(await act(environment, quote), 200);
  await said(environment, "quoted: a word");
});

test("a button: the listener acknowledges it, and responds", async () => {
  const environment = await started();
  const blocks = [{ type: "actions", elements: [button] }];
  const message = await post(environment, { blocks });
  const given = { type: "block_actions", user: JOHN, channel: GENERAL, message };
  expectStatus(await act(environment, { ...given, action_id: "approve" }), 200);

  const text = "order-7 approved by <@U02JOHNADOE>";
  const until = { type: "message.channels", where: { "payload.event.message.text": text } };
  const path = `/env/${environment.environmentId}/wait`;
  const { body } = await program.post(path, { until, timeoutMs: 60_000 });
  expect(body.ended).toBe("event");
});

test("a select whose options the listener offers", async () => {
  const environment = await started();
  const element = { type: "external_select", action_id: "city", min_query_length: 1 };
  const message = await post(environment, { blocks: [{ type: "actions", elements: [element] }] });
  const place = { user: JOHN, channel: GENERAL, message, action_id: "city" };
  const asked = await act(environment, { type: "block_suggestion", ...place, value: "Ber" });
  const { options } = asked.body.deliveries[0].attempts[0].answer;
  expect(options).toMatchObject([{ value: "Bern" }, { value: "Berlin" }]);
  expectStatus(await act(environment, { type: "block_actions", ...place, value: options[1] }), 200);
  await said(environment, "Berlin it is");
});
