/** F47 and F48: the primary is lost, and its standby is promoted. */
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { normalizeAddress } from "~/address";
import { startCluster } from "../../scripts/postgres";
import { eventually } from "../support/database";
import type { ServerProcess } from "../support/process";
import { createStage, type Stage, type Story } from "../support/stage";
import { type Fault, must, secondsOf } from "./fault";
import { shell } from "./postgres";

/** The packaged one is of a version that copies slots to standbys. */
const SOURCE = "embedded";
const ROUNDS = Number(process.env["FAULTS_FAILOVERS"] ?? 1);
const STANDBY = "standby";
const ATTEMPTS = 40;
const COUNTS = ["acknowledged", "lost", "wrong", "diffs"] as const;

type Pair = Awaited<ReturnType<typeof pair>>;

/** A primary with a standby, and an address with both. */
async function pair(stage: Stage, { synchronous }: { synchronous: boolean }) {
  const settings = synchronous ? { synchronized_standby_slots: STANDBY } : {};
  const { cluster: primary, database } = await stage.cluster(settings, { source: SOURCE });
  await database.sql`select pg_create_physical_replication_slot(${STANDBY}, true)`;
  await primary.stop("fast");
  const dir = `${primary.dir}-${STANDBY}`;
  await shell("cp", "-a", primary.dir, dir);
  for (const slot of await readdir(join(dir, "data/pg_replslot")))
    await rm(join(dir, "data/pg_replslot", slot), { recursive: true });
  await writeFile(join(dir, "data/standby.signal"), "");
  await primary.start();
  const { password } = new URL(primary.url);
  const standby = await startCluster({
    source: SOURCE,
    dir,
    settings: {
      fsync: "off",
      shared_buffers: "32MB",
      sync_replication_slots: "on",
      hot_standby_feedback: "on",
      primary_slot_name: STANDBY,
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres password=${password} dbname=faults`,
    },
  });
  stage.onEnd(() => standby.remove());
  if (synchronous) {
    await database.sql`alter system set synchronous_standby_names = '*'`;
    await database.sql`select pg_reload_conf()`;
  }
  const url = `postgres://postgres:${password}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/faults?target_session_attrs=read-write`;
  const admin = stage.pool(standby.url.replace(/\/postgres$/, "/faults"));
  return { primary, standby, admin, url, sql: stage.pool(normalizeAddress(url) ?? "") };
}

/**
 * Waits until the standby has a lasting copy of the slot: it begins where the standby looked for it first, so the runs of
 * that time must have ended. Postgres looks every 30 s, and when it is woken.
 */
async function copySlot(stage: Stage, { admin, sql }: Pair, server: ServerProcess) {
  const first = await stage.story({ sql }, server);
  await first.write(server, 1);
  await admin`select pg_reload_conf()`;
  await first.endWell(server);
  await eventually(async () => {
    await sql`select pg_log_standby_snapshot()`;
    await admin`select pg_reload_conf()`;
    const [slot] = await admin`
      select slot_name from pg_replication_slots where synced and not temporary and invalidation_reason is null
    `;
    must(slot !== undefined, "the standby has no copy of the slot");
  }, 40);
}

/** Writes until `isOver`, and then until one more is acknowledged. */
async function writeUntil(story: Story, server: ServerProcess, isOver: () => boolean) {
  while (!isOver()) await story.write(server, 1);
  for (let attempt = 0; (await story.write(server, 1)) === 0; attempt++) {
    must(attempt < ATTEMPTS, "no write succeeds after the promotion");
    await Bun.sleep(250);
  }
}

async function failOver(stage: Stage): Promise<number> {
  const both = await pair(stage, { synchronous: true });
  const { primary, admin, url, sql } = both;
  const servers = [await stage.server({ url }), await stage.server({ url })] as const;
  await copySlot(stage, both, servers[0]);
  const stories = [];
  for (const server of [...servers, ...servers]) stories.push(await stage.story({ sql }, server));
  let isOver = false;
  const writers = stories.map((story, n) => writeUntil(story, servers[n % 2]!, () => isOver));
  await Bun.sleep(Math.random() * 500);
  await primary.stop("immediate");
  const seconds = await secondsOf(async () => {
    await admin`select pg_promote()`;
    isOver = true;
    await Promise.all(writers);
  });
  for (const [n, story] of stories.entries()) await story.endWell(servers[(n + 1) % 2]!);
  const next = await stage.story({ sql }, servers[0]);
  await next.write(servers[0], 3);
  await next.endWell(servers[1]);
  return seconds;
}

export const FAILOVER: readonly Fault[] = [
  {
    id: "F47",
    fault: "the primary is lost under load and its synchronous standby promoted, with the slot",
    expected: "open runs go on; their diffs are complete; no acknowledged write is lost",
    async run(stage) {
      let seconds = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const own = createStage();
        try {
          seconds = Math.max(seconds, await failOver(own));
        } finally {
          for (const count of COUNTS) stage.ledger[count] += own.ledger[count];
          await own.end();
        }
      }
      return { happened: `${ROUNDS} promotions, four open runs each, all complete`, seconds };
    },
  },
  {
    id: "F48",
    fault: "a standby is promoted that had not received everything that was read",
    expected: "the run fails as capture_lost: database changed; new runs work",
    slow: true,
    async run(stage) {
      const both = await pair(stage, { synchronous: false });
      const { primary, standby, admin, url, sql } = both;
      const server = await stage.server({ url });
      await copySlot(stage, both, server);
      const story = await stage.story({ sql }, server);
      await story.write(server, 3);
      await standby.stop("fast");
      await standby.start({ primary_conninfo: "host=127.0.0.1 port=1" });
      await story.write(server, 3);
      const other = await stage.story({ sql }, server);
      await other.endWell(server); // so that everything has been read
      await primary.stop("immediate");

      await admin`select pg_promote()`;
      const seconds = await secondsOf(() => story.endLost(server, "database_changed"));
      const next = await stage.story({ sql }, server);
      await next.write(server, 3);
      await next.endWell(server);
      return { happened: "noticed: failed by name; the next run was complete", seconds };
    },
  },
];
