/** Waiting until nothing happens in an environment any more. */
import { expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const database = useDatabase();
const servers = [useProgram(database), useProgram(database)] as const;
const [first, second] = servers;

const say = { channel: "C01GENERAL", text: "hello" };
const events = { apps: [{ app: APP, events: ["message.channels"] }] };

type Environment = { environmentId: string; environmentUrl: string; token: string; apps?: any[] };

async function wait({ environmentId }: Environment, body: object) {
  const answer = await first.post(`/env/${environmentId}/wait`, body);
  expectStatus(answer, 200);
  return answer.body;
}

test("ends when there was no call for a while", async () => {
  const environment = await first.environment();
  await first.chat(environment, "chat.postMessage", say);
  const { ended, ms, open } = await wait(environment, { quietMs: 500, timeoutMs: 20_000 });
  expect([ended, open]).toEqual(["idle", 0]);
  expect(ms).toBeGreaterThanOrEqual(300);
});

test("calls to another server count", async () => {
  const environment = await first.environment();
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      await second.chat(environment, "auth.test");
      await Bun.sleep(100);
    }
  })();
  expect(await wait(environment, { quietMs: 1_000, timeoutMs: 2_000 })).toMatchObject({
    ended: "timeout",
  });
  isOver = true;
  await calling;
  expect(await wait(environment, { quietMs: 1_000, timeoutMs: 20_000 })).toMatchObject({
    ended: "idle",
  });
});

test("an event that no app has acknowledged is still under way", async () => {
  const environment: Environment = await first.environment({ events });
  await first.chat(environment, "chat.postMessage", say);
  expect(await wait(environment, { quietMs: 100, timeoutMs: 800 })).toMatchObject({
    ended: "timeout",
    open: 1,
  });
  const token = environment.apps?.[0].token;
  const { socket } = connectApp(
    (await openAddress(second.url, environment.environmentUrl, token)).url,
  );
  expect(await wait(environment, { quietMs: 300, timeoutMs: 20_000 })).toMatchObject({
    ended: "idle",
    open: 0,
  });
  socket.close();
});

test("an environment that ends in the meantime is not found", async () => {
  const environment = await first.environment();
  const { environmentId } = environment;
  const waiting = first.post(`/env/${environmentId}/wait`, { quietMs: 10_000, timeoutMs: 20_000 });
  await Bun.sleep(300);
  expectStatus(await first.call("DELETE", `/env/${environmentId}`), 200);
  expectStatus(await waiting, 404);
});
