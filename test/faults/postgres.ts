/** F05, F17 to F29: Postgres crashes, restarts, runs out of space, is replaced. */

import { chmod, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../support/database";
import { startProxy } from "../support/proxy";
import type { Database, Stage } from "../support/stage";
import { slotsOf } from "./capture";
import { type Fault, must, secondsOf } from "./fault";

const READY_SECONDS = 10;
/** A call gets an error, and does not wait for Postgres. */
const REFUSED_SECONDS = 6;
/** An attempt takes as long as writing out a gigabyte. */
const PATIENCE_SECONDS = 300;
const MOUNTS = join(import.meta.dir, "../../.diorama");

/** Runs a program and returns what it prints. Throws when it fails. */
export async function shell(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", cwd: "/" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")}: ${code} ${err}`);
  return out;
}

/** Tested, because even root may not be allowed. */
async function cannotMount(): Promise<string | undefined> {
  const dir = join(MOUNTS, "disk-trial");
  try {
    await mkdir(dir, { recursive: true });
    await shell("mount", "-t", "tmpfs", "tmpfs", dir);
    await shell("umount", dir);
    return undefined;
  } catch {
    return "no file system can be mounted here: it takes root";
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A temporary file system of this size that only Postgres' user may enter. */
async function smallDisk(stage: Stage, size: string): Promise<string> {
  const dir = join(MOUNTS, `disk-${crypto.randomUUID().slice(0, 8)}`);
  await mkdir(dir, { recursive: true });
  await shell("mount", "-t", "tmpfs", "-o", `size=${size},mode=0777`, "tmpfs", dir);
  stage.onEnd(async () => {
    await shell("umount", dir);
    await rm(dir, { recursive: true, force: true });
  });
  return dir;
}

/** A story in the middle of which the cluster stops and starts again. */
async function restart(stage: Stage, mode: "fast" | "immediate") {
  const { cluster, database } = await stage.cluster();
  const server = await stage.server(database);
  const story = await stage.story(database, server);
  await story.write(server, 20);

  const other = await server.post("/initEnv", {
    templateService: "chat",
    templateName: "chat_default",
    impersonateUserId: "U01AGENTONE",
  });

  const stopped = await secondsOf(() => cluster.stop(mode));
  const meanwhile = await server.post("/diffRun", { runId: "unknown" });
  const envId = other.body.environmentId;
  const refused = await secondsOf(async () => {
    const { status } = await server.post("/startRun", { envId });
    must(status === 503, status);
  });
  await cluster.start();
  const seconds = await secondsOf(async () => {
    await server.ready();
    await eventually(async () => {
      if ((await story.write(server)) === 0) throw new Error("not written");
    });
    await story.write(server, 20);
    await story.endWell(server);
  });

  must(refused < REFUSED_SECONDS, refused);
  must(meanwhile.status === 503 && meanwhile.headers.has("retry-after"), meanwhile);
  must(seconds < READY_SECONDS, seconds);
  return { stopped, seconds };
}

/** Adds copies of a message that differ in these columns, given as SQL over `i`. */
async function insertMessages(
  { sql }: Pick<Database, "sql">,
  schema: string,
  count: number,
  different: Record<string, string>,
): Promise<void> {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${`${schema}.messages`}::regclass and attnum > 0 and not attisdropped
  `;
  const list = columns.map(({ name }) => different[name] ?? `m."${name}"`).join(", ");
  await sql.unsafe(`
    insert into ${schema}.messages (${columns.map(({ name }) => `"${name}"`).join(", ")})
    select ${list} from (select * from ${schema}.messages limit 1) m, generate_series(1, ${count}) i
  `);
}

export const POSTGRES: readonly Fault[] = [
  {
    id: "F05",
    fault: "kill -9 of the walsender's process",
    expected: "Postgres crashes and recovers by itself, and so do we; the diff is complete",
    async run(stage) {
      const { cluster, database } = await stage.cluster();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 10);
      const [slot] = await slotsOf(database);

      process.kill(slot?.pid ?? 0, "SIGKILL");
      const seconds = await secondsOf(async () => {
        await eventually(async () => {
          if ((await story.write(server)) === 0) throw new Error("not written");
        });
        await story.endWell(server);
      });

      const said = await readFile(join(cluster.dir, "postgres.log"), "utf8");
      must(said.includes("terminating any other active server processes"), said.slice(-500));
      return { happened: "Postgres restarted itself; the run was complete", seconds };
    },
  },
  {
    id: "F17",
    fault: "all replication slots are in use by others",
    expected: "the start fails (69) and names them",
    async run(stage) {
      const { database } = await stage.cluster({ max_replication_slots: "10" });
      for (let n = 0; n < 10; n++)
        await database.sql`select pg_create_physical_replication_slot(${`other_${n}`})`;

      const server = await stage.launch(database);
      const code = await server.exited;
      await eventually(() => must(server.output().includes("other_9"), server.output()));

      must(code === 69, code);
      must(
        /max_replication_slots is 10, all in use by: other_0/.test(server.output()),
        server.output(),
      );
      return { happened: "exit 69, with the names of the slots" };
    },
  },
  {
    id: "F18",
    fault: "another Postgres on the same address: a copy, promoted to another timeline",
    expected:
      "the run fails as capture_lost: database changed; the environment lives; new runs work",
    async run(stage) {
      const { cluster, database } = await stage.cluster();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 5);

      await cluster.stop("fast");
      // pg_basebackup would not copy it: slots belong to the server that created them.
      for (const slot of await readdir(join(cluster.data, "pg_replslot")))
        await rm(join(cluster.data, "pg_replslot", slot), { recursive: true });
      await writeFile(join(cluster.data, "standby.signal"), "");
      await cluster.start();
      await database.sql`select pg_promote()`;
      const seconds = await secondsOf(() => story.endLost(server, "database_changed"));
      const wrote = await story.write(server, 1);
      const next = await stage.story(database, server);
      await next.write(server, 3);
      await next.endWell(server);

      must(wrote === 1, wrote);
      return { happened: "timeline 2 noticed: failed by name; the next run was complete", seconds };
    },
  },
  {
    id: "F20",
    fault: "a transaction that the plugin cannot decode: rows of more than 1 GB in its words",
    expected: "after three attempts its run fails by name; other runs continue, new runs work",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 1);
      const other = await stage.story(database, server);
      await other.write(server, 1);
      const table = `${story.schema}.messages`;
      await database.sql.unsafe(`alter table ${table} alter column text type text`);
      // A byte becomes six, and no message of Postgres may have more than 1 GB.
      await database.sql.unsafe(`
        update ${table} set text = repeat(E'\\x01', ${180 * 2 ** 20}) where ts = (select max(ts) from ${table})
      `);

      const seconds = await secondsOf(() =>
        story.endLost(server, "undecodable_transaction", PATIENCE_SECONDS),
      );
      await other.write(server, 1);
      await other.endWell(server);
      const next = await stage.story(database, server);
      await next.write(server, 3);
      await next.endWell(server);
      return { happened: "given up after three attempts; the other runs were complete", seconds };
    },
  },
  {
    id: "F21",
    fault: "Postgres stops (fast) and starts in the middle of a run",
    expected:
      "we do not delay the stop (1 s); 503 with Retry-After meanwhile; ready within 10 s; complete",
    async run(stage) {
      const { stopped, seconds } = await restart(stage, "fast");
      must(stopped < 1, stopped);
      return { happened: `stopped in ${stopped.toFixed(2)} s; the run was complete`, seconds };
    },
  },
  {
    id: "F22",
    fault: "Postgres crashes (stop immediate) in the middle of a run",
    expected: "503 with Retry-After meanwhile; ready within 10 s; a call sent twice counts once",
    async run(stage) {
      const { seconds } = await restart(stage, "immediate");
      return { happened: "recovered; the run was complete", seconds };
    },
  },
  {
    id: "F23",
    fault: "Postgres is down when we start",
    expected: "waits for it and serves; without it exit 69, with the reason",
    async run(stage) {
      const { cluster, database } = await stage.cluster();
      await cluster.stop("fast");
      const never = await stage.launch({ url: database.url.replace(/:\d+\//, ":1/") });
      const server = await stage.launch(database);
      await Bun.sleep(2_000);

      await cluster.start();
      const seconds = await secondsOf(() => server.ready());
      const code = await never.exited;

      must(code === 69 && /cannot be reached/.test(never.output()), { code, said: never.output() });
      return { happened: "served once Postgres did; the other one ended with 69", seconds };
    },
  },
  {
    id: "F24",
    fault: "the disk of the log is full",
    expected: "503 while Postgres is down; we recover with it; no run reads completed wrongly",
    obstacle: cannotMount,
    async run(stage) {
      const dir = await smallDisk(stage, "64m");
      const { cluster, database } = await stage.cluster(
        { max_wal_size: "32MB", min_wal_size: "2MB" },
        { initdb: ["--wal-segsize=1", `--waldir=${join(dir, "wal")}`] },
      );
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      await story.write(server, 20);

      const filler = join(dir, "filler");
      await shell("sh", "-c", `cat /dev/zero > ${filler} 2>/dev/null || true`);
      await database.sql`create table public.bulk (body text)`.catch(() => undefined);
      const full = await eventually(async () => {
        await database.sql`insert into public.bulk select repeat(md5(i::text), 60) from generate_series(1, 1000) i`.catch(
          () => undefined,
        );
        await story.write(server, 1);
        const answer = await server.post("/diffRun", { runId: "unknown" });
        if (answer.status !== 503) throw new Error("the disk is not full");
        return answer;
      }, 30);
      await truncate(filler, 0);
      const started = performance.now();
      const isUp = () =>
        database.sql`select 1`.then(
          () => true,
          () => false,
        );
      await eventually(async () => {
        if (await isUp()) return;
        await cluster.start().catch(() => undefined);
        if (!(await isUp())) throw new Error("Postgres is down");
      });
      await server.ready();
      const seconds = (performance.now() - started) / 1000;
      await story.write(server, 5);
      await story.endWell(server);

      must(full.body.error === "service_unavailable", full);
      return {
        happened: "Postgres ran out of space; afterwards a complete diff",
        seconds,
      };
    },
  },
  {
    id: "F25",
    fault: "the disk of the data is full (53100)",
    expected: "initEnv answers 503 and leaves no half schema; works again when there is space",
    obstacle: cannotMount,
    async run(stage) {
      const dir = await smallDisk(stage, "48m");
      const { cluster } = await stage.cluster();
      const sql = stage.pool(cluster.url, 1);
      const place = join(dir, "space");
      await mkdir(place);
      await chmod(place, 0o777);
      await shell("chown", "--reference", cluster.data, place);
      await sql.unsafe(`create tablespace small location '${place}'`);
      await sql.unsafe("create database narrow tablespace small");
      const database = { url: cluster.url.replace(/\/postgres$/, "/narrow") };
      const inside = stage.pool(database.url, 1);
      const server = await stage.server(database, { ENVIRONMENT_POOL_TARGETS: "chat_default:0" });

      const filler = join(place, "filler");
      await shell("sh", "-c", `cat /dev/zero > ${filler} 2>/dev/null || true`);
      const full = await eventually(async () => {
        const answer = await server.post("/initEnv", WANTED);
        if (answer.status === 201) throw new Error("there was space");
        return answer;
      });
      const [half] = await inside<{ schemas: number; known: number }[]>`
        select (select count(*)::int from pg_namespace where nspname like 'env\\_%') as schemas,
          (select count(*)::int from diorama.schemas) as known
      `;
      await rm(filler);
      const seconds = await secondsOf(() =>
        eventually(async () => {
          const answer = await server.post("/initEnv", WANTED);
          if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
        }),
      );

      must(full.status === 503 && full.body.error === "service_unavailable", full);
      must(half?.schemas === half?.known, half);
      return { happened: "503, no half schema; 201 when the disk had room", seconds };
    },
  },
  {
    id: "F26",
    fault: "one transaction changes a million rows of a run",
    expected: "that run fails by name; another one is complete; other calls stay fast",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const huge = await stage.story(database, server);
      const other = await stage.story(database, server);
      const rss = () => memoryOf(server.pid);
      const before = await rss();

      await insertMessages(database, huge.schema, 1_000_000, {
        ts: "(1000000000 + i) || '.000000'",
      });
      const times: number[] = [];
      let peak = 0;
      const watching = (async () => {
        for (let n = 0; n < 100; n++) {
          times.push(await secondsOf(() => server.get("/health")));
          peak = Math.max(peak, await rss());
        }
      })();
      await other.write(server, 5);
      const seconds = await secondsOf(() => other.endWell(server));
      await watching;
      await huge.endLost(server, "too_many_bytes");

      const slowest = Math.max(...times);
      must(slowest < 1, slowest);
      return {
        happened: `rejected by name; the other run done after ${seconds.toFixed(1)} s, slowest call ${(slowest * 1000).toFixed(0)} ms, memory +${Math.round((peak - before) / 2 ** 20)} MB`,
        seconds,
      };
    },
  },
  {
    id: "F27",
    fault: "a row of 20 MB",
    expected: "413 from the API; written with psql, it is in the diff",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const server = await stage.server(database);
      const story = await stage.story(database, server);
      const response = await fetch(
        `${server.url}${story.environment.environmentUrl}/chat.postMessage`,
        {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ channel: "C01GENERAL", text: "x".repeat(5 * 2 ** 20) }),
        },
      );
      const refusal = (await response.json()) as { error: string };
      await insertMessages(database, story.schema, 1, {
        ts: "'1900000000.000000'",
        text: `repeat('x', ${20 * 2 ** 20})`,
      });

      let slowest = 0;
      let ended = false;
      const watching = (async () => {
        while (!ended) slowest = Math.max(slowest, await secondsOf(() => server.get("/health")));
      })();
      const seconds = await secondsOf(() => story.endWell(server));
      ended = true;
      await watching;

      must(response.status === 413 && refusal.error === "request_too_large", refusal);
      return {
        happened: `413; the diff had all of it; slowest other call ${(slowest * 1000).toFixed(0)} ms`,
        seconds,
      };
    },
  },
  {
    id: "F28",
    fault: "the leader freezes (SIGSTOP), another one takes over, the first one wakes up",
    expected: "one reader at a time; the other finishes the run; the first one's state is void",
    slow: true,
    async run(stage) {
      const database = await stage.database();
      const frozen = await stage.server(database);
      const story = await stage.story(database, frozen);
      await story.write(frozen, 5);
      const other = await stage.server(database);

      frozen.kill("SIGSTOP");
      await story.write(other, 5);
      const seconds = await secondsOf(() => story.endWell(other));
      const before = await other.get(`/results/${story.runId}`);
      frozen.kill("SIGCONT");
      await frozen.ready();
      const next = await stage.story(database, frozen);
      await next.write(frozen, 5);
      await next.endWell(frozen);
      const after = await frozen.get(`/results/${story.runId}`);

      must(JSON.stringify(before.body) === JSON.stringify(after.body), { before, after });
      must(seconds < 25, seconds);
      return {
        happened: "taken over once Postgres dropped the frozen one; its result stayed",
        seconds,
      };
    },
  },
  {
    id: "F29",
    fault: "the connection is cut between the commit of the end mark and its answer",
    expected: "503, or the diff; a second diffRun is rejected; results has the diff within 5 s",
    async run(stage) {
      const database = await stage.database();
      let armed = false;
      let cuts = 0;
      const proxy = await startProxy(database.url, (link, data) => {
        if (!armed || !data.includes('"k":"end"')) return;
        armed = false;
        cuts++;
        link.cutAtAnswer();
      });
      stage.onEnd(proxy.stop);
      const server = await stage.server({ url: proxy.url });
      const story = await stage.story(database, server);
      await story.write(server, 5);

      armed = true;
      const first = await server.post("/diffRun", { runId: story.runId });
      const again = await server.post("/diffRun", { runId: story.runId });
      const seconds = await secondsOf(async () => {
        const ended = await story.results(server);
        must(ended.status === "completed", ended);
        await story.check(ended);
      });

      must(cuts === 1 && first.status === 503, { cuts, first });
      must(again.body.error === "run_already_completed" && seconds < 5, { again, seconds });
      return { happened: "503, then run_already_completed; the diff was in results", seconds };
    },
  },
];

export const WANTED = {
  templateService: "chat",
  templateName: "chat_default",
  impersonateUserId: "U01AGENTONE",
};

/** Resident memory of a process, in bytes. */
export const memoryOf = async (pid: number): Promise<number> =>
  Number(await shell("ps", "-o", "rss=", "-p", String(pid))) * 1024;
