/** Several servers on one database, behind a load balancer, act as one that never stops. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { type Servers, startServers } from "../../scripts/cluster";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, eventually, type TestDatabase } from "../support/database";
import { live, note } from "../support/load";
import { clientOf, expectStatus } from "../support/program";

const SERVERS = 3;
/** For a longer run: `CLUSTER_CLIENTS=200 CLUSTER_SECONDS=600`. */
const CLIENTS = Number(process.env["CLUSTER_CLIENTS"] ?? 8);
const SECONDS = Number(process.env["CLUSTER_SECONDS"] ?? 2);
const POOL = 6;

let database: TestDatabase;
let servers: Servers;
beforeAll(async () => {
  const [cluster] = await startClusters();
  if (!cluster) throw new Error("there is no Postgres");
  database = await createDatabase(cluster);
  servers = await startServers({
    count: SERVERS,
    databaseUrl: database.url,
    settings: {
      ENVIRONMENT_POOL_TARGETS: `chat_default:${POOL}`,
      MAINTENANCE_CYCLE_INTERVAL: "1",
    },
  });
});
afterAll(async () => {
  await servers.stop();
  await dropDatabase(database);
});

const metric = async (url: string, name: string) => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1] ?? 0);
};
const fromAll = (name: string) => Promise.all(servers.urls().map((url) => metric(url, name)));

test("one server at a time fills the pool, to its target and no further", async () => {
  await eventually(async () => {
    const [row] = await database.sql`
      select count(*)::int as ready from diorama.schemas where state = 'ready'
    `;
    expect(row?.["ready"]).toBe(POOL);
  });

  const built = await fromAll("diorama_pool_builds_total");
  expect(built.filter((count) => count > 0)).toEqual([POOL]);
});

test(
  "a rolling restart under load fails no call, and runs continue",
  async () => {
    const over = new AbortController();
    const server = clientOf(servers.url);
    const environment = await server.environment();
    const run = await server.post("/startRun", { envId: environment.environmentId });
    const say = (text: string) =>
      server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
    await say("before");

    const living = live(servers.url, CLIENTS, over.signal);
    const codes = await servers.restartAll();
    await Bun.sleep(SECONDS * 1000);
    over.abort();
    const lives = await living;

    await say("after");
    const ended = await server.post("/diffRun", { runId: run.body.runId });
    note(`${lives.done} lives, the slowest call ${Math.round(lives.slowestMs)} ms`);
    expect(codes).toEqual([0, 0, 0]);
    expect(lives.failures).toEqual([]);
    expect(lives.done).toBeGreaterThan(CLIENTS);
    expect(ended.body.diff.inserts.map(({ text }: { text: string }) => text)).toEqual([
      "before",
      "after",
    ]);
  },
  (SECONDS + 180) * 1000,
);

test("when the leader is killed, another one leads within five seconds", async () => {
  const server = clientOf(servers.url);
  const environment = await server.environment();
  const run = await server.post("/startRun", { envId: environment.environmentId });
  const leaders = () => fromAll("diorama_capture_leader");
  const before = await eventually(async () => {
    const found = await leaders();
    expect(found.filter((leads) => leads === 1)).toHaveLength(1);
    return found.indexOf(1);
  });
  const [epoch] = await database.sql`select epoch from diorama.capture`;

  const killed = performance.now();
  await servers.kill(before);
  await eventually(async () => {
    const [now] = await database.sql`select epoch, state from diorama.capture`;
    expect(now).toEqual({ epoch: String(Number(epoch?.["epoch"]) + 1), state: "streaming" });
  });
  const seconds = (performance.now() - killed) / 1000;
  note(`another server leads after ${seconds.toFixed(2)} s`);

  expect(seconds).toBeLessThan(5);
  const ended = await eventually(async () => {
    const answer = await server.post("/diffRun", { runId: run.body.runId });
    expectStatus(answer, 200);
    return answer;
  });
  expect(ended.body.diff).toEqual({ inserts: [], updates: [], deletes: [] });
  await servers.launch(before);
});

test("a limit is exact, whichever servers receive the calls", async () => {
  const pool = connect(database.url, { max: 1, name: "test", camel: true });
  const made = { userId: "alice", name: "", plan: "free", expiresInDays: null } as const;
  const { key } = await createKey(pool, made);
  await pool.end();
  const limited = await startServers({
    count: 2,
    databaseUrl: database.url,
    settings: { RATE_LIMITS: "true", ENVIRONMENT_POOL_TARGETS: `chat_default:${POOL}` },
  });
  try {
    const server = clientOf(limited.url);
    const wanted = {
      templateService: "chat",
      templateName: "chat_default",
      impersonateUserId: "U01AGENTONE",
    };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => server.post("/initEnv", wanted, { "X-API-Key": key })),
    );

    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(25).fill(429)]);
  } finally {
    await limited.stop();
  }
});
