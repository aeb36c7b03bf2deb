/** The server under test: a separate process, in production mode, on a new database. */
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { healthy } from "../bench/server";
import { findPrograms, freePort, startCluster } from "../postgres";

const ROOT = join(import.meta.dir, "../..");

export type Target = {
  readonly url: string;
  readonly sql: Sql;
  readonly keys: { readonly own: string; readonly foreign: string };
  readonly password: string;
  /** Resident memory of the process in bytes. */
  memory(): Promise<number>;
  alive(): boolean;
  /** Its log so far. */
  output(): string;
  stop(): Promise<void>;
};

export async function startTarget(): Promise<Target> {
  const source = (await findPrograms("embedded")) ? "embedded" : "system";
  const cluster = await startCluster({
    source,
    dir: join(ROOT, `.diorama/fuzz-${source}`),
    settings: { fsync: "off" },
  });
  const admin = postgres(cluster.url, { max: 1, onnotice: () => {} });
  await admin.unsafe("drop database if exists fuzz with (force)");
  await admin.unsafe("create database fuzz");
  await admin.end();
  const databaseUrl = cluster.url.replace(/\/[^/]*$/, "/fuzz");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn(["bun", join(ROOT, "src/main.ts")], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      ENVIRONMENT: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      LOG_LEVEL: "warn",
      ENVIRONMENT_POOL_TARGETS: "chat_default:4,tracker_expanded:4",
    },
    stdout: "pipe",
    stderr: "inherit",
  });
  let output = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) output += decoder.decode(chunk);
  })();
  reading.catch(() => undefined);
  await healthy(url);

  const pool = connect(databaseUrl, { max: 1, name: "fuzz", camel: true });
  const makeKey = async (userId: string) =>
    (await createKey(pool, { userId, name: "", plan: "enterprise", expiresInDays: null })).key;
  const keys = { own: await makeKey("own"), foreign: await makeKey("foreign") };
  await pool.end();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  return {
    url,
    sql,
    keys,
    password: new URL(databaseUrl).password,
    async memory() {
      const status = await Bun.file(`/proc/${child.pid}/status`).text();
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    },
    alive: () => child.exitCode === null,
    output: () => output,
    async stop() {
      await sql.end();
      child.kill("SIGTERM");
      await child.exited;
      await cluster.stop("immediate");
    },
  };
}
