/** Connections of apps: opened with the token of an app, which no other method takes. */
import { expect, test } from "bun:test";
import { WebClient } from "@slack/web-api";
import { socket } from "~/replicas/chat/events/socket";
import { outcome, type Scene, useScenes } from "./scene";

const newScene = useScenes();

const clientOf = ({ url }: Scene, token: string) =>
  new WebClient(token, { slackApiUrl: `${url}/`, retryConfig: { retries: 0 } });

/** Lets an app receive the environment's events. */
async function install({ sql, url }: Scene, app: string) {
  const id = new URL(url).pathname.split("/")[3] ?? "";
  await sql`insert into diorama.outboxes (environment_id) values (${id}) on conflict do nothing`;
  await sql`
    insert into diorama.event_apps (environment_id, app_id, service, user_id, events, since)
    values (${id}, ${app}, 'chat', 'U06BOT', '{app_mention}', 0)
  `;
}

test("apps.connections.open returns an address with a ticket for the app", async () => {
  const scene = await newScene();
  await install(scene, "A06BOT");
  const app = clientOf(scene, "xapp-1-A06BOT-secret");

  const first: any = await app.apps.connections.open();
  const second: any = await app.apps.connections.open();

  const address = new URL(first.url);
  expect(`${address.protocol}//${address.host}${address.pathname}`).toBe(
    `${scene.url.replace("http", "ws")}/link`,
  );
  expect(address.searchParams.get("app_id")).toBe("A06BOT");
  const ticket = address.searchParams.get("ticket");
  expect(ticket).toMatch(/^\d{13}\./);
  expect(second.url).not.toBe(first.url);
  // Signed with the secret of the environment.
  expect(
    socket.readTicket(Buffer.from("made up"), address.searchParams, Date.now()),
  ).toBeUndefined();
});

test("the token may be an argument", async () => {
  const scene = await newScene();
  await install(scene, "A06BOT");

  const response = await fetch(`${scene.url}/apps.connections.open`, {
    method: "POST",
    body: new URLSearchParams({ token: "xapp-1-A06BOT-secret" }),
  });

  expect(await response.json()).toMatchObject({ ok: true });
});

test("other tokens open no connection, and an app's token does nothing else", async () => {
  const scene = await newScene();
  await install(scene, "A06BOT");
  const { agent, bot, url } = scene;
  const app = clientOf(scene, "xapp-1-A06BOT-secret");
  const REJECTED = "not_allowed_token_type";

  expect(await outcome(agent.apps.connections.open())).toBe(REJECTED);
  expect(await outcome(bot.apps.connections.open())).toBe(REJECTED);
  expect(await (await fetch(`${url}/apps.connections.open`, { method: "POST" })).json()).toEqual({
    ok: false,
    error: REJECTED,
  });
  for (const name of ["auth.test", "chat.postMessage", "users.list"])
    expect(await outcome(app.apiCall(name))).toBe(REJECTED);
});

test("an app that receives no events of the environment is unknown", async () => {
  const scene = await newScene();
  await install(scene, "A06BOT");

  const stranger = clientOf(scene, "xapp-1-A99-secret");

  expect(await outcome(stranger.apps.connections.open())).toBe("invalid_auth");
  expect(await outcome(stranger.auth.test())).toBe("invalid_auth");
});
