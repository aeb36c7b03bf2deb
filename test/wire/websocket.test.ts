/** WebSockets over real connections: messages, control frames, broken clients, and ends from both sides. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { answerOf } from "~/http/native";
import { LIMITS } from "~/wire/limits";
import { httpAnswer } from "~/wire/message";
import { serve } from "~/wire/server";
import { type Line, openSocket, type Peer, upgraded } from "~/wire/websocket";
import { eventually } from "../support/database";

const servers: { cut(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.cut();
});

/** A server that sends each message back, after `delayMs`. */
function start(limits = {}, delayMs = 0) {
  const seen = { messages: [] as string[], ends: 0, busy: 0, busiest: 0 };
  const open = (peer: Peer) => ({
    async message(text: string) {
      seen.busiest = Math.max(seen.busiest, ++seen.busy);
      seen.messages.push(text);
      await Bun.sleep(delayMs);
      await peer.send(text);
      seen.busy--;
    },
    end: () => {
      seen.ends++;
    },
  });
  const server = serve(
    { hostname: "127.0.0.1", port: 0, limits: { ...LIMITS, ...limits } },
    {
      fetch: (request) => answerOf(upgraded(request, open)),
      refuse: ({ code }) => httpAnswer(400, {}, code),
    },
  );
  servers.push(server);
  return { ...server, seen, url: `ws://127.0.0.1:${server.port}/` };
}

/** A client, and what it has received. */
async function join(url: string) {
  const socket = new WebSocket(url);
  const received: string[] = [];
  socket.addEventListener("message", ({ data }) => received.push(data));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
  );
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  return { socket, received, closed };
}

const HANDSHAKE = [
  ...["GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade"],
  ...["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""],
].join("\r\n");

/** A client that writes its own frames. */
async function joinRaw(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk) => received.push(chunk as Buffer));
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(HANDSHAKE);
  await eventually(() => expect(Buffer.concat(received).toString()).toContain("\r\n\r\n"));
  const head = Buffer.concat(received.splice(0)).toString();
  return { socket, closed, head, bytes: () => Buffer.concat(received) };
}

/** A frame with a mask of zeros. */
function frame(first: number, payload: Buffer | string, masked = 0x80): Buffer {
  const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
  const short = bytes.length < 126;
  const head = Buffer.alloc(short ? 2 : 10);
  head[0] = first;
  head[1] = masked | (short ? bytes.length : 127);
  if (!short) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, masked ? Buffer.alloc(4) : Buffer.alloc(0), bytes]);
}

test("messages of every length are answered in order", async () => {
  const { url } = start();
  const { socket, received } = await join(url);
  const sent = [0, 1, 125, 126, 65_535, 65_536, 500_000].map((length) => "é".repeat(length / 2));

  for (const text of sent) socket.send(text);

  await eventually(() => expect(received).toHaveLength(sent.length));
  expect(received).toEqual(sent);
});

test("the answer to the handshake is that of the protocol's example", async () => {
  const { port } = start();
  const { socket, head } = await joinRaw(port);
  socket.destroy();

  expect(head).toBe(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
  );
});

test("messages wait for the one before them, however many there are", async () => {
  const { url, seen } = start({}, 2);
  const { socket, received } = await join(url);

  for (let number = 0; number < 40; number++) socket.send(`${number}`);

  await eventually(() => expect(received).toHaveLength(40));
  expect(seen.busiest).toBe(1);
});

test("a message in fragments, with a ping in between, is one message", async () => {
  const { port, seen } = start();
  const { socket, bytes } = await joinRaw(port);

  for (const part of [frame(0x01, "Hel"), frame(0x89, "?"), frame(0x80, "lo")])
    for (const byte of part) socket.write(Buffer.from([byte]));

  await eventually(() => expect(bytes().toString("latin1")).toBe("\x8a\x01?\x81\x05Hello"));
  expect(seen.messages).toEqual(["Hello"]);
  socket.destroy();
});

describe("a client that breaks the protocol is told why", () => {
  test.each([
    ["a frame without a mask", frame(0x81, "x", 0), 1002],
    ["reserved bits", frame(0xc1, "x"), 1002],
    ["a fragment of a ping", frame(0x09, "x"), 1002],
    ["a long ping", frame(0x89, "x".repeat(126)), 1002],
    ["a continuation of nothing", frame(0x80, "x"), 1002],
    ["a second message inside of one", Buffer.concat([frame(1, "x"), frame(0x81, "x")]), 1002],
    ["an unknown kind", frame(0x83, "x"), 1002],
    ["bytes", frame(0x82, "x"), 1003],
    ["text that is not UTF-8", frame(0x81, Buffer.from([0xff])), 1007],
    ["a message over 1 MiB", frame(0x81, Buffer.alloc(1024 * 1024 + 1)).subarray(0, 20), 1009],
    ["too many fragments", Buffer.concat([frame(1, ""), ...Array(1001).fill(frame(0, ""))]), 1009],
  ])("%s", async (_, bytes, code) => {
    const { port, seen } = start();
    const client = await joinRaw(port);

    client.socket.end(bytes);
    await client.closed;

    const [kind, , ...rest] = client.bytes();
    expect([kind, Buffer.from(rest).readUInt16BE()]).toEqual([0x88, code]);
    expect(seen).toMatchObject({ messages: [], ends: 1 });
  });
});

test.each([
  ["another version", HANDSHAKE.replace("13", "12")],
  ["no key", HANDSHAKE.replace(/Sec-WebSocket-Key.*\r\n/, "")],
  ["no upgrade", HANDSHAKE.replace("Upgrade: websocket\r\n", "")],
])("a request with %s is no handshake", async (_, text) => {
  const request = new Request("http://localhost/", {
    headers: text
      .split("\r\n")
      .slice(1, -2)
      .map((line) => line.split(": ") as [string, string]),
  });

  expect(() => upgraded(request, () => ({ message: async () => {}, end: () => {} }))).toThrow(
    "This address takes WebSocket connections",
  );
});

test("the client's close is answered, and ends the listener once", async () => {
  const { url, seen } = start();
  const { socket, closed } = await join(url);

  socket.close(1000, "done");

  expect(await closed).toMatchObject({ code: 1000 });
  await eventually(() => expect(seen.ends).toBe(1));
});

test("messages that arrive with the close are handled before it", async () => {
  const { port, seen } = start({}, 30);
  const { socket, closed, bytes } = await joinRaw(port);
  const messages = ["one", "two", "three", "four", "five", "six"];

  socket.write(Buffer.concat([...messages.map((text) => frame(0x81, text)), frame(0x88, "")]));

  await closed;
  expect(seen.messages).toEqual(messages);
  expect(seen.ends).toBe(1);
  expect(bytes().toString("latin1")).toContain("five");
});

test("a client that disappears ends its listener", async () => {
  const { port, seen } = start();
  const { socket } = await joinRaw(port);

  socket.destroy();

  await eventually(() => expect(seen.ends).toBe(1));
});

/** A connection that takes everything and claims any room. */
const LINE: Line = {
  send: () => {},
  isDrained: () => true,
  drained: async () => {},
  hold: () => {},
  close: () => {},
  terminate: () => {},
  hasRoom: () => true,
  hasRoomToSend: () => true,
};

test("the messages that wait claim room together, until the last of them is handled", async () => {
  const claims: number[] = [];
  const line = { ...LINE, hasRoom: (bytes: number) => claims.push(bytes) > 0 };
  const handled = Promise.withResolvers<void>();
  const listener = { message: () => handled.promise, end: () => {} };
  const socket = openSocket({ open: () => listener }, line, LIMITS);

  for (const length of [1_000, 200_000, 30_000]) socket.receive(frame(0x81, "x".repeat(length)));
  expect(claims.at(-1)).toBe(231_000);
  handled.resolve();
  await eventually(() => expect(claims.at(-1)).toBe(0));
});

test("a silent client is asked for a sign of life, and given up without one", () => {
  const sent: Buffer[] = [];
  let terminated = 0;
  const line = {
    ...LINE,
    send: (bytes: Buffer) => void sent.push(bytes),
    terminate: () => {
      terminated++;
    },
  };
  const listener = { message: async () => {}, end: () => {} };
  const socket = openSocket({ open: () => listener }, line, { ...LIMITS, idleMs: 2_000 });
  const started = performance.now();

  socket.check(started + 900);
  expect(sent).toEqual([]);
  socket.check(started + 1_100);
  socket.check(started + 1_900);
  expect(sent).toEqual([Buffer.from([0x89, 0])]);
  socket.receive(frame(0x8a, ""));
  socket.check(performance.now() + 1_900);
  expect([sent.length, terminated]).toEqual([2, 0]);
  socket.check(performance.now() + 2_100);
  expect(terminated).toBe(1);
});

test("a server that stops says so", async () => {
  const server = start();
  const { closed } = await join(server.url);

  await server.stop();

  expect(await closed).toMatchObject({ code: 1001 });
  expect(server.seen.ends).toBe(1);
});
