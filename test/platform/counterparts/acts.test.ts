/** Rules by which people act without a call: the app that is meant learns of it. */
import { describe, expect, test } from "bun:test";
import { YAML } from "bun";
import { button, FROZEN, GENERAL, JOHN, useActing } from "../../support/acting";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const { withApp, connect, deliveries, post } = useActing(program);

type Environment = Awaited<ReturnType<typeof withApp>>;

const APPS = [{ app: APP, events: ["message.channels"] }];
const blocks = [{ type: "actions", block_id: "choice", elements: [button] }];
const when = { diff_type: "added", entity: "messages" };
const act = {
  ...{ type: "block_actions", action_id: "approve" },
  ...{ channel: { $trigger: "channel_id" }, message: { $trigger: "ts" } },
};
const clicks = { name: "john-clicks", as: JOHN, when, act };
const open = (counterparts: object[], apps: object[] = APPS): Promise<Environment> =>
  withApp({ ...FROZEN, counterparts }, apps);
const rulesOf = async ({ environmentId }: Environment) =>
  (await program.get(`/env/${environmentId}/counterparts`)).body.counterparts;
const put = ({ environmentId }: Environment, counterparts: object[]) =>
  program.call("PUT", `/env/${environmentId}/counterparts`, { counterparts });

describe("a rule with an act", () => {
  test("uses the button of the message that set it off, some time later, as on the page", async () => {
    const page = await Bun.file("src/docs/counterparts.md").text();
    const example = page.split("### Without a call")[1]?.split("```")[1]?.replace("yaml", "");
    const environment = await open((YAML.parse(example ?? "") as any).counterparts);
    const app = await connect(environment);
    const message = await post(environment, { text: "Please approve", blocks });
    const clock = `/env/${environment.environmentId}/clock`;
    const { body } = await program.post(clock, { to: "next" });
    const { payload } = await app.acted();

    expect(body.effects).toMatchObject([{ kind: "counterpart_acted", id: "john-approves" }]);
    expect(payload).toMatchObject({
      ...{ type: "block_actions", user: { id: JOHN }, container: { message_ts: message } },
      actions: [{ action_id: "approve", value: "order-7" }],
    });
    expect(await deliveries(environment)).toMatchObject([
      { type: "message.channels", cause: { by: "call" } },
      {
        type: "interactive.block_actions",
        cause: { by: "counterpart", request: null, at: "2026-03-11T09:02:00.000Z" },
        deliveries: [{ app: APP }],
      },
    ]);
    expect(await rulesOf(environment)).toMatchObject([{ fired: 1, lastError: null }]);
  });

  test("acts before the call that sets it off is answered, and is followed", async () => {
    // biome-ignore lint/suspicious/noThenProperty: the field of a rule; nothing awaits one.
    const first = { ...clicks, then: "john-commands" };
    const command = { type: "command", channel: { $trigger: "channel_id" }, command: "/deploy" };
    const second = { name: "john-commands", as: JOHN, act: { ...command, text: "now" } };
    const environment = await open([first, second]);
    await post(environment, { blocks });

    expect((await deliveries(environment)).map(({ type, cause }: any) => [type, cause.by])).toEqual(
      [
        ["message.channels", "call"],
        ["interactive.block_actions", "counterpart"],
        ["slash_commands", "counterpart"],
      ],
    );
  });

  test("that is not possible says why, as by hand, and adds no event", async () => {
    const environment = await open([{ ...clicks, act: { ...act, action_id: "reject" } }]);
    await post(environment, { blocks });
    const [rule] = await rulesOf(environment);
    expect(rule.fired).toBe(1);
    expect(rule.lastError).toContain("act.action_id: there is no such interactive element");
    expect(await deliveries(environment)).toHaveLength(1);

    const alone = await program.environment({ counterparts: [clicks] });
    await program.chat(alone, "chat.postMessage", { channel: GENERAL, text: "choose", blocks });
    const [other] = await rulesOf(alone);
    expect(other.lastError).toContain("The environment has no apps");
  });

  test.each([
    [{ act: { ...act, user: JOHN } }, ".act.user: the person is that of the rule, as"],
    [{ act: { ...act, type: "click" } }, ".act.type: there is no such act"],
    [
      { act: { ...act, message: { $trigger: "id" } } },
      '.act: $trigger: the row has no column "id"',
    ],
    [{ act: { ...act, message: { $kept: "ts" } } }, ': $kept: no rule keeps "ts"'],
    [{ call: { method: "auth.test" } }, ": one of say, call, act is needed"],
  ])("is rejected with %j", async (fields, problem) => {
    const answer = await put(await open([]), [{ ...clicks, ...fields }]);
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toStartWith(`counterparts[0]${problem}`);
  });

  test("is rejected where people only make calls", async () => {
    const answer = await program.post("/initEnv", {
      ...{ templateService: "tracker", templateName: "tracker_default" },
      impersonateEmail: "agent@acme.test",
      counterparts: [{ name: "john", as: "john@acme.test", at: "PT1M", act: { type: "command" } }],
    });
    expectStatus(answer, 400);
    expect(answer.body.detail).toContain("nobody acts in another way than by calls");
  });
});
