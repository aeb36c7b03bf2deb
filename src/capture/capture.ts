/**
 * What the rest of the program sees of capture: begin and end a recording, and wait until it is certain.
 *
 * Two ways, the same diff: from the write-ahead log between two marks, or by comparing snapshots. Which one a run
 * uses is written in its row, so that any server can end it.
 */
import { MARK_PREFIX } from "~/capture/change";
import { Lost, reasonOf } from "~/capture/limits";
import type { Counted, Recorded, StreamState } from "~/capture/reading";
import * as results from "~/capture/results";
import { type Plugin, publish } from "~/capture/slot";
import { compareSnapshot, dropSnapshot, takeSnapshot } from "~/capture/snapshot";
import type { StreamOptions } from "~/capture/stream";
import type { FromWorker, ToWorker } from "~/capture/worker";
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
import { threadUrl } from "~/thread";

export type CaptureKind = "log" | "snapshot";

export type StartingRun = {
  readonly run: string;
  readonly schema: string;
  /** Primary key columns of each table, in the order in which diffs list tables. */
  readonly keys: { readonly [table: string]: readonly string[] };
};

/** Moves a run's row from `running` to `ending` where it may, and returns its schema; undefined when it did not. */
type Ending = (sql: Sql, mark: Fragment) => Promise<string | undefined>;

/** A verdict on what was recorded. */
export type Judging = (recorded: Recorded) => Promise<results.Judgement>;

export type CaptureStatus = { state: "streaming" | "idle" | "disabled"; lagBytes?: number };

export type Capture = Awaited<ReturnType<typeof createCapture>>;

/** Until capture streams; creating its slot may have to wait for open transactions. */
const READY_MS = 20_000;
/** Until the start mark has come round. */
const SEEN_MS = 10_000;
/** Until the result is stored. */
export const STORED_MS = 60_000;
/** News of other servers may be lost; the row is looked at this often. */
const POLL_MS = 250;
const WORKER_STOP_MS = 5_000;
const PUBLISHED_MAX = 20_000;

const WORKER_RESTART_MS = 1_000;

const STATES: readonly StreamState[] = [
  "idle",
  "starting",
  "streaming",
  "following",
  "busy",
  "failing",
];

/** A label: reasons are sentences, and some hold a number. */
const lostReason = (reason: string) =>
  `capture_${reason.replaceAll(/[0-9]+ /g, "").replaceAll(/[^a-z]+/g, "_")}`;

/** For a pause between an environment's calls. */
const BETWEEN_MS = 10_000;
/** Well below Postgres' deadlock_timeout. */
const LOCK_MS = 100;
const IN_USE = new Set([SERIALIZATION_FAILURE, LOCK_NOT_AVAILABLE]);

export async function createCapture(deps: {
  kind: CaptureKind;
  options: StreamOptions;
  logOptions: LogOptions;
  pool: Pool;
  log: Log;
  metrics: Metrics;
}) {
  const { kind, pool, log, metrics } = deps;
  const stream = kind === "log" ? await createReader(deps) : undefined;
  const published = new Set<string>();

  /** True when the slot's plugin will send the tables' changes. */
  async function ensurePublished(schema: string): Promise<boolean> {
    if (stream?.plugin !== "pgoutput") return false;
    if (!published.has(schema)) {
      await inTransaction(pool, (tx) => publish(tx, schema));
      if (published.size >= PUBLISHED_MAX) published.clear();
      published.add(schema);
    }
    return true;
  }

  return {
    kind,

    /**
     * Begins a recording with `insert`, which adds the run's row where it may, and selects `mark` with it. Returns
     * whether it did, and not before every later change is certain to be recorded.
     */
    async start(
      run: StartingRun,
      insert: (sql: Sql, mark: Fragment) => Promise<boolean>,
    ): Promise<boolean> {
      if (!stream)
        return await betweenCalls(async (tx) => {
          const inserted = await insert(tx, tx`null`);
          if (inserted) await takeSnapshot(tx, run.run, run.schema);
          return inserted;
        });
      await stream.ready();
      const isPublished = await ensurePublished(run.schema);
      const seen = stream.expect("seen", run.run);
      try {
        const mark = { k: "start", ...run, instance: stream.instance, published: isPublished };
        if (!(await insert(pool, markExpression(pool, mark)))) return false;
        const written = performance.now();
        if (await settled(seen.promise, SEEN_MS, () => results.wasSeen(pool, run.run))) {
          metrics.captureMarker.observe((performance.now() - written) / 1000);
          return true;
        }
      } finally {
        seen.forget();
      }
      await results.lose(pool, run.run, "not streaming");
      metrics.runsFailed.inc({ reason: lostReason("not streaming") });
      throw unavailable("capture did not start in time");
    },

    /**
     * Ends a recording of this kind with `update`, which moves the run's row from `running` to `ending` where it may,
     * selects `mark` with it, and returns the run's schema. Undefined when it did not; otherwise the result is in the
     * row. `diff`: as it was stored, JSON text, when that is known here without reading the row.
     *
     * With `judge` the run gets its verdict, which is stored with the result where that is recorded for this server;
     * elsewhere the run is left `evaluating`, with what its diff leaves out beside it.
     */
    async end(
      run: string,
      way: CaptureKind,
      update: Ending,
      judge?: Judging,
    ): Promise<{ readonly diff?: string } | undefined> {
      const evaluate = judge && crypto.randomUUID();
      if (way === "snapshot") return await endComparison(run, update, judge !== undefined);
      const stored = stream?.expect("stored", run);
      if (evaluate) stream?.judges.set(evaluate, judge);
      try {
        const mark = { k: "end", run, instance: stream?.instance ?? "", evaluate };
        if ((await update(pool, markExpression(pool, mark))) === undefined) return undefined;
        stream?.nudge();
        let diff: string | undefined;
        const arrived = stored?.promise.then((text) => {
          diff = text;
        });
        if (await settled(arrived, STORED_MS, () => results.isStored(pool, run)))
          return diff === undefined ? {} : { diff };
      } finally {
        stored?.forget();
        if (evaluate) stream?.judges.delete(evaluate);
      }
      throw unavailable("the result is not ready yet; it will be in the run's results");
    },

    /** To be selected where a run is closed without a result, for each `run_id`. */
    closeMark: (sql: Sql): Fragment =>
      sql`pg_logical_emit_message(true, ${MARK_PREFIX}, json_build_object('k', 'close', 'run', run_id)::text)`,

    async status(): Promise<CaptureStatus> {
      if (!stream) return { state: "disabled" };
      const leader = await results.leader(pool);
      if (leader.state === "idle") return { state: "idle" };
      return { state: "streaming", lagBytes: await results.lagBytes(pool) };
    },

    /** What this server's part of capture is doing. */
    local: (): StreamState | "disabled" => stream?.state ?? "disabled",

    stop: async () => await stream?.stop(),
  };

  /**
   * A comparison begins and ends between two of the environment's calls, and decides alone which of several callers it
   * belongs to. Whoever finds a table or the run's row in use lets go of everything and begins again, before a call that
   * waits for it could be taken for its half of a deadlock.
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

  /** A run whose comparison fails once would fail each time: it ends, and says why. */
  async function endComparison(run: string, update: Ending, evaluate: boolean) {
    const end = (conclude: (tx: Tx, schema: string) => Promise<unknown>) =>
      betweenCalls(async (tx) => {
        const schema = await update(tx, tx`null`);
        if (schema === undefined) return undefined;
        await conclude(tx, schema);
        await dropSnapshot(tx, run, schema);
        return {};
      });
    try {
      return await end(async (tx, schema) => {
        try {
          await results.complete(tx, run, await compareSnapshot(tx, run, schema, evaluate));
        } catch (error) {
          if (isUnavailable(error)) throw error;
          const reason = reasonOf(error, "its states could not be compared");
          throw new Lost(reason, { cause: error });
        }
      });
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      log.warn("run lost", { run_id: run, reason: error.message, ...errorFields(error.cause) });
      metrics.runsFailed.inc({ reason: lostReason(error.message) });
      return await end((tx) => results.lose(tx, run, error.message));
    }
  }
}

/**
 * `mark` with the relations that a schema has at this moment, as a message in the log of this transaction. To be
 * selected beside the schema's `schema_name`. What is in a schema depends on it: that index finds it among the
 * relations of all environments, which pg_class has none for.
 */
function markExpression(sql: Sql, mark: object): Fragment {
  const open = JSON.stringify(mark).slice(0, -1);
  return sql`pg_logical_emit_message(true, ${MARK_PREFIX}, ${open}::text || ',"relations":' || coalesce((
    select to_json(md5(string_agg(objid::text, ',' order by objid)))::text from pg_depend
    where refclassid = 'pg_namespace'::regclass and refobjid = to_regnamespace(quote_ident(schema_name))
      and classid = 'pg_class'::regclass
  ), 'null') || '}')`;
}

/** Waits for news, and looks for itself in case they were lost. False after `ms`. */
async function settled(
  news: Promise<unknown> | undefined,
  ms: number,
  look: () => Promise<boolean>,
) {
  const deadline = performance.now() + ms;
  let arrived = false;
  const arrival = news?.then(() => {
    arrived = true;
  });
  while (performance.now() < deadline) {
    await Promise.race([arrival ?? Bun.sleep(POLL_MS), Bun.sleep(POLL_MS)]);
    if (arrived || (await look().catch(() => false))) return true;
  }
  return false;
}

/** The worker that reads the log, and what it reports. Starts it again should it ever die. */
async function createReader({
  options,
  logOptions,
  pool,
  log,
  metrics,
}: Parameters<typeof createCapture>[0]) {
  /** Tells the leader, in the marks, who waits. */
  const instance = crypto.randomUUID().slice(0, 8);
  const waiting = new Map<string, Set<(diff?: string) => void>>();
  let state: StreamState = "idle";
  let reason = "capture is starting";
  let plugin: Plugin | undefined;
  let changed: () => void = () => {};
  let stopped: () => void = () => {};
  let stopping = false;
  let worker = spawn();
  const streams = () => state === "streaming";
  /** By the call that will give the verdict. */
  const judges = new Map<string, Judging>();
  const tell = (message: ToWorker) => worker.postMessage(message);
  const arrive = (news: string, diff?: string) => {
    for (const tell of waiting.get(news) ?? []) tell(diff);
  };
  const counters: Record<Counted, (by: number, label: string) => void> = {
    messages: (by, action) => metrics.captureMessages.inc({ action }, by),
    skipped: (by) => metrics.captureSkipped.inc(by),
    changes: (rows) => metrics.runChanges.observe(rows),
    lost: (by, reason) => metrics.runsFailed.inc({ reason: lostReason(reason) }, by),
    reconnects: (by, reason) => metrics.captureReconnects.inc({ reason }, by),
    poison: (by) => metrics.capturePoison.inc(by),
  };
  showState();
  const { unlisten } = await pool.listen(results.CHANNEL, (news) => arrive(news));

  function showState() {
    for (const each of STATES) metrics.captureState.set({ state: each }, each === state ? 1 : 0);
    metrics.captureLeader.set(streams() ? 1 : 0);
  }

  /** A verdict that cannot be given now is given when the run is looked at again, or says then why not. */
  function judged(call: string, recorded: Recorded) {
    const judgement = judges.get(call)?.(recorded) ?? Promise.resolve(undefined);
    judgement
      .catch(() => undefined)
      .then((given) => tell({ type: "judged", call, judgement: given }))
      .catch(() => undefined);
  }

  function spawn() {
    const thread = new Worker(threadUrl("capture"));
    thread.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === "stopped") stopped();
      else if (data.type === "state") {
        state = data.state;
        reason = data.reason ?? reason;
        plugin = data.plugin ?? plugin;
        showState();
        changed();
      } else if (data.type === "count") counters[data.what](data.by, data.label ?? "");
      else if (data.type === "judge") judged(data.call, data.recorded);
      else arrive(`${data.type} ${data.run}`, data.type === "stored" ? data.diff : undefined);
    };
    thread.onerror = ({ message }) => {
      log.error("capture thread died", { message });
      state = "failing";
      showState();
      setTimeout(() => {
        if (!stopping) worker = spawn();
      }, WORKER_RESTART_MS);
    };
    thread.postMessage({ type: "begin", options, logOptions, instance } satisfies ToWorker);
    return thread;
  }

  return {
    instance,

    get state() {
      return state;
    },

    get plugin() {
      return plugin;
    },

    /** Returns once a server streams. */
    async ready() {
      if (streams()) return;
      tell({ type: "want" });
      const deadline = performance.now() + READY_MS;
      while (!streams() && state !== "following") {
        if (performance.now() > deadline) throw unavailable(reason);
        if (state === "failing") await pool`select 1`; // throws at once where Postgres itself is away
        await Promise.race([
          new Promise<void>((resolve) => (changed = resolve)),
          Bun.sleep(POLL_MS),
        ]);
      }
    },

    /** A run ended that another server may have recorded before it died. */
    nudge: () => {
      if (!streams()) tell({ type: "want" });
    },

    judges,

    /** Several calls may wait for the same: of those that end a run only one will, and the others forget. */
    expect(what: "seen" | "stored", run: string) {
      const news = `${what} ${run}`;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const others = waiting.get(news) ?? new Set();
      waiting.set(news, others.add(resolve));
      const forget = () => {
        others.delete(resolve);
        if (others.size === 0) waiting.delete(news);
      };
      return { promise, forget };
    },

    async stop() {
      stopping = true;
      const done = new Promise<void>((resolve) => (stopped = resolve));
      tell({ type: "stop" });
      await Promise.race([done, Bun.sleep(WORKER_STOP_MS)]);
      worker.terminate();
      await unlisten().catch(() => undefined);
    },
  };
}
