/** Apps with a Request URL, by official frameworks, which check the signatures: the server or `diorama listen` posts to it. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../scripts/postgres";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { nodePackages, pythonPackages } from "../support/packages";
import { expectStatus, useProgram } from "../support/program";

const SCENARIOS = join(import.meta.dir, "scenarios");
const APP = "A01AGENTONE";
const program = useProgram(useDatabase());
const commands = useCommands(program);

const running: Bun.Subprocess[] = [];
afterAll(() => {
  for (const each of running) each.kill("SIGKILL");
});

const node = async (port: number) => ({
  command: [
    ...["node", join(SCENARIOS, "request-url.mjs")],
    ...[await nodePackages("@slack/bolt@5.1.0"), `${port}`],
  ],
  env: {},
});
const python = async (port: number) => ({
  command: ["python3", join(SCENARIOS, "request_url.py"), `${port}`],
  env: { PYTHONPATH: await pythonPackages("slack_sdk==3.47.0", "slack_bolt==1.30.0") },
});

test.each([
  ["Bolt for JavaScript", "diorama listen", node],
  ["Bolt for JavaScript", "the server", node],
  ["Bolt for Python", "diorama listen", python],
  ["Bolt for Python", "the server", python],
])("an app by %s receives a mention from %s, and answers it", async (_name, by, prepare) => {
  const port = await freePort();
  const { command, env } = await prepare(port);
  const environment = await program.environment();
  const { environmentId, environmentUrl, token } = environment;
  const to = `http://127.0.0.1:${port}/slack/events`;
  const isPosted = by === "the server";
  const apps = [{ app: APP, events: ["app_mention"], ...(isPosted && { requestUrl: to }) }];
  const put = await program.call("PUT", `/env/${environmentId}/events`, { apps });
  expectStatus(put, 200);
  const [{ signingSecret: SIGNING_SECRET, userId }] = put.body.apps;
  if (!isPosted) running.push(commands.start(["listen", environmentId, "--forward-to", to]));
  const URL = `${program.url}${environmentUrl}`;
  running.push(
    Bun.spawn(command, {
      env: { ...process.env, ...env, URL, TOKEN: token, SIGNING_SECRET },
      stdout: "ignore",
      stderr: "inherit",
    }),
  );

  // By another person: Bolt keeps an app's own events from its listeners.
  const asked = await fetch(`${URL}/chat.postMessage`, {
    method: "POST",
    headers: { Authorization: "Bearer xoxp-U02JOHNADOE", "Content-Type": "application/json" },
    body: JSON.stringify({ channel: "C01GENERAL", text: `<@${userId}> ping` }),
  });
  expect(await asked.json()).toMatchObject({ ok: true });

  const until = { type: "message.channels", where: { "payload.event.text": "pong" } };
  const waited = await program.post(`/env/${environmentId}/wait`, { until, timeoutMs: 60_000 });
  expect(waited.body.ended).toBe("event");
});
