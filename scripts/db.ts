/**
 * The development database.
 *
 *   bun run db                 start it, print its URL, stop it on Ctrl-C
 *   bun run db run COMMAND…    run a command with DATABASE_URL set, and stop the database after it
 *   bun run db reset           throw its data away
 *
 * By default the Postgres that comes with `bun install`; `--system` takes the machine's own programs, `--docker` a
 * container. With DATABASE_URL set, `run` starts nothing. Data stays in .diorama/ between starts.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { freePort, startCluster } from "./postgres";

const ROOT = join(import.meta.dir, "../.diorama");
const DATABASE = "diorama";
const DOCKER_IMAGE = "postgres:17";
const DOCKER_NAME = "diorama-postgres";

type Database = { url: string; stop: () => Promise<void> };

const at = process.argv.indexOf("run");
const own = at < 0 ? process.argv.slice(2) : process.argv.slice(2, at);
const command = at < 0 ? [] : process.argv.slice(at + 1);
const { values, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: { docker: { type: "boolean" }, system: { type: "boolean" } },
});

async function start(): Promise<Database> {
  const given = process.env["DATABASE_URL"];
  if (given && command.length > 0) return { url: given, stop: async () => {} };
  const database = values.docker
    ? await startDocker()
    : await startLocal(values.system ? "system" : "embedded");
  await createDatabase(database.url);
  return { ...database, url: withDatabase(database.url, DATABASE) };
}

async function startLocal(source: "embedded" | "system"): Promise<Database> {
  const cluster = await startCluster({ source, dir: join(ROOT, `dev-${source}`) });
  // Whoever found it running leaves it running.
  return { url: cluster.url, stop: async () => (cluster.joined ? undefined : cluster.stop()) };
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
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
}

const withDatabase = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`);

const START_ATTEMPTS = 60;

async function createDatabase(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (let attempt = 1; ; attempt++) {
    try {
      const [known] = await sql`select 1 from pg_database where datname = ${DATABASE}`;
      if (!known) await sql.unsafe(`create database ${DATABASE}`);
      return await sql.end();
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
      await Bun.sleep(500);
    }
  }
}

/** Runs the command until it ends by itself or is told to. Returns its exit code. */
async function runCommand(url: string): Promise<number> {
  const child = Bun.spawn(command, {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["inherit", "inherit", "inherit"],
  });
  // A terminal sends Ctrl-C to both; other signals come here only.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return await child.exited;
}

if (positionals[0] === "reset") {
  const source = values.system ? "system" : "embedded";
  await (await startCluster({ source, dir: join(ROOT, `dev-${source}`) })).remove();
} else {
  const database = await start();
  if (command.length > 0) {
    const code = await runCommand(database.url);
    await database.stop();
    process.exit(code);
  }
  console.log(database.url);
  await new Promise((resolve) => {
    process.on("SIGINT", resolve);
    process.on("SIGTERM", resolve);
  });
  await database.stop();
}
