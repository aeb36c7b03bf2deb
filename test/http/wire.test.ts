/** What only a client that writes its own bytes can send. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { type Program, startProgram } from "~/program";
import { useDatabase } from "../support/database";
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

describe("a request that is not quite HTTP", () => {
  const post = (...headers: string[]) =>
    `${[`POST /api/platform/startRun HTTP/1.1`, "Host: x", JSON_TYPE, ...headers].join("\r\n")}\r\n\r\n`;
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
    ["ends its lines with LF", `GET ${HEALTH} HTTP/1.1\nHost: x\n\n`, 505],
    ["begins HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["is of another version", `GET ${HEALTH} HTTP/3.7\r\nHost: x\r\n\r\n`, 505],
    ["is garbage", "\u0000\u0001\u0002\r\n\r\n", 400],
  ])("%s is refused, and the connection closed (S059)", async (_what, bytes, status) => {
    const [answer, ...more] = readAnswers(await exchange(program.url, bytes));
    expect([answer?.status, answer?.headers.get("connection"), more]).toEqual([
      status,
      "close",
      [],
    ]);
    expect((await ask(program.url, `GET ${HEALTH} HTTP/1.1`)).status).toBe(200);
  });

  test("is answered if it is an old one without a host (S059)", async () => {
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
  ])("a body %s has its answer (S046)", async (_how, headers, body, status) => {
    const answer = await ask(
      program.url,
      "POST /api/platform/startRun HTTP/1.1",
      [JSON_TYPE, ...headers],
      body,
    );
    expect([answer.status, JSON.parse(answer.body).ok]).toEqual([status, false]);
  });

  test("requests sent before the one before is answered are not mixed up: the connection ends (S061)", async () => {
    const bytes = Array.from(
      { length: 100 },
      (_, index) => `GET ${RUN} HTTP/1.1\r\nHost: x\r\nX-Request-Id: n${index}\r\n\r\n`,
    ).join("");
    const answers = readAnswers(await exchange(program.url, bytes));
    expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual(
      answers.map((_, index) => `n${index}`),
    );
    expect(answers.length).toBeLessThan(100);
  });

  test("a connection outlives refusals, a hundred of them (S061)", async () => {
    const statuses = await inTurn(
      program.url,
      100,
      (index) => `GET ${RUN} HTTP/1.1\r\nHost: x\r\n${index % 2 ? "X-API-Key: wrong\r\n" : ""}\r\n`,
    );
    expect(statuses).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 ? 401 : 404)));
  });

  test("//api is another path than /api (S062)", async () => {
    expect((await ask(program.url, `GET /${HEALTH} HTTP/1.1`)).status).toBe(404);
  });

  test.each(["x", "db", "api", "api:80", "diorama.example.com"])(
    "to a host called %p finds its path (S062)",
    async (host) => {
      const bytes = `GET ${RUN} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const [answer] = readAnswers(await exchange(program.url, bytes));
      expect(JSON.parse(answer?.body ?? "{}").error).toBe("run_not_found");
    },
  );

  test("an address of 20 kB is refused, one of 10 kB is read (S064)", async () => {
    const { status } = await ask(program.url, `GET ${RUN}${"x".repeat(20_000)} HTTP/1.1`);
    expect(status).toBe(431);
    const read = await ask(program.url, `GET ${RUN}${"x".repeat(10_000)} HTTP/1.1`);
    expect(read.status).toBe(404);
  });
});

describe("a client that is slow", () => {
  let brief: Program;
  beforeAll(async () => {
    brief = await startProgram(configFor(database), 1);
  });
  afterAll(() => brief.stop());
  /** Bun gives headers ten seconds whatever its setting, and looks at the clock every few seconds. */
  const LATE_MS = 17_000;

  test("is not waited for, with its first request, its headers or its body (S060)", async () => {
    const beginnings = [
      "",
      `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\nX-`,
      `POST /api/platform/startRun HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}\r\nContent-Length: 9\r\n\r\n{`,
    ];
    const started = performance.now();
    const received = await Promise.all(
      beginnings.map((bytes) => exchange(brief.url, bytes, LATE_MS + 5_000)),
    );
    expect(performance.now() - started).toBeLessThan(LATE_MS);
    for (const answers of received.map(readAnswers))
      for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe("a key on the wire", () => {
  const withKey = async (...headers: string[]) => {
    const { status, body } = await ask(production.url, `GET ${RUN} HTTP/1.1`, headers);
    return { status, detail: body && JSON.parse(body).detail };
  };

  test("is refused beside another (S006)", async () => {
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
  ])("is refused %s (S008)", async (_what, odd, status) => {
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
