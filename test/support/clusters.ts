/**
 * The Postgres servers of the suite: the packaged one, and the machine's own if there is one. Two major versions and,
 * with wal2json on the second, two output plugins.
 */
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "~/capture/slot";
import {
  type Cluster,
  findPrograms,
  hasWal2json,
  type Source,
  startCluster,
} from "../../scripts/postgres";

export type TestCluster = {
  readonly name: Source;
  readonly url: string;
  readonly plugins: readonly Plugin[];
  readonly cluster: Cluster;
};

const MEMORY = "/dev/shm";
/** The suite takes up to 2.5 GB. */
const MEMORY_BYTES = 6 * 2 ** 30;

/**
 * Where the data is: in memory if there is room, because creating and deleting files takes more than half of Postgres'
 * time on a disk.
 */
function home(): string {
  const clone = join(import.meta.dir, "../..");
  const { bavail, bsize } = existsSync(MEMORY) ? statfsSync(MEMORY) : { bavail: 0, bsize: 0 };
  return bavail * bsize < MEMORY_BYTES
    ? join(clone, ".diorama")
    : join(MEMORY, `diorama-${Bun.hash(clone).toString(36)}`);
}

const ROOT = home();
/** Tests crash Postgres, but not the machine. */
const SETTINGS = { fsync: "off", max_connections: "300", max_wal_size: "1GB" };

/** Set by `bun run plans`: the folder for a log that names the application of each statement. */
const LOG_PLANS = process.env["LOG_PLANS"];
const planSettings = (source: Source): Record<string, string> =>
  LOG_PLANS === undefined
    ? {}
    : {
        logging_collector: "on",
        log_destination: "jsonlog",
        log_directory: LOG_PLANS,
        log_filename: `${source}-${WORKER}.log`,
        log_rotation_size: "0",
        // Plans must not depend on when a table happens to be analyzed.
        autovacuum: "off",
      };

/** Files run in several processes, each with its own clusters. */
const WORKER = process.env["BUN_TEST_WORKER_ID"] ?? "1";

// One list per process, even if the runner creates several module instances.
const shared = globalThis as { dioramaClusters?: Promise<TestCluster[]> };

export function startClusters(): Promise<TestCluster[]> {
  shared.dioramaClusters ??= start();
  return shared.dioramaClusters;
}

async function start(): Promise<TestCluster[]> {
  const sources: Source[] = ["embedded", "system"];
  const found = await Promise.all(
    sources.map(async (source) => {
      const bin = await findPrograms(source);
      if (!bin) return [];
      const usual = join(ROOT, `test-${source}-${WORKER}`);
      // Another run of this folder has it: the first to end would stop the server of both.
      const dir = isOwned(usual) ? `${usual}-${process.pid}` : usual;
      await own(dir);
      const cluster = await startCluster({
        source,
        dir,
        // A statement takes a quarter less of the processors than over TCP.
        socket: true,
        settings: { ...SETTINGS, ...planSettings(source) },
      });
      if (!process.env["KEEP_DB"]) stopAfter(dir);
      const plugins: Plugin[] = hasWal2json(bin) ? ["wal2json", "pgoutput"] : ["pgoutput"];
      return [{ name: source, url: cluster.url, plugins, cluster }];
    }),
  );
  return found.flat();
}

/** Each way of capturing changes, on each cluster, as the settings of a program. */
export const waysOfCapturing = async () =>
  (await startClusters()).flatMap((cluster) => [
    ...cluster.plugins.map((plugin) => ({
      cluster,
      name: `${plugin} on ${cluster.name}`,
      settings: { CAPTURE_PLUGIN: plugin } as Record<string, string>,
    })),
    {
      cluster,
      name: `snapshots on ${cluster.name}`,
      settings: { LOGICAL_REPLICATION_ENABLED: "false" },
    },
  ]);

/** One that reads the log and one that compares snapshots, for tests of what is captured rather than how. */
export const kindsOfCapturing = async () => {
  const ways = await waysOfCapturing();
  const isOfLog = ({ settings }: (typeof ways)[number]) => "CAPTURE_PLUGIN" in settings;
  return ways.filter((way, at) => ways.findIndex((one) => isOfLog(one) === isOfLog(way)) === at);
};

const owner = (dir: string) => `${dir}.owner`;
const stopping = (dir: string) => `${dir}.stopping`;

function isOwned(dir: string): boolean {
  try {
    return process.kill(Number(readFileSync(owner(dir), "utf8")), 0);
  } catch {
    return false;
  }
}

/** Takes over the cluster of an earlier process, which keeps running until that process is known to have ended. */
async function own(dir: string): Promise<void> {
  const write = () => Bun.write(owner(dir), String(process.pid));
  await write();
  while (existsSync(stopping(dir))) await Bun.sleep(50);
  await write();
}

/**
 * Waits for the end of process $1, and stops the server in directory $2 unless it has another owner by then. Moves the
 * owner's name before it reads it, so that a process that takes over in between finds the move and waits. Removes the
 * data: a database of thousands of environments takes a minute to drop.
 */
const STOP_AFTER = `
  while kill -0 "$1" 2>/dev/null; do sleep 0.2; done
  mv "$2.owner" "$2.stopping" || exit
  [ "$(cat "$2.stopping")" = "$1" ] || exec mv "$2.stopping" "$2.owner"
  server=$(head -n 1 "$2/data/postmaster.pid")
  kill -QUIT "$server"
  while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
  mv "$2" "$2.$1"
  rm "$2.stopping"
  rm -rf "$2".[0-9]*
  rmdir "$(dirname "$2")" 2>/dev/null
`;

/** The runner has no hook at its end, and may be killed: a shell watches it. */
function stopAfter(dir: string): void {
  Bun.spawn(["sh", "-c", STOP_AFTER, "sh", String(process.pid), dir], {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  }).unref();
}
