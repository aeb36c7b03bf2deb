/** Runs on bare schemas, for tests of capture below the platform. */
import { type Capture, createCapture } from "~/capture/capture";
import type { Diff } from "~/capture/fold";
import type { Evaluator } from "~/capture/reader";
import type { Plugin } from "~/capture/slot";
import { connect, type Pool } from "~/db/connect";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";
import { insertRun, type NewRunRow } from "~/platform/runs/lifecycle-store";
import { records } from "~/platform/runs/records";
import { threadUrl } from "~/thread";
import type { Keys } from "../../scripts/oracle";
import type { TestDatabase } from "./database";

const newId = () => crypto.randomUUID().replaceAll("-", "");

/** The capture of one server on a database with the platform's tables. */
export async function startCapture(
  database: Pick<TestDatabase, "url">,
  way: Plugin | "snapshot",
  settings: {
    idleSeconds?: number;
    walBudgetBytes?: number;
    storedMs?: number;
    schemasMax?: number;
    /** Receives the log, except for that of the reader's thread. */
    write?: (line: string) => void;
  } = {},
) {
  const pool = connect(database.url, { max: 8, name: "platform", camel: true });
  const log = createLog({ level: "error", ...(settings.write && { write: settings.write }) });
  const capture = await createCapture({
    metrics: createMetrics(),
    kind: way === "snapshot" ? "snapshot" : "log",
    options: {
      url: database.url,
      plugin: way === "snapshot" ? "pgoutput" : way,
      idleSeconds: settings.idleSeconds ?? 60,
      walBudgetBytes: settings.walBudgetBytes ?? 2 ** 31,
      ...(settings.schemasMax !== undefined && { schemasMax: settings.schemasMax }),
    },
    records,
    worker: threadUrl("platform/runs"),
    logOptions: { level: "error" },
    ...(settings.storedMs !== undefined && { storedMs: settings.storedMs }),
    pool,
    log,
  });
  return {
    pool,
    capture,
    async stop() {
      await capture.stop();
      await pool.end({ timeout: 1 });
    },
  };
}

/** Starts a run on a schema. `end` of the result ends it and returns its stored row. */
export async function record(pool: Pool, capture: Capture, schema: string, keys: Keys) {
  const run = newId();
  const kind = capture.kind;
  await pool`
    insert into diorama.environments (environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash, expires_at)
    values (${run}, 'tester', 'key', 'chat', 'none', ${schema}, 'U1', '', now() + interval '1 hour')
  `;
  const row: NewRunRow = {
    runId: run,
    environmentId: run,
    userId: "tester",
    beforeSnapshot: "b",
    capture: kind,
    testId: null,
    suiteId: null,
    journal: "off",
    expected: null,
    labels: "{}",
  };
  const started = await capture.start([{ run, schema, keys, journaled: false }], (sql, start) =>
    insertRun(sql, row, start),
  );
  if (!started) throw new Error("the run did not start");
  const read = async (by: Pool = pool) => {
    const [row] = await by<{ status: string; failures: string[]; diff: Diff | null }[]>`
      select status, failures, diff from diorama.runs where run_id = ${run}
    `;
    if (!row) throw new Error("there is no such run");
    return row;
  };
  return {
    run,
    read,
    /** Ends the run, optionally on another server, or with a verdict. */
    async end(by: { pool: Pool; capture: Capture } = { pool, capture }, evaluator?: Evaluator) {
      const update: Parameters<Capture["end"]>[2] = async (sql, mark) => {
        const [ending] = await sql<{ schemaName: string }[]>`
          with ending as (
            update diorama.runs set status = 'ending', ended_at = now()
            where run_id = ${run} and status = 'running' returning schema_name
          )
          select schema_name as "schemaName", ${mark}::text from ending
        `;
        return ending?.schemaName;
      };
      await by.capture.end(run, kind, update, evaluator);
      return await read(by.pool);
    },
  };
}
