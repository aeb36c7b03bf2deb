/** Requests that need a client with hand-written bytes. */
import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { connect as connectSocket, type Socket } from "node:net";
import { connect } from "~/db/connect";
import { readBody } from "~/http/body";
import { createKey } from "~/platform/keys/keys";
import { startProgram } from "~/program/program";
import { type Head, readHead } from "~/wire/head";
import { LIMITS } from "~/wire/limits";
import { httpAnswer } from "~/wire/message";
import { serve } from "~/wire/server";
import { eventually, useDatabase } from "../support/database";
import { configFor, useProgram } from "../support/program";
import { ask, exchange, inTurn, readAnswers } from "../support/wire";

const database = useDatabase();
const program = useProgram(database);
const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });

const RUN = "/api/platform/results/none";
const HEALTH = "/api/platform/health";
const JSON_TYPE = "Content-Type: application/json";

async function makeKey(): Promise<string> {
  const pool = connect(database.url, { max: 1, name: "test", camel: true });
  const key = { userId: "someone", name: "", plan: "free", expiresInDays: null } as const;
  const made = await createKey(pool, key);
  await pool.end();
  return made.key;
}

test("lines that a connection repeats do not keep the heads of earlier requests", () => {
  const CONNECTIONS = 50;
  const HEADERS = 100;
  const memory = () => {
    Bun.gc(true);
    return heapStats().heapSize;
  };
  const before = memory();

  const kept = Array.from({ length: CONNECTIONS }, (_, connection) => {
    const headers = Array.from({ length: HEADERS - 1 }, (_, at) => `h${at}: ${"x".repeat(140)}`);
    return headers.reduce((lines: Head["lines"], _, at) => {
      headers[at] = `h${at}: ${String(connection * HEADERS + at).padEnd(140, "y")}`;
      const head = Buffer.from(["GET / HTTP/1.1", "host: x", ...headers].join("\r\n"));
      return readHead(head.toString("latin1"), lines).lines;
    }, []);
  });

  const heads = CONNECTIONS * HEADERS * HEADERS * 150;
  expect(memory() - before).toBeLessThan(heads / 2);
  expect(kept).toHaveLength(CONNECTIONS);
});

describe("a malformed request", () => {
  const post = (...headers: string[]) =>
    `${[`POST /api/platform/startRun HTTP/1.1`, "Host: localhost", JSON_TYPE, ...headers].join("\r\n")}\r\n\r\n`;
  test.each([
    ["has no host", `GET ${HEALTH} HTTP/1.1\r\n\r\n`, 400],
    ["has two lengths", `${post("Content-Length: 2", "Content-Length: 3")}{}{`, 400],
    [
      "has a length and chunks",
      `${post("Content-Length: 2", "Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
    ["has a negative length", post("Content-Length: -1"), 400],
    ["has a length that is no number", post("Content-Length: 0x10"), 400],
    ["has a chunk without a length", `${post("Transfer-Encoding: chunked")}zz\r\n{}\r\n`, 400],
    ["folds a header", `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\n\r\n`, 400],
    ["ends its lines with LF", `GET ${HEALTH} HTTP/1.1\nHost: x\n\n`, 400],
    ["begins HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["is of another version", `GET ${HEALTH} HTTP/3.7\r\nHost: x\r\n\r\n`, 400],
    ["is garbage", "\u0000\u0001\u0002\r\n\r\n", 400],
    ["has two hosts", `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`, 400],
    ["has a host that is none", `GET ${HEALTH} HTTP/1.1\r\nHost: a"b\r\n\r\n`, 400],
    ["has a space before a colon", `GET ${HEALTH} HTTP/1.1\r\nHost : x\r\n\r\n`, 400],
    ["has a lone CR in a header", `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n`, 400],
    ["names another coding", `${post("Transfer-Encoding: gzip, chunked")}0\r\n\r\n`, 400],
    [
      "has a chunk that is longer than it says",
      `${post("Transfer-Encoding: chunked")}1\r\n{}\r\n`,
      400,
    ],
    ["wants a proxy", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", 400],
    ["names no path", "GET @example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    [
      "has too many headers",
      `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\n${"A: b\r\n".repeat(200)}\r\n`,
      431,
    ],
    ["has headers of 80 kB", `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\nA: ${"b".repeat(80_000)}`, 431],
  ])(
    "%s is rejected with the envelope, and the connection closed (S059)",
    async (_what, bytes, status) => {
      const [answer, ...more] = readAnswers(await exchange(program.url, bytes));
      expect([answer?.status, answer?.headers.get("connection"), more]).toEqual([
        status,
        "close",
        [],
      ]);
      expect(JSON.parse(answer?.body ?? "{}")).toEqual({
        ok: false,
        error: status === 431 ? "request_headers_too_large" : "invalid_request",
        detail: expect.any(String),
      });
      expect(answer?.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect((await ask(program.url, `GET ${HEALTH} HTTP/1.1`)).status).toBe(200);
    },
  );

  test("of HTTP/1.0 without a host is answered (S059)", async () => {
    const [answer] = readAnswers(await exchange(program.url, `GET ${HEALTH} HTTP/1.0\r\n\r\n`));
    expect(answer?.status).toBe(200);
  });

  test.each([
    [
      "in pieces",
      ["Transfer-Encoding: chunked"],
      '2\r\n{"\r\n6\r\nenvId"\r\n4\r\n:"x"\r\n1\r\n}\r\n0\r\n\r\n',
      404,
    ],
    ["said to be larger than it may", ["Content-Length: 1048577"], "{", 413],
    ["said to be endless", ["Content-Length: 9007199254740990"], "{", 413],
  ])("a body %s is answered (S046)", async (_how, headers, body, status) => {
    const answer = await ask(
      program.url,
      "POST /api/platform/startRun HTTP/1.1",
      [JSON_TYPE, ...headers],
      body,
    );
    expect([answer.status, JSON.parse(answer.body).ok]).toEqual([status, false]);
  });

  test("a connection survives a hundred rejected requests (S061)", async () => {
    const statuses = await inTurn(
      program.url,
      100,
      (index) =>
        `GET ${RUN} HTTP/1.1\r\nHost: localhost\r\n${index % 2 ? "X-API-Key: wrong\r\n" : ""}\r\n`,
    );
    expect(statuses).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 ? 401 : 404)));
  });

  test("//api and /api are different paths (S062)", async () => {
    expect((await ask(program.url, `GET /${HEALTH} HTTP/1.1`)).status).toBe(404);
  });

  test.each(["x", "db", "api", "api:80", "diorama.example.com"])(
    "to a host called %p finds its path (S062)",
    async (host) => {
      const head = `GET ${RUN} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${await makeKey()}\r\n`;
      const bytes = `${head}Connection: close\r\n\r\n`;
      const [answer] = readAnswers(await exchange(production.url, bytes));
      expect(JSON.parse(answer?.body ?? "{}").error).toBe("run_not_found");
    },
  );

  test("a URL of 20 kB is rejected, one of 10 kB is accepted (S064)", async () => {
    const { status } = await ask(program.url, `GET ${RUN}${"x".repeat(20_000)} HTTP/1.1`);
    expect(status).toBe(431);
    const read = await ask(program.url, `GET ${RUN}${"x".repeat(10_000)} HTTP/1.1`);
    expect(read.status).toBe(404);
  });
});

describe("pipelined requests", () => {
  const INIT_ENV = JSON.stringify({
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
  });
  const initEnv = (...headers: string[]) =>
    [
      "POST /api/platform/initEnv HTTP/1.1",
      "Host: localhost",
      JSON_TYPE,
      `Content-Length: ${INIT_ENV.length}`,
      ...headers,
      `\r\n${INIT_ENV}`,
    ].join("\r\n");
  const read = (id: string, ...headers: string[]) =>
    [`GET ${RUN} HTTP/1.1`, "Host: localhost", `X-Request-Id: ${id}`, ...headers, "\r\n"].join(
      "\r\n",
    );
  const count = async () =>
    (await program.get("/environments?limit=1000")).body.environments.length;

  test("in one packet are answered in order, each with its effect", async () => {
    const before = await count();

    const answers = readAnswers(
      await exchange(program.url, initEnv() + initEnv() + read("last", "Connection: close")),
    );

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 404]);
    const made = answers.slice(0, 2).map(({ body }) => JSON.parse(body).environmentId);
    expect(new Set(made).size).toBe(2);
    expect(await count()).toBe(before + 2);
  });

  test("during a call wait for its answer", async () => {
    const began = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const events: string[] = [];
    const server = serve(
      { hostname: "127.0.0.1", port: 0, limits: LIMITS },
      {
        async fetch(request) {
          const { pathname } = request;
          events.push(`begins ${pathname}`);
          began.resolve();
          await arrived.promise;
          events.push(`ends ${pathname}`);
          return httpAnswer(200, {}, pathname);
        },
        refuse: () => httpAnswer(200, {}),
      },
    );
    const get = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "\r\n"].join("\r\n");

    const received = await exchange(
      `http://127.0.0.1:${server.port}`,
      get("/a"),
      undefined,
      async (socket) => {
        await began.promise;
        socket.write(get("/b", "Connection: close"), () => arrived.resolve());
      },
    );
    await server.cut();

    expect(readAnswers(received).map(({ body }) => body)).toEqual(["/a", "/b"]);
    expect(events).toEqual(["begins /a", "ends /a", "begins /b", "ends /b"]);
  });

  test("are answered one after the other, a thousand at a time (S061)", async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const bytes = ids.map((id) => read(id)).join("") + read("last", "Connection: close");
    const answers = readAnswers(await exchange(program.url, bytes));
    expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual([...ids, "last"]);
  });

  test("have no effect after one that closes the connection", async () => {
    const before = await count();
    const received = await exchange(program.url, read("a", "Connection: close") + initEnv());
    expect(readAnswers(received).map(({ status }) => status)).toEqual([404]);
    expect(await count()).toBe(before);
  });

  test("that are malformed do not affect the answer before them", async () => {
    const received = await exchange(program.url, `${initEnv()}\u0000\r\n\r\n`);
    expect(readAnswers(received).map(({ status }) => status)).toEqual([201, 400]);
  });

  test("have no effect when the client closes its side before they begin", async () => {
    const before = await count();
    const bytes = initEnv() + initEnv() + read("b");
    const received = await exchange(program.url, bytes, undefined, (socket) => socket.end());
    const [answer, ...more] = readAnswers(received);
    expect([answer?.status, answer?.headers.get("connection"), more]).toEqual([201, "close", []]);
    expect(await count()).toBe(before + 1);
  });
});

describe("a client that closes its side before its request is answered", () => {
  const post = (framing: string, body: string) =>
    `POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n${body}`;
  const CHUNKED = "Transfer-Encoding: chunked";
  const REFUSED = httpAnswer(400, {});

  /** Sends the bytes and closes. The handler begins after that, and may answer without the body. */
  async function received(bytes: string, readsBody: boolean): Promise<string[]> {
    const arrived = Promise.withResolvers<void>();
    const server = serve(
      { hostname: "127.0.0.1", port: 0, limits: LIMITS },
      {
        async fetch(request) {
          await arrived.promise;
          if (!readsBody) return httpAnswer(401, {});
          return await readBody(request, 100).then(
            (body) => httpAnswer(200, {}, body),
            () => REFUSED,
          );
        },
        refuse: () => REFUSED,
      },
    );
    const url = `http://127.0.0.1:${server.port}`;
    const answers = exchange(url, bytes, undefined, (socket) => socket.end());
    // The server reads in order: this connection is answered after the bytes and the end of the other were read.
    await exchange(url, "\u0000\r\n\r\n");
    arrived.resolve();
    const read = readAnswers(await answers).map(({ status, body }) => `${status} ${body}`.trim());
    await server.cut();
    return read;
  }

  test.each([
    ["a body", post("Content-Length: 4", "body"), "200 body"],
    ["two requests", post("Content-Length: 4", "body").repeat(2), "200 body"],
    ["a body in chunks", post(CHUNKED, "4\r\nbody\r\n0\r\n\r\n"), "200 body"],
    ["a malformed body", post(CHUNKED, "1\r\nbody\r\n"), "400"],
  ])("and has sent %s, gets one answer", async (_, bytes, answer) => {
    expect(await received(bytes, true)).toEqual([answer]);
    expect(await received(bytes, false)).toEqual(["401"]);
  });

  test.each([
    ["body", post("Content-Length: 4", "bod")],
    ["chunks", post(CHUNKED, "4\r\nbody\r\n")],
  ])("and has sent a part of its %s, gets none", async (_, bytes) => {
    expect(await received(bytes, true)).toEqual([]);
    expect(await received(bytes, false)).toEqual([]);
  });
});

describe("a connection over the limit", () => {
  test("is answered 503 and closed before its request is read, and counted", async () => {
    const own = await startProgram(configFor(database), { ...LIMITS, connections: 2 });
    const get = `GET ${RUN} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const open = [own.url, own.url].map(
      (url) =>
        new Promise<Socket>((resolve) => {
          const { hostname, port } = new URL(url);
          const socket = connectSocket(Number(port), hostname, () => socket.write(get));
          socket.once("data", () => resolve(socket));
        }),
    );
    const sockets = await Promise.all(open);

    const [answer, ...more] = readAnswers(await exchange(own.url, ""));

    expect(more).toEqual([]);
    expect(answer?.headers.get("connection")).toBe("close");
    expect(answer?.headers.get("retry-after")).toBe("1");
    expect([answer?.status, JSON.parse(answer?.body ?? "{}")]).toEqual([
      503,
      {
        ok: false,
        error: "service_unavailable",
        detail: "The server has 2 connections open, its maximum",
      },
    ]);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      const metrics = await (await fetch(`${own.url}/metrics`)).text();
      expect(metrics).toMatch(/^diorama_http_connections_rejected_total [1-9]/m);
    });
    await own.stop();
  });
});

describe("a key on the wire", () => {
  const withKey = async (...headers: string[]) => {
    const { status, body } = await ask(production.url, `GET ${RUN} HTTP/1.1`, headers);
    return { status, detail: body && JSON.parse(body).detail };
  };

  test("is rejected in addition to another (S006)", async () => {
    const key = await makeKey();
    const refused = { status: 401, detail: "Invalid API key" };
    expect(await withKey(`X-API-Key: ${key}`, "X-API-Key: wrong")).toEqual(refused);
    expect(await withKey("X-API-Key: wrong", `X-API-Key: ${key}`)).toEqual(refused);
    expect(await withKey(`X-API-Key: ${key}`, `X-API-Key: ${key}`)).toEqual(refused);
  });

  test.each([
    ["with an encoded line break", "%0a", 401],
    ["with NUL", "\u0000", 400],
    ["in Latin-1", "\u00e9\u00ff", 401],
    ["of 8 kB", "x".repeat(8_000), 401],
    ["of 80 kB", "x".repeat(80_000), 431],
  ])("is rejected %s (S008)", async (_what, odd, status) => {
    const key = await makeKey();
    expect((await withKey(`X-API-Key: ${key}${odd}`)).status).toBe(status);
    expect((await withKey(`X-API-Key: ${odd}${key}`)).status).toBe(status);
  });

  test.each(["x-api-key", "X-Api-Key", "X-API-KEY"])(
    "is found in the header %p (S012)",
    async (name) => {
      expect((await withKey(`${name}: ${await makeKey()}`)).status).toBe(404);
    },
  );
});
