/** A Postgres that listens only on a Unix socket serves every kind of connection. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, findPrograms, startCluster } from "../../scripts/postgres";
import { startProcess } from "../support/process";
import { expectStatus } from "../support/program";

let cluster: Cluster;
let folder: string;
beforeAll(async () => {
  // Not below the checkout: a socket's path is at most 107 bytes long.
  folder = await mkdtemp(join(tmpdir(), "diorama-"));
  await chmod(folder, 0o777);
  cluster = await startCluster({
    source: (await findPrograms("embedded")) ? "embedded" : "system",
    dir: join(import.meta.dir, "../../.diorama/test-socket"),
    settings: { unix_socket_directories: folder, listen_addresses: "", fsync: "off" },
  });
});
afterAll(async () => {
  await cluster?.remove();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ["its parameters", (at: URL, dir: string) => `@/postgres?host=${dir}&port=${at.port}`],
  ["its host", (at: URL, dir: string) => `@${encodeURIComponent(dir)}:${at.port}/postgres`],
])("a run is captured over a socket that %s name", async (_case, rest) => {
  const at = new URL(cluster.url);
  const url = `postgres://${at.username}:${at.password}${rest(at, folder)}`;
  const server = await startProcess({ url });
  const environment = await server.environment();
  const { runId } = (await server.post("/startRun", { envId: environment.environmentId })).body;

  await server.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "By socket" });

  const ended = await server.post("/diffRun", { runId });
  expectStatus(ended, 200);
  expect(ended.body.diff.inserts).toEqual([expect.objectContaining({ text: "By socket" })]);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
});
