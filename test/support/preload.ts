/** Runs in each process before its first test file: brings up the Postgres clusters that the files run against. */
import { startClusters } from "./clusters";

await startClusters();
