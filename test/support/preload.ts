/** Runs in each process before its first test file: brings up the Postgres clusters that the files run against. */
import { join } from "node:path";
import { startClusters } from "./clusters";

// Here once for each file; the clusters are the process's.
const shared = globalThis as { dioramaWatched?: true };
const clusters = await startClusters();

/** Waits for the end of process $1, and stops the servers whose lock files follow. */
const STOP_AFTER = `
  while kill -0 "$1" 2>/dev/null; do sleep 0.2; done
  shift
  for file; do kill -QUIT "$(head -n 1 "$file")"; done
`;

// The runner announces its end to nobody, and may be killed.
if (!shared.dioramaWatched && !process.env["KEEP_DB"]) {
  shared.dioramaWatched = true;
  const files = clusters.map(({ cluster }) => join(cluster.data, "postmaster.pid"));
  Bun.spawn(["sh", "-c", STOP_AFTER, "sh", String(process.pid), ...files], {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  }).unref();
}
