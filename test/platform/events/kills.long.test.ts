/**
 * Kills of servers between the commit of a change, the sending of its event and the note of its acknowledgement: no event
 * is lost, none has two ids, and the order of first deliveries is that of the commits. `EVENT_KILLS=1000` kills more.
 */
import { expect, test } from "bun:test";
import { eventually, useDatabase } from "../../support/database";
import { startProcess, useServers } from "../../support/process";
import { expectStatus } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const KILLS = Number(process.env["EVENT_KILLS"] ?? 6);
const SETTINGS = { ENVIRONMENT_POOL_TARGETS: "chat_default:1" };
const SECONDS = 60;
const CHANNEL = "C01GENERAL";

const database = useDatabase();
const servers = useServers(database, SETTINGS);

type Environment = { environmentId: string; environmentUrl: string; token: string };
type Received = { readonly text: string; readonly id: string };

/** An app that keeps a connection to each server, and acknowledges a part of what it receives at the first attempt. */
function listen(environment: Environment) {
  const received: Received[] = [];
  let isOver = false;
  const sockets = new Set<WebSocket>();

  async function connect(place: number): Promise<void> {
    while (!isOver) {
      try {
        const token = `xapp-1-${APP}-${environment.token}`;
        const server = servers[place]!;
        const { url } = await openAddress(server.url, environment.environmentUrl, token);
        const app = connectApp(
          url,
          ({ retry_attempt: attempt }) => attempt > 0 || Math.random() < 0.9,
          ({ payload }) => {
            if (payload) received.push({ text: payload.event.text, id: payload.event_id });
          },
        );
        sockets.add(app.socket);
        await app.closed;
        sockets.delete(app.socket);
      } catch {
        await Bun.sleep(50); // the server is being started
      }
    }
  }

  void connect(0);
  void connect(1);
  return {
    received,
    stop(): void {
      isOver = true;
      for (const socket of sockets) socket.close();
    },
  };
}

/** Posts until a server answers: a killed one may have committed the message before. */
async function post(environment: Environment, text: string): Promise<void> {
  await eventually(async () => {
    const server = servers[Math.random() < 0.5 ? 0 : 1]!;
    const { ok } = await server.chat(environment, "chat.postMessage", { channel: CHANNEL, text });
    if (!ok) throw new Error("not posted");
  }, SECONDS);
}

test(
  "kills lose no event, and give none two ids",
  async () => {
    const environment: Environment = await servers[0]!.environment({ ttlSeconds: 86_400 });
    const { environmentId } = environment;
    const apps = [{ app: APP, events: ["message.channels"] }];
    const chosen = await servers[0]!.call("PUT", `/env/${environmentId}/events`, { apps });
    expectStatus(chosen, 200);
    const app = listen(environment);
    let count = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const place = kill % 2;
      const posting = (async () => {
        for (let n = 0; n < 20; n++) await post(environment, `message ${count++}`);
      })();
      await Bun.sleep(Math.random() * 150);
      servers[place]!.kill("SIGKILL");
      await servers[place]!.exited;
      servers[place] = await startProcess(database, SETTINGS);
      await posting;
    }

    const { schemaName } = environment as unknown as { schemaName: string };
    const committed = await database.sql.unsafe<{ text: string }[]>(
      `select text from ${schemaName}.messages where text like 'message %' order by ts`,
    );
    const texts = committed.map(({ text }) => text);
    expect(new Set(texts).size).toBe(count);
    await eventually(() => {
      const got = new Set(app.received.map(({ id }) => id));
      if (got.size < texts.length) throw new Error(`${got.size} of ${texts.length}`);
    }, SECONDS);
    app.stop();

    // A message that was posted twice has two events; an event that was delivered twice has one id.
    expect(new Set(app.received.map(({ id }) => id)).size).toBe(texts.length);
    const order = app.received.filter(
      ({ id }, at) => app.received.findIndex((other) => other.id === id) === at,
    );
    expect(order.map(({ text }) => text)).toEqual(texts);
  },
  KILLS * 60_000 + 120_000,
);
