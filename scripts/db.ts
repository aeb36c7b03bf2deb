/**
 * The development database.
 *
 *   bun run db                 start it, print its URL, stop it on Ctrl-C
 *   bun run db run COMMAND…    run a command with DATABASE_URL set, and stop the database after it
 *   bun run db reset           delete its data
 *
 * Uses the Postgres from `bun install` by default; `--system` uses the programs of the machine, `--docker` a container.
 * With DATABASE_URL set, `run` starts nothing. Data stays in .diorama/ between starts, or in `--dir DIR`.
 * Several may use it at the same time; the last one stops it.
 */
import { constants } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { notice } from "~/log";
import { freePort, startCluster, waitFor } from "./postgres";

const HOME = join(import.meta.dir, "../.diorama");
const DATABASE = "diorama";
const DOCKER_IMAGE = "postgres:17";
const DOCKER_NAME = "diorama-postgres";
/** Each process that uses Postgres holds this advisory lock, shared, in a session of its own. */
const USE_LOCK = 7_301;

/** For small data: the log is recycled early, and recovery does not sync every file. */
const SETTINGS = {
  min_wal_size: "32MB",
  max_wal_size: "128MB",
  wal_compression: "on",
  ...(process.platform === "linux" && { recovery_init_sync_method: "syncfs" }),
};
const START_ATTEMPTS = 3;
/** Time until a running Postgres accepts connections; a container may still be initialising. */
const OPEN_SECONDS = 5;
const OPEN_SECONDS_DOCKER = 60;
/** A stop that takes longer skips its checkpoint; the next start recovers. */
const STOP_SECONDS = 1;

type Database = { url: string; stop: () => Promise<void> };

const at = process.argv.indexOf("run");
const own = at < 0 ? process.argv.slice(2) : process.argv.slice(2, at);
const command = at < 0 ? [] : process.argv.slice(at + 1);
const { values, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: {
    docker: { type: "boolean" },
    system: { type: "boolean" },
    dir: { type: "string", default: HOME },
  },
});

/** The reason is the name of the signal. */
const interruption = new AbortController();
const interrupted = interruption.signal;
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => interruption.abort(name));

const source = values.system ? "system" : "embedded";
const start = () =>
  startCluster({
    source,
    dir: join(values.dir, `dev-${source}`),
    settings: SETTINGS,
    initdb: ["--wal-segsize=1"], // In MB. With the default segment size of 16, 20 MB of log take 48.
    signal: interrupted,
    say: notice,
  });

async function provide(): Promise<Database> {
  const given = process.env["DATABASE_URL"];
  if (given && command.length > 0) return { url: given, stop: async () => {} };
  if (values.docker) return await startDocker();
  for (let attempt = 1; ; attempt++) {
    const cluster = await start();
    const stop = () => cluster.stop("fast", STOP_SECONDS);
    try {
      return await openDatabase(cluster.url, OPEN_SECONDS, stop);
    } catch (error) {
      // The process that started it may be stopping it.
      if (!cluster.joined) await stop();
      if (!cluster.joined || attempt === START_ATTEMPTS || interrupted.aborted) throw error;
    }
  }
}

async function startDocker(): Promise<Database> {
  const port = await freePort();
  const password = crypto.randomUUID();
  const run = Bun.spawn(
    [
      ...[
        "docker",
        "run",
        "--rm",
        "--detach",
        "--name",
        DOCKER_NAME,
        "--publish",
        `127.0.0.1:${port}:5432`,
      ],
      ...["--env", `POSTGRES_PASSWORD=${password}`, DOCKER_IMAGE],
      ...["-c", "wal_level=logical", "-c", "max_replication_slots=20", "-c", "max_wal_senders=20"],
    ],
    { stdout: "ignore", stderr: "inherit" },
  );
  if ((await run.exited) !== 0) throw new Error("docker run failed");
  const stop = async () =>
    void (await Bun.spawn(["docker", "stop", DOCKER_NAME], { stdout: "ignore" }).exited);
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  try {
    return await openDatabase(url, OPEN_SECONDS_DOCKER, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the database if it is missing. `stop` stops Postgres when no other process uses it. */
async function openDatabase(
  url: string,
  seconds: number,
  stop: () => Promise<void>,
): Promise<Database> {
  const session = postgres(url, {
    max: 1,
    max_lifetime: null,
    connection: { application_name: "diorama development" },
    onnotice: () => {},
  });
  let failure: unknown;
  const isOpen = await waitFor("Postgres to take connections", notice, seconds, async () => {
    interrupted.throwIfAborted();
    try {
      const [known] = await session`select 1 from pg_database where datname = ${DATABASE}`;
      if (!known) await session.unsafe(`create database ${DATABASE}`);
      await session`select pg_advisory_lock_shared(${USE_LOCK})`; // waits while the last user stops Postgres
      return true;
    } catch (error) {
      failure = error;
      return undefined;
    }
  });
  if (!isOpen) {
    await session.end({ timeout: 0 });
    throw failure;
  }
  return {
    url: url.replace(/\/[^/]*$/, `/${DATABASE}`),
    async stop() {
      // Of several that stop at the same time one gets the lock: a session's end is seen late by others.
      const [row] = await session`
        select pg_advisory_unlock_shared(${USE_LOCK}), pg_try_advisory_lock(${USE_LOCK}) as last
      `.catch(() => []);
      if (row?.["last"] === false) notice("Postgres keeps running: another start uses it");
      else await stop();
      await session.end({ timeout: 0 });
    },
  };
}

/** Runs the command until it ends or a signal stops it. Returns its exit code. */
async function runCommand(url: string): Promise<number> {
  const child = Bun.spawn(command, {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["inherit", "inherit", "inherit"],
  });
  // A terminal sends Ctrl-C to the command as well; other senders may signal this process only.
  const pass = () => child.kill(interrupted.reason);
  interrupted.addEventListener("abort", pass);
  if (interrupted.aborted) pass();
  return await child.exited;
}

/** Returns the exit code. */
async function main(): Promise<number> {
  if (positionals[0] === "reset") {
    await (await start()).remove();
    return 0;
  }
  const database = await provide();
  try {
    if (command.length > 0) return await runCommand(database.url);
    console.log(database.url);
    await new Promise((resolve) => interrupted.addEventListener("abort", resolve));
    return 0;
  } finally {
    await database.stop();
  }
}

process.exit(
  await main().catch((error) => {
    if (!interrupted.aborted) throw error;
    return 128 + constants.signals[interrupted.reason as "SIGINT" | "SIGTERM"];
  }),
);
