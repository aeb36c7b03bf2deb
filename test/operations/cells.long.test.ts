/** Two cells behind HAProxy, with the configuration for it: a cell that drains, and one that is killed, under load. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Diorama, type Environment, type Run } from "~/clients/typescript";
import { type Servers, startServers } from "../../scripts/cluster";
import { freePort } from "../../scripts/postgres";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, eventually, type TestDatabase } from "../support/database";
import { lacks } from "../support/packages";

const CONFIGURATION = join(import.meta.dir, "../../scripts/cells/haproxy.cfg");
const CELLS = ["a1", "a2"] as const;
type Cell = (typeof CELLS)[number];

const isSkipped = lacks("haproxy");
const databases: TestDatabase[] = [];
const servers = {} as Record<Cell, Servers>;
/** Of the next start. */
const settings = {} as Record<Cell, Record<string, string>>;
let balancer: Bun.Subprocess | undefined;
let url = "";
let client: Diorama;

beforeAll(async () => {
  if (isSkipped) return;
  const [cluster] = await startClusters();
  if (!cluster) throw new Error("there is no Postgres");
  for (const cell of CELLS) {
    const database = await createDatabase(cluster);
    databases.push(database);
    settings[cell] = { CELL: cell, ENVIRONMENT_POOL_TARGETS: "chat_default:2" };
    servers[cell] = await startServers({
      ...{ count: 1, databaseUrl: database.url, settings: settings[cell] },
    });
  }
  const address = `127.0.0.1:${await freePort()}`;
  const hostOf = (cell: Cell) => new URL(servers[cell].url).host;
  balancer = Bun.spawn(["haproxy", "-db", "-f", CONFIGURATION], {
    env: { ...process.env, CELLS_BIND: address, CELL_A1: hostOf("a1"), CELL_A2: hostOf("a2") },
    stdout: "ignore",
    stderr: "inherit",
  });
  url = `http://${address}`;
  await eventually(async () => {
    const cells: any[] = await Promise.all(
      [1, 2, 3, 4].map(async () => (await fetch(`${url}/readyz`)).json()),
    );
    expect(new Set(cells.map(({ cell }) => cell))).toEqual(new Set(CELLS));
  });
  client = new Diorama({ url });
});
afterAll(async () => {
  balancer?.kill();
  await Promise.all(Object.values(servers).map((cell) => cell.stop()));
  await Promise.all(databases.map(dropDatabase));
});

const say = (run: string, n: number) => ({ channel: "C01GENERAL", text: `${run} ${n}` });
const create = () => client.env("chat_default", { as: "U01AGENTONE" });
const cellOf = (id: string) => id.slice(0, 2);

/** Waits until the balancer sends calls to a cell. */
const reached = (cell: Cell) =>
  eventually(async () => {
    const headers = { "X-Diorama-Cell": cell };
    expect((await fetch(`${url}/readyz`, { headers })).status).toBe(200);
  });

/** Lives of environments in parallel, until the signal. Counts those that are complete, and those that failed, by cell. */
async function live(parallel: number, signal: AbortSignal) {
  const done = { a1: 0, a2: 0 } as Record<string, number>;
  const failed: { cell: string; error: unknown }[] = [];
  async function life() {
    let cell = "none";
    try {
      const environment = await create();
      cell = cellOf(environment.id);
      const run = await environment.startRun();
      for (let n = 0; n < 3; n++) await environment.slack().chat.postMessage(say(run.id, n));
      const { inserts } = await run.diff();
      expect(inserts.map(({ text }) => text)).toEqual([0, 1, 2].map((n) => say(run.id, n).text));
      await environment.delete();
      done[cell] = (done[cell] ?? 0) + 1;
    } catch (error) {
      failed.push({ cell, error });
    }
  }
  const sequence = async () => {
    while (!signal.aborted) await life();
  };
  await Promise.all(Array.from({ length: parallel }, sequence));
  return { done, failed };
}

describe.skipIf(isSkipped)("two cells behind one address", () => {
  test("share the environments, and each run is in the cell of its environment", async () => {
    const over = new AbortController();
    const living = live(4, over.signal);
    await Bun.sleep(3_000);
    over.abort();
    const { done, failed } = await living;

    expect(failed.slice(0, 3)).toEqual([]);
    expect(Math.min(done["a1"] ?? 0, done["a2"] ?? 0)).toBeGreaterThan(0);
  });

  test("a cell that drains gets no environments, and completes those that it has", async () => {
    const older = await create();
    const cell = cellOf(older.id) as Cell;
    const run = await older.startRun();
    settings[cell]["MAX_ENVIRONMENTS"] = "0";
    await servers[cell].restartAll();
    await reached(cell);

    const over = new AbortController();
    const living = live(2, over.signal);
    await older.slack().chat.postMessage(say(run.id, 0));
    expect((await run.diff()).inserts).toHaveLength(1);
    over.abort();
    const { done, failed } = await living;

    expect(failed).toEqual([]);
    expect(done[cell]).toBe(0);
    delete settings[cell]["MAX_ENVIRONMENTS"];
    await servers[cell].restartAll();
    await reached(cell);
  });

  test("a cell that is killed loses its own runs only, which go on when it is back", async () => {
    const open: { environment: Environment; run: Run }[] = [];
    while (new Set(open.map(({ environment }) => cellOf(environment.id))).size < CELLS.length) {
      const environment = await create();
      open.push({ environment, run: await environment.startRun() });
    }
    const over = new AbortController();
    const living = live(4, over.signal);
    await Bun.sleep(500);
    await servers.a1.kill(0);
    await Bun.sleep(3_000);
    over.abort();
    const { done, failed } = await living;

    expect(done["a2"]).toBeGreaterThan(0);
    expect(failed.filter(({ cell }) => cell !== "a1")).toEqual([]);
    await servers.a1.launch(0);
    await reached("a1");
    for (const { run, environment } of open) {
      await environment.slack().chat.postMessage(say(run.id, 0));
      expect((await run.diff()).inserts).toHaveLength(1);
    }
  });
});
