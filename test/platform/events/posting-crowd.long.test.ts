/** A thousand apps with addresses, of ten users: all receive their events, within the bounds of what they share. */
import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { receive } from "../../support/receiver";
import { useUsers } from "../../support/users";

const database = useDatabase();
const program = useProgram(database);
const NAMES = Array.from({ length: 10 }, (_, n) => `user-${n}`);
const users = useUsers(database, ...NAMES);

test("a thousand apps of ten users receive their events, 32 at the same time from one host", async () => {
  const released = Promise.withResolvers<void>();
  const bot = receive(async () => {
    await released.promise;
    return new Response("ok");
  });
  const apps = Array.from({ length: 20 }, (_, n) => ({
    ...{ app: `A01APP${String(n).padStart(4, "0")}`, events: ["message.channels"] },
    requestUrl: bot.url,
  }));
  const wanted = {
    ...{ templateService: "chat", templateName: "chat_default", impersonateUserId: "U01AGENTONE" },
    ...{ count: 5, events: { apps } },
  };
  const environments: any[] = [];
  for (const name of NAMES) {
    const made = await program.post("/initEnv", wanted, users[name]);
    expectStatus(made, 201);
    for (const each of made.body.environments) environments.push({ ...each, owner: users[name] });
  }
  const more = { ...wanted, count: 1, events: { apps: apps.slice(0, 1) } };
  expectStatus(await program.post("/initEnv", more), 503);

  for (const { environmentUrl, token } of environments) {
    const posted = await fetch(`${program.url}${environmentUrl}/chat.postMessage`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ channel: "C01GENERAL", text: "hello" }),
    });
    expect((await posted.json()) as object).toMatchObject({ ok: true });
  }
  await eventually(() => expect(bot.most()).toBe(32));
  released.resolve();
  const idOf = (body: string) => {
    const { token, event_id: id } = JSON.parse(body);
    return `${token} ${id}`;
  };
  // Some that were held for longer than 3 s come again.
  await eventually(() =>
    expect(new Set(bot.requests.map(({ body }) => idOf(body))).size).toBe(1_000),
  );
  expect(bot.most()).toBe(32);
  for (const { environmentId, owner } of environments)
    expectStatus(await program.call("DELETE", `/env/${environmentId}`, undefined, owner), 200);
}, 300_000);
