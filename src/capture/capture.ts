/**
 * The entry point to capture: begins and ends a recording, and waits until it is complete.
 *
 * There are two ways with the same diff: reading the write-ahead log between two marks, or comparing snapshots. A run's
 * row says which one it uses, so any server can end it.
 */
import { LRUCache } from "lru-cache";
import type { Actor } from "~/capture/actor";
import { markActor, setActor } from "~/capture/change";
import { Lost, lossLabel, lossOf } from "~/capture/loss";
import { createReader, type Evaluator } from "~/capture/reader";
import type { Records } from "~/capture/records";
import { markExpression } from "~/capture/relations";
import { publish, slotIsReady } from "~/capture/slot";
import { compareSnapshot, dropSnapshot, takeSnapshot } from "~/capture/snapshot";
import { noteStep } from "~/capture/snapshot-steps";
import type { StreamOptions } from "~/capture/stream";
import type { StreamState } from "~/capture/stream-events";
import {
  errorCode,
  type Fragment,
  inTransaction,
  isUnavailable,
  LOCK_NOT_AVAILABLE,
  type Pool,
  SERIALIZATION_FAILURE,
  type Sql,
  type Tx,
} from "~/db/connect";
import { unavailable } from "~/errors";
import { errorFields, type Log, type LogOptions } from "~/log";
import type { Metrics } from "~/metrics";

export type CaptureKind = "log" | "snapshot";

export type StartingRun = {
  readonly run: string;
  readonly schema: string;
  /** Primary key columns of each table, in the order in which diffs list tables. */
  readonly keys: { readonly [table: string]: readonly string[] };
  readonly journaled: boolean;
};

/** Moves a run's row from `running` to `ending` if it can, and returns its schema; otherwise undefined. */
type Ending = (sql: Sql, mark: Fragment) => Promise<string | undefined>;
/** Fragments for the statement that inserts a run: `ready` allows it, and its mark is selected with its `schema_name`. */
export type Start = { readonly ready: Fragment; readonly markOf: (run: string) => Fragment };
/** not ready: the slot was missing, so nothing was inserted. not inserted: another condition failed. */
export type Started = "started" | "not inserted" | "not ready";

/** `lagBytes`: log that has not been read. */
type CaptureStatus = { state: "streaming" | "idle" | "disabled"; lagBytes?: number };

export type Capture = Awaited<ReturnType<typeof createCapture>>;

/** How long to wait for a slot; creating it may wait for open transactions. */
const READY_MS = 20_000;
const READY_RETRY_MS = 50;
/** How long to wait for a result: a minute, plus a second for each 16 MB of log that must be read before it. */
const STORED_MS = 60_000;
const STORED_BYTES_PER_MS = 16_000;
/** Bun closes a connection that is idle for 120 s. */
const STORED_MS_MAX = 110_000;
/** Notifications from other servers can be lost; the row is checked this often. */
const POLL_MS = 250;
const SETTLE_MS_MIN = 5;
const PUBLISHED_MAX = 20_000;

/** How long to wait for a pause between an environment's calls. */
const BETWEEN_MS = 10_000;
/** Well below Postgres' deadlock_timeout. */
const LOCK_MS = 100;
const IN_USE = new Set([SERIALIZATION_FAILURE, LOCK_NOT_AVAILABLE]);

export async function createCapture(deps: {
  kind: CaptureKind;
  options: StreamOptions;
  records: Records;
  /** URL of the thread that reads the log, with the same records. */
  worker: string;
  logOptions: LogOptions;
  pool: Pool;
  log: Log;
  metrics: Metrics;
  /** How long to wait for a result, not counting the log that must be read before it. */
  storedMs?: number;
}) {
  const { kind, records, pool, log, metrics, storedMs = STORED_MS } = deps;
  const { runs, leadership, snapshots } = records;
  const reader = kind === "log" ? await createReader(deps) : undefined;
  const published = new LRUCache<string, true>({ max: PUBLISHED_MAX });

  /** Returns true when the slot's plugin sends the changes of these tables. */
  async function ensurePublished(schema: string): Promise<boolean> {
    if (reader?.plugin !== "pgoutput") return false;
    if (!published.has(schema)) {
      await inTransaction(pool, (tx) => publish(tx, schema));
      published.set(schema, true);
    }
    return true;
  }

  return {
    kind,

    /**
     * Begins recordings with `insert`, which adds the rows of the runs, all or none. Returns whether it did; from then on
     * every change is recorded.
     *
     * It does not wait for the reader. The statement that writes the mark checks that the slot exists and prevents
     * others from dropping it until the mark is committed. Such a slot delivers the mark and everything that commits
     * after it, however far behind the reader is.
     */
    async start(
      starting: readonly StartingRun[],
      insert: (sql: Sql, start: Start) => Promise<Started>,
    ): Promise<boolean> {
      if (!reader)
        return await betweenCalls(async (tx) => {
          const started = await insert(tx, { ready: tx`true`, markOf: () => tx`null` });
          if (started !== "started") return false;
          for (const { run, schema } of starting) await takeSnapshot(snapshots, tx, run, schema);
          return true;
        });
      const deadline = performance.now() + READY_MS;
      for (;;) {
        const plugin = await reader.ready(deadline);
        const marks = new Map<string, object>();
        for (const run of starting) {
          const published = await ensurePublished(run.schema);
          marks.set(run.run, { k: "start", ...run, at: Date.now(), published });
        }
        const started = await insert(pool, {
          ready: slotIsReady(pool, plugin),
          markOf: (run) => markExpression(pool, plugin, marks.get(run) ?? {}),
        });
        if (started !== "not ready") {
          reader.nudge();
          return started === "started";
        }
        if (performance.now() > deadline) throw unavailable("capture has no slot yet");
        reader.want();
        await Bun.sleep(READY_RETRY_MS);
      }
    },

    /**
     * Ends a recording of this kind with `update`, which moves the run's row from `running` to `ending` if it can,
     * selects `mark` with it, and returns the run's schema. Returns undefined if it did not; otherwise the result is in
     * the row. `diff`: the stored JSON text, if it is known here without reading the row.
     *
     * With `evaluator` the run gets its verdict, which is stored with the result if this server waits for it. Otherwise
     * the run is left `evaluating`, and its row has the evidence that the diff leaves out.
     */
    async end(
      run: string,
      way: CaptureKind,
      update: Ending,
      evaluator?: Evaluator,
    ): Promise<{ readonly diff?: string } | undefined> {
      const evaluate = evaluator && crypto.randomUUID();
      if (way === "snapshot") return await endComparison(run, update, evaluator !== undefined);
      const stored = reader?.expect(run);
      if (evaluate) reader?.evaluators.set(evaluate, evaluator);
      try {
        const mark = { k: "end", run, instance: reader?.instance ?? "", evaluate };
        if ((await update(pool, markExpression(pool, reader?.plugin, mark))) === undefined)
          return undefined;
        reader?.nudge();
        let diff: string | undefined;
        const arrived = stored?.promise.then((text) => {
          diff = text;
        });
        if (await isSettled(arrived, run)) return diff === undefined ? {} : { diff };
      } finally {
        stored?.forget();
        if (evaluate) reader?.evaluators.delete(evaluate);
      }
      throw unavailable(
        `the result is not ready yet: ${await leadership.unreadBytes(pool)} bytes of log are still to be read; it will be in the run's results`,
      );
    },

    /** Waits until the results of runs whose end is marked are stored, for at most `ms`. */
    async settle(ended: readonly string[], ms: number): Promise<void> {
      const deadline = performance.now() + ms;
      if (ended.length > 0) reader?.nudge();
      for (
        let wait = SETTLE_MS_MIN;
        performance.now() < deadline;
        wait = Math.min(wait * 2, POLL_MS)
      ) {
        if ((await runs.activeAmong(pool, ended)).length === 0) return;
        await Bun.sleep(wait);
      }
    },

    /** Removes what a comparison of snapshots keeps, of a run that is closed without a result. */
    discard: (sql: Sql, run: string, schema: string) => dropSnapshot(snapshots, sql, run, schema),

    /**
     * Runs `work`, in which another actor than the agent acts in an environment, in a transaction of its own: runs tell
     * its changes from those of the agent. Nobody else may write to the schema meanwhile.
     */
    async as<T>(tx: Tx, actor: Actor, schema: string, work: () => Promise<T>): Promise<T> {
      await (kind === "log" ? markActor(tx, schema, actor) : setActor(tx, actor));
      const compared = await runs.comparedIn(tx, schema);
      return compared === undefined
        ? await work()
        : await noteStep(snapshots, tx, compared, { schema, actor }, work);
    },

    async status(): Promise<CaptureStatus> {
      if (!reader) return { state: "disabled" };
      const leader = await leadership.leader(pool);
      if (leader.state === "idle") return { state: "idle" };
      return { state: "streaming", lagBytes: await leadership.unreadBytes(pool) };
    },

    /** The state of this server's reader. */
    local: (): StreamState | "disabled" => reader?.state ?? "disabled",

    stop: async () => await reader?.stop(),
  };

  /**
   * Waits for the notification that a run's result is stored, and polls in case it was lost. Returns false after
   * `storedMs` plus the time for the backlog.
   */
  async function isSettled(news: Promise<unknown> | undefined, run: string): Promise<boolean> {
    const started = performance.now();
    let ms: number | undefined;
    let arrived = false;
    const arrival = news?.then(() => {
      arrived = true;
    });
    while (performance.now() - started < (ms ?? storedMs)) {
      await Promise.race([arrival ?? Bun.sleep(POLL_MS), Bun.sleep(POLL_MS)]);
      if (arrived || (await runs.isStored(pool, run).catch(() => false))) return true;
      const unread = ms === undefined ? await leadership.unreadBytes(pool).catch(() => 0) : 0;
      ms ??= Math.min(storedMs + unread / STORED_BYTES_PER_MS, STORED_MS_MAX);
    }
    return false;
  }

  /**
   * Runs one end of a comparison between two of the environment's calls, alone among several callers. If a table or the
   * run's row is in use, it releases all locks and retries instead of risking a deadlock.
   */
  async function betweenCalls<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const deadline = performance.now() + BETWEEN_MS;
    for (;;)
      try {
        return await inTransaction(
          pool,
          async (tx) => {
            await tx.unsafe(`set local lock_timeout = ${LOCK_MS}`);
            return await work(tx);
          },
          "isolation level repeatable read",
        );
      } catch (error) {
        if (performance.now() > deadline || !IN_USE.has(errorCode(error) ?? "")) throw error;
        await Bun.sleep(Math.random() * LOCK_MS);
      }
  }

  /** Ends a comparison. If it fails, the run is lost: every retry would fail too. */
  async function endComparison(run: string, update: Ending, evaluate: boolean) {
    const end = (conclude: (tx: Tx, schema: string) => Promise<unknown>) =>
      betweenCalls(async (tx) => {
        const schema = await update(tx, tx`null`);
        if (schema === undefined) return undefined;
        await conclude(tx, schema);
        await dropSnapshot(snapshots, tx, run, schema);
        return {};
      });
    try {
      return await end(async (tx, schema) => {
        try {
          await runs.complete(tx, run, await compareSnapshot(snapshots, tx, run, schema, evaluate));
        } catch (error) {
          if (isUnavailable(error)) throw error;
          throw new Lost(lossOf(error, "comparison_failed"), { cause: error });
        }
      });
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      log.warn("run lost", { run_id: run, reason: error.message, ...errorFields(error.cause) });
      metrics.runsFailed.inc({ reason: lossLabel(error.loss) });
      return await end((tx) => runs.lose(tx, { run }, error.loss));
    }
  }
}
