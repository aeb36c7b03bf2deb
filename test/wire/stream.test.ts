/** Streamed answers over real connections: back-pressure, ends from both sides, time limits. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { answerOf } from "~/http/native";
import { LIMITS } from "~/wire/limits";
import { type HttpRequest, httpAnswer } from "~/wire/message";
import { serve } from "~/wire/server";
import { streamed } from "~/wire/stream";
import { eventually } from "../support/database";
import { exchange } from "../support/wire";

const HEADERS = { "Content-Type": "text/event-stream; charset=utf-8" };
const CHUNK = 64 * 1024;
const servers: { cut(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.cut();
});

/** A stream that the test feeds, and its account. */
function createFeed() {
  const state = { pulled: 0, cancelled: 0 };
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: () => {
        state.pulled++;
      },
      cancel: () => {
        state.cancelled++;
      },
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    state,
    say: (text: string) => controller.enqueue(Buffer.from(text)),
    close: () => controller.close(),
    fail: () => controller.error(new Error("the source failed")),
  };
}

function start(answer: (request: HttpRequest) => Response, limits = {}) {
  const server = serve(
    { hostname: "127.0.0.1", port: 0, limits: { ...LIMITS, ...limits } },
    {
      fetch: (request) => answerOf(answer(request)),
      refuse: ({ code }) => httpAnswer(400, {}, code),
    },
  );
  servers.push(server);
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

const GET = (version = "1.1") => `GET / HTTP/${version}\r\nHost: x\r\n\r\n`;
const bodyOf = (received: string) => received.slice(received.indexOf("\r\n\r\n") + 4);

describe("a streamed answer", () => {
  test("arrives part by part, and the connection is used again after it", async () => {
    const feed = createFeed();
    const { url } = start((request) =>
      request.pathname === "/feed" ? streamed(feed.body, HEADERS) : new Response("after"),
    );

    const response = await fetch(`${url}/feed`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    feed.say("one");
    expect((await reader.read()).value).toBe("one");
    feed.say("two");
    expect((await reader.read()).value).toBe("two");
    feed.close();

    expect((await reader.read()).done).toBe(true);
    expect(response.headers.get("transfer-encoding")).toBe("chunked");
    expect(await (await fetch(url)).text()).toBe("after");
  });

  test("ends before the answer to a pipelined request", async () => {
    const feed = createFeed();
    let count = 0;
    const { url } = start(() =>
      count++ === 0 ? streamed(feed.body, HEADERS) : new Response("after"),
    );

    const receiving = exchange(url, GET() + GET(), 500);
    await eventually(() => expect(feed.state.pulled).toBe(1));
    expect(count).toBe(1);
    feed.say("one");
    feed.close();

    expect(await receiving).toMatch(
      /\r\n\r\n3\r\none\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\r\n\r\nafter$/s,
    );
  });

  test("to HTTP/1.0 is not chunked, and ends with the connection", async () => {
    const feed = createFeed();
    const { url } = start(() => streamed(feed.body, HEADERS));
    feed.say("one");
    feed.close();

    const received = await exchange(url, GET("1.0"));

    expect(received).not.toMatch(/transfer-encoding|content-length/i);
    expect(received).toMatch(/connection: close/i);
    expect(bodyOf(received)).toBe("one");
  });

  test("to HEAD has no body, and its stream is not kept", async () => {
    const feed = createFeed();
    const { url } = start(() => streamed(feed.body, HEADERS));

    const response = await fetch(url, { method: "HEAD" });

    expect(response.headers.get("content-type")).toBe(HEADERS["Content-Type"]);
    expect(feed.state.cancelled).toBe(1);
  });

  test("is cancelled when the client goes", async () => {
    const feed = createFeed();
    const { url } = start(() => streamed(feed.body, HEADERS));
    const gone = new AbortController();
    const response = await fetch(url, { signal: gone.signal });
    expect(response.status).toBe(200);

    gone.abort();

    await eventually(() => expect(feed.state.cancelled).toBe(1));
  });

  test("of a client that closes its side ends", async () => {
    const feed = createFeed();
    const { url } = start(() => streamed(feed.body, HEADERS));

    const received = await exchange(url, GET(), 5_000, (socket) =>
      socket.once("data", () => socket.end()),
    );

    expect(bodyOf(received)).toBe("0\r\n\r\n");
    expect(feed.state.cancelled).toBe(1);
  });

  test("that fails breaks the connection: the client sees that it is incomplete", async () => {
    const feed = createFeed();
    const { url } = start(() => streamed(feed.body, HEADERS));
    const response = await fetch(url);
    feed.say("one");
    feed.fail();

    await expect(response.text()).rejects.toThrow();
  });

  test("of a stopping server ends, and the server stops", async () => {
    const feed = createFeed();
    const { url, stop } = start(() => streamed(feed.body, HEADERS));
    const response = await fetch(url);
    feed.say("one");

    const stopped = stop();

    expect(await response.text()).toBe("one");
    await stopped;
    expect(feed.state.cancelled).toBe(1);
  });

  test("waits for its client: a slow one is not read for, and an idle one is cut off", async () => {
    const state = { made: 0, cancelled: 0 };
    const endless = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            state.made++;
            controller.enqueue(new Uint8Array(CHUNK));
          },
          cancel() {
            state.cancelled++;
          },
        },
        { highWaterMark: 0 },
      );
    const { url } = start(() => streamed(endless(), HEADERS), { headMs: 50, idleMs: 400 });
    const { port } = new URL(url);
    const socket = connect({ port: Number(port), host: "127.0.0.1" }, () => socket.write(GET()));
    socket.pause();

    // What fits into the buffers of the system, and nothing more.
    let made = -1;
    while (made !== state.made || made === 0) {
      made = state.made;
      await Bun.sleep(100);
    }
    expect(made * CHUNK).toBeLessThan(32 * 1024 * 1024);

    await eventually(() => expect(state.cancelled).toBe(1));
    expect(state.made).toBe(made);
    socket.destroy();
  });

  test("may be silent for longer than the time limits of a connection", async () => {
    const feed = createFeed();
    const { url } = start(() => streamed(feed.body, HEADERS), {
      headMs: 50,
      requestMs: 100,
      idleMs: 100,
    });
    const response = await fetch(url);
    feed.say("one");
    await Bun.sleep(500);
    feed.say("two");
    feed.close();

    expect(await response.text()).toBe("onetwo");
  });
});
