/** The sum of what the server holds for its clients: bodies, messages, and answers that nobody takes. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { ApiError } from "~/errors";
import { readBody } from "~/http/body";
import { answerOf } from "~/http/native";
import { createBudget, type Owner, UNCOUNTED } from "~/wire/budget";
import { LIMITS } from "~/wire/limits";
import { httpAnswer } from "~/wire/message";
import { serve } from "~/wire/server";
import { upgraded } from "~/wire/websocket";
import { eventually } from "../support/database";

const TOTAL = 400_000;
/** Requests that are answered together. */
const SLOW = 5;
const ONE = TOTAL / 4 + UNCOUNTED;
const ada = (environmentId?: string): Owner => ({ keyId: "ada", environmentId });
const bob = (environmentId?: string): Owner => ({ keyId: "bob", environmentId });

describe("a budget", () => {
  test("gives an environment a quarter, a key half, and callers without one half", () => {
    const budget = createBudget(TOTAL);
    const claim = (owner: Owner | undefined, bytes = ONE) => budget.claim()(bytes, owner);

    expect([claim(ada("1")), claim(ada("1"), UNCOUNTED + 1)]).toEqual([true, false]);
    expect([claim(ada("2")), claim(ada("3"), UNCOUNTED + 1)]).toEqual([true, false]);
    expect(claim(ada(), UNCOUNTED + 1)).toBe(false);
    expect([claim(undefined), claim(bob())]).toEqual([true, true]);
    expect(budget.held()).toBe(TOTAL);
    expect([claim(bob(), UNCOUNTED + 1), claim(undefined, UNCOUNTED + 1)]).toEqual([false, false]);
  });

  test("limits callers without a key together", () => {
    const budget = createBudget(TOTAL);
    const claims = Array.from({ length: 3 }, () => budget.claim()(ONE, undefined));

    expect(claims).toEqual([true, true, false]);
  });

  test("does not count little, also of an owner that has nothing left", () => {
    const budget = createBudget(TOTAL);
    budget.claim()(ONE, ada("1"));

    expect(budget.claim()(UNCOUNTED, ada("1"))).toBe(true);
    expect(budget.held()).toBe(TOTAL / 4);
  });

  test("keeps what a rejected change had, and gives back what ends", () => {
    const budget = createBudget(TOTAL);
    const claim = budget.claim();
    claim(UNCOUNTED + 10, ada("1"));
    budget.claim()(ONE - 10, ada("1"));

    expect(claim(UNCOUNTED + 11, ada("1"))).toBe(false);
    expect(budget.held()).toBe(TOTAL / 4);
    expect(claim(0, undefined)).toBe(true);
    expect(budget.held()).toBe(TOTAL / 4 - 10);
  });

  test("moves a claim to its owner once that is known", () => {
    const budget = createBudget(TOTAL);
    const early = budget.claim();
    early(ONE, undefined);
    budget.claim()(ONE, undefined);

    expect(early(ONE, ada())).toBe(true);
    expect(budget.claim()(ONE, undefined)).toBe(true);
  });

  test("has room for what is longer than a share, once", () => {
    const budget = createBudget(TOTAL);
    const long = budget.claim();

    expect(long(10 * TOTAL, ada("1"))).toBe(true);
    expect(budget.claim()(10 * TOTAL, ada("1"))).toBe(false);
    long(0, undefined);
    expect(budget.held()).toBe(0);
  });
});

const servers: { cut(): Promise<void> }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.cut();
});

/** A server whose caller is in the path. POST reads a body, GET answers as many bytes as the query says. */
function start(limits: Partial<typeof LIMITS> = {}) {
  const seen = { read: 0, rejected: 0, slow: 0 };
  const open = () => ({ message: async () => {}, end: () => {} });
  const server = serve(
    { hostname: "127.0.0.1", port: 0, limits: { ...LIMITS, heldBytes: TOTAL, ...limits } },
    {
      async fetch(request) {
        const { pathname, url, method } = request;
        if (pathname !== "/nobody") request.owner = { keyId: pathname };
        if (request.headers.has("upgrade")) return await answerOf(upgraded(request, open));
        if (pathname === "/slow") {
          seen.slow++;
          await eventually(() => expect(seen.slow).toBe(SLOW));
          await Bun.sleep(100);
        }
        if (method === "GET") return httpAnswer(200, {}, "x".repeat(Number(url.search.slice(1))));
        try {
          const body = await readBody(request, TOTAL);
          seen.read++;
          return httpAnswer(200, {}, String(body.byteLength));
        } catch (error) {
          seen.rejected++;
          return httpAnswer(503, (error as ApiError).headers ?? {});
        }
      },
      refuse: ({ code }) => httpAnswer(503, {}, code),
    },
  );
  servers.push(server);
  return { ...server, seen };
}

/** Sends bytes, and collects the answer. */
function send(port: number, ...pieces: (string | Buffer)[]) {
  const socket = connect(port, "127.0.0.1");
  const answer = { text: "", isClosed: false, socket };
  socket.on("data", (bytes) => {
    answer.text += bytes;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    answer.isClosed = true;
  });
  for (const piece of pieces) socket.write(piece);
  sockets.push(socket);
  return answer;
}

const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
const LONG = 90_000;
const unended = Buffer.alloc(LONG - 1, "x");

describe("bodies that do not end", () => {
  test("stop at the share of their key: the next gets 503 before its body, others are read", async () => {
    const { port, seen } = start();
    const held = Array.from({ length: 2 }, () => send(port, post("/ada", LONG), unended));
    await Bun.sleep(50);

    const more = send(port, post("/ada", LONG));
    await eventually(() => expect(more.text).toStartWith("HTTP/1.1 503"));
    expect(more.text).toContain("retry-after: 1");
    const other = send(port, post("/bob", LONG), unended, "x");
    await eventually(() => expect(other.text).toContain(`\r\n\r\n${LONG}`));
    const small = send(port, post("/ada", 3), "abc");
    await eventually(() => expect(small.text).toContain("\r\n\r\n3"));
    expect(held.map(({ text }) => text)).toEqual(["", ""]);

    held[0]?.socket.write("x");
    await eventually(() => expect(held[0]?.text).toContain(`\r\n\r\n${LONG}`));
    const again = send(port, post("/ada", LONG), unended, "x");
    await eventually(() => expect(again.text).toContain(`\r\n\r\n${LONG}`));
    expect(seen).toMatchObject({ read: 4, rejected: 1 });
  });

  test("count by their chunks if they announce no length", async () => {
    const { port } = start();
    const head = "POST /ada HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const part = Buffer.concat([Buffer.from("186a0\r\n"), Buffer.alloc(100_000, "x")]);
    for (let n = 0; n < 2; n++) send(port, head, part);
    await Bun.sleep(50);

    const more = send(port, head, part);
    await eventually(() => expect(more.text).toStartWith("HTTP/1.1 503"));
    const small = send(port, `${head}3\r\nabc\r\n0\r\n\r\n`);
    await eventually(() => expect(small.text).toContain("\r\n\r\n3"));
  });

  test("give their bytes back when their clients leave", async () => {
    const { port } = start();
    const held = Array.from({ length: 2 }, () => send(port, post("/ada", LONG), unended));
    await Bun.sleep(50);
    for (const { socket } of held) socket.destroy();
    await Bun.sleep(50);

    const next = send(port, post("/ada", LONG), unended, "x");
    await eventually(() => expect(next.text).toContain(`\r\n\r\n${LONG}`));
  });
});

test("requests that wait for the one before them count, too: without room they are not performed", async () => {
  const get = "GET /nobody?3 HTTP/1.1\r\nHost: x\r\n\r\n";
  const waiting = Buffer.alloc(get.length * 2_500, get); // 67,500 bytes
  const answersOf = ({ text }: { text: string }) => text.split("HTTP/1.1 200").length - 1;
  const { port } = start({ heldBytes: 8 * waiting.byteLength - 8 * UNCOUNTED });
  const sent = Array.from({ length: SLOW }, () =>
    send(port, get.replace("nobody?", "slow?"), waiting),
  );

  await eventually(() => {
    expect(sent.filter((each) => answersOf(each) === 2_501 && !each.isClosed)).toHaveLength(
      SLOW - 1,
    );
    expect(sent.filter((each) => answersOf(each) === 1 && each.isClosed)).toHaveLength(1);
  });
});

test("answers that nobody takes stop at the share of their key: the next gets 503", async () => {
  const { port } = start();
  const long = 16 * 1024 * 1024; // more than the system buffers
  const get = (path: string) => `GET ${path}?${long} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const held = Array.from({ length: 2 }, () => {
    const answer = send(port, get("/ada"));
    answer.socket.pause();
    return answer;
  });
  await Bun.sleep(200);

  const more = send(port, get("/ada"));
  await eventually(() => expect(more.text).toStartWith("HTTP/1.1 503"));
  const other = send(port, get("/bob"));
  await eventually(() => expect(other.text.length).toBeGreaterThan(long));
  for (const { socket } of held) socket.resume();
  await eventually(() => expect(held.at(0)?.text.length).toBeGreaterThan(long));
  const again = send(port, get("/ada"));
  await eventually(() => expect(again.text.length).toBeGreaterThan(long));
});

describe("messages of WebSockets that do not end", () => {
  const handshake = (path: string) =>
    [
      ...[`GET ${path} HTTP/1.1`, "Host: x", "Upgrade: websocket", "Connection: Upgrade"],
      ...["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""],
    ].join("\r\n");
  const LENGTH = Buffer.from([0x81, 0xfe, 0xff, 0xff, 0, 0, 0, 0]); // 65,535 bytes, unmasked by zeros
  const unended = Buffer.concat([LENGTH, Buffer.alloc(60_000, "x")]);

  test("close with 1013 beyond the share of their key", async () => {
    const { port } = start({ heldBytes: 300_000 });
    const join = async (path: string) => {
      const client = send(port, handshake(path));
      await eventually(() => expect(client.text).toContain("101 Switching"));
      client.socket.write(unended);
      return client;
    };
    const held = await Promise.all(["/ada", "/ada", "/ada"].map(join));
    const other = await join("/bob");

    await eventually(() => expect(held.filter(({ isClosed }) => isClosed)).toHaveLength(1));
    expect(held.find(({ isClosed }) => isClosed)?.text).toContain("no room");
    expect(other.isClosed).toBe(false);
  });

  test("that came before the answer have no socket without room", async () => {
    const { port } = start({ heldBytes: 150_000 });
    const held = Array.from({ length: 3 }, () => send(port, handshake("/nobody"), unended));

    await eventually(() => expect(held.filter(({ isClosed }) => isClosed)).not.toBeEmpty());
    expect(held.find(({ isClosed }) => isClosed)?.text).not.toContain("101");
  });

  test("close with 1008 when they take too long, answered pings or not", async () => {
    const { port } = start({ requestMs: 300, headMs: 100 });
    const slow = send(port, handshake("/ada"), unended);
    const idle = send(port, handshake("/ada"));
    const ping = setInterval(() => idle.socket.write(Buffer.from([0x89, 0x80, 0, 0, 0, 0])), 50);

    await eventually(() => expect(slow.isClosed).toBe(true));
    clearInterval(ping);
    expect(slow.text).toContain("did not arrive in time");
    expect(idle.isClosed).toBe(false);
  });

  test("a client that sends whole messages all the time is not slow", async () => {
    const { port } = start({ requestMs: 200, headMs: 100 });
    const busy = send(port, handshake("/ada"));
    const message = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    // Each packet ends inside a message.
    busy.socket.write(message.subarray(0, 5));
    const writing = setInterval(
      () => busy.socket.write(Buffer.concat([message.subarray(5), message.subarray(0, 5)])),
      20,
    );
    await Bun.sleep(700);
    clearInterval(writing);

    expect(busy.isClosed).toBe(false);
  });
});
