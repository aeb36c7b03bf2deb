/** Requests of several servers to the address of an app: each event once, and again if a server is killed. */
import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { type ServerProcess, startProcess, useServers } from "../../support/process";
import { receive } from "../../support/receiver";
import { APP } from "../../support/socket-mode";

const SETTINGS = { ENVIRONMENT_POOL_TARGETS: "chat_default:1" };
const database = useDatabase();
const servers = useServers(database, SETTINGS);

type Environment = { environmentId: string; environmentUrl: string };

const withAddress = async (server: ServerProcess, requestUrl: string): Promise<Environment> =>
  await server.environment({
    events: { apps: [{ app: APP, events: ["message.channels"], requestUrl }] },
  });
const say = (server: ServerProcess, environment: Environment, text: string) =>
  server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
const textOf = ({ body }: { body: string }) => JSON.parse(body).event.text as string;
const texts = (count: number) => Array.from({ length: count }, (_, n) => `message ${n}`);

test("of two servers, one posts each event, in order", async () => {
  const [first, second] = servers as [ServerProcess, ServerProcess];
  const bot = receive();
  const environments = [
    await withAddress(first, bot.url),
    await withAddress(second, bot.url),
    await withAddress(first, bot.url),
  ];
  for (const [n, text] of texts(20).entries())
    await Promise.all(environments.map((each) => say(n % 2 === 0 ? first : second, each, text)));
  await bot.has(60);
  await Bun.sleep(1_000); // two looks of both

  const byEnvironment = Map.groupBy(bot.requests, ({ body }) => JSON.parse(body).token as string);
  expect([...byEnvironment.values()].map((each) => each.map(textOf))).toEqual(
    Array(3).fill(texts(20)),
  );
  const ids = new Set(bot.requests.map(({ body }) => JSON.parse(body).event_id));
  expect(ids.size).toBe(60);
});

test("what a killed server has sent without an answer is sent again by the other, with the same id", async () => {
  const [first, second] = servers as [ServerProcess, ServerProcess];
  const held = Promise.withResolvers<void>();
  const bot = receive(async () => {
    await held.promise;
    return new Response("ok");
  });
  const environment = await withAddress(first, bot.url);
  expect((await say(first, environment, "hello")).ok).toBe(true);
  await bot.has(1);
  // Whichever server posts: both are replaced.
  for (const server of servers) server.kill("SIGKILL");
  await Promise.all([first.exited, second.exited]);
  held.resolve();
  servers.splice(0, servers.length, await startProcess(database, SETTINGS));
  const [next] = servers as [ServerProcess];
  await bot.has(2);

  const [before, after] = bot.requests.map(({ body }) => JSON.parse(body));
  expect(after).toEqual(before);
  await eventually(async () => {
    const { body } = await next.get(`/env/${environment.environmentId}/deliveries`);
    const [{ state, attempts }] = body.events[0].deliveries;
    expect(state).toBe("delivered");
    expect(attempts[0].failed).toBe("its server stopped");
  });
}, 90_000);
