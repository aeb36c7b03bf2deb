/** Reading of bodies: how much, when, and for how long the server waits. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { CREDENTIAL_PREFIX_MAX, readBody } from "~/http/body";
import { type Program, startProgram } from "~/program/program";
import { LIMITS } from "~/wire/limits";
import { httpAnswer } from "~/wire/message";
import { serve } from "~/wire/server";
import { eventually, useDatabase } from "../support/database";
import { configFor, expectRefusal, useProgram } from "../support/program";
import { exchange, readAnswers } from "../support/wire";

const database = useDatabase();
const program = useProgram(database);

const BRIEF = { ...LIMITS, headMs: 300, requestMs: 600, idleMs: 600 };
const LATE_MS = 10_000;
const JSON_TYPE = "Content-Type: application/json";
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded";
const START_RUN = "/api/platform/startRun";

const headOf = (path: string, ...headers: string[]) =>
  `${[`POST ${path} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;
const one = (received: string) => {
  const [answer] = readAnswers(received);
  return {
    status: answer?.status ?? 0,
    headers: answer?.headers ?? new Headers(),
    body: JSON.parse(answer?.body || "null"),
  };
};

describe("before authentication", () => {
  let production: Program;
  let service: { chat: string; token: string; upload: string };
  beforeAll(async () => {
    const { environmentUrl, token } = await program.environment();
    const asked = await program.chat({ environmentUrl }, "files.getUploadURLExternal", {
      filename: "a.txt",
      length: 5,
    });
    service = { chat: environmentUrl, token, upload: new URL(asked.upload_url).pathname };
    production = await startProgram(
      configFor(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" }),
    );
  });
  afterAll(() => production.stop());

  const send = async (path: string, headers: string[], body = "") =>
    one(
      await exchange(production.url, headOf(path, "Connection: close", ...headers) + body, LATE_MS),
    );
  const ENDLESS = "Content-Length: 4000000";

  test.each([
    ["the platform", () => START_RUN, ["X-API-Key: diorama_k_wrong"]],
    ["the platform, without a key", () => START_RUN, []],
    ["a service", () => `${service.chat}/chat.postMessage`, ["X-API-Key: diorama_k_wrong"]],
    ["a service, in JSON of no token", () => service.chat.replace("chat", "tracker"), []],
  ])("the server waits for no body of %s", async (_what, path, headers) => {
    const answer = await send(path(), [JSON_TYPE, ENDLESS, ...headers]);
    expectRefusal(answer, 401, "not_authed");
  });

  test("the server waits for no body at a file URL with a wrong secret", async () => {
    const wrong = service.upload.replace(/[0-9a-f]{32}$/, "0".repeat(32));
    const answer = await send(wrong, [ENDLESS]);
    expect([answer.status, answer.body]).toEqual([200, { ok: false, error: "file_not_found" }]);
  });

  test("the server sends no 100 Continue for a body that it would reject", async () => {
    const expecting = [JSON_TYPE, ENDLESS, "Expect: 100-continue"];
    expectRefusal(await send(START_RUN, expecting), 401, "not_authed");
    const received = await exchange(
      program.url,
      headOf(START_RUN, JSON_TYPE, "Content-Length: 13", "Expect: 100-continue"),
      LATE_MS,
      (socket) => socket.once("data", () => socket.end('{"envId":"x"}')),
    );
    expect(received).toStartWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\n");
  });

  test("a token in the body is found in its first 64 KiB only", async () => {
    const post = async (body: string) =>
      await send(
        `${service.chat}/chat.postMessage`,
        [FORM_TYPE, `Content-Length: ${body.length}`],
        body,
      );
    const text = `channel=C01GENERAL&text=${"x".repeat(CREDENTIAL_PREFIX_MAX)}`;
    const found = await post(`token=${service.token}&${text}`);
    expect([found.status, found.body.error]).toEqual([200, "msg_too_long"]);
    expectRefusal(await post(`${text}&token=${service.token}`), 401, "not_authed");
  });

  test("unread bytes stay with the client", async () => {
    const known = Promise.withResolvers<void>();
    const server = serve(
      { hostname: "127.0.0.1", port: 0, limits: LIMITS },
      {
        async fetch(request) {
          if (request.method === "GET") return httpAnswer(200, {}, "ok");
          await known.promise;
          return httpAnswer(200, {}, String((await readBody(request, 2 * BODY)).byteLength));
        },
        refuse: () => httpAnswer(200, {}),
      },
    );
    const BODY = 64 * 1024 * 1024;
    const bytes = Buffer.alloc(BODY);
    let taken = 0;
    let received = "";
    const push = (socket: { write(bytes: Uint8Array): number }) => {
      for (let more = 1; taken < BODY && more > 0; taken += more)
        more = Math.max(0, socket.write(bytes.subarray(taken)));
    };
    await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port,
      socket: {
        open(socket) {
          socket.write(headOf("/", `Content-Length: ${BODY}`));
          push(socket);
        },
        drain: push,
        data(_socket, chunk) {
          received += chunk;
        },
      },
    });

    for (let turn = 0; turn < 200; turn++)
      await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    const before = taken;
    known.resolve();
    await eventually(() => expect(received).toEndWith(`\r\n\r\n${BODY}`));

    // The system buffers a few MiB per connection on both sides.
    expect(before).toBeLessThan(BODY / 4);
    await server.cut();
  });
});

describe("a client that is slow", () => {
  let brief: Program;
  let url: string;
  let environmentUrl: string;
  beforeAll(async () => {
    brief = await startProgram(
      configFor(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" }),
      BRIEF,
    );
    ({ url } = brief);
    ({ environmentUrl } = await program.environment());
  });
  afterAll(() => brief.stop());

  const TIMEOUT = "request_timeout";

  test.each([
    ["its headers", () => "GET / HTTP/1.1\r\nHost: x\r\nX-"],
    [
      "a body that may have a token",
      () =>
        `${headOf(`${environmentUrl}/chat.postMessage`, FORM_TYPE, "Content-Length: 99")}text=x&`,
    ],
  ])("with %s gets 408 (S060)", async (_what, bytes) => {
    const answer = one(await exchange(url, bytes(), LATE_MS));
    expectRefusal(answer, 408, TIMEOUT);
    expect(answer.headers.get("connection")).toBe("close");
  });

  test("with a trickling body gets 408", async () => {
    const bytes = headOf(`${environmentUrl}/chat.postMessage`, FORM_TYPE, "Content-Length: 9999");
    const trickle = (socket: Socket) => {
      const timer = setInterval(() => socket.write("x"), 50);
      socket.on("close", () => clearInterval(timer));
    };
    expectRefusal(one(await exchange(url, bytes, LATE_MS, trickle)), 408, TIMEOUT);
  });

  test("with an unread body is disconnected", async () => {
    const bytes = `${headOf(START_RUN, JSON_TYPE, "Content-Length: 9")}{`;
    const started = performance.now();
    expectRefusal(one(await exchange(url, bytes, LATE_MS)), 401, "not_authed");
    expect(performance.now() - started).toBeLessThan(LATE_MS);
  });

  test("and sends nothing gets no answer", async () => {
    expect(await exchange(url, "", LATE_MS)).toBe("");
  });

  test("and its peers, three hundred together, are disconnected in the same time", async () => {
    const bytes = headOf(`${environmentUrl}/chat.postMessage`, FORM_TYPE, "Content-Length: 99");
    const received = await Promise.all(
      Array.from({ length: 300 }, () => exchange(url, bytes, LATE_MS)),
    );
    expect(new Set(received.map((answer) => one(answer).status))).toEqual(new Set([408]));
  });

  test("with its next request finds the connection closed", async () => {
    const started = performance.now();
    const received = await exchange(url, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", LATE_MS);
    expect(one(received).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(LATE_MS);
  });

  test("in reading its answer is disconnected", async () => {
    const server = serve(
      { hostname: "127.0.0.1", port: 0, limits: BRIEF },
      {
        fetch: async () => httpAnswer(200, {}, new Uint8Array(64 * 1024 * 1024)),
        refuse: () => httpAnswer(200, {}),
      },
    );
    const asked = Promise.withResolvers<Socket>();
    const received = exchange(
      `http://127.0.0.1:${server.port}`,
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      LATE_MS,
      (socket) => socket.once("data", () => asked.resolve(socket.pause())),
    );
    const socket = await asked.promise;

    await server.stop();

    socket.destroy();
    await received;
  });
});

test("an upload that its client drops is not an error of the server", async () => {
  const own = await startProgram(configFor(database));
  const { environmentUrl } = await program.environment();
  const metrics = async () => await (await fetch(`${own.url}/metrics`)).text();
  for (const path of [START_RUN, `${environmentUrl}/chat.postMessage`]) {
    const head = headOf(path, JSON_TYPE, "Content-Length: 99");
    expect(await exchange(own.url, head, LATE_MS, (socket) => socket.end("{"))).toBe("");
  }

  const lines = await eventually(async () => {
    const all = (await metrics()).split("\n");
    const gone = all.filter((line) => /http_requests_total.*status="499"/.test(line));
    expect(gone).toHaveLength(2);
    return all;
  });
  await own.stop();

  expect(lines.filter((line) => /http_requests_total.*status="5/.test(line))).toEqual([]);
  expect(lines.filter((line) => /errors_total.*internal_error/.test(line))).toEqual([]);
});
