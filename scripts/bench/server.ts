/** The measured server and its Postgres. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Fragment, type Pool } from "~/db/connect";
import { build } from "../build";
import { type Cluster, findPrograms, freePort, startCluster } from "../postgres";

export type Answer = Record<string, unknown>;

export type Bench = {
  readonly cluster: Cluster;
  readonly databaseUrl: string;
  readonly url: string;
  readonly pid: number;
  /** A pool of its own; the caller ends it. */
  connect(max?: number): Pool;
  /** One call to the platform. Throws unless it succeeds. */
  platform(method: string, path: string, body?: object): Promise<Answer>;
  /** One call to an environment's chat. Throws unless `ok`. */
  chat(environment: Answer, method: string, args: object): Promise<Answer>;
  /** One call with a JSON body to any path. */
  post(path: string, body: object): Promise<Answer>;
  call(method: string, path: string, body?: object): Promise<Answer>;
  environment(template?: string, user?: string, more?: object): Promise<Answer>;
  restart(settings?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
};

export const TEMPLATE = "chat_default";
export const CHANNEL = "C01GENERAL";
/** A user of the tracker's templates, and a team of tracker_expanded. */
export const AGENT = "b0000000-0000-4000-8000-000000000001";
export const TEAM = "c0000000-0000-4000-8000-000000000011";
/** Target of the pool: a full pool builds nothing during the measurement. */
export const READY_SCHEMAS = 100;
/** Built beside the ready ones, while there are no calls. */
export const EMPTY_SCHEMAS = 200;

const ROOT = join(import.meta.dir, "../..");

/**
 * A dedicated cluster with the settings of production: fsync and synchronous commits. Its Unix socket is the best way to
 * a Postgres on the same machine.
 */
async function startBenchCluster(isEmbedded: boolean): Promise<Cluster> {
  const source = !isEmbedded && (await findPrograms("system")) ? "system" : "embedded";
  return await startCluster({
    source,
    dir: join(ROOT, `.diorama/bench-${source}`),
    socket: true,
    settings: {
      shared_buffers: "1GB",
      max_wal_size: "8GB",
      // After a crash, opening every file of ten thousand schemas takes minutes.
      ...(process.platform === "linux" && { recovery_init_sync_method: "syncfs" }),
    },
  });
}

export const connectTo = (url: string, max = 1) =>
  connect(url, { max, name: "bench", patient: true });

export const withDatabase = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`);

/** Starts the compiled binary on a fresh database. */
export async function startBench(
  settings: Record<string, string> = {},
  { isEmbedded = false } = {},
): Promise<Bench> {
  const cluster = await startBenchCluster(isEmbedded);
  const admin = connectTo(cluster.url);
  await admin.unsafe("drop database if exists bench with (force)");
  await admin.unsafe("create database bench");
  await admin.end();
  const databaseUrl = withDatabase(cluster.url, "bench");
  const binary = await build(`${process.platform}-${process.arch}`, "diorama-bench");
  if (!existsSync(binary)) throw new Error("the binary was not built");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;

  const start = async (more: Record<string, string> = {}) => {
    const child = Bun.spawn([binary], {
      cwd: tmpdir(),
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        LOG_LEVEL: "error",
        ...settings,
        ...more,
      },
      stdout: "inherit",
      stderr: "ignore",
    });
    await healthy(url);
    return child;
  };
  let child = await start();
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
  };

  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url + path, init);
    const body = (await response.json()) as Answer;
    if (!response.ok || body["ok"] === false)
      throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return body;
  };
  const json = (method: string, body?: object): RequestInit => ({
    method,
    headers: { "Content-Type": "application/json; charset=utf-8" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return {
    cluster,
    databaseUrl,
    url,
    connect: (max) => connectTo(databaseUrl, max),
    get pid() {
      return child.pid;
    },
    platform: (method, path, body) => call(`/api/platform${path}`, json(method, body)),
    chat: (environment, method, args) =>
      call(`${environment["environmentUrl"]}/${method}`, json("POST", args)),
    post: (path, body) => call(path, json("POST", body)),
    call: (method, path, body) => call(path, json(method, body)),
    environment: (template = TEMPLATE, user = "U01AGENTONE", more = {}) =>
      call(
        "/api/platform/initEnv",
        json("POST", {
          templateService: template.split("_")[0],
          templateName: template,
          impersonateUserId: user,
          ...more,
        }),
      ),
    async restart(more) {
      await stop();
      child = await start(more);
    },
    async stop() {
      await stop();
      await cluster.stop();
    },
  };
}

/** Polls without a pause until the first healthy answer. */
export async function healthy(url: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (
    !(await fetch(`${url}/api/platform/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > deadline) throw new Error("the server did not start");
    await Bun.sleep(5);
  }
}

/** Resolves once `template` has `count` ready schemas. */
export async function poolOf(bench: Bench, template: string, count: number): Promise<void> {
  await untilReady(
    bench,
    count,
    (sql) => sql`
    template_schema = (select schema_name from diorama.templates where name = ${template})
  `,
  );
}

/** Resolves once the server builds nothing more. */
export async function fullPool(bench: Bench): Promise<void> {
  await poolOf(bench, TEMPLATE, READY_SCHEMAS);
  await untilReady(bench, EMPTY_SCHEMAS, (sql) => sql`template_schema like 'empty_%'`);
}

async function untilReady(
  bench: Bench,
  count: number,
  which: (sql: Pool) => Fragment,
): Promise<void> {
  const sql = bench.connect();
  const deadline = performance.now() + 300_000;
  for (;;) {
    const [row] = await sql`
      select count(*)::int as ready from diorama.schemas where state = 'ready' and ${which(sql)}
    `;
    if (row?.["ready"] >= count) break;
    if (performance.now() > deadline) throw new Error("the pool was not filled");
    await Bun.sleep(200);
  }
  await sql.end();
}
