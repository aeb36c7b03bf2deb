/** `diorama listen`, against a server and an app. */
import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { useCommands } from "../support/commands";
import { eventually, useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const program = useProgram(useDatabase());
const commands = useCommands(program);
const APP = "A01AGENTONE";
const say = { channel: "C01GENERAL", text: "hello" };

const running: { kill: () => void }[] = [];
afterAll(() => {
  for (const each of running) each.kill();
});

async function withApps(...ids: string[]) {
  const environment = await program.environment();
  const apps = ids.map((app) => ({ app, events: ["message.channels"] }));
  const path = `/env/${environment.environmentId}/events`;
  const { body } = await program.call("PUT", path, { apps });
  return { environment, signingSecret: body.apps?.[0]?.signingSecret };
}

/** An app that answers challenges, and events with `status`. */
function serveApp(status: () => number, port = 0) {
  const received: { headers: Headers; body: string }[] = [];
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port },
    async fetch(request) {
      const { headers } = request;
      const body = await request.text();
      const { type, challenge } = JSON.parse(body);
      if (type === "url_verification") return Response.json({ challenge });
      received.push({ headers, body });
      return new Response("", { status: status() });
    },
  });
  running.push({ kill: () => server.stop(true) });
  return { received, server, url: `http://127.0.0.1:${server.port}/slack/events` };
}

/** Starts the command, and reads what it prints. */
function start(...args: string[]) {
  const child = commands.start(["listen", ...args]);
  running.push(child);
  const output = { out: "", err: "" };
  const read = async (stream: ReadableStream<Uint8Array>, to: "out" | "err") => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output[to] += decoder.decode(chunk, { stream: true });
  };
  void read(child.stdout, "out");
  void read(child.stderr, "err");
  return { child, output };
}

test("events are posted to an app, which may start later, until Ctrl-C", async () => {
  const { environment, signingSecret } = await withApps(APP);
  const probe = serveApp(() => 200);
  const { port } = probe.server;
  await probe.server.stop(true);
  const { child, output } = start(environment.environmentId, "--forward-to", probe.url);
  await program.chat(environment, "chat.postMessage", say);
  await eventually(() => expect(output.err).toContain("answer a challenge: connection failed"));
  let status = 500;
  const app = serveApp(() => status, port);
  await eventually(() => expect(app.received).toHaveLength(2));
  status = 200;

  expect(output.err).toContain(`signing secret: ${signingSecret}`);
  const [{ headers, body } = { headers: new Headers(), body: "" }] = app.received;
  const timestamp = headers.get("x-slack-request-timestamp");
  const mac = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  expect(headers.get("x-slack-signature")).toBe(`v0=${mac}`);
  expect(JSON.parse(body).event.text).toBe("hello");
  expect(app.received[1]?.headers.get("x-slack-retry-reason")).toBe("http_error");
  await eventually(() =>
    expect(output.out).toMatch(/^event 1: 500 in \d+ ms\nevent 1, attempt 2: 500 in \d+ ms\n$/),
  );
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
});

test("the body of an answer to a command becomes a message, once the app has met the challenge", async () => {
  const { environment } = await withApps(APP);
  let asked = 0;
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      const body = await request.text();
      if (body.startsWith("{"))
        return new Response(asked++ === 0 ? "other" : JSON.parse(body).challenge);
      const text = `ordered ${new URLSearchParams(body).get("text")}`;
      return Response.json({ response_type: "in_channel", text });
    },
  });
  running.push({ kill: () => server.stop(true) });
  const id = environment.environmentId;
  const { output } = start(id, "--forward-to", `http://127.0.0.1:${server.port}/`);
  await eventually(() => expect(output.err).toContain("answers 200 without the challenge"));
  const act = { type: "command", user: "U02JOHNADOE", channel: say.channel, command: "/order" };
  expectStatus(await program.post(`/env/${id}/events`, { act: { ...act, text: "tea" } }), 200);
  await eventually(async () => {
    const { messages } = await program.chat(environment, "conversations.history", {
      ...{ channel: say.channel, limit: 1 },
    });
    expect(messages[0].text).toBe("ordered tea");
  });
});

test("an environment that is gone ends the command", async () => {
  const { environment } = await withApps(APP);
  const app = serveApp(() => 200);
  const { child, output } = start(environment.environmentId, "--forward-to", app.url);
  await eventually(() => expect(output.err).toContain("answered the challenge"));

  expectStatus(await program.call("DELETE", `/env/${environment.environmentId}`), 200);

  expect(await child.exited).toBe(1);
  await eventually(() => expect(output.err).toContain("is gone"));
});

test("events reach the app in order, also those of many connections", async () => {
  const { environment } = await withApps(APP);
  const app = serveApp(() => 200);
  for (let n = 0; n < 30; n++)
    await program.chat(environment, "chat.postMessage", { ...say, text: `${n}` });
  start(environment.environmentId, "--forward-to", app.url.replace("127.0.0.1", "localhost"));
  await eventually(() => expect(app.received).toHaveLength(30));
  const texts = app.received.map(({ body }) => JSON.parse(body).event.text);
  expect(texts).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
});

test("an answer that is under way is reported before the end", async () => {
  const { environment } = await withApps(APP);
  let isAsked = false;
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      const { challenge } = (await request.json()) as { challenge?: string };
      if (challenge !== undefined) return new Response(challenge);
      isAsked = true;
      await Bun.sleep(1_000);
      return new Response("");
    },
  });
  running.push({ kill: () => server.stop(true) });
  const to = `http://127.0.0.1:${server.port}/`;
  const { child } = start(environment.environmentId, "--forward-to", to);
  await program.chat(environment, "chat.postMessage", say);
  await eventually(() => expect(isAsked).toBe(true));
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  await eventually(async () => {
    const { body } = await program.get(`/env/${environment.environmentId}/deliveries`);
    expect(body.events[0].deliveries[0].state).toBe("delivered");
  });
});

test("a server that refuses connections, or is silent, is reported, and left on Ctrl-C", async () => {
  const { environment } = await withApps(APP);
  const url = (fetch: (request: Request) => Response | Promise<Response>) => {
    const proxy = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    running.push({ kill: () => proxy.stop(true) });
    return `http://127.0.0.1:${proxy.port}`;
  };
  const refusing = url((request) =>
    request.url.includes("/listen")
      ? new Response("", { status: 400 })
      : fetch(program.url + new URL(request.url).pathname),
  );
  const silent = url(() => new Promise(() => {}));
  const { environmentId: id } = environment;
  const refused = start(id, "--forward-to", "http://127.0.0.1:9/", "--url", refusing);
  expect(await refused.child.exited).toBe(1);
  await eventually(() => expect(refused.output.err).toContain("refuses WebSockets"));
  const hung = start(id, "--forward-to", "http://127.0.0.1:9/", "--url", silent);
  await Bun.sleep(1_500); // it has called
  hung.child.kill("SIGINT");
  expect(await hung.child.exited).not.toBeNull();
});

test("what it needs is named", async () => {
  const none = await withApps();
  const two = await withApps(APP, "A01AGENTTWO");
  const to = ["--forward-to", "http://127.0.0.1:9"];
  const run = async (...args: string[]) => {
    const { code, err } = await commands.run(["listen", ...args]);
    return `${code} ${err}`;
  };

  expect(await run(two.environment.environmentId)).toContain("--forward-to");
  expect(await run(two.environment.environmentId, "--forward-to", "file:///x")).toContain("http");
  expect(await run(two.environment.environmentId, ...to)).toContain("A01AGENTONE, A01AGENTTWO");
  expect(await run(two.environment.environmentId, ...to, "--app", "A01AGENTTW")).toContain(
    'no app "A01AGENTTW"; the nearest is "A01AGENTTWO"',
  );
  expect(await run(none.environment.environmentId, ...to)).toContain("no apps");
  expect(await run("0".repeat(32), ...to)).toContain("environment_not_found");
});
