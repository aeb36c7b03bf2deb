/**
 * The setting of a fault: real servers on a real Postgres, and stories in which every acknowledged write is counted.
 *
 * A story is an environment with a run. What was acknowledged must be in its diff, and the diff must be what differs
 * between the tables before and after; what is not is counted as lost or wrong, and fails.
 */
import { join } from "node:path";
import type { Diff } from "~/capture/fold";
import { failureOf, type Loss } from "~/capture/loss";
import { connect, type Pool } from "~/db/connect";
import { difference, keysOf, sorted, stateOf } from "../../scripts/oracle";
import { type Cluster, type Source, startCluster } from "../../scripts/postgres";
import { startClusters, type TestCluster } from "./clusters";
import { createDatabase, dropDatabase, eventually } from "./database";
import { type Launch, launch, type ServerProcess } from "./process";

export type Database = { readonly url: string; readonly sql: Pool };
export type Stage = ReturnType<typeof createStage>;
export type Story = Awaited<ReturnType<Stage["story"]>>;

const ROOT = join(import.meta.dir, "../../.diorama");
const CHANNEL = "C01GENERAL";
const ANSWER_SECONDS = 30;
const ENDED_SECONDS = 60;

/** The cluster for faults that do not break it: with wal2json if there is one. */
async function pickCluster(): Promise<TestCluster> {
  const clusters = await startClusters();
  const wanted = process.env["FAULTS_SOURCE"];
  const cluster = wanted ? clusters.find(({ name }) => name === wanted) : clusters.at(-1);
  if (!cluster) throw new Error(`there is no ${wanted ?? ""} Postgres to test with`);
  return cluster;
}

export function createStage() {
  const endings: (() => Promise<unknown> | unknown)[] = [];
  const ledger = { acknowledged: 0, lost: 0, wrong: 0, diffs: 0 };

  const pool = (url: string, max = 4): Pool => {
    const sql = connect(url, { max, name: "test", patient: true });
    endings.push(() => sql.end({ timeout: 1 }));
    return sql;
  };

  const stage = {
    ledger,
    pool,
    onEnd: (ending: () => Promise<unknown> | unknown) => endings.push(ending),

    /** A separate database on the shared cluster. */
    async database(empty = false): Promise<Database> {
      const database = await createDatabase(await pickCluster(), empty);
      endings.push(() => dropDatabase(database));
      return database;
    },

    /** A separate cluster with an empty database, for faults that break it. */
    async cluster(
      settings: Record<string, string> = {},
      how: { initdb?: string[]; dir?: string; source?: Source } = {},
    ): Promise<{ cluster: Cluster; database: Database }> {
      const source = how.source ?? (await pickCluster()).name;
      const cluster = await startCluster({
        source,
        dir: how.dir ?? join(ROOT, `fault-${crypto.randomUUID().slice(0, 8)}`),
        settings: { fsync: "off", shared_buffers: "32MB", ...settings },
        ...(how.initdb ? { initdb: how.initdb } : {}),
      });
      endings.push(() => cluster.remove());
      const admin = connect(cluster.url, { max: 1, name: "test", patient: true });
      await admin.unsafe("create database faults");
      await admin.end();
      const url = cluster.url.replace(/\/postgres$/, "/faults");
      return { cluster, database: { url, sql: pool(url) } };
    },

    plugin: async () => (await pickCluster()).plugins[0] ?? "pgoutput",

    /** Starts a server, which is stopped at the end. Waits until it serves. */
    async server(
      database: Pick<Database, "url">,
      settings: Record<string, string> = {},
      how: Launch = {},
    ): Promise<ServerProcess> {
      const server = await stage.launch(database, settings, how);
      await server.ready();
      return server;
    },

    async launch(
      database: Pick<Database, "url">,
      settings: Record<string, string> = {},
      how: Launch = {},
    ): Promise<ServerProcess> {
      const server = await launch(database, settings, how);
      endings.push(async () => {
        server.kill("SIGCONT");
        server.kill("SIGTERM");
        await Promise.race([server.exited, Bun.sleep(3_000)]);
        server.kill("SIGKILL");
        await server.exited;
      });
      return server;
    },

    /** Creates an environment and starts a run, on this server. */
    async story({ sql }: Pick<Database, "sql">, server: ServerProcess, fields: object = {}) {
      const environment = await answered(server, "POST", "/initEnv", {
        templateService: "chat",
        templateName: "chat_default",
        impersonateUserId: "U01AGENTONE",
        ...fields,
      });
      const schema = String(environment["schemaName"]);
      const keys = await eventually(() => keysOf(sql, schema));
      const before = await eventually(() => stateOf(sql, schema, keys));
      const run = await answered(server, "POST", "/startRun", {
        envId: environment["environmentId"],
      });
      return createStory({
        sql,
        ledger,
        environment,
        schema,
        runId: String(run["runId"]),
        keys,
        before,
      });
    },

    /** Undoes everything, the latest first. */
    async end(): Promise<void> {
      for (const ending of endings.toReversed()) await ending();
    },
  };
  return stage;
}

/** Repeats a call until the answer is not 503, and returns a successful one. */
async function answered(server: ServerProcess, method: string, path: string, body?: object) {
  return await eventually(async () => {
    const answer = await server.call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }, ANSWER_SECONDS);
}

type Outcome = { status: string; failures: string[]; diff: Diff | null };

function createStory(deps: {
  sql: Pool;
  ledger: Stage["ledger"];
  environment: any;
  schema: string;
  runId: string;
  keys: Awaited<ReturnType<typeof keysOf>>;
  before: Awaited<ReturnType<typeof stateOf>>;
}) {
  const { sql, ledger, environment, schema, runId, keys, before } = deps;
  const sent: string[] = [];
  const acknowledged: string[] = [];

  const results = async (server: ServerProcess, seconds = ENDED_SECONDS): Promise<Outcome> =>
    await eventually(async () => {
      const answer = await server.get(`/results/${runId}`);
      if (answer.status !== 200 || answer.body.status === "running")
        throw new Error(`results: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    }, seconds);

  /** Throws if an acknowledged write is missing, or the diff is not the difference of the states. */
  async function check({ diff }: { diff: Diff | null }): Promise<void> {
    ledger.diffs++;
    const captured = (diff?.inserts ?? [])
      .filter((row) => row["__table__"] === "messages")
      .map((row) => String(row["text"]));
    const missing = acknowledged.filter((text) => !captured.includes(text));
    ledger.lost += missing.length;
    const after = await eventually(() => stateOf(sql, schema, keys));
    const expected = sorted(difference(before, after, keys));
    const invented = captured.filter((text) => text.startsWith("write ") && !sent.includes(text));
    const isWrong = sorted(diff) !== expected || invented.length > 0;
    if (isWrong) ledger.wrong++;
    if (missing.length > 0 || isWrong)
      throw new Error(
        `the diff is wrong: missing ${JSON.stringify(missing)}, captured ${sorted(diff)}, expected ${expected}`,
      );
  }

  return {
    environment,
    schema,
    runId,
    acknowledged,
    results,
    check,

    /** Posts messages. One without a successful answer may be stored or not. */
    async write(server: ServerProcess, count = 1): Promise<number> {
      let done = 0;
      for (let n = 0; n < count; n++) {
        const text = `write ${sent.length}`;
        sent.push(text);
        const answer = await server
          .chat(environment, "chat.postMessage", { channel: CHANNEL, text })
          .catch(() => undefined);
        if (!answer?.ok) continue;
        acknowledged.push(text);
        ledger.acknowledged++;
        done++;
      }
      return done;
    },

    /** Ends the run; repeats the call until a server answers. */
    async end(server: ServerProcess, seconds = ENDED_SECONDS): Promise<Outcome> {
      await eventually(async () => {
        const answer = await server.post("/diffRun", { runId });
        if (answer.status >= 500) {
          const { body } = await server.get(`/results/${runId}`);
          if (body.status === "running" || body.status === undefined)
            throw new Error(JSON.stringify(answer.body));
        }
      }, seconds);
      return await results(server, seconds);
    },

    /** Ends the run, which must have a complete diff. */
    async endWell(server: ServerProcess): Promise<void> {
      const outcome = await this.end(server);
      if (outcome.status !== "completed")
        throw new Error(`the run is ${outcome.status}: ${outcome.failures.join("; ")}`);
      await check(outcome);
    },

    /** Ends the run, which must fail by this name. */
    async endLost(server: ServerProcess, loss: Loss, seconds?: number): Promise<void> {
      const outcome = await this.end(server, seconds);
      const expected = failureOf(loss);
      if (outcome.status !== "failed" || outcome.diff !== null || outcome.failures[0] !== expected)
        throw new Error(`the run reads ${JSON.stringify(outcome)}, not ${expected}`);
    },
  };
}
