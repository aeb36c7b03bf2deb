/** Events over the sockets of apps, as a client of Socket Mode meets them. */
import { afterEach, describe, expect, test } from "bun:test";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, type Envelope, openAddress } from "../../support/socket-mode";

const database = useSharedDatabase();
const program = useProgram(database);

const GENERAL = "C01GENERAL";
const say = { channel: GENERAL, text: "hello <@U01AGENTONE>" };
const EVENTS = ["message.channels", "app_mention", "reaction_added"];

type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly token: string;
};

async function withApp(fields: object = {}, apps: object[] = [{ app: APP, events: EVENTS }]) {
  const environment: Environment = await program.environment(fields);
  const path = `/env/${environment.environmentId}/events`;
  expectStatus(await program.call("PUT", path, { apps }), 200);
  return environment;
}

const openUrl = ({ environmentUrl, token }: Environment, app = APP) =>
  openAddress(program.url, environmentUrl, `xapp-1-${app}-${token}`);

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function connect(environment: Environment, takes?: (envelope: Envelope) => boolean) {
  const app = connectApp((await openUrl(environment)).url, takes);
  open.push(app.socket);
  await app.greeted();
  return app;
}

async function deliveriesOf({ environmentId }: Environment, query = "") {
  const answer = await program.get(`/env/${environmentId}/deliveries${query}`);
  expectStatus(answer, 200);
  return answer.body;
}

/** The deliveries, once all have ended. */
const settled = (environment: Environment) =>
  eventually(async () => {
    const { events } = await deliveriesOf(environment);
    const states = events.flatMap(({ deliveries }: any) => deliveries.map((one: any) => one.state));
    if (states.some((state: string) => state !== "delivered")) throw new Error(states.join());
    return events;
  });

test("an app receives what happened, in order, with one id for each event", async () => {
  const environment = await withApp();
  const app = await connect(environment);
  expect(app.received[0]).toMatchObject({
    type: "hello",
    num_connections: 1,
    connection_info: { app_id: APP },
  });
  const { ts } = await program.chat(environment, "chat.postMessage", say);
  await program.chat(environment, "reactions.add", {
    channel: GENERAL,
    timestamp: ts,
    name: "eyes",
  });
  await app.has(3);

  const payloads = app.envelopes().map(({ payload }) => payload);
  expect(payloads.map(({ event }) => event.type)).toEqual([
    "message",
    "app_mention",
    "reaction_added",
  ]);
  expect(payloads[0]).toMatchObject({
    type: "event_callback",
    api_app_id: APP,
    team_id: "T01ACMECORP",
    event: { channel: GENERAL, ts, text: say.text, channel_type: "channel" },
  });
  expect(new Set(payloads.map(({ event_id: id }) => id)).size).toBe(3);
  const events = await settled(environment);
  expect(events.map(({ type }: any) => type)).toEqual(EVENTS);
  expect(events[0].cause.by).toBe("call");
});

test("what happens before the first connection waits for it", async () => {
  const environment = await withApp();
  await program.chat(environment, "chat.postMessage", say);
  const { events } = await deliveriesOf(environment);
  expect(events.map(({ deliveries }: any) => deliveries[0].state)).toEqual(["pending", "pending"]);
  const app = await connect(environment);
  await app.has(2);
  await settled(environment);
});

test("an event without an acknowledgement is sent again, with the same id", async () => {
  const environment = await withApp({}, [{ app: APP, events: ["message.channels"] }]);
  const app = await connect(environment, ({ retry_attempt: attempt }) => attempt > 0);
  await program.chat(environment, "chat.postMessage", say);
  await app.has(2);

  const [first, second] = app.envelopes();
  expect(second).toMatchObject({ retry_attempt: 1, retry_reason: "timeout" });
  expect(second?.["payload"].event_id).toBe(first?.["payload"].event_id);
  const [event] = await settled(environment);
  expect(event.deliveries[0].attempts).toMatchObject([
    { failed: "no acknowledgement" },
    { failed: null },
  ]);
});

test("an event that is not taken does not hold up the next", async () => {
  const environment = await withApp({}, [{ app: APP, events: ["message.channels"] }]);
  const app = await connect(environment, ({ payload }) => payload.event.text !== "one");
  for (const text of ["one", "two", "three"])
    await program.chat(environment, "chat.postMessage", { channel: GENERAL, text });
  await app.has(3);
  expect(app.texts()).toEqual(["one", "two", "three"]);
});

test("later attempts come with the environment's clock", async () => {
  const environment = await withApp({ clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } }, [
    { app: APP, events: ["message.channels"] },
  ]);
  const app = await connect(environment, () => false);
  await program.chat(environment, "chat.postMessage", say);
  const path = `/env/${environment.environmentId}/clock`;
  await app.has(2); // the second attempt is due immediately
  await eventually(async () => {
    const [event] = (await deliveriesOf(environment)).events;
    if (event.deliveries[0].state !== "pending") throw new Error("still sent");
  });
  expectStatus(await program.post(path, { advance: "PT1M" }), 200);
  await app.has(3);
  await eventually(async () => {
    const [event] = (await deliveriesOf(environment)).events;
    if (event.deliveries[0].state !== "pending") throw new Error("still sent");
  });
  expectStatus(await program.post(path, { advance: "PT5M" }), 200);
  await app.has(4);
  await eventually(async () => {
    const [event] = (await deliveriesOf(environment)).events;
    expect(event.deliveries[0].state).toBe("failed");
  });
});

test("an event that nobody acknowledged comes again over a new connection", async () => {
  const environment = await withApp({}, [{ app: APP, events: ["message.channels"] }]);
  const first = await connect(environment, () => false);
  await program.chat(environment, "chat.postMessage", say);
  await first.has(1);
  first.socket.close();
  await first.closed;
  const second = await connect(environment);
  await second.has(1);
  await settled(environment);
});

test("an acknowledgement of an attempt that was not made changes nothing", async () => {
  const environment = await withApp({}, [{ app: APP, events: ["message.channels"] }]);
  const app = await connect(environment, ({ retry_attempt: attempt }) => attempt > 0);
  app.socket.addEventListener("message", ({ data }) => {
    const { envelope_id: id = "" } = JSON.parse(String(data));
    const other = `${id.slice(0, 14)}4009${id.slice(18)}`; // its third group is the attempt
    if (id) app.socket.send(JSON.stringify({ envelope_id: other }));
  });
  await program.chat(environment, "chat.postMessage", say);
  await app.has(2);
  await settled(environment);
});

test("a transaction that is too large for one batch has its events", async () => {
  const environment = await withApp({ clock: { now: "2026-03-11T09:00:00Z" } }, [
    { app: APP, events: ["message.channels"] },
  ]);
  const count = 300; // more than a statement may return, in one transaction of the clock
  const post_at = Date.parse("2026-03-11T12:00:00Z") / 1000;
  for (let n = 0; n < count; n++)
    await program.chat(environment, "chat.scheduleMessage", {
      channel: GENERAL,
      text: "€".repeat(39_000),
      post_at: post_at + 60 * n,
    });
  const path = `/env/${environment.environmentId}/clock`;
  expectStatus(await program.post(path, { advance: "P1D" }), 200);
  const numbers: number[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const page = await deliveriesOf(environment, `?after=${next}`);
    expect(page.complete).toBe(true);
    numbers.push(...page.events.map(({ n }: { n: number }) => n));
    next = page.next;
  }
  expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n + 1));
});

test("an event that is too large is listed, with the reason, and not sent", async () => {
  const environment = await withApp({}, [{ app: APP, events: ["message.channels"] }]);
  const section = { type: "section", text: { type: "plain_text", text: "€".repeat(3000) } };
  const long = { channel: GENERAL, text: "€".repeat(39_000), blocks: Array(3).fill(section) };
  const { ts } = await program.chat(environment, "chat.postMessage", long);
  await program.chat(environment, "chat.update", { ...long, ts, text: "€".repeat(38_000) });
  const { events } = await deliveriesOf(environment);
  expect(events[1]).toMatchObject({
    payload: null,
    deliveries: [],
    missed: [{ app: APP, reason: "the event is too large" }],
  });
  const app = await connect(environment);
  await app.has(1);
  await settled(environment);
  expect(app.envelopes()).toHaveLength(1);
});

test("ids are not used twice when apps come again, and what happened before is not theirs", async () => {
  const apps = [{ app: APP, events: ["message.channels"] }];
  const environment = await withApp({}, apps);
  const path = `/env/${environment.environmentId}/events`;
  await program.chat(environment, "chat.postMessage", { channel: GENERAL, text: "one" });
  await deliveriesOf(environment);
  expectStatus(await program.call("PUT", path, { apps: [] }), 200);
  expectStatus(await program.call("PUT", path, { apps }), 200);
  await program.chat(environment, "chat.postMessage", { channel: GENERAL, text: "two" });
  const app = await connect(environment);
  await app.has(1);
  expect(app.texts()).toEqual(["two"]);
  const { events } = await deliveriesOf(environment);
  expect(events.map(({ n }: { n: number }) => n)).toEqual([1, 2]);
});

test("a list of deliveries ends while calls go on", async () => {
  const environment = await withApp();
  let isOver = false;
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) await program.chat(environment, "chat.postMessage", say);
  });
  await Bun.sleep(500);
  for (let n = 0; n < 3; n++) await deliveriesOf(environment, "?limit=1");
  isOver = true;
  await Promise.all(writers);
});

test("connections that are abandoned while they open take no place", async () => {
  const environment = await withApp();
  const { port } = new URL(program.url);
  for (let n = 0; n < 12; n++) {
    const { pathname, search } = new URL((await openUrl(environment)).url);
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: { data() {}, close: () => closed.resolve() },
    });
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    socket.end();
    await closed.promise;
  }
  const { received } = await connect(environment);
  expect(received[0]).toMatchObject({ type: "hello", num_connections: 1 });
});

test("an event goes to one of several connections", async () => {
  const environment = await withApp({}, [{ app: APP, events: ["message.channels"] }]);
  const apps = [await connect(environment), await connect(environment), await connect(environment)];
  expect(apps.map(({ received }) => received[0]?.["num_connections"])).toEqual([1, 2, 3]);
  for (let n = 0; n < 9; n++)
    await program.chat(environment, "chat.postMessage", { channel: GENERAL, text: `${n}` });
  await settled(environment);
  expect(apps.map(({ envelopes }) => envelopes().length)).toEqual([3, 3, 3]);
});

test("an eleventh connection is sent away", async () => {
  const environment = await withApp();
  for (let n = 0; n < 10; n++) await connect(environment);
  const { received, closed } = await connect(environment);
  expect(received[0]).toMatchObject({ type: "disconnect", reason: "too_many_websockets" });
  await closed;
});

test("the end of an environment ends its connections", async () => {
  const environment = await withApp();
  const { received, closed } = await connect(environment);
  expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);
  await closed;
  expect(received.at(-1)).toMatchObject({ type: "disconnect", reason: "link_disabled" });
});

test("so does the loss of the app", async () => {
  const environment = await withApp();
  const { received, closed } = await connect(environment);
  const path = `/env/${environment.environmentId}/events`;
  expectStatus(await program.call("PUT", path, { apps: [] }), 200);
  await closed;
  expect(received.at(-1)).toMatchObject({ type: "disconnect", reason: "link_disabled" });
});

test("a reset drops what was not delivered", async () => {
  const environment = await withApp();
  await program.chat(environment, "chat.postMessage", say);
  expect((await deliveriesOf(environment)).events).toHaveLength(2);
  expectStatus(await program.post(`/env/${environment.environmentId}/reset`, {}), 200);
  const app = await connect(environment);
  await program.chat(environment, "chat.postMessage", { channel: GENERAL, text: "after" });
  await app.has(1);
  expect(app.texts()).toEqual(["after"]);
  await eventually(async () => {
    const { events } = await deliveriesOf(environment);
    const states = events.map(({ deliveries }: any) => deliveries[0].state);
    expect(states).toEqual(["failed", "failed", "delivered"]);
  });
});

describe("who does not receive an event is told why", () => {
  test("in the list of deliveries, in pages", async () => {
    const environment = await withApp({}, [
      { app: APP, events: EVENTS, scopes: ["channels:history"] },
      { app: "A02OTHER", userId: "U03ROBINRAY", events: [] },
    ]);
    await program.chat(environment, "chat.postMessage", say);
    const first = await deliveriesOf(environment, "?limit=1");
    expect(first).toMatchObject({
      complete: true,
      next: 1,
      events: [
        {
          n: 1,
          type: "message.channels",
          deliveries: [{ app: APP }],
          missed: [{ app: "A02OTHER", reason: "not subscribed" }],
        },
      ],
    });
    const second = await deliveriesOf(environment, "?limit=1&after=1");
    expect(second).toMatchObject({
      next: null,
      events: [{ n: 2, type: "app_mention", deliveries: [] }],
    });
    expect(second.events[0].missed).toContainEqual({
      app: APP,
      reason: expect.stringContaining("app_mentions:read"),
    });
  });
});

describe("is rejected", () => {
  const upgrade = async (url: string) =>
    await fetch(url.replace(/^ws/, "http"), {
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });

  test("a ticket that was used", async () => {
    const environment = await withApp();
    const { url } = await openUrl(environment);
    const socket = new WebSocket(url);
    open.push(socket);
    await new Promise((resolve) => {
      socket.onmessage = resolve;
    });
    expect((await upgrade(url)).status).toBe(401);
  });

  test("a ticket of another environment, and none", async () => {
    const environment = await withApp();
    const { url } = await openUrl(environment);
    const other = await withApp();
    const moved = url.replace(environment.environmentId, other.environmentId);
    expect((await upgrade(moved)).status).toBe(401);
    expect((await upgrade(url.replace(/ticket=[^&]*/, "ticket=none"))).status).toBe(401);
    expect((await upgrade(url.replace(/\?.*/, ""))).status).toBe(401);
  });

  test("an app without events, and a method with an app's token", async () => {
    const environment = await withApp();
    expect(await openUrl(environment, "A02OTHER")).toMatchObject({ error: "invalid_auth" });
    const response = await fetch(`${program.url}${environment.environmentUrl}/chat.postMessage`, {
      method: "POST",
      headers: { Authorization: `Bearer xapp-1-${APP}-${environment.token}` },
    });
    expect(await response.json()).toMatchObject({ error: "not_allowed_token_type" });
  });

  test("a call without a token of an app", async () => {
    const environment = await withApp();
    expect(await program.chat(environment, "apps.connections.open")).toMatchObject({
      ok: false,
      error: "not_allowed_token_type",
    });
  });
});
