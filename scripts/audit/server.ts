/** The server under audit, as a process that can be killed and started again on the same database and port. */
import { join } from "node:path";
import { connect, type Pool } from "~/db/connect";
import { healthy } from "../bench/server";
import { findPrograms, freePort, startCluster } from "../postgres";
import type { Body } from "./model";

const ROOT = join(import.meta.dir, "../..");
const SCHEMAS = 8;

export type Audited = {
  readonly url: string;
  /** Reads the tables of environments. */
  readonly sql: Pool;
  /** One call to the platform. Throws unless it succeeds. */
  readonly platform: (method: string, path: string, body?: object) => Promise<Body>;
  /** Kills the server with SIGKILL, and starts it again. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts the server from source on a database. */
export async function startAudited(databaseUrl: string): Promise<Audited> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const started = Bun.spawn(["bun", join(ROOT, "src/main.ts")], {
      cwd: ROOT,
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        LOG_LEVEL: "error",
        SHUTDOWN_DELAY: "0",
        MAINTENANCE_CYCLE_INTERVAL: "1",
        ENVIRONMENT_POOL_TARGETS: `chat_bench_default:${SCHEMAS},tracker_expanded:${SCHEMAS}`,
      },
      stdout: "ignore",
      stderr: "inherit",
    });
    const ended = started.exited.then((code) => {
      throw new Error(`the server ended with ${code}`);
    });
    await Promise.race([healthy(url), ended]);
    ended.catch(() => undefined);
    return started;
  };
  let child = await start();
  const sql = connect(databaseUrl, { max: 4, name: "audit", patient: true });
  return {
    url,
    sql,
    async platform(method, path, body) {
      const response = await fetch(`${url}/api/platform${path}`, {
        method,
        headers: { "Content-Type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const answer = await response.json();
      if (!response.ok)
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer;
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
      child = await start();
    },
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      await sql.end();
    },
  };
}

/** A cluster of its own with an empty database. Commits are as safe as in production. */
export async function startAuditCluster(): Promise<{ url: string; stop: () => Promise<void> }> {
  const source = (await findPrograms("embedded")) ? "embedded" : "system";
  const cluster = await startCluster({ source, dir: join(ROOT, `.diorama/audit-${source}`) });
  const admin = connect(cluster.url, { max: 1, name: "audit", patient: true });
  await admin.unsafe("drop database if exists audit with (force)");
  await admin.unsafe("create database audit");
  await admin.end();
  return { url: cluster.url.replace(/\/[^/]*$/, "/audit"), stop: cluster.stop };
}
