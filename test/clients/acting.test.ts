/** An app by Bolt for JavaScript, unmodified, over Socket Mode: people act, and its listeners answer. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { button, GENERAL, JOHN, useActing } from "../support/acting";
import { useDatabase } from "../support/database";
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
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream()))
    if (text.includes("connected")) break;
  return environment;
}

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
