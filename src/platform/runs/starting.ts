/** Starts runs: one in an environment that exists, or one in each of several that are created with them. */
import type { Capture, Start, Started, StartingRun } from "~/capture/capture";
import { inTransaction, type Pool, type Sql } from "~/db/connect";
import { together } from "~/db/session";
import { unavailable } from "~/errors";
import { insertRun, type NewRunRow } from "~/platform/runs/lifecycle-store";
import type { NewRun } from "~/platform/runs/model";
import type { Templates } from "~/platform/templates/templates";
import { type NewId, randomId } from "~/source";

export type Starting = ReturnType<typeof createStarting>;

/** An environment as a run needs it. */
export type Place = { readonly environmentId: string; readonly schemaName: string };
type Origin = Parameters<Templates["tablesOf"]>[0];
type Expected = Pick<NewRunRow, "testId" | "suiteId" | "expected">;

const UNTESTED: Expected = { testId: null, suiteId: null, expected: null };

/** Thrown in a transaction that must be rolled back because a run in it has not started. */
class NotStarted extends Error {
  override readonly name = "NotStarted";
  readonly started: Exclude<Started, "started">;
  constructor(started: Exclude<Started, "started">) {
    super(`a run has not started: ${started}`);
    this.started = started;
  }
}

export function createStarting(deps: {
  pool: Pool;
  templates: Templates;
  capture: Capture;
  newId: NewId;
}) {
  const { pool, templates, capture, newId } = deps;

  const newRun = (
    userId: string,
    environmentId: string,
    { labels = {}, journal = "calls" }: Pick<NewRun, "labels" | "journal">,
    expected: Expected,
  ): NewRunRow => ({
    runId: newId(),
    environmentId,
    userId,
    beforeSnapshot: randomId(),
    capture: capture.kind,
    labels: JSON.stringify(labels),
    journal,
    ...expected,
  });

  /** The keys of the tables, which all environments of a template have. */
  async function keysOf(origin: Origin): Promise<StartingRun["keys"]> {
    const tables = await templates.tablesOf(origin);
    return Object.fromEntries(tables.map(({ name, key }) => [name, key]));
  }

  const recordingOf = (
    { runId, journal }: NewRunRow,
    schema: string,
    keys: StartingRun["keys"],
  ): StartingRun => ({ run: runId, schema, keys, journaled: journal !== "off" });

  return {
    newRun,

    /** Starts a run with `insert`, which inserts its row. Returns false if it did not. */
    async start(
      run: NewRunRow,
      environment: Origin & Place,
      insert: (sql: Sql, start: Start) => Promise<Started>,
    ): Promise<boolean> {
      const recording = recordingOf(run, environment.schemaName, await keysOf(environment));
      return await capture.start([recording], insert);
    },

    /** Plans a run in each of these environments, which do not exist yet. */
    async planRuns(userId: string, origin: Origin, places: readonly Place[]) {
      const keys = await keysOf(origin);
      const rows = places.map((place) => newRun(userId, place.environmentId, {}, UNTESTED));
      const recordings = rows.map((run, at) =>
        recordingOf(run, places[at]?.schemaName ?? "", keys),
      );
      return {
        /** By the environment's id. */
        runOf: new Map(rows.map(({ environmentId, runId }) => [environmentId, runId])),

        /** Starts them in the transaction of `create`, which inserts the environments: all or nothing. */
        async startWith<T>(create: (tx: Sql) => Promise<T>): Promise<T> {
          let created: { readonly value: T } | undefined;
          const insertAll = async (tx: Sql, start: Start): Promise<Started> => {
            created = { value: await create(tx) };
            for (const started of await together(rows.map((run) => insertRun(tx, run, start))))
              if (started !== "started") throw new NotStarted(started);
            return "started";
          };
          await capture.start(recordings, async (sql, start) => {
            if (capture.kind === "snapshot") return await insertAll(sql, start); // its transaction
            return await inTransaction(pool, (tx) => insertAll(tx, start)).catch((error) => {
              created = undefined;
              if (error instanceof NotStarted) return error.started;
              throw error;
            });
          });
          if (!created) throw unavailable("The runs could not be started");
          return created.value;
        },
      };
    },
  };
}
