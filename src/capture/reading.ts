/** One connection that streams: from START_REPLICATION until it ends, for whatever reason. */
import { type Decode, formatLsn, type Lsn, parseLsn } from "~/capture/change";
import { diffLists, evidenceLists, RUN_BYTES_MAX, reasonOf } from "~/capture/limits";
import { createPgoutputDecoder } from "~/capture/pgoutput";
import { type ReplicationClient, standbyStatus } from "~/capture/protocol";
import { createRecorder, type Ended, type Taken } from "~/capture/recorder";
import * as results from "~/capture/results";
import type { Plugin, Slot } from "~/capture/slot";
import { decodeWal2json } from "~/capture/wal2json";
import { isUnavailable, isUnreachable, type Pool } from "~/db/connect";
import { createGate } from "~/gate";
import { errorFields, type Log } from "~/log";

/**
 * idle: no runs, no slot. starting: about to stream. streaming: this server reads the slot. following: another one
 * does. busy: the slot cannot be made yet. failing: the last attempt ended with an error.
 */
export type StreamState = "idle" | "starting" | "streaming" | "following" | "busy" | "failing";

export type StreamEvent =
  | {
      readonly type: "state";
      readonly state: StreamState;
      readonly reason?: string;
      /** Of the slot that is read, here or elsewhere. */
      readonly plugin?: Plugin;
    }
  /** The start mark of a run of this server was read: its changes will be. */
  | { readonly type: "seen"; readonly run: string }
  /** What a run of this server has changed, for its verdict. */
  | { readonly type: "judge"; readonly call: string; readonly recorded: Recorded }
  /** The result of a run of this server is stored. */
  | {
      readonly type: "stored";
      readonly run: string;
      /** JSON text, when that is what was stored. */
      readonly diff?: string;
    }
  /** Something to be counted. */
  | {
      readonly type: "count";
      readonly what: Counted;
      readonly by: number;
      readonly label?: string;
    };

/**
 * messages: read, by kind. skipped: of no run. changes: rows of a run's result. lost: runs that failed, by reason.
 * reconnects: streams that ended early, by reason. poison: transactions given up.
 */
export type Counted = "messages" | "skipped" | "changes" | "lost" | "reconnects" | "poison";
/** JSON text. */
export type Recorded = { readonly diff: string; readonly evidence: string };
/** Undefined when there is no verdict in time. */
export type Judge = (run: string, recorded: Recorded) => Promise<results.Judgement | undefined>;

/** `wanted`: a run is about to start on this server, since then. */
export type Demand = { wanted: boolean; since: number };

type Deps = {
  readonly slot: Slot;
  readonly epoch: string;
  readonly client: ReplicationClient;
  readonly demand: Demand;
  readonly enter: (state: StreamState, about?: { reason?: string; plugin?: Plugin }) => void;
  readonly finish: () => void;
  readonly fail: (error: unknown) => void;
  readonly pool: Pool;
  readonly log: Log;
  readonly emit: (event: StreamEvent) => void;
  readonly judge: Judge;
  /** The process that this thread reads for. */
  readonly instance: string;
  readonly idleSeconds: number;
  readonly walBudgetBytes: number;
};

export type Reading = ReturnType<typeof createReading>;

type Outcome = results.Result | { readonly lost: string };

const STATUS_MS = 1_000;
const BUDGET_EVERY = 2; // in units of STATUS_MS
/** A run that was about to start when the stop was announced still gets through. */
const STOP_GRACE_MS = 1_000;
const STORE_RETRY_MS = 200;
/** Postgres is there and does not take a result: it is too large for it, or takes too long. */
const STORE_ATTEMPTS = 3;
/** A text of this length is passed on; of a longer one the server that waits has to read the row. */
const PASS_LENGTH_MAX = 8 * 2 ** 20;
const SEEN_RETRY_MS = 5;
const SEEN_ATTEMPTS = 200;

export function createReading(deps: Deps) {
  const { slot, epoch, client, demand, enter, finish, fail, pool, log, emit, instance } = deps;
  const { idleSeconds, walBudgetBytes } = deps;
  const decode: Decode = slot.plugin === "wal2json" ? decodeWal2json : createPgoutputDecoder();
  const start = parseLsn(slot.confirmed);
  const recorder = createRecorder(start, slot.plugin === "pgoutput", decode, {
    seen,
    ended: (run) => void store(run).catch(fail),
    lost: (run, reason, error) =>
      log.warn("run lost", { run_id: run, reason, ...(error !== undefined && errorFields(error)) }),
  });
  /** Results that were taken from the recorder exist twice, as rows and as text: of large ones, one at a time. */
  const largeOnes = createGate(1);
  let received = start;
  let acknowledged = start;
  let lastBusy = performance.now();
  let ticks = 0;
  let idle = false;
  let streaming = false;
  let closed = false;
  /** Runs that were active when we connected, and the position by which their start marks must have come. */
  let awaited: { runs: Set<string>; until: Lsn } | undefined;
  /** Messages read since the last tick, by kind. */
  const tally = new Map<string, number>();
  let skipped = 0;
  const timer = setInterval(() => void tick().catch(fail), STATUS_MS);
  const count = (what: Counted, by: number, label?: string) =>
    emit({ type: "count", what, by, ...(label !== undefined && { label }) });

  function report() {
    for (const [kind, number] of tally) count("messages", number, kind);
    if (skipped > 0) count("skipped", skipped);
    tally.clear();
    skipped = 0;
  }

  function seen(mark: { run: string; instance: string }) {
    awaited?.runs.delete(mark.run);
    demand.wanted = false;
    if (mark.instance === instance) emit({ type: "seen", run: mark.run });
    else tellSeen(mark.run).catch(fail);
  }

  async function tellSeen(run: string) {
    for (let attempt = 0; attempt < SEEN_ATTEMPTS; attempt++) {
      if (await results.markSeen(pool, run)) return;
      await Bun.sleep(SEEN_RETRY_MS);
    }
  }

  async function store(ended: Ended) {
    const isLarge = recorder.bytesOf(ended.run) > RUN_BYTES_MAX / 8;
    await (isLarge ? largeOnes(() => conclude(ended)) : conclude(ended));
  }

  async function conclude({ run, instance: waiting, evaluate }: Ended) {
    const taken = closed ? undefined : recorder.take(run);
    if (!taken) return;
    const { result, changes } = await written(taken, run, waiting, evaluate);
    const outcome = await keep(run, result, waiting !== instance);
    if (closed && outcome === undefined) return; // the next connection reads it again
    recorder.release(run);
    if (outcome === undefined) log.info("result was not needed", { run_id: run });
    else if ("lost" in outcome) count("lost", 1, outcome.lost);
    else count("changes", changes);
    if (waiting === instance) {
      // With evidence the run is not done: its row is to be looked at.
      const diff =
        outcome && "diff" in outcome && outcome.evidence === undefined ? outcome.diff : undefined;
      const isShort = diff !== undefined && diff.length <= PASS_LENGTH_MAX;
      emit({ type: "stored", run, ...(isShort && { diff }) });
    }
    if (!closed) sendStatus();
  }

  /**
   * Stores a result, or that the run is lost where Postgres does not take it. Returns what was stored; undefined when the
   * run does not wait for one any more, or nothing was.
   */
  async function keep(run: string, result: Outcome, notify: boolean): Promise<Outcome | undefined> {
    for (let attempt = 1; !closed; ) {
      try {
        return (await results.store(pool, epoch, run, result, notify)) ? result : undefined;
      } catch (error) {
        if (!isUnreachable(error) && (attempt++ === STORE_ATTEMPTS || !isUnavailable(error))) {
          log.error("result not stored", { run_id: run, ...errorFields(error) });
          if ("lost" in result) return undefined; // maintenance looks after it
          return await keep(run, { lost: "its result could not be stored" }, notify);
        }
        await Bun.sleep(STORE_RETRY_MS);
      }
    }
    return undefined;
  }

  /**
   * A result as it is stored. What the diff leaves out is written only where a verdict needs it; the verdict itself,
   * if the server that waits for it is this one.
   */
  async function written(
    taken: Taken,
    run: string,
    waiting: string,
    evaluate: string | undefined,
  ): Promise<{ result: Outcome; changes: number }> {
    if ("lost" in taken) return { result: taken, changes: 0 };
    const { fold, events } = taken;
    const changes = fold.size;
    try {
      const lists = { diff: diffLists(), evidence: evaluate ? evidenceLists() : undefined };
      fold.drain(lists.diff.lists, lists.evidence?.lists);
      const result = { diff: lists.diff.text(), events: events.text() };
      const evidence = lists.evidence?.text();
      if (evaluate === undefined || evidence === undefined) return { result, changes };
      const isShort = result.diff.length + evidence.length <= PASS_LENGTH_MAX;
      const judgement =
        waiting === instance && isShort
          ? await deps.judge(evaluate, { diff: result.diff, evidence })
          : undefined;
      return { result: { ...result, ...(judgement ? { judgement } : { evidence }) }, changes };
    } catch (error) {
      const lost = reasonOf(error, "its result could not be written");
      log.error("run lost", { run_id: run, reason: lost, ...errorFields(error) });
      return { result: { lost }, changes };
    }
  }

  /**
   * A held position is sent once, then only as "received": a server that is told to stop waits for what was
   * flushed to catch up with what was sent, and would wait for us.
   */
  function sendStatus() {
    const { safe } = recorder;
    const holding = recorder.held.length > 0;
    const flushed = safe > acknowledged || !holding ? safe : 0n;
    if (flushed > acknowledged) acknowledged = flushed;
    client.connection.sendCopyFromChunk(standbyStatus(received, flushed));
  }

  function reached(lsn: Lsn) {
    if (lsn > received) received = lsn;
    if (!awaited || received < awaited.until) return;
    const { runs } = awaited;
    awaited = undefined;
    for (const run of runs) {
      log.error("run lost", { run_id: run, reason: "slot does not reach back to its start" });
      count("lost", 1, "slot dropped");
      results.lose(pool, run, "slot dropped").catch(fail);
    }
  }

  async function tick() {
    ticks++;
    sendStatus();
    report();
    if (recorder.held.length > 0 || demand.wanted) lastBusy = performance.now();
    if (ticks % BUDGET_EVERY === 0 && recorder.held.length > 0) await enforceBudget();
    if (demand.wanted && performance.now() - demand.since > idleSeconds * 1000)
      demand.wanted = false;
    if (performance.now() - lastBusy > idleSeconds * 1000 && !idle) await stopIdle();
  }

  async function enforceBudget() {
    const [oldest] = recorder.held;
    const retained = await results.retainedBytes(pool, formatLsn(recorder.safe));
    if (!oldest || retained <= walBudgetBytes) return;
    log.error("run lost", { run_id: oldest, reason: "wal budget", retained_bytes: retained });
    await results.lose(pool, oldest, "wal budget");
    count("lost", 1, "wal budget");
    recorder.release(oldest);
    emit({ type: "stored", run: oldest });
    sendStatus();
  }

  async function stopIdle() {
    idle = true;
    if (await results.hasActive(pool)) {
      idle = false;
      lastBusy = performance.now();
      return;
    }
    await results.setState(pool, epoch, "idle");
    enter("starting"); // a new run waits until we stream again, here or elsewhere
    await Bun.sleep(STOP_GRACE_MS);
    if (!demand.wanted && recorder.held.length === 0 && !(await results.hasActive(pool))) {
      finish();
      return;
    }
    idle = false;
    lastBusy = performance.now();
    await results.setState(pool, epoch, "streaming");
    enter("streaming", { plugin: slot.plugin });
  }

  return {
    recorder,
    get idle() {
      return idle;
    },
    get streaming() {
      return streaming;
    },
    started() {
      streaming = true;
      const begin = async () => {
        const { runs, until } = await results.activeRuns(pool);
        awaited = {
          runs: new Set(runs.filter((run) => !recorder.has(run))),
          until: parseLsn(until),
        };
        await results.setState(pool, epoch, "streaming");
        log.info("capture streams", {
          slot: slot.name,
          plugin: slot.plugin,
          epoch: String(epoch),
        });
        enter("streaming", { plugin: slot.plugin });
      };
      begin().catch(fail);
    },
    data(lsn: Lsn, data: Buffer) {
      const kind = recorder.read(data, lsn);
      if (kind) tally.set(kind, (tally.get(kind) ?? 0) + 1);
      else skipped++;
      if (kind === "commit") reached(lsn);
      else if (lsn > received) received = lsn;
    },
    heartbeat(lsn: Lsn, reply: boolean) {
      recorder.caughtUp(lsn);
      reached(lsn);
      if (reply) sendStatus();
    },
    close() {
      closed = true;
      clearInterval(timer);
      report();
    },
  };
}
