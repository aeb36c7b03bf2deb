/**
 * An agent, and a key, that try to fill the server's memory with what each request may have: bodies and messages that do
 * not end, long answers, answers that nobody reads. The server runs with the limit of the manifests, where the machine
 * can set one. Prints its figures.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect as connectSocket, type Socket } from "node:net";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { PLAYERS_PER_KEY_MAX } from "~/platform/openenv/players";
import manifest from "../../scripts/kubernetes/deployment.yaml" with { type: "text" };
import { figuresOf, rssMegabytes, startBystanders } from "../support/bystanders";
import { eventually } from "../support/database";
import { limitMemory, memoryLimitObstacle } from "../support/memory-limit";
import type { ServerProcess } from "../support/process";
import { expectStatus } from "../support/program";
import { createStage, type Database } from "../support/stage";

setDefaultTimeout(240_000);

const LIMIT_GIBIBYTES = Number(/limits: \{ memory: (\d+)Gi \}/.exec(manifest)?.[1]);
/** Above the goal of 400 MB: garbage is collected later on some machines. Without a budget the server needs 1,100 MB. */
const RSS_MEGABYTES_MAX = 550;
const BYSTANDERS = 9;
/** Above the goal of 250 ms at the 99th percentile, because other programs use the machine of a test. */
const P99_MS_MAX = 2_000;
const HELD_SECONDS = 4;
const BODY = Buffer.alloc(4_190_000, "x");
const MESSAGE = Buffer.alloc(900_000, "x");
const SUITE_PATH = "/openenv/chat-benchmark";

const stage = createStage();
let database: Database;
let server: ServerProcess;
/** Another tenant's key, and the attacker's. */
let [bob, mallory] = ["", ""];
const sockets: Socket[] = [];
beforeAll(async () => {
  const obstacle = await memoryLimitObstacle();
  if (obstacle) process.stderr.write(`only the watch limits memory: ${obstacle}\n`);
  const limit = obstacle ? undefined : await limitMemory(LIMIT_GIBIBYTES * 2 ** 30, stage.onEnd);
  database = await stage.database();
  server = await stage.server(
    database,
    { ENVIRONMENT_POOL_TARGETS: `chat_default:${BYSTANDERS + 4}` },
    limit?.launch,
  );
  const pool = connect(database.url, { max: 1, name: "test", camel: true });
  const keyOf = async (userId: string) =>
    (await createKey(pool, { userId, name: "", plan: "enterprise", expiresInDays: null })).key;
  [bob, mallory] = [await keyOf("bob"), await keyOf("mallory")];
  await pool.end();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  // What one attack leaves is not charged to the next one.
  await eventually(async () => expect((await fetch(`${server.url}/livez`)).status).toBe(200));
});
afterAll(() => stage.end());

const asMallory = () => ({ "X-API-Key": mallory });

async function environmentOf(headers: Record<string, string>) {
  const created = await server.post(
    "/initEnv",
    {
      templateService: "chat",
      templateName: "chat_default",
      impersonateEmail: "agent@acme.test",
    },
    headers,
  );
  expectStatus(created, 201);
  return created.body;
}

/** Opens a connection and writes to it. Counts what comes back, and reads it unless told otherwise. */
function attack(pieces: readonly (string | Buffer)[], { reads = true } = {}) {
  const { hostname, port } = new URL(server.url);
  const socket = connectSocket(Number(port), hostname);
  const seen = { socket, beginning: "", isClosed: false };
  sockets.push(socket);
  socket.on("error", () => {});
  socket.on("close", () => {
    seen.isClosed = true;
  });
  if (reads)
    socket.on("data", (bytes) => {
      if (seen.beginning.length < 1_000) seen.beginning += bytes.toString("latin1");
    });
  else socket.pause();
  for (const piece of pieces) socket.write(piece);
  return seen;
}
type Attack = ReturnType<typeof attack>;

const headOf = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", ...headers].join("\r\n")}\r\n\r\n`;
const statusOf = ({ beginning }: Attack) => Number(/^HTTP\/1\.1 (\d+)/.exec(beginning)?.[1]);
const countOf = (attacks: readonly Attack[], status: number) =>
  attacks.filter((each) => statusOf(each) === status).length;

/** Attacks beside the bystanders. */
async function beside(name: string, work: () => Promise<string>): Promise<void> {
  const end = await startBystanders(stage, database, server, BYSTANDERS);
  const outcome = await work();
  const { calls, rss, before } = await end();
  process.stderr.write(
    `${name}: ${outcome}; RSS ${before.toFixed(0)} → ${rss.toFixed(0)} MB, ` +
      `${(await rssMegabytes(server)).toFixed(0)} MB after it; ${figuresOf(calls)}\n`,
  );
  expect(rss).toBeLessThan(RSS_MEGABYTES_MAX);
  expect(calls.at(Math.floor(calls.length * 0.99))).toBeLessThan(P99_MS_MAX);
}

test("calls without their last byte", async () => {
  const environments: any[] = [];
  for (let n = 0; n < 4; n++) environments.push(await environmentOf(asMallory()));

  await beside("300 bodies of 4.19 MB that do not end", async () => {
    const attacks = Array.from({ length: 300 }, (_, n) => {
      // Most are of one environment, the others of three more of the same key.
      const { environmentUrl, token } = environments[n % 10 === 0 ? (n / 10) % 4 : 0];
      const head = headOf(
        ...(["POST", `${environmentUrl}/chat.postMessage`] as const),
        `Authorization: Bearer ${token}`,
        ...["Content-Type: application/json", `Content-Length: ${BODY.byteLength + 1}`],
      );
      return attack([head, BODY]);
    });
    await eventually(() => expect(countOf(attacks, 503)).toBeGreaterThanOrEqual(280));
    await Bun.sleep(HELD_SECONDS * 1000);
    const rejected = countOf(attacks, 503);
    expect(rejected).toBeLessThan(300);
    return `${rejected} rejected`;
  });
});

test("calls of a run that are long, read by many, and by some who take nothing", async () => {
  const CALLS = 400;
  const { environmentId: envId, environmentUrl, token } = await environmentOf(asMallory());
  const started = await server.post("/startRun", { envId, journal: "full" }, asMallory());
  expectStatus(started, 201);
  const { runId } = started.body;
  const call = async (method: string, args: object) => {
    const response = await fetch(`${server.url}${environmentUrl}/${method}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(args),
    });
    const answer: any = await response.json();
    expect(answer).toMatchObject({ ok: true });
  };
  const channel = "C01GENERAL";
  for (let n = 0; n < 3; n++)
    await call("chat.postMessage", { channel, text: "long ".repeat(7_900) });
  for (let n = 0; n < CALLS; n++)
    await call("conversations.history", { channel, limit: 5, x: "x".repeat(15_000) });
  expectStatus(await server.post("/diffRun", { runId }, asMallory()), 200);
  const path = `/runs/${runId}/calls?limit=1000`;

  await beside(`${CALLS} long calls`, async () => {
    const head = headOf("GET", `/api/platform${path}`, `X-API-Key: ${mallory}`);
    const deaf = Array.from({ length: 30 }, () => attack([head], { reads: false }));
    let rejected = 0;
    const until = performance.now() + HELD_SECONDS * 1000;
    const read = async () => {
      let pages = 0;
      while (performance.now() < until || pages === 0) {
        // Not parsed: that would stop the bystanders, who are in this process, too.
        const page = await fetch(`${server.url}/api/platform${path}`, { headers: asMallory() });
        const { byteLength } = await page.arrayBuffer();
        if (page.status === 503) {
          rejected++;
          await Bun.sleep(100);
          continue;
        }
        expect(page.status).toBe(200);
        expect(byteLength).toBeGreaterThan(1_000_000);
        pages++;
      }
      return pages;
    };
    setTimeout(() => deaf.map(({ socket }) => socket.destroy()), HELD_SECONDS * 1000);
    const pages = await Promise.all(Array.from({ length: 8 }, read));
    return `8 readers had ${pages.reduce((sum, each) => sum + each, 0)} pages, ${rejected} rejected`;
  });

  // Every call is listed, once.
  let listed = 0;
  for (let after: number | null = 0; after !== null; ) {
    const { body } = await server.get(`${path}&after=${after}`, asMallory());
    listed += body.calls.length;
    after = body.next;
  }
  expect(listed).toBe(CALLS + 3);
});

const handshake = (key: string) =>
  headOf(
    ...(["GET", `${SUITE_PATH}/ws`, `X-API-Key: ${key}`, "Upgrade: websocket"] as const),
    ...["Connection: Upgrade", "Sec-WebSocket-Version: 13"],
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  );

test("messages of WebSockets that do not end", async () => {
  const length = Buffer.alloc(14);
  length.set([0x81, 0xff]);
  length.writeBigUInt64BE(BigInt(MESSAGE.byteLength + 1), 2);

  await beside("200 messages of 0.9 MB that do not end", async () => {
    const attacks = Array.from({ length: 200 }, () => attack([handshake(mallory)]));
    await eventually(() => expect(countOf(attacks, 101)).toBe(200));
    for (const { socket } of attacks) {
      socket.write(length);
      socket.write(MESSAGE);
    }
    const closed = () => attacks.filter(({ isClosed }) => isClosed).length;
    await eventually(() => expect(closed()).toBeGreaterThanOrEqual(150));
    await Bun.sleep(HELD_SECONDS * 1000);
    return `${closed()} closed`;
  });
});

test("a thousand players of one key leave room for those of another", async () => {
  await beside("1,000 players of one key", async () => {
    // Not all in one step: the bystanders are in this process, too.
    const attacks: Attack[] = [];
    while (attacks.length < PLAYERS_PER_KEY_MAX + 20) {
      attacks.push(attack([handshake(mallory)]));
      if (attacks.length % 20 === 0) await Bun.sleep(1);
    }
    await eventually(() => expect(attacks.filter(({ isClosed }) => isClosed)).toHaveLength(20), 60);
    for (const { beginning, isClosed } of attacks)
      if (isClosed) expect(beginning).toContain("CAPACITY_REACHED");

    const answer = await fetch(`${server.url}${SUITE_PATH}/reset`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-Key": bob },
      body: "{}",
    });
    expect([answer.status, await answer.json()]).toEqual([200, expect.anything()]);
    return "20 rejected, another key plays";
  });
});
