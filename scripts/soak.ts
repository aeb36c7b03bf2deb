/**
 * Keeps servers under load for a long time, with faults, and checks that no resource use grows.
 *
 *   bun run soak --minutes 60                                          L1's load; a walsender is killed each minute
 *   bun run soak --minutes 10 --servers 2 --users 200 --think 1000 --calm   200 concurrent environments, no faults
 *
 * --users      concurrent environments (20)
 * --think      milliseconds between two calls in an environment (100)
 * --compare    share of the diffs that are compared with snapshots (0.05)
 * --restart    minutes between two restarts of Postgres, which alternate between a stop and a crash (7)
 * --calm       no faults; 503 is an error too
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { connect } from "~/db/connect";
import { quantile } from "./bench/measure";
import { healthy } from "./bench/server";
import { build } from "./build";
import { findPrograms, freePort, startCluster } from "./postgres";
import { type Sample, sample, slope } from "./soak/measure";
import { createUsers, newTally } from "./soak/users";

const ROOT = join(import.meta.dir, "..");
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    servers: { type: "string", default: "1" },
    users: { type: "string", default: "20" },
    think: { type: "string", default: "100" },
    compare: { type: "string", default: "0.05" },
    restart: { type: "string", default: "7" },
    calm: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const users = Number(values.users);
const restartMs = Number(values.restart) * MINUTE_MS;

const source = (await findPrograms("system")) ? "system" : "embedded";
const cluster = await startCluster({
  source,
  dir: join(ROOT, `.diorama/soak-${source}`),
  settings: { shared_buffers: "256MB", max_wal_size: "2GB" },
});
const admin = postgres(cluster.url, { max: 1, onnotice: () => {} });
await admin.unsafe("drop database if exists soak with (force)");
await admin.unsafe("create database soak");
const databaseUrl = cluster.url.replace(/\/[^/]*$/, "/soak");
const binary = await build(`${process.platform}-${process.arch}`, "diorama-soak");

/** Error lines of the log. An unavailable Postgres is only a warning. */
const said: string[] = [];
const SAID_MAX = 10;
async function listen(stream: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (said.length < SAID_MAX) said.push(line.slice(0, 1_000));
  }
}

const servers = [];
for (let n = 0; n < Number(values.servers); n++) {
  const port = await freePort();
  const child = Bun.spawn([binary], {
    cwd: tmpdir(),
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      LOG_LEVEL: "error",
      ENVIRONMENT_POOL_TARGETS: `chat_default:${users}`,
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  listen(child.stdout).catch(() => undefined);
  const url = `http://127.0.0.1:${port}`;
  await healthy(url);
  servers.push({ child, url });
}

const sql = connect(databaseUrl, { max: 4, name: "soak", patient: true });
const watching = postgres(databaseUrl, {
  max: 1,
  onnotice: () => {},
  connection: { application_name: "watching" },
});
/** As many ready schemas as users, so that the soak measures a working pool, not one that is being filled. */
async function full(): Promise<void> {
  for (;;) {
    const [row] =
      await watching`select count(*)::int as ready from diorama.schemas where state = 'ready'`;
    if (row?.["ready"] >= users) return;
    await Bun.sleep(500);
  }
}
await full();

const tally = newTally();
const samples: Sample[] = [];
const faults = { walsender: 0, restarts: 0, crashes: 0 };
const started = performance.now();
const end = started + minutes * MINUTE_MS;
const over = () => performance.now() > end;
const pids = servers.map(({ child }) => child.pid);

async function watch(): Promise<void> {
  while (!over()) {
    await Bun.sleep(SAMPLE_MS);
    const taken = await sample(watching, pids, (performance.now() - started) / MINUTE_MS);
    if (taken) samples.push(taken);
    if (samples.length % 6 === 0 && taken)
      console.error(
        `${taken.at.toFixed(1)} min: ${tally.lives} lives, ${tally.errors.length} errors, ${taken.rss.toFixed(0)} MB, ${taken.files} files, ${taken.connections} connections, ${taken.schemas} schemas, catalog ${taken.catalog.toFixed(0)} MB`,
      );
  }
}

async function harm(): Promise<void> {
  let restartAt = performance.now() + restartMs;
  while (!values.calm && performance.now() + MINUTE_MS < end) {
    await Bun.sleep(MINUTE_MS);
    if (performance.now() > restartAt) {
      const isCrash = (faults.restarts + faults.crashes) % 2 === 1;
      await cluster.stop(isCrash ? "immediate" : "fast");
      await cluster.start();
      if (isCrash) faults.crashes++;
      else faults.restarts++;
      restartAt = performance.now() + restartMs;
      continue;
    }
    await watching`
      select pg_terminate_backend(active_pid) from pg_replication_slots where active
    `.catch(() => undefined);
    faults.walsender++;
  }
}

const user = createUsers({
  urls: servers.map(({ url }) => url),
  sql,
  tally,
  thinkMs: Number(values.think),
  compare: Number(values.compare),
  over,
});
await Promise.all([watch(), harm(), ...Array.from({ length: users }, user)]);
const alive = servers.filter(({ child }) => child.exitCode === null).length;
for (const { child } of servers) child.kill("SIGTERM");
const codes = await Promise.all(servers.map(({ child }) => child.exited));
await Promise.all([
  sql.end({ timeout: 1 }),
  watching.end({ timeout: 1 }),
  admin.end({ timeout: 1 }),
]);
await cluster.stop("immediate");

/** Steady: the last third of the time is like the middle third. */
const third = (n: number) =>
  samples.filter((_, index) => Math.floor((index * 3) / samples.length) === n);
const median = (list: readonly Sample[], of: keyof Sample) =>
  quantile(
    list.map((each) => each[of]),
    0.5,
  );

const checks: { what: string; found: string; holds: boolean }[] = [];
const check = (what: string, holds: boolean, found: string) => checks.push({ what, found, holds });
const steady = (what: string, of: keyof Sample, factor: number, more: number, unit: string) => {
  const [middle, last] = [median(third(1), of), median(third(2), of)];
  check(
    `${what} is steady`,
    last <= middle * factor + more,
    `${middle.toFixed(0)} → ${last.toFixed(0)} ${unit} (${slope([...third(1), ...third(2)], of).toFixed(1)} an hour)`,
  );
};
check(
  "environments completed",
  tally.lives > 0,
  `${tally.lives} in ${minutes} minutes, ${tally.calls} calls`,
);
check("no acknowledged write lost", tally.lost === 0, `${tally.lost} of ${tally.acknowledged}`);
check(
  "no diff wrong",
  tally.wrong === 0 && (tally.compared > 0 || Number(values.compare) === 0),
  `${tally.wrong} of ${tally.compared} compared with snapshots`,
);
check("no error", tally.errors.length === 0, tally.errors.join("; ") || "none");
check(
  values.calm ? "no call was retried" : "retries covered the faults",
  !values.calm || tally.retried === 0,
  `${tally.retried} of ${tally.calls} calls; ${tally.ambiguous} starts without an answer ${JSON.stringify(tally.notNow)}`,
);
check(
  "all servers alive, and stopped with 0",
  alive === servers.length && codes.every((code) => code === 0),
  `${alive}; ${codes.join(", ")}`,
);
check("no error in the log", said.length === 0, said.join(" ") || "none");
steady("memory", "rss", 1.05, 8, "MB");
steady("open files", "files", 1, 8, "");
steady("connections", "connections", 1, 4, "");
steady("schemas", "schemas", 1.1, users / 4, "");
check(
  "one slot at most",
  samples.every(({ slots }) => slots <= 1),
  `${Math.max(...samples.map(({ slots }) => slots))}`,
);
steady("the catalog", "catalog", 1.1, 4, "MB");
check(
  "log retained by the slot stays under 256 MB",
  samples.every(({ retained }) => retained < 256),
  `${Math.max(...samples.map(({ retained }) => retained)).toFixed(0)} MB at most`,
);

console.log(
  `${minutes} minutes, ${servers.length} server(s), ${users} concurrent environments; faults: ${faults.walsender} walsenders killed, ${faults.restarts} restarts and ${faults.crashes} crashes of Postgres\n`,
);
console.log("| Check | Found | Held |\n| --- | --- | --- |");
for (const { what, found, holds } of checks)
  console.log(`| ${what} | ${found} | ${holds ? "yes" : "**no**"} |`);
console.log("\n| Call | p50 ms | p99 ms | n |\n| --- | --- | --- | --- |");
for (const [name, times] of Object.entries(tally.times))
  console.log(
    `| ${name} | ${quantile(times, 0.5).toFixed(1)} | ${quantile(times, 0.99).toFixed(1)} | ${times.length} |`,
  );
const failed = checks.filter(({ holds }) => !holds);
console.log(
  failed.length === 0 ? "\nsteady" : `\nNOT steady: ${failed.map(({ what }) => what).join("; ")}`,
);
process.exit(failed.length === 0 ? 0 : 1);
