/** One replication connection, from START_REPLICATION until it ends. */
import { createAwaited } from "~/capture/awaited";
import { type Decode, type Lsn, parseLsn } from "~/capture/change";
import { createGarbage } from "~/capture/garbage";
import { LOSSES } from "~/capture/loss";
import { createPgoutputDecoder } from "~/capture/pgoutput";
import type { Detour } from "~/capture/poison";
import { type ReplicationClient, standbyStatus } from "~/capture/protocol";
import { createRecorder } from "~/capture/recorder";
import type { Records } from "~/capture/records";
import { createResults } from "~/capture/results";
import { createRetention } from "~/capture/retention";
import type { Plugin, Slot } from "~/capture/slot";
import type { Evaluate, StreamEvent, StreamState } from "~/capture/stream-events";
import { createTally } from "~/capture/tally";
import { decodeWal2json } from "~/capture/wal2json";
import { type Demand, isWorn, renew } from "~/capture/wear";
import { isUnavailable, type Pool } from "~/db/connect";
import { errorFields, type Log } from "~/log";

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
  readonly schemasMax?: number;
  /** Avoids a transaction that cannot be decoded. */
  readonly detour: Detour | undefined;
};

export type ReplicationSession = ReturnType<typeof createReplicationSession>;

const STATUS_MS = 1_000;
const LOOK_EVERY = 2; // in units of STATUS_MS

/** wal2json's warning about an update or delete that it cannot show. */
const LEFT_OUT = /^no tuple identifier for \w+ in table "([^"]+)"/;

export function createReplicationSession(deps: Deps) {
  const { slot, epoch, client, demand, enter, finish, fail, pool, log, emit, instance } = deps;
  const { idleSeconds, walBudgetBytes, detour } = deps;
  const { runs } = deps.records;
  const decode: Decode = slot.plugin === "wal2json" ? decodeWal2json : createPgoutputDecoder();
  const confirmed = parseLsn(slot.confirmed);
  const start = detour?.from !== undefined && detour.from > confirmed ? detour.from : confirmed;
  const unread = detour?.schemas ?? [];
  const recorder = createRecorder(start, slot.plugin === "pgoutput", unread, decode, {
    seen,
    ended: (ended) => void store(ended).catch(fail),
    lost: (run, loss, error) =>
      log.warn("run lost", {
        run_id: run,
        reason: LOSSES[loss],
        ...(error !== undefined && errorFields(error)),
      }),
  });
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
  const tally = createTally(emit);
  const garbage = createGarbage();
  const isClosed = () => closed;
  const shared = { recorder, records: deps.records, runs, pool, epoch, log, emit };
  const awaited = createAwaited({ ...shared, isClosed, fail });
  const retention = createRetention({
    ...shared,
    walBudgetBytes,
    received: () => received,
    sendStatus,
  });
  const { isOverBudget } = retention;
  const store = createResults({
    ...shared,
    garbage,
    evaluate: deps.evaluate,
    instance,
    isClosed,
    isOverBudget,
  });
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
  function seen({ run, at }: { run: string; at: number }) {
    awaited.seen(run);
    demand.wanted = false;
    if (at >= startedAt) tally.count("marker", Math.max(0, Date.now() - at) / 1000);
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
    awaited.reached(received);
  }

  async function tick() {
    ticks++;
    sendStatus();
    tally.report();
    garbage.tick();
    if (unread.length > 0 && detour?.passed !== undefined && recorder.safe >= detour.passed)
      return finish(); // the next connection reads everything
    if (isWorn(recorder, { start, received }, deps.schemasMax)) return renew(demand, finish);
    if (recorder.holding > 0 || demand.wanted) lastBusy = performance.now();
    if (ticks % LOOK_EVERY === 0) await retention.check();
    if (demand.wanted && performance.now() - demand.since > idleSeconds * 1000)
      demand.wanted = false;
    if (performance.now() - lastBusy > idleSeconds * 1000 && !idle) await stopIdle();
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
      awaited.begin().catch(fail);
    },
    data(lsn: Lsn, data: Buffer) {
      const { holding } = recorder;
      const kind = recorder.read(data, lsn);
      if (recorder.holding < holding) sendStatus();
      garbage.add(data.length);
      tally.add(kind);
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
      tally.report();
    },
  };
}
