/** Requests to apps, as `diorama listen` takes them from a server. */
import { afterEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { button, JOHN } from "../../support/acting";
import { eventually, useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const say = { channel: "C01GENERAL", text: "hello" };

type Answer =
  | { readonly status: number; readonly headers?: object; readonly body?: string }
  | { readonly error: string };
type Forwarded = {
  readonly id: string;
  readonly request: { readonly headers: Record<string, string>; readonly body: string };
};

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

async function withApp(fields: object = {}) {
  const environment = await program.environment(fields);
  const { environmentId } = environment;
  const apps = [{ app: APP, events: ["message.channels"] }];
  const put = await program.call("PUT", `/env/${environmentId}/events`, { apps });
  expectStatus(put, 200);
  return { environment, signingSecret: put.body.apps[0].signingSecret };
}

/** Answers requests as `answer` says. Undefined: not at all. */
function listen(
  environmentId: string,
  answer: (request: Forwarded) => Answer | undefined,
  { isReady = true } = {},
) {
  const base = program.url.replace("http", "ws");
  const address = `${base}/api/platform/env/${environmentId}/listen?app=${APP}`;
  const socket = new WebSocket(address);
  open.push(socket);
  const messages: any[] = [];
  const requests: Forwarded[] = [];
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code);
  });
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    messages.push(message);
    if (message.type === "challenge" && isReady) socket.send(JSON.stringify({ type: "ready" }));
    if (message.type !== "request") return;
    requests.push(message);
    const answered = answer(message);
    if (answered) socket.send(JSON.stringify({ id: message.id, ...answered }));
  };
  return {
    ...{ socket, messages, requests, closed },
    has: (count: number) =>
      eventually(() => {
        if (requests.length < count) throw new Error(`only ${requests.length}`);
      }),
  };
}

const deliveryOf = async (environmentId: string) =>
  (await program.get(`/env/${environmentId}/deliveries`)).body.events[0].deliveries[0];
const ends = (environmentId: string, state: string) =>
  eventually(async () => {
    const delivery = await deliveryOf(environmentId);
    expect(delivery.state).toBe(state);
    return delivery;
  });

function expectSigned({ headers, body }: Forwarded["request"], signingSecret: string) {
  const timestamp = headers["x-slack-request-timestamp"];
  expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60);
  const mac = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  expect(headers["x-slack-signature"]).toBe(`v0=${mac}`);
  return JSON.parse(body);
}

test("requests are signed, in order, and acknowledged by their answers", async () => {
  const { environment, signingSecret } = await withApp();
  const app = listen(environment.environmentId, () => ({ status: 200 }));

  const { ts } = await program.chat(environment, "chat.postMessage", say);
  await program.chat(environment, "chat.update", { channel: say.channel, ts, text: "again" });
  await app.has(2);

  const [challenge, hello] = app.messages;
  expect(expectSigned(challenge.request, signingSecret)).toEqual({
    ...{ token: expect.any(String), challenge: challenge.expected, type: "url_verification" },
  });
  expect(hello).toEqual({
    type: "hello",
    app: APP,
    connections: 1,
    acknowledgeMs: 3_000,
    redirectsMax: 2,
  });
  const bodies = app.requests.map(({ request }) => expectSigned(request, signingSecret));
  expect(bodies).toMatchObject([
    { type: "event_callback", api_app_id: APP, event: { type: "message", text: "hello", ts } },
    { event: { subtype: "message_changed", message: { text: "again" } } },
  ]);
  expect(app.requests[0]?.request.headers).not.toHaveProperty("x-slack-retry-num");
  const { attempts } = await ends(environment.environmentId, "delivered");
  expect(attempts).toEqual([
    { at: expect.any(String), ms: expect.any(Number), failed: null, answer: null },
  ]);
});

test.each([
  [{ status: 500 }, "status 500", "http_error"],
  [{ error: "ssl_error" }, "TLS failed", "ssl_error"],
  [{ error: "too_many_redirects" }, "too many redirects", "too_many_redirects"],
  [{ error: "connection_failed" }, "connection failed", "connection_failed"],
  [{ error: "timeout" }, "no acknowledgement", "http_timeout"],
  [undefined, "no acknowledgement", "http_timeout"],
])("after %p the same event is posted again, with the reason", async (failure, failed, reason) => {
  const { environment } = await withApp();
  let count = 0;
  const app = listen(environment.environmentId, () => (count++ === 0 ? failure : { status: 204 }));
  await program.chat(environment, "chat.postMessage", say);
  await app.has(2);

  const [first, second] = app.requests.map(({ request }) => request);
  expect(second?.headers).toMatchObject({
    ...{ "x-slack-retry-num": "1", "x-slack-retry-reason": reason },
  });
  expect(second?.body).toBe(first?.body ?? "");
  const { attempts } = await ends(environment.environmentId, "delivered");
  expect(attempts).toMatchObject([{ failed }, { failed: null }]);
});

test("an answer can ask for no other attempt; without that, the last comes after minutes of the environment", async () => {
  const { environment } = await withApp({ clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" } });
  const { environmentId } = environment;
  let headers = {};
  const app = listen(environmentId, () => ({ status: 503, headers }));
  await program.chat(environment, "chat.postMessage", say);
  await app.has(2);
  await ends(environmentId, "pending");
  headers = { "x-slack-no-retry": "1" };
  expectStatus(await program.post(`/env/${environmentId}/clock`, { advance: "PT1M" }), 200);

  const { attempts } = await ends(environmentId, "failed");
  expect(attempts).toHaveLength(3);
  expect(app.requests).toHaveLength(3);
});

test("the outcome of the last request counts, also if the connection closes", async () => {
  const { environment } = await withApp();
  const headers = { "x-slack-no-retry": "1" };
  const app = listen(environment.environmentId, () => ({ status: 500, headers }));
  await program.chat(environment, "chat.postMessage", say);
  await app.has(1);
  app.socket.close();
  await app.closed;
  const { attempts } = await ends(environment.environmentId, "failed");
  expect(attempts).toMatchObject([{ failed: "status 500" }]);
});

test("a request follows the outcome of the one before", async () => {
  const { environment } = await withApp();
  const app = listen(environment.environmentId, () => undefined);
  for (let n = 0; n < 5; n++) await program.chat(environment, "chat.postMessage", say);
  await app.has(1);
  const { body } = await program.get(`/env/${environment.environmentId}/deliveries`);
  const states = body.events.map(({ deliveries }: any) => deliveries[0].state);
  expect(states).toEqual(["sent", "pending", "pending", "pending", "pending"]);
  for (let n = 0; n < 5; n++) {
    await app.has(n + 1);
    app.socket.send(JSON.stringify({ id: `${n + 1}.0`, status: 200 }));
  }
  await ends(environment.environmentId, "delivered");
  expect(app.requests.map(({ id }) => id)).toEqual(["1.0", "2.0", "3.0", "4.0", "5.0"]);
});

test("nothing comes before the app is ready", async () => {
  const { environment } = await withApp();
  const app = listen(environment.environmentId, () => ({ status: 200 }), { isReady: false });
  await program.chat(environment, "chat.postMessage", say);
  await eventually(() => expect(app.messages).toHaveLength(1));
  app.socket.send(JSON.stringify({ id: "1.0", status: 200 }));
  app.socket.send("no JSON");
  expect((await deliveryOf(environment.environmentId)).attempts).toEqual([]);
  app.socket.send(JSON.stringify({ type: "ready" }));
  await app.has(1);
});

test("made-up outcomes change nothing", async () => {
  const { environment } = await withApp();
  const { environmentId } = environment;
  let isOver = false;
  const app = listen(environmentId, () => (isOver ? { status: 200 } : undefined));
  await program.chat(environment, "chat.postMessage", say);
  await app.has(1);
  const made = [
    ...[
      { id: "1.9", status: 200 },
      { id: "1.9", status: 500 },
      { id: "2.0", status: 500 },
    ],
    ...[
      { id: 1, status: 200 },
      { id: "1.0", status: 99 },
      { id: "1.0", status: "200" },
    ],
    ...[{ id: "1.0" }, { id: "1.0", error: "other" }, { id: "1.0'; --", status: 200 }, [], 1],
  ];
  for (const one of made) app.socket.send(JSON.stringify(one));
  isOver = true;
  const { attempts } = await ends(environmentId, "delivered");
  expect(attempts).toMatchObject([{ failed: "no acknowledgement" }, { failed: null }]);
});

test("an act of a person is a form, and has one attempt", async () => {
  const { environment, signingSecret } = await withApp();
  const app = listen(environment.environmentId, () => ({ status: 500 }));
  const blocks = [{ type: "actions", elements: [button] }];
  const { ts } = await program.chat(environment, "chat.postMessage", { ...say, blocks });
  await app.has(2); // the post, twice
  const act = { type: "block_actions", user: JOHN, channel: say.channel, action_id: "approve" };
  const path = `/env/${environment.environmentId}/events`;
  expectStatus(await program.post(path, { act: { ...act, message: ts } }), 200);
  await app.has(3);

  const { headers, body } = app.requests[2]?.request ?? { headers: {}, body: "" };
  expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
  const signed = createHmac("sha256", signingSecret)
    .update(`v0:${headers["x-slack-request-timestamp"]}:${body}`)
    .digest("hex");
  expect(headers["x-slack-signature"]).toBe(`v0=${signed}`);
  expect(JSON.parse(new URLSearchParams(body).get("payload") ?? "")).toMatchObject({
    type: "block_actions",
    actions: [{ action_id: "approve", value: "order-7" }],
  });
  await eventually(async () => {
    const { body } = await program.get(`/env/${environment.environmentId}/deliveries`);
    const [{ state, attempts }] = body.events[1].deliveries;
    expect([state, attempts.length, attempts[0].failed]).toEqual(["failed", 1, "status 500"]);
  });
});

test.each([
  ['{"response_type":"in_channel","text":"from JSON"}', "messages", "from JSON"],
  ["a text", "ephemeral_messages", "a text"],
])("a command is a form of its own, and answered by the body %j", async (body, table, text) => {
  const { environment } = await withApp();
  const { environmentId } = environment;
  const app = listen(environmentId, () => ({ status: 200, body }));
  await eventually(() => expect(app.messages).toHaveLength(2));
  const act = { type: "command", user: JOHN, channel: say.channel, command: "/order", text: "7" };
  const { runId } = (await program.post("/startRun", { envId: environmentId })).body;
  expectStatus(await program.post(`/env/${environmentId}/events`, { act }), 200);
  const sent = new URLSearchParams(app.requests[0]?.request.body);
  expect(Object.fromEntries(sent)).toMatchObject({ command: "/order", text: "7", user_id: JOHN });
  const { diff } = (await program.post("/diffRun", { runId })).body;
  expect(diff.inserts).toMatchObject([{ __table__: table, text }]);
});

test("a connection of Socket Mode and a forwarded one share the events", async () => {
  const { environment } = await withApp();
  const { environmentId, environmentUrl, token } = environment;
  const { url } = await openAddress(program.url, environmentUrl, `xapp-1-${APP}-${token}`);
  const direct = connectApp(url);
  open.push(direct.socket);
  await direct.greeted();
  const forwarded = listen(environmentId, () => ({ status: 200 }));
  await eventually(() => expect(forwarded.messages).toHaveLength(2));
  for (let n = 0; n < 10; n++) await program.chat(environment, "chat.postMessage", say);
  await eventually(() => expect(direct.envelopes().length + forwarded.requests.length).toBe(10));
  expect(forwarded.requests.length).toBeWithin(1, 10);
});

test("the end of an environment is reported", async () => {
  const { environment } = await withApp();
  const app = listen(environment.environmentId, () => ({ status: 200 }));
  await eventually(() => expect(app.messages).toHaveLength(2));
  expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);
  await app.closed;
  expect(app.messages.at(-1)).toEqual({ type: "goodbye", reason: "disabled" });
});

test("an unknown app, no app, and somebody else's environment are rejected", async () => {
  const { environment } = await withApp();
  const { environmentId } = environment;
  const status = async (id: string, query: string) => {
    const answer = await fetch(`${program.url}/api/platform/env/${id}/listen${query}`);
    return ((await answer.json()) as { error: string }).error;
  };

  expect(await status(environmentId, "?app=A01AGENTTWO")).toBe("invalid_request");
  expect(await status(environmentId, "")).toBe("invalid_request");
  expect(await status("0".repeat(32), `?app=${APP}`)).toBe("environment_not_found");
  // A request that upgrades nothing.
  expect(await status(environmentId, `?app=${APP}`)).toBe("invalid_request");
});
