/** One replication connection, from START_REPLICATION until it ends. */
import { type Decode, formatLsn, type Lsn, parseLsn } from "~/capture/change";
import type { Fold } from "~/capture/fold";
import { createGarbage } from "~/capture/garbage";
import { RUN_BYTES_MAX } from "~/capture/limits";
import { clockChanges, diffLists, evidenceLists } from "~/capture/lists";
import { LOSSES, type Loss, lossOf } from "~/capture/loss";
import { createPgoutputDecoder } from "~/capture/pgoutput";
import type { Detour } from "~/capture/poison";
import { type ReplicationClient, standbyStatus } from "~/capture/protocol";
import { createRecorder, type Ended, type Taken } from "~/capture/recorder";
import type { Records, Result, StoredVerdict } from "~/capture/records";
import { findWidened } from "~/capture/relations";
import { BEHIND_BYTES, distances, flushLog, type Plugin, type Slot } from "~/capture/slot";
import { createStoring, type Outcome, STORE_RETRY_MS } from "~/capture/storing";
import { decodeWal2json } from "~/capture/wal2json";
import { isUnavailable, type Pool } from "~/db/connect";
import { errorFields, type Log } from "~/log";
import { createSemaphore } from "~/semaphore";

/**
 * idle: no runs, no slot. starting: about to stream. streaming: this server reads the slot. following: another server
 * does. busy: the slot cannot be created yet. failing: the last attempt ended with an error.
 */
export type StreamState = "idle" | "starting" | "streaming" | "following" | "busy" | "failing";

export type StreamEvent =
  | {
      readonly type: "state";
      readonly state: StreamState;
      readonly reason?: string;
      /** Plugin of the slot that is read, here or elsewhere. */
      readonly plugin?: Plugin;
    }
  /** The changes of a run of this server, for its verdict. */
  | { readonly type: "evaluate"; readonly call: string; readonly recorded: Recorded }
  /** The result of a run of this server is stored. */
  | {
      readonly type: "stored";
      readonly run: string;
      /** JSON text, if that was stored. */
      readonly diff?: string;
    }
  /** Increments a metric. */
  | {
      readonly type: "count";
      readonly what: Counted;
      readonly by: number;
      readonly label?: string;
    }
  /** Runs that failed. */
  | { readonly type: "lost"; readonly by: number; readonly loss: Loss };

/**
 * messages: read, by kind. skipped: of no run. changes: rows of a run's result. reconnects: streams that ended early,
 * by reason. poison: undecodable transactions. marker: seconds from writing a start mark to reading it.
 */
export type Counted = "messages" | "skipped" | "changes" | "reconnects" | "poison" | "marker";
/** JSON text. */
export type Recorded = Pick<Result, "diff" | "clock" | "events"> & { readonly evidence: string };
/** Returns undefined if there is no verdict in time. */
export type Evaluate = (run: string, recorded: Recorded) => Promise<StoredVerdict | undefined>;

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
  readonly records: Records;
  readonly pool: Pool;
  readonly log: Log;
  readonly emit: (event: StreamEvent) => void;
  readonly evaluate: Evaluate;
  /** The server process that this thread belongs to. */
  readonly instance: string;
  readonly idleSeconds: number;
  readonly walBudgetBytes: number;
  /** Avoids a transaction that cannot be decoded. */
  readonly detour: Detour | undefined;
};

export type ReplicationSession = ReturnType<typeof createReplicationSession>;

const STATUS_MS = 1_000;
const LOOK_EVERY = 2; // in units of STATUS_MS
/** Memory of a run that may be read again to replace a lost result: little, so that others fail before it. */
const REPEATABLE_BYTES_MAX = 64 * 1024;
/** Texts up to this length are passed on; for a longer one the waiting server reads the row. */
const PASS_LENGTH_MAX = 8 * 2 ** 20;

/** wal2json's warning about an update or delete that it cannot show. */
const LEFT_OUT = /^no tuple identifier for \w+ in table "([^"]+)"/;

export function createReplicationSession(deps: Deps) {
  const { slot, epoch, client, demand, enter, finish, fail, pool, log, emit, instance } = deps;
  const { idleSeconds, walBudgetBytes, detour } = deps;
  const { runs, leadership } = deps.records;
  const decode: Decode = slot.plugin === "wal2json" ? decodeWal2json : createPgoutputDecoder();
  const confirmed = parseLsn(slot.confirmed);
  const start = detour?.from !== undefined && detour.from > confirmed ? detour.from : confirmed;
  const unread = detour?.schemas ?? [];
  const recorder = createRecorder(start, slot.plugin === "pgoutput", unread, decode, {
    seen,
    ended: (run) => void store(run).catch(fail),
    lost: (run, loss, error) =>
      log.warn("run lost", {
        run_id: run,
        reason: LOSSES[loss],
        ...(error !== undefined && errorFields(error)),
      }),
  });
  /** A result exists twice while it is stored, as rows and as text: large ones go one at a time. */
  const largeOnes = createSemaphore(1);
  let received = start;
  let acknowledged = start;
  let lastBusy = performance.now();
  let ticks = LOOK_EVERY - 1;
  let ticking = false;
  let idle = false;
  let streaming = false;
  let closed = false;
  /** Date.now() when the stream began: earlier marks are read late, or again. */
  let startedAt = Date.now();
  /** Other servers know that this one is behind. */
  let isBehindKnown = true;
  /** The slot retains more log than it may. */
  let isOverBudget = false;
  const keep = createStoring({
    ...{ runs, pool, epoch, log },
    isClosed: () => closed,
    isOverBudget: () => isOverBudget,
  });
  /** Held runs that had no active row at the last check. */
  let unclaimed: ReadonlySet<string> = new Set();
  /** Runs that were active at connection time, and the position by which their start marks must have arrived. */
  let awaited: { runs: Set<string>; until: Lsn } | undefined;
  /** Messages read since the last tick, by kind. */
  const tally = new Map<string, number>();
  let skipped = 0;
  const garbage = createGarbage();
  const timer = setInterval(() => {
    if (ticking) return;
    ticking = true;
    tick()
      .catch((error) => {
        // The next tick retries: only the stream's own connection ends the stream.
        if (!isUnavailable(error)) fail(error);
      })
      .finally(() => {
        ticking = false;
      });
  }, STATUS_MS);
  const count = (what: Counted, by: number, label?: string) =>
    emit({ type: "count", what, by, ...(label !== undefined && { label }) });

  function report() {
    for (const [kind, number] of tally) count("messages", number, kind);
    if (skipped > 0) count("skipped", skipped);
    tally.clear();
    skipped = 0;
  }

  function seen({ run, at }: { run: string; at: number }) {
    awaited?.runs.delete(run);
    demand.wanted = false;
    if (at >= startedAt) count("marker", Math.max(0, Date.now() - at) / 1000);
  }

  /** Repeats `work` while the database is unreachable. Returns undefined if the stream has ended meanwhile. */
  async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!closed)
      try {
        return await work();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await Bun.sleep(STORE_RETRY_MS);
      }
    return undefined;
  }

  async function store(ended: Ended) {
    const isLarge = recorder.bytesOf(ended.run) > RUN_BYTES_MAX / 8;
    await (isLarge ? largeOnes(() => conclude(ended)) : conclude(ended));
  }

  async function conclude({ run, instance: waiting, evaluate, altered }: Ended) {
    const isSmall = recorder.bytesOf(run) <= REPEATABLE_BYTES_MAX;
    let taken = closed ? undefined : recorder.take(run);
    if (!taken) return;
    if (altered && "fold" in taken && !(await isHarmless(altered, taken.fold)))
      taken = { lost: "table_altered" };
    const { result, changes } = await written(taken, run, waiting, evaluate);
    const isRepeatable = isSmall && altered === undefined && "diff" in result;
    const outcome = await keep(run, result, { notify: waiting !== instance, isRepeatable });
    if ("diff" in result) garbage.add(result.diff.length * 3);
    if (closed && outcome === undefined) return; // the next connection reads it again
    if (outcome === undefined) log.info("result was not needed", { run_id: run });
    else if ("lost" in outcome) emit({ type: "lost", by: 1, loss: outcome.lost });
    else count("changes", changes);
    if (waiting === instance) {
      // A run that waits for its verdict is not done: the caller reads its row.
      const diff = outcome && "diff" in outcome && !outcome.isPending ? outcome.diff : undefined;
      const isShort = diff !== undefined && diff.length <= PASS_LENGTH_MAX;
      emit({ type: "stored", run, ...(isShort && { diff }) });
    }
  }

  /** Whether only columns were added and all changes of those tables are complete. */
  async function isHarmless(altered: NonNullable<Ended["altered"]>, fold: Fold): Promise<boolean> {
    const { schema, before, after } = altered;
    const widened = await findWidened(pool, schema, before, after).catch(() => undefined);
    return widened !== undefined && !widened.some(fold.isBare);
  }

  /**
   * Builds the result to store, with the evidence for verdicts, and with the verdict itself if this server waits for it.
   */
  async function written(
    taken: Taken,
    run: string,
    waiting: string,
    evaluate: string | undefined,
  ): Promise<{ result: Outcome; changes: number }> {
    if ("lost" in taken) return { result: taken, changes: 0 };
    const { fold, ofClock } = taken;
    const changes = fold.size;
    try {
      const lists = { diff: diffLists(), evidence: evidenceLists(evaluate !== undefined) };
      fold.drain(lists.diff.lists, lists.evidence.lists);
      const clock = clockChanges();
      ofClock?.drain(clock.diff, clock.evidence);
      garbage.add((lists.diff.length + lists.evidence.length) * 2);
      const evidence = lists.evidence.isGivenUp ? undefined : lists.evidence.text();
      const result = {
        diff: lists.diff.text(),
        evidence,
        clock: clock.text(),
        ...taken.events.written(),
        isPending: false,
      };
      if (evaluate === undefined || evidence === undefined) return { result, changes };
      // Copied to the server's thread: only what a verdict needs.
      const recorded = { diff: result.diff, clock: result.clock, events: result.events, evidence };
      const length = result.diff.length + evidence.length + result.events.length;
      const verdict =
        waiting === instance && length <= PASS_LENGTH_MAX
          ? await deps.evaluate(evaluate, recorded)
          : undefined;
      return { result: { ...result, ...(verdict ? { verdict } : { isPending: true }) }, changes };
    } catch (error) {
      const lost = lossOf(error, "result_unwritable");
      log.error("run lost", { run_id: run, reason: LOSSES[lost], ...errorFields(error) });
      return { result: { lost }, changes };
    }
  }

  /**
   * Sends a held position once, then only as "received": a server that shuts down waits until everything sent is
   * flushed, and would wait for us.
   */
  function sendStatus() {
    const { safe } = recorder;
    const flushed = safe > acknowledged || recorder.holding === 0 ? safe : 0n;
    if (flushed > acknowledged) acknowledged = flushed;
    client.connection.sendCopyFromChunk(standbyStatus(received, flushed));
  }

  function reached(lsn: Lsn) {
    if (lsn > received) received = lsn;
    if (detour && recorder.lastCommit > detour.after) detour.passed ??= recorder.lastCommit;
    if (!awaited || received < awaited.until) return;
    const missing = awaited.runs;
    awaited = undefined;
    for (const run of missing) {
      log.error("run lost", { run_id: run, reason: "slot does not reach back to its start" });
      emit({ type: "lost", by: 1, loss: "slot_dropped" });
      patiently(() => runs.lose(pool, { run }, "slot_dropped")).catch(fail);
    }
  }

  async function tick() {
    ticks++;
    sendStatus();
    report();
    garbage.tick();
    if (unread.length > 0 && detour?.passed !== undefined && recorder.safe >= detour.passed)
      return finish(); // the next connection reads everything
    if (recorder.holding > 0 || demand.wanted) lastBusy = performance.now();
    if (ticks % LOOK_EVERY === 0) {
      await releaseEnded();
      await look();
    }
    if (demand.wanted && performance.now() - demand.since > idleSeconds * 1000)
      demand.wanted = false;
    if (performance.now() - lastBusy > idleSeconds * 1000 && !idle) await stopIdle();
  }

  /** Compares the read position with the end of the log: reports a backlog, and enforces the budget. */
  async function look() {
    const { unread, retained } = await distances(pool, {
      received: formatLsn(received),
      safe: formatLsn(recorder.safe),
    });
    const isBehind = unread > BEHIND_BYTES;
    if (isBehind || isBehindKnown)
      await leadership.setReadTo(pool, epoch, isBehind ? formatLsn(received) : null);
    isBehindKnown = isBehind;
    isOverBudget = retained > walBudgetBytes;
    const [oldest] = recorder.held;
    if (!oldest || !isOverBudget) return;
    const lost = await runs.lose(pool, { running: oldest }, "wal_budget");
    if (lost === 0) return; // its end is in the log that is still to be read
    log.error("run lost", { run_id: oldest, reason: LOSSES.wal_budget, retained_bytes: retained });
    emit({ type: "lost", by: lost, loss: "wal_budget" });
    recorder.release(oldest);
    emit({ type: "stored", run: oldest });
    sendStatus();
  }

  /**
   * Releases runs that ended without a mark. A run must be missing from two checks: the log shows a commit a moment
   * before its row is visible. Its result may be visible a moment before it is on disk.
   */
  async function releaseEnded() {
    const { held } = recorder;
    const active = new Set(held.length > 0 ? await runs.activeAmong(pool, held) : []);
    const inactive = held.filter((run) => !active.has(run));
    const over = inactive.filter((run) => unclaimed.has(run));
    unclaimed = new Set(inactive);
    if (over.length === 0) return;
    await flushLog(pool);
    log.warn("the slot was held by ended runs", { count: over.length, first: over[0] });
    for (const run of over) recorder.release(run);
    sendStatus();
  }

  async function stopIdle() {
    if (await runs.hasActive(pool)) {
      lastBusy = performance.now();
      return;
    }
    idle = true;
    finish();
  }

  return {
    recorder,
    slot,
    epoch,
    get idle() {
      return idle;
    },
    get streaming() {
      return streaming;
    },
    started() {
      streaming = true;
      startedAt = Date.now();
      enter("streaming", { plugin: slot.plugin });
      log.info("capture streams", { slot: slot.name, plugin: slot.plugin, epoch: String(epoch) });
      const begin = async () => {
        const active = await patiently(() => runs.activeRuns(pool));
        if (!active) return;
        awaited = {
          runs: new Set(active.runs.filter((run) => !recorder.has(run))),
          until: parseLsn(active.until),
        };
      };
      begin().catch(fail);
    },
    data(lsn: Lsn, data: Buffer) {
      const { holding } = recorder;
      const kind = recorder.read(data, lsn);
      if (recorder.holding < holding) sendStatus();
      garbage.add(data.length);
      if (kind) tally.set(kind, (tally.get(kind) ?? 0) + 1);
      else skipped++;
      if (kind === "commit") reached(lsn);
      else if (lsn > received) received = lsn;
    },
    /** A warning of Postgres while it decodes. */
    notice(message: string) {
      const [, schema] = LEFT_OUT.exec(message) ?? [];
      if (schema !== undefined) recorder.leftOut(schema);
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
