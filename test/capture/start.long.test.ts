/** Beginning a run: it needs a slot that will deliver its changes, not a reader that has caught up. */
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { BEHIND_BYTES, dropSlot, publish, slotIsReady, slotName } from "~/capture/slot";
import { inTransaction, type Pool } from "~/db/connect";
import { unreadBytes } from "~/platform/runs/leader-store";
import { lose } from "~/platform/runs/lifecycle-store";
import type { Keys } from "../../scripts/oracle";
import { record, startCapture } from "../support/capture";
import { startClusters } from "../support/clusters";
import { createDatabase, dropDatabase, eventually, type TestDatabase } from "../support/database";

const KEYS: Keys = { things: ["id"] };
const BULK_BYTES = 24 * 2 ** 20;
/** Time for the look at a backend that has been stopped. */
const PROBE_MS = 1_000;
const FROZEN_MS_MAX = 30_000;

setDefaultTimeout(240_000);

const ways = (await startClusters()).flatMap((cluster) =>
  cluster.plugins.map((plugin) => ({ cluster, plugin, name: `${plugin} on ${cluster.name}` })),
);

describe.each(ways)("with $name", ({ cluster, plugin }) => {
  let database: TestDatabase;
  let server: Awaited<ReturnType<typeof startCapture>>;
  let sql: Pool;
  let next = 0;

  beforeAll(async () => {
    database = await createDatabase(cluster);
    sql = database.sql;
    server = await startCapture(database, plugin, { storedMs: 3_000 });
    await sql.unsafe(
      "create table public.bulk (body text); alter table public.bulk alter body set storage external",
    );
  });
  afterAll(async () => {
    await server.stop();
    await dropDatabase(database);
  });

  const schema = () => `env_${next}`;
  async function makeSchema() {
    next++;
    await sql.unsafe(
      `create schema ${schema()}; create table ${schema()}.things (id int primary key, note text); alter table ${schema()}.things replica identity full`,
    );
    if (plugin === "pgoutput") await inTransaction(sql, (tx) => publish(tx, schema()));
  }
  beforeEach(makeSchema);
  const start = () => record(server.pool, server.capture, schema(), KEYS);
  const write = (id: number) => sql.unsafe(`insert into ${schema()}.things values (${id}, 'n')`);
  const writeBulk = () =>
    sql`insert into public.bulk select repeat(md5(i::text), 64) from generate_series(1, ${BULK_BYTES / 2048}::int) i`;
  const ids = (diff: { inserts: { [column: string]: unknown }[] } | null) =>
    diff?.inserts.map(({ id }) => id);

  const slot = async () => {
    const [row] = await sql<{ pid: number | null; behind: number }[]>`
      select active_pid as pid, pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::float8 as behind
      from pg_replication_slots where database = current_database()
    `;
    return row;
  };
  const hasReleased = (bytes: number) =>
    eventually(async () => expect((await slot())?.behind).toBeLessThan(bytes));

  /**
   * Stops the backend that decodes the log while it waits for more of it, or for its client. At any other moment it may
   * hold a lock without which nobody else can use Postgres.
   */
  const freeze = (pid: number) =>
    eventually(async () => {
      process.kill(pid, "SIGSTOP");
      const found = await Promise.race([
        sql<
          { type: string }[]
        >`select wait_event_type as type from pg_stat_activity where pid = ${pid}`,
        Bun.sleep(PROBE_MS),
      ]);
      const type = found?.[0]?.type;
      if (type === "Activity" || type === "Client") return;
      process.kill(pid, "SIGCONT");
      throw new Error(`the backend ${pid} does not wait, but ${type ?? "keeps others waiting"}`);
    });

  /** Runs `work` while the backend that decodes the log stands still, for a limited time: other tests need it. */
  async function whileFrozen<T>(work: () => Promise<T>): Promise<T> {
    const pid = (await slot())?.pid;
    if (!pid) throw new Error("nobody reads the slot");
    await freeze(pid);
    const thaw = () => process.kill(pid, "SIGCONT");
    const limit = setTimeout(thaw, FROZEN_MS_MAX);
    try {
      return await work();
    } finally {
      clearTimeout(limit);
      thaw();
    }
  }

  test("a run starts while the log is not being read, its diff is complete, and it releases the slot", async () => {
    await (await start()).end();

    const run = await whileFrozen(async () => {
      const started = await start();
      await write(1);
      await writeBulk();
      return started;
    });
    const { status, diff } = await run.end();

    expect({ status, ids: ids(diff) }).toEqual({ status: "completed", ids: [1] });
    await hasReleased(BULK_BYTES / 4);
  });

  test("an end that waits too long for the log reports how much is left, and the result follows", async () => {
    await (await start()).end();
    const run = await start();
    await write(1);

    const refusal = await whileFrozen(async () => {
      await writeBulk();
      return await run.end().catch((error: Error) => error.message);
    });

    expect(refusal).toMatch(/the result is not ready yet: \d{8} bytes of log are still to be read/);
    await eventually(async () => {
      const { status, diff } = await run.read();
      expect({ status, ids: ids(diff) }).toEqual({ status: "completed", ids: [1] });
    });
  });

  test("an end that wants a verdict asks for it once, with the recorded changes", async () => {
    const run = await start();
    await write(1);
    const asked: unknown[] = [];

    const { status } = await run.end(server, async ({ diff }) => {
      asked.push(ids(JSON.parse(diff)));
      return undefined;
    });

    expect(asked).toEqual([[1]]);
    expect(status).toBe("evaluating");
    expect((await run.read()).diff).not.toBeNull();
  });

  test("a backlog is reported while there is one", async () => {
    await (await start()).end();
    await eventually(async () => expect(await unreadBytes(sql)).toBe(0));

    await whileFrozen(async () => {
      await writeBulk();
      await eventually(async () => expect(await unreadBytes(sql)).toBeGreaterThan(BEHIND_BYTES));
    });

    await eventually(async () => expect(await unreadBytes(sql)).toBe(0));
  });

  test("a run that was lost lets the slot move on", async () => {
    const lost = await start();
    await makeSchema();
    const failed = await start();
    await write(1);
    await writeBulk();

    await lose(sql, { run: lost.run }, "slot_dropped");
    // As if the mark had been lost with it.
    await sql`update diorama.runs set status = 'failed' where run_id = ${failed.run}`;

    await hasReleased(BULK_BYTES / 4);
  });

  test("the slot is not dropped under a run that is about to start", async () => {
    await (await start()).end();
    const name = await slotName(sql);
    const commit = Promise.withResolvers<void>();
    const checked = Promise.withResolvers<boolean>();
    const starting = inTransaction(sql, async (tx) => {
      const [row] = await tx`select ${slotIsReady(tx, plugin)} as ready`;
      checked.resolve(row?.["ready"]);
      await commit.promise;
    });
    expect(await checked.promise).toBe(true);
    let asked = false;

    const dropping = dropSlot(server.pool, name, async () => {
      asked = true;
      return false;
    });
    await eventually(async () => {
      const [row] = await sql`
        select count(*)::int as waiting from pg_locks
        where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())
      `;
      expect(row?.["waiting"]).toBe(1);
    });
    expect(asked).toBe(false);
    // Another run that would start now waits for the decision.
    const [other] = await sql`select ${slotIsReady(sql, plugin)} as ready`;
    expect(other?.["ready"]).toBe(false);

    commit.resolve();
    await starting;
    expect(await dropping).toBe(false);
    expect(asked).toBe(true);
    const [again] = await sql`select ${slotIsReady(sql, plugin)} as ready`;
    expect(again?.["ready"]).toBe(true);
  });

  test("runs that start while an idle slot is dropped are complete", async () => {
    const brief = await startCapture(database, plugin, { idleSeconds: 1 });
    await server.stop();
    try {
      for (let round = 0; round < 5; round++) {
        const run = await record(brief.pool, brief.capture, schema(), KEYS);
        await write(round);
        expect(ids((await run.end()).diff)).toEqual([round]);
        await sql.unsafe(`delete from ${schema()}.things`);
        // Around the moment at which the stream ends because there are no runs.
        await Bun.sleep(900 + round * 60);
      }
    } finally {
      await brief.stop();
      server = await startCapture(database, plugin, { storedMs: 3_000 });
    }
  });
});
