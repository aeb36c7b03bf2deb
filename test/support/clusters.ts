/**
 * The Postgres servers of the suite: the packaged one, which is always there, and the machine's own, where it has
 * one. Two major versions and, with wal2json on the second, two output plugins.
 */
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

const ROOT = join(import.meta.dir, "../../.diorama");
/** A crash of Postgres is part of the tests, a crash of the machine is not. */
const SETTINGS = { fsync: "off", max_connections: "300", max_wal_size: "4GB" };

/** Files run in several processes, each with clusters of its own. */
const WORKER = process.env["BUN_TEST_WORKER_ID"] ?? "1";

// One list for the process, whatever module instances the runner makes.
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
      const cluster = await startCluster({
        source,
        dir: join(ROOT, `test-${source}-${WORKER}`),
        settings: SETTINGS,
      });
      const plugins: Plugin[] = hasWal2json(bin) ? ["wal2json", "pgoutput"] : ["pgoutput"];
      return [{ name: source, url: cluster.url, plugins, cluster }];
    }),
  );
  return found.flat();
}
