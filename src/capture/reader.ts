/** Client of the thread that reads the log. */

import { lossLabel } from "~/capture/loss";
import type { Records, StoredVerdict } from "~/capture/records";
import type { Plugin } from "~/capture/slot";
import type { StreamOptions } from "~/capture/stream";
import type { Counted, Recorded, StreamState } from "~/capture/stream-events";
import type { FromWorker, ToWorker } from "~/capture/worker";
import type { Pool } from "~/db/connect";
import { unavailable } from "~/errors";
import type { Log, LogOptions } from "~/log";
import type { Metrics } from "~/metrics";

/** Gives a verdict on recorded changes. */
/** Without a verdict, the run is left `evaluating`. */
export type Evaluator = (recorded: Recorded) => Promise<StoredVerdict | undefined>;

/** How often to check the database while waiting for a state. */
const POLL_MS = 250;
const WORKER_STOP_MS = 5_000;
const WORKER_RESTART_MS = 1_000;

const STATES: readonly StreamState[] = [
  "idle",
  "starting",
  "streaming",
  "following",
  "busy",
  "failing",
];

/** Runs the worker that reads the log, and reports its state. Restarts it if it dies. */
export async function createReader({
  options,
  records,
  worker: url,
  logOptions,
  pool,
  log,
  metrics,
}: {
  options: StreamOptions;
  records: Records;
  worker: string;
  logOptions: LogOptions;
  pool: Pool;
  log: Log;
  metrics: Metrics;
}) {
  /** Identifies the waiting server to the leader, in the marks. */
  const instance = crypto.randomUUID().slice(0, 8);
  /** By run. */
  const waiting = new Map<string, Set<(diff?: string) => void>>();
  let state: StreamState = "idle";
  let reason = "capture is starting";
  let plugin: Plugin | undefined;
  let changed: () => void = () => {};
  let stopped: () => void = () => {};
  let stopping = false;
  let worker = spawn();
  const streams = () => state === "streaming";
  const reads = () => streams() || state === "following";
  /** By the call that will give the verdict. */
  const evaluators = new Map<string, Evaluator>();
  const send = (message: ToWorker) => worker.postMessage(message);
  const arrive = (run: string, diff?: string) => {
    for (const resolve of waiting.get(run) ?? []) resolve(diff);
  };
  const counters: Record<Counted, (by: number, label: string) => void> = {
    messages: (by, action) => metrics.captureMessages.inc({ action }, by),
    skipped: (by) => metrics.captureSkipped.inc(by),
    changes: (rows) => metrics.runChanges.observe(rows),
    reconnects: (by, reason) => metrics.captureReconnects.inc({ reason }, by),
    poison: (by) => metrics.capturePoison.inc(by),
    marker: (seconds) => metrics.captureMarker.observe(seconds),
  };
  showState();
  const { unlisten } = await records.runs.onStored(pool, (run) => arrive(run));

  function showState() {
    for (const each of STATES) metrics.captureState.set({ state: each }, each === state ? 1 : 0);
    metrics.captureLeader.set(streams() ? 1 : 0);
  }

  /**
   * Evaluates a run for the thread. If that fails now, it is retried when the run is read, and reports its error then.
   */
  function evaluated(call: string, recorded: Recorded) {
    const verdict = evaluators.get(call)?.(recorded) ?? Promise.resolve(undefined);
    verdict
      .catch(() => undefined)
      .then((given) => send({ type: "evaluated", call, verdict: given }))
      .catch(() => undefined);
  }

  function spawn() {
    const thread = new Worker(url);
    thread.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === "stopped") stopped();
      else if (data.type === "state") {
        state = data.state;
        reason = data.reason ?? reason;
        plugin = data.plugin ?? plugin;
        showState();
        changed();
      } else if (data.type === "count") counters[data.what](data.by, data.label ?? "");
      else if (data.type === "lost")
        metrics.runsFailed.inc({ reason: lossLabel(data.loss) }, data.by);
      else if (data.type === "evaluate") evaluated(data.call, data.recorded);
      else arrive(data.run, data.diff);
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

    want: () => send({ type: "want" }),

    /** Waits for a slot, here or on another server, and returns its plugin. Throws 503 after `deadline`. */
    async ready(deadline: number): Promise<Plugin> {
      if (!reads()) send({ type: "want" });
      while (!reads() || !plugin) {
        if (performance.now() > deadline) throw unavailable(reason);
        if (state === "failing") await pool`select 1`; // throws immediately if Postgres is unreachable
        await Promise.race([
          new Promise<void>((resolve) => (changed = resolve)),
          Bun.sleep(POLL_MS),
        ]);
      }
      return plugin;
    },

    /** Wakes the reader: there is something to read, and the server that was reading may have died. */
    nudge: () => {
      if (!streams()) send({ type: "want" });
    },

    evaluators,

    /**
     * Waits for the result of a run. Several calls may wait; only one of those that end a run gets it, and the others
     * stop waiting.
     */
    expect(run: string) {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const others = waiting.get(run) ?? new Set();
      waiting.set(run, others.add(resolve));
      const forget = () => {
        others.delete(resolve);
        if (others.size === 0) waiting.delete(run);
      };
      return { promise, forget };
    },

    async stop() {
      stopping = true;
      const done = new Promise<void>((resolve) => (stopped = resolve));
      send({ type: "stop" });
      await Promise.race([done, Bun.sleep(WORKER_STOP_MS)]);
      worker.terminate();
      await unlisten().catch(() => undefined);
    },
  };
}
