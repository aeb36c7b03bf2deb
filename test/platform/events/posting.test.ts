/** Requests of the server to the address of an app. */
import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { button, FROZEN, GENERAL, JOHN, plain, useActing } from "../../support/acting";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { type Received, receive, signedBody } from "../../support/receiver";
import { APP } from "../../support/socket-mode";

const database = useSharedDatabase();
const program = useProgram(database);
const { act, post, connect } = useActing(program);

async function withAddress(requestUrl: string, fields: object = {}) {
  const environment = await program.environment(fields);
  const put = await program.call("PUT", `/env/${environment.environmentId}/events`, {
    apps: [{ app: APP, events: ["message.channels"], requestUrl }],
  });
  expectStatus(put, 200);
  return { environment, signingSecret: put.body.apps[0].signingSecret };
}

type Environment = { readonly environmentId: string };

const eventsOf = async ({ environmentId }: Environment): Promise<any[]> =>
  (await program.get(`/env/${environmentId}/deliveries`)).body.events;
const ends = (environment: Environment, state: string, attempts = 1) =>
  eventually(async () => {
    const [event] = await eventsOf(environment);
    expect(event?.deliveries[0]).toMatchObject({ state });
    expect(event.deliveries[0].attempts).toHaveLength(attempts);
    return event.deliveries[0];
  });
const appOf = async ({ environmentId }: Environment) =>
  (await program.get(`/env/${environmentId}/events`)).body.apps[0];
const move = async ({ environmentId }: Environment, advance: string) =>
  expectStatus(await program.post(`/env/${environmentId}/clock`, { advance }), 200);

const retryOf = ({ headers }: Received) => [
  headers.get("x-slack-retry-num"),
  headers.get("x-slack-retry-reason"),
];

test("events are posted in order, signed, once the address has answered a challenge", async () => {
  const bot = receive();
  const { environment, signingSecret } = await withAddress(bot.url);
  for (const text of ["one", "two", "three"]) await post(environment, { text });
  await bot.has(3);

  const challenges = bot.challenges.map((each) => signedBody(each, signingSecret));
  expect(challenges).toMatchObject([{ type: "url_verification" }]);
  const bodies = bot.requests.map((each) => signedBody(each, signingSecret));
  expect(bodies.map(({ event }) => event.text)).toEqual(["one", "two", "three"]);
  expect(bodies[0]).toMatchObject({ type: "event_callback", api_app_id: APP });
  const [{ headers } = {} as Received] = bot.requests;
  expect(headers.get("user-agent")).toStartWith("Slackbot 1.0");
  expect(headers.has("x-slack-retry-num")).toBeFalse();
  const { attempts } = await ends(environment, "delivered");
  expect(attempts).toEqual([
    { at: expect.any(String), ms: expect.any(Number), failed: null, answer: null },
  ]);
  expect(await appOf(environment)).toMatchObject({
    ...{ requestUrl: bot.url, problem: null, connected: false },
  });
});

test("a new environment has apps with addresses", async () => {
  const bot = receive();
  const apps = [{ app: APP, events: ["message.channels"], requestUrl: bot.url }];
  const environment = await program.environment({ events: { apps } });
  await post(environment, { text: "hello" });
  await bot.has(1);
  expect(signedBody(bot.requests[0]!, environment.apps[0].signingSecret)).toMatchObject({
    event: { text: "hello" },
  });
});

test("events wait for an address that does not answer the challenge, and say why", async () => {
  let isReady = false;
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: async (request) => {
      const { challenge = "" } = (await request.json()) as { challenge?: string };
      return isReady ? new Response(challenge) : new Response("", { status: 404 });
    },
  });
  const { environment } = await withAddress(`http://127.0.0.1:${server.port}/`);
  await post(environment, { text: "hello" });
  await eventually(async () => expect((await appOf(environment)).problem).toBe("status 404"));
  expect((await eventsOf(environment))[0].deliveries[0]).toMatchObject({
    ...{ state: "pending", attempts: [] },
  });
  isReady = true;
  await ends(environment, "delivered");
  expect((await appOf(environment)).problem).toBeNull();
  await server.stop(true);
});

test("a failed attempt is repeated with its reason by the environment's clock", async () => {
  const answers = [500, 404, 302, 200];
  const bot = receive(() => new Response("", { status: answers.shift() ?? 500 }));
  const { environment } = await withAddress(bot.url, FROZEN);
  await post(environment, { text: "hello" });
  await bot.has(2);
  await ends(environment, "pending", 2);
  await move(environment, "PT59S");
  await Bun.sleep(1_200); // longer than between two looks
  expect(bot.requests).toHaveLength(2);
  await move(environment, "PT1S");
  await bot.has(3);
  await ends(environment, "pending", 3);
  await move(environment, "PT5M");
  await ends(environment, "delivered", 4);

  expect(bot.requests.map(retryOf)).toEqual([
    [null, null],
    ["1", "http_error"],
    ["2", "http_error"],
    ["3", "http_error"],
  ]);
  const ids = bot.requests.map(({ body }) => JSON.parse(body).event_id);
  expect(new Set(ids).size).toBe(1);
});

test("after the last attempt, a delivery has failed", async () => {
  const bot = receive(() => new Response("", { status: 500 }));
  const { environment } = await withAddress(bot.url, FROZEN);
  await post(environment, { text: "hello" });
  await ends(environment, "pending", 2);
  await move(environment, "PT1M");
  await ends(environment, "pending", 3);
  await move(environment, "PT5M");
  const { attempts } = await ends(environment, "failed", 4);
  expect(attempts.map(({ failed }: any) => failed)).toEqual(Array(4).fill("status 500"));
});

test("an answer can ask for no other attempt", async () => {
  const bot = receive(
    () => new Response("", { status: 500, headers: { "X-Slack-No-Retry": "1" } }),
  );
  const { environment } = await withAddress(bot.url);
  await post(environment, { text: "hello" });
  await ends(environment, "failed");
  expect(bot.requests).toHaveLength(1);
});

/** An address whose first request after the challenge fails in a way of its own. */
async function failingOnce(fail: (socket: Socket) => unknown) {
  const reasons: (string | undefined)[] = [];
  let isFailed = false;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (bytes) => {
      text += String(bytes);
      const [head = "", body = ""] = text.split("\r\n\r\n");
      if (body.length < Number(/content-length: (\d+)/.exec(head)?.[1])) return;
      const { challenge = "", type } = JSON.parse(body);
      if (type !== "url_verification" && !isFailed) {
        isFailed = true;
        fail(socket);
        return;
      }
      if (type !== "url_verification") reasons.push(/retry-reason: (\S+)/.exec(head)?.[1]);
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${challenge.length}\r\n\r\n${challenge}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/`, reasons, server };
}

/** An address that redirects to itself. */
function loop(): string {
  const { url } = receive(() => Response.redirect(url, 307));
  return url;
}

const redirectTo = (location: string) => (socket: Socket) =>
  socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\n\r\n`);

test.each<[string, string, (socket: Socket) => unknown]>([
  ["http_timeout", "no acknowledgement", () => undefined],
  ["too_many_redirects", "too many redirects", (socket) => redirectTo(loop())(socket)],
  ["connection_failed", "connection failed", redirectTo("http://127.0.0.1:9/")],
  [
    "ssl_error",
    "TLS failed",
    (socket) => redirectTo(receive().url.replace("http:", "https:"))(socket),
  ],
  ["http_error", "status 404", (socket) => socket.end("HTTP/1.1 404 Not Found\r\n\r\n")],
  ["unknown_error", "no valid answer", (socket) => socket.end("SSH-2.0\r\n\r\n")],
  [
    "unknown_error",
    "the answer is too large",
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"),
  ],
])("the repetition has the reason %p for %p", async (reason, failed, fail) => {
  const bot = await failingOnce(fail);
  const { environment } = await withAddress(bot.url);
  await post(environment, { text: "hello" });
  const { attempts } = await ends(environment, "delivered", 2);
  expect(attempts[0].failed).toBe(failed);
  expect(bot.reasons).toEqual([reason]);
  bot.server.close();
});

test.each([
  ["http://169.254.169.254/latest/meta-data", "its address is never posted to"],
  ["http://10.1.2.3/", "EVENT_TARGETS does not list it"],
  ["http://2852039166/", "its address is never posted to"],
  ["http://user:password@127.0.0.1/", "it has a user name or a password"],
])("nothing is posted to %p: its deliveries are blocked", async (url, reason) => {
  const { environment } = await withAddress(url);
  await post(environment, { text: "hello" });
  const { attempts } = await ends(environment, "blocked");
  expect(attempts[0]).toMatchObject({ failed: reason, ms: null });
  expect(await appOf(environment)).toMatchObject({ requestUrl: url });
});

test("nothing is posted to this server or its database", async () => {
  const { port } = new URL(program.url);
  const { port: postgres } = new URL(database.url);
  const reason = "its address is one of this server or its database";
  for (const host of [
    ...["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"].map(
      (own) => `${own}:${port}`,
    ),
    `127.0.0.1:${postgres || 5432}`,
  ]) {
    const { environment } = await withAddress(`http://${host}/api/platform/initEnv`);
    await post(environment, { text: "hello" });
    expect((await ends(environment, "blocked")).attempts[0].failed).toBe(reason);
  }
});

test("a redirect to an address that is not allowed is blocked", async () => {
  const bot = receive(() => Response.redirect("http://169.254.169.254/latest", 302));
  const { environment } = await withAddress(bot.url);
  await post(environment, { text: "hello" });
  const { attempts } = await ends(environment, "blocked");
  expect(attempts[0].failed).toBe("a redirect: its address is never posted to");
});

test("a blocked delivery can be made again, once the app has another address", async () => {
  const { environment } = await withAddress("http://10.1.2.3/");
  await post(environment, { text: "hello" });
  await ends(environment, "blocked");
  const bot = receive();
  const apps = [{ app: APP, events: ["message.channels"], requestUrl: bot.url }];
  const path = `/env/${environment.environmentId}`;
  expectStatus(await program.call("PUT", `${path}/events`, { apps }), 200);
  expectStatus(await program.post(`${path}/deliveries/1/repeat`, {}), 200);
  await bot.has(1);
  await ends(environment, "delivered", 2);
});

test("an address has the form of one", async () => {
  const { environmentId } = await program.environment();
  for (const requestUrl of [
    "ftp://127.0.0.1/",
    "127.0.0.1:80",
    "http://",
    `http://a/${"a".repeat(2_000)}`,
  ])
    expectRefusal(
      await program.call("PUT", `/env/${environmentId}/events`, {
        apps: [{ app: APP, events: [], requestUrl }],
      }),
      ...([400, "invalid_request"] as const),
    );
});

test("the use of a button is posted as a form, and its answer reaches the server", async () => {
  const bot = receive();
  const { environment } = await withAddress(bot.url);
  const ts = await post(environment, { blocks: [{ type: "actions", elements: [button] }] });
  await bot.has(1);
  const message = { channel: GENERAL, message: ts };
  const given = { type: "block_actions", user: JOHN, action_id: "approve", ...message };
  expectStatus(await act(environment, given), 200);
  await bot.has(2);
  const form = new URLSearchParams(bot.requests[1]?.body);
  const payload = JSON.parse(form.get("payload") ?? "");
  expect(payload).toMatchObject({ type: "block_actions", actions: [{ value: "order-7" }] });
  expect(payload.response_url).toStartWith(`${program.url}/api/env/${environment.environmentId}/`);
  const answered = await fetch(payload.response_url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text: "approved", replace_original: false }),
  });
  expect(answered.status).toBe(200);
});

test("the answer to a command is posted, and a form with its values is signed", async () => {
  const answer = { response_type: "in_channel", text: "deployed" };
  const bot = receive(() => Response.json(answer));
  const { environment } = await withAddress(bot.url);
  const typed = { type: "command", user: JOHN, channel: GENERAL, command: "/deploy", text: "now" };
  const { body } = await act(environment, typed);
  expect(body.deliveries[0]).toMatchObject({ state: "delivered", attempts: [{ answer }] });
  const form = new URLSearchParams(bot.requests[0]?.body);
  expect(form.get("command")).toBe("/deploy");
  const history = { channel: GENERAL };
  const { messages } = await program.chat(environment, "conversations.history", history);
  expect(messages[0]).toMatchObject({ text: "deployed" });
});

const errors = (fields: object) => ({ response_action: "errors", errors: fields });
test.each<[string, string, string | null, object]>([
  ["with errors", "delivered", null, errors({ amount: "too many" })],
  ["with errors of no block", "failed", "its answer is rejected", errors({ none: "too many" })],
  ["over the bound", "failed", "the answer is too large", { text: "x".repeat(70_000) }],
])("a modal whose answer is one %s is %s", async (_, state, reason, answer) => {
  const bot = receive(() => Response.json(answer));
  const { environment } = await withAddress(bot.url);
  const { environmentId } = environment;
  const { triggerId } = (await program.post(`/env/${environmentId}/triggers`, { userId: JOHN }))
    .body;
  const element = { type: "number_input", is_decimal_allowed: false, action_id: "it" };
  const blocks = [{ type: "input", block_id: "amount", label: plain("amount"), element }];
  const { view } = await program.chat(environment, "views.open", {
    trigger_id: triggerId,
    view: { type: "modal", title: plain("Order"), submit: plain("Send"), blocks },
  });
  const values = { amount: { it: "7" } };
  const submitted = { type: "view_submission", user: JOHN, view: view.id, values };
  const { body } = await act(environment, submitted);
  expect(body.deliveries[0]).toMatchObject({ state });
  const [{ failed }] = body.deliveries[0].attempts;
  if (reason === null) expect(failed).toBeNull();
  else expect(failed).toStartWith(reason);
});

test("an app with a connection gets its events over that", async () => {
  const bot = receive();
  const { environment } = await withAddress(bot.url);
  const app = await connect(environment);
  await post(environment, { text: "hello" });
  await eventually(() => expect(app.texts()).toEqual(["hello"]));
  expect(bot.requests).toHaveLength(0);
});

test("a fork has the app without its address", async () => {
  const bot = receive();
  const { environment } = await withAddress(bot.url);
  const forked = await program.post(`/env/${environment.environmentId}/fork`, {});
  expectStatus(forked, 200);
  const [fork] = forked.body.environments;
  expect(await appOf(fork)).toMatchObject({ app: APP, requestUrl: null });
});
