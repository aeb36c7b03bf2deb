/** A database per test file, cloned from one with the platform's tables, and the built-in templates and suites. */
import { afterAll, beforeAll, setDefaultTimeout } from "bun:test";
import postgres from "postgres";
import { connect, type Pool } from "~/db/connect";
import { migrate } from "~/db/migrate";
import { createBuilders } from "~/db/origins";
import { openSocketOrFail } from "~/db/socket";
import { createLog } from "~/log";
import { storeBuiltinSuites } from "~/platform/suites/builtin";
import { buildBuiltins } from "~/platform/templates/builtin";
import { createTemplates } from "~/platform/templates/templates";
import { randomId } from "~/source";
import { startClusters, type TestCluster } from "./clusters";
import { ADDED_ENVIRONMENTS, addEnvironments, enlarge } from "./large";

/** Set by `bun run plans`: templates are large, and Postgres logs the plan of each statement. */
export const LOG_PLANS = process.env["LOG_PLANS"] !== undefined;
const PLAN_SETTINGS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_format": "json",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_timing": "off",
};

export type TestDatabase = {
  readonly url: string;
  readonly cluster: TestCluster;
  /** A pool that returns rows unchanged. */
  readonly sql: Pool;
  /** Stops users of the database. */
  readonly beforeDrop: (() => Promise<void>)[];
};

const shared = globalThis as { dioramaTemplates?: Map<string, Promise<string>> };
shared.dioramaTemplates ??= new Map();

/** A pool of the driver itself, for options that `connect` does not take. */
export const plainPool = (url: string, options: object): Pool =>
  postgres(url, { ...options, socket: () => openSocketOrFail(url) } as object) as unknown as Pool;

/** The URL of the port of Postgres, which tests otherwise reach by its Unix socket. */
export function overTcp(databaseUrl: string): URL {
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  return url;
}

const withDatabase = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`);
const quiet = createLog({ level: "error" });

/** The name of the cluster's template database, created at the first call. */
function templateOf(cluster: TestCluster): Promise<string> {
  const known = shared.dioramaTemplates?.get(cluster.name);
  if (known !== undefined) return known;
  const made = makeTemplate(cluster);
  shared.dioramaTemplates?.set(cluster.name, made);
  return made;
}

async function makeTemplate(cluster: TestCluster): Promise<string> {
  const name = "diorama_template";
  const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
  await dropDatabases(admin);
  await admin.unsafe(`create database ${name}`);
  await admin.end();
  const url = withDatabase(cluster.url, name);
  const pool = connect(url, { max: 1, name: "test", camel: true, patient: true });
  const replicas = connect(url, { max: 1, name: "test", patient: true });
  const builders = createBuilders(replicas, false);
  await migrate(pool);
  await buildBuiltins(pool, builders, quiet);
  const templates = createTemplates({ pool, replicas, builders, newId: randomId });
  await storeBuiltinSuites(pool, templates, quiet);
  if (LOG_PLANS) {
    await enlarge(pool, Number(process.env["ADDED_ROWS"]));
    await addEnvironments(pool, ADDED_ENVIRONMENTS);
  }
  await Promise.all([pool.end(), replicas.end()]);
  return name;
}

/** Drops the databases of an earlier, interrupted run. */
async function dropDatabases(admin: Pool): Promise<void> {
  await admin`
    select pg_terminate_backend(active_pid) from pg_replication_slots where active
  `;
  await Bun.sleep(50);
  await admin`select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active`;
  const left = await admin<{ name: string }[]>`
    select datname as name from pg_database where datname like 'test\\_%' or datname = 'diorama_template'
  `;
  for (const { name } of left) await admin.unsafe(`drop database ${name} with (force)`);
}

/** Creates a database; the caller drops it with `dropDatabase`. */
export async function createDatabase(cluster: TestCluster, empty = false): Promise<TestDatabase> {
  const template = empty ? "template1" : await templateOf(cluster);
  const name = `test_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
  // Files are copied in half the time of pages that are logged.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  for (const [setting, value] of Object.entries(LOG_PLANS ? PLAN_SETTINGS : {}))
    await admin.unsafe(`alter database ${name} set ${setting} = '${value}'`);
  await admin.end();
  const url = withDatabase(cluster.url, name);
  const sql = connect(url, { max: 4, name: "test", patient: true });
  return { url, cluster, sql, beforeDrop: [] };
}

export async function dropDatabase(database: TestDatabase): Promise<void> {
  const { url, cluster, sql, beforeDrop } = database;
  await Promise.all(beforeDrop.map((stop) => stop()));
  await sql.end({ timeout: 1 });
  const name = new URL(url).pathname.slice(1);
  if (process.env["KEEP_DB"]) {
    console.error(`kept: psql "${url}"`);
    return;
  }
  const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
  const slots = await admin<{ slot: string }[]>`
    select slot_name as slot from pg_replication_slots where database = ${name}
  `;
  for (const { slot } of slots) {
    await admin`select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = ${slot} and active`;
    // From the view: its server may be dropping it too.
    await eventually(
      () => admin`
        select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${slot}
      `,
    );
  }
  await admin.unsafe(`drop database if exists ${name} with (force)`);
  await admin.end();
}

/** Ends a test that hangs; a machine can be many times slower than another. */
const TIMEOUT_MS = 240_000;

function packaged([first]: readonly TestCluster[]): TestCluster {
  if (!first) throw new Error("no Postgres to test with; `bun install` brings one");
  return first;
}

/** Declares a database for the tests of this file. `wanted` picks the cluster; the packaged one by default. */
export function useDatabase(wanted: { cluster?: TestCluster; empty?: boolean } = {}): TestDatabase {
  let database: TestDatabase | undefined;
  // The runner resets the preload's timeout for every file, and hooks have five seconds.
  setDefaultTimeout(TIMEOUT_MS);
  beforeAll(async () => {
    const cluster = wanted.cluster ?? packaged(await startClusters());
    database = await createDatabase(cluster, wanted.empty);
  });
  afterAll(async () => {
    if (database) await dropDatabase(database);
  });
  return new Proxy({} as TestDatabase, {
    get: (_, property: keyof TestDatabase) => database?.[property],
  });
}

// Once per process, even if the runner creates several module instances.
const kept = globalThis as { dioramaDatabase?: Promise<TestDatabase> };

/**
 * Declares one database, with one server, for all files of this process that declare it: their tests look at environments
 * of their own only. In a short file, a database and a server take longer than the tests.
 */
export function useSharedDatabase(): TestDatabase {
  let database: TestDatabase | undefined;
  setDefaultTimeout(TIMEOUT_MS);
  beforeAll(async () => {
    kept.dioramaDatabase ??= startClusters().then((clusters) => createDatabase(packaged(clusters)));
    database = await kept.dioramaDatabase;
  });
  return new Proxy({} as TestDatabase, {
    get: (_, property: keyof TestDatabase) => database?.[property],
  });
}

/** Whether the database outlives the file, and with it what its files start on it. */
export const isShared = async ({ url }: TestDatabase): Promise<boolean> =>
  (await kept.dioramaDatabase)?.url === url;

/** Opens a transaction that has run `statement`. Returns what commits it. */
export async function openTransaction(
  sql: Pool,
  statement: string,
): Promise<() => Promise<unknown>> {
  const done = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  const transaction = sql.begin(async (tx) => {
    await tx.unsafe(statement);
    done.resolve();
    await ends.promise;
  });
  await Promise.race([done.promise, transaction]);
  return async () => {
    ends.resolve();
    await transaction;
  };
}

/** Repeats a call until it does not throw, and returns its result. Throws the last error after `seconds`. */
export async function eventually<T>(attempt: () => Promise<T> | T, seconds = 60): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await Bun.sleep(20);
    }
  }
}
