/** Events of an environment that several servers serve, and of one whose server was killed. */
import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { type ServerProcess, startProcess, useServers } from "../../support/process";
import { expectStatus } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const SETTINGS = { ENVIRONMENT_POOL_TARGETS: "chat_default:1" };
const events = { apps: [{ app: APP, events: ["message.channels"] }] };
const database = useDatabase();
const servers = useServers(database, SETTINGS);

type Environment = { environmentId: string; environmentUrl: string; apps: { token: string }[] };

async function connect(server: ServerProcess, { environmentUrl, apps }: Environment) {
  const { url } = await openAddress(server.url, environmentUrl, apps[0]?.token ?? "");
  return connectApp(url);
}

const post = (server: ServerProcess, environment: Environment, text: string) =>
  server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });

const texts = (count: number) => Array.from({ length: count }, (_, n) => `message ${n}`);

test("a clock in steps: calls to one server reach an app of the other, all and in order", async () => {
  const [first, second] = servers as [ServerProcess, ServerProcess];
  const clock = { mode: "step", now: "2026-03-11T09:00:00Z", stepMs: 1_000 };
  const environment: Environment = await first.environment({ clock, events });
  const app = await connect(second, environment);
  for (const text of texts(40)) await post(first, environment, text);
  await eventually(() => expect(app.texts()).toEqual(texts(40)));
  app.socket.close();
});

test("a list on one server has everything that was committed through the other", async () => {
  const [first, second] = servers as [ServerProcess, ServerProcess];
  const environment: Environment = await first.environment({ events });
  for (const [n, text] of texts(30).entries()) {
    await post(first, environment, text);
    const { body } = await second.get(`/env/${environment.environmentId}/deliveries`);
    expect(body.events).toHaveLength(n + 1);
  }
});

test("a change whose server was killed has its events once an app is connected", async () => {
  const [first] = servers as [ServerProcess, ServerProcess];
  const environment: Environment = await first.environment({ events });
  expect((await post(first, environment, "the last words")).ok).toBe(true);
  for (const server of servers) server.kill("SIGKILL");
  await Promise.all(servers.map(({ exited }) => exited));
  servers.splice(0, servers.length, await startProcess(database, SETTINGS));
  const [next] = servers as [ServerProcess];
  const app = await connect(next, environment);
  await eventually(() => expect(app.texts()).toEqual(["the last words"]));
  expectStatus(await next.get(`/env/${environment.environmentId}`), 200);
  app.socket.close();
});
