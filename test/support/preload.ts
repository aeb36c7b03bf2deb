/** Runs once before all test files: brings up the Postgres clusters that the suite runs against. */
import { afterAll } from "bun:test";
import { startClusters } from "./clusters";

const clusters = await startClusters();

afterAll(async () => {
  if (process.env["KEEP_DB"]) return;
  await Promise.all(clusters.map((cluster) => cluster.stop()));
});
