/** Incoming webhooks: addresses at which an app posts to one channel. */
import { expect, test } from "bun:test";
import { type Environment, GENERAL, useActing } from "../../support/acting";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const { withApp } = useActing(program);

const issue = ({ environmentId }: Environment, hook: object) =>
  program.post(`/env/${environmentId}/webhooks`, { app: APP, channel: GENERAL, ...hook });

async function urlOf(environment: Environment, channel = GENERAL): Promise<string> {
  const answer = await issue(environment, { channel });
  expectStatus(answer, 200);
  return program.url + answer.body.path;
}

async function send(url: string, body: unknown, init: RequestInit = {}) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), ...init });
  return `${answer.status} ${await answer.text()}`;
}

test("a webhook posts to its channel as the app", async () => {
  const environment = await withApp();
  const { environmentId: envId } = environment;
  const url = await urlOf(environment);
  expect(await urlOf(environment)).toBe(url);
  const { runId } = (await program.post("/startRun", { envId })).body;
  expect(await send(url, { text: "Deployed", blocks: [{ type: "divider" }] })).toBe("200 ok");
  const payload = new URLSearchParams({ payload: JSON.stringify({ text: "as a form" }) });
  expect(await send(url, {}, { body: payload, headers: {} })).toBe("200 ok");

  const { diff } = (await program.post("/diffRun", { runId })).body;
  expect(diff.inserts).toMatchObject([
    { channel_id: GENERAL, user_id: "U01AGENTONE", subtype: "bot_message", text: "Deployed" },
    { text: "as a form" },
  ]);
  const { body } = await program.get(`/runs/${runId}/calls`);
  expect(body.calls).toMatchObject([{ name: "services", arguments: { text: "Deployed" } }, {}]);
  expect(JSON.stringify(body)).not.toContain(url.split("/").at(-1));
  const events = await program.get(`/env/${envId}/deliveries`);
  expect(events.body.events[0]).toMatchObject({
    ...{ type: "message.channels", payload: { event: { subtype: "bot_message" } } },
  });
});

test("mistakes are reported in the service's words", async () => {
  const environment = await withApp();
  const url = await urlOf(environment);
  expect(await send(url, {})).toBe("400 no_text");
  expect(await send(url, {}, { body: "{" })).toBe("400 invalid_payload");
  expect(await send(url, { blocks: [{ type: "nothing" }] })).toBe("400 invalid_blocks");
  expect(await send(url.replace(/.{3}$/, "AAA"), { text: "x" })).toBe("404 no_service");
  expect(await send(url.replace(GENERAL, "C02RANDOM1"), { text: "x" })).toBe("404 no_service");
  expect((await send(url, {}, { method: "PUT" })).slice(0, 3)).toBe("405");

  const call = (method: string, args: object) => program.chat(environment, method, args);
  const channel = (await call("conversations.create", { name: "old" })).channel.id;
  const old = await urlOf(environment, channel);
  await call("conversations.archive", { channel });
  expect(await send(old, { text: "x" })).toBe("410 channel_is_archived");
  const path = `/env/${environment.environmentId}/events`;
  expectStatus(await program.call("PUT", path, { apps: [] }), 200);
  expect(await send(url, { text: "x" })).toBe("404 no_service");
});

test("a webhook needs an app and a channel of the environment", async () => {
  const environment = await withApp();
  const app = await issue(environment, { app: "A01AGENTON" });
  expectRefusal(app, 400, "invalid_request");
  expect(app.body.detail).toContain('the nearest is "A01AGENTONE"');
  const channel = await issue(environment, { channel: "C09NOWHERE" });
  expectRefusal(channel, 400, "invalid_request");
  expect(channel.body.detail).toContain('channel: there is no channel "C09NOWHERE"');
});
