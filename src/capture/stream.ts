/**
 * Reads the slot, as long as somebody needs it and nobody else does.
 *
 * One server leads: it holds an advisory lock in the very session that streams, so that lock and stream end
 * together. What it acknowledges is never past the start mark of a run whose result is not stored: after any death
 * the next leader reads from there again. Without runs the slot is dropped, because a slot that nobody reads keeps
 * log and catalog rows for ever.
 */
import { LogicalReplicationService } from "pg-logical-replication";
import { type Decode, formatLsn, type Lsn, parseLsn } from "~/capture/change";
import { createPgoutputDecoder } from "~/capture/pgoutput";
import { createRecorder, type Outcome, type Recorder } from "~/capture/recorder";
import * as results from "~/capture/results";
import {
  createSlot,
  dropSlot,
  findSlot,
  type Plugin,
  type Slot,
  SlotBusy,
  slotName,
  startReplication,
} from "~/capture/slot";
import { decodeWal2json } from "~/capture/wal2json";
import { errorCode, isUnavailable, type Pool, SESSION } from "~/db/connect";
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
  /** The result of a run of this server is stored. */
  | { readonly type: "stored"; readonly run: string };

export type StreamOptions = {
  readonly url: string;
  readonly plugin: Plugin;
  readonly walBudgetBytes: number;
  readonly idleSeconds: number;
};

type Deps = StreamOptions & {
  readonly pool: Pool;
  readonly log: Log;
  /** The process that this thread reads for. */
  readonly instance: string;
  readonly emit: (event: StreamEvent) => void;
};

/** Both halves of the advisory lock's key; the second is the database, as locks are per database anyway. */
const LOCK_CLASS = 0x6469_6f72; // "dior"
const LEADER_LOCK = 1;

const POLL_MS = 1_000;
/** While idle, a slot that somebody left behind is looked for this often, in units of POLL_MS. */
const DROP_EVERY = 30;
const FOLLOW_MS = 300;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;
const STATUS_MS = 1_000;
const BUDGET_EVERY = 2; // in units of STATUS_MS
/** A run that was about to start when the stop was announced still gets through. */
const STOP_GRACE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** The same position failed this often: what stands there cannot be decoded. */
const POISON_ATTEMPTS = 3;
const STORE_RETRY_MS = 200;
const SENDER_TIMEOUT = "15s";

class NotLeader extends Error {}
/** Something in the stream itself, not in the connection, went wrong. */
class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** The part of pg's client that the library keeps to itself. */
type ReplicationClient = {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
  connection: { sendCopyFromChunk(chunk: Buffer): void };
};

/** What the library asks for: starts the stream after our own preparations, and hands out the bytes as they are. */
const rawPlugin = (begin: (client: ReplicationClient) => Promise<string>) => ({
  name: "raw",
  options: {},
  async start(client: unknown) {
    const replication = client as ReplicationClient;
    return replication.query(await begin(replication));
  },
  parse: (data: Buffer) => data,
});

export type Stream = ReturnType<typeof createStream>;

export function createStream(deps: Deps) {
  const { pool, log, emit, instance } = deps;
  let stopping = false;
  let wanted = false; // a run is about to start on this server
  let wantedAt = 0;
  let wake: () => void = () => {};
  let closeStream: (() => void) | undefined;
  let state: StreamState = "idle";
  const poison = { position: "", attempts: 0 };

  const enter = (next: StreamState, about: { reason?: string; plugin?: Plugin } = {}) => {
    if (next === state && Object.keys(about).length === 0) return;
    log.debug("capture state", { state: next, ...about });
    state = next;
    emit({ type: "state", state: next, ...about });
  };

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function supervise() {
    let retryMs = RETRY_MS_MIN;
    let idlePolls = 0;
    while (!stopping) {
      try {
        if (!wanted && !(await results.hasActive(pool))) {
          enter("idle");
          if (idlePolls++ % DROP_EVERY === 0) await dropUnused();
          if (!wanted) await pause(POLL_MS);
          continue;
        }
        if (state === "idle") enter("starting");
        idlePolls = 0;
        await lead();
        retryMs = RETRY_MS_MIN;
      } catch (error) {
        if (stopping) break;
        if (error instanceof NotLeader) {
          const other = await results.leader(pool).catch(() => undefined);
          if (other?.state === "streaming" && other.plugin)
            enter("following", { plugin: other.plugin });
          else enter("starting");
          await pause(FOLLOW_MS);
        } else if (error instanceof SlotBusy) enter("busy", { reason: error.message });
        else {
          log.warn("capture interrupted", { ...errorFields(error), retry_ms: retryMs });
          enter("failing", {
            reason: isUnavailable(error) ? "database unreachable" : "capture failed",
          });
          await pause(retryMs * (0.5 + Math.random() / 2));
          retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
        }
      }
    }
  }

  /** A slot that is left over from a server that died without runs. */
  async function dropUnused() {
    const slot = await findSlot(pool, await slotName(pool));
    if (slot && !slot.active && !(await results.hasActive(pool))) await dropSlot(pool, slot.name);
  }

  /** Becomes leader and streams until there is nothing to do, the connection ends, or a listener throws. */
  async function lead(): Promise<void> {
    const service = new LogicalReplicationService(
      {
        connectionString: deps.url,
        application_name: "diorama capture",
        keepAlive: true,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        options: Object.entries({
          ...SESSION,
          wal_sender_timeout: SENDER_TIMEOUT,
          statement_timeout: "0",
          lock_timeout: "0",
        })
          .filter(([, value]) => value !== "")
          .map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
          .join(" "),
      },
      // The library acknowledges one byte too far, and what it has merely received; we do it ourselves.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
    let session: ReturnType<typeof openSession> | undefined;
    let failure: unknown;
    try {
      await new Promise<void>((resolve, reject) => {
        closeStream = resolve;
        service.on("error", reject);
        service.on("data", (lsn: string, data: Buffer) =>
          guard(reject, () => session?.data(parseLsn(lsn), data)),
        );
        service.on("heartbeat", (lsn: string, _time: number, reply: boolean) =>
          guard(reject, () => session?.heartbeat(parseLsn(lsn), reply)),
        );
        service.on("start", () => guard(reject, () => session?.started()));
        const begin = async (client: ReplicationClient) => {
          const leadership = await takeOver(client);
          session = openSession(client, leadership, resolve, reject);
          return startReplication(leadership.slot, leadership.skipOrigins);
        };
        service.subscribe(rawPlugin(begin), "").then(
          () => reject(new Error("the replication stream ended")),
          (error) => reject(error),
        );
      });
    } catch (error) {
      failure = error;
    }
    closeStream = undefined;
    session?.close();
    await service.destroy().catch(() => undefined);
    if (session?.streaming && failure !== undefined) await notePoison(failure, session.recorder);
    if (failure !== undefined) throw failure;
    if (session?.idle) await dropUnused();
  }

  /** Everything between connecting and streaming. */
  async function takeOver(client: ReplicationClient) {
    const identity = (await client.query("IDENTIFY_SYSTEM")).rows[0] ?? {};
    const lock = await client.query(
      `select pg_try_advisory_lock(${LOCK_CLASS}, ${LEADER_LOCK}) as held`,
    );
    if (lock.rows[0]?.["held"] !== true) throw new NotLeader("another server leads");
    const system = { id: String(identity["systemid"]), timeline: Number(identity["timeline"]) };
    const previous = await results.leader(pool);
    if (
      previous.systemId &&
      (previous.systemId !== system.id || previous.timeline !== system.timeline)
    )
      await results.loseAll(pool, "database changed");
    const slot = await ensureSlot();
    const epoch = await results.beginEpoch(pool, { instance, slot, system });
    return { slot, epoch, skipOrigins: await results.builderOrigins(pool) };
  }

  async function ensureSlot(): Promise<Slot> {
    const name = await slotName(pool);
    let slot = await findSlot(pool, name);
    if (slot?.lost) {
      await results.loseAll(pool, "slot invalidated by max_slot_wal_keep_size");
      log.error("replication slot lost", { slot: name });
      await dropSlot(pool, name);
      slot = undefined;
    }
    if (slot && slot.plugin !== deps.plugin && !(await results.hasActive(pool))) {
      await dropSlot(pool, name);
      slot = undefined;
    }
    if (slot) return slot;
    await createSlot(pool, name, deps.plugin);
    const created = await findSlot(pool, name);
    if (!created) throw new Error("the slot that was just created is gone");
    return created;
  }

  /** What happens on one connection from START_REPLICATION on. */
  function openSession(
    client: ReplicationClient,
    { slot, epoch }: Awaited<ReturnType<typeof takeOver>>,
    finish: () => void,
    fail: (error: unknown) => void,
  ) {
    const decode: Decode = slot.plugin === "wal2json" ? decodeWal2json : createPgoutputDecoder();
    const start = parseLsn(slot.confirmed);
    const recorder = createRecorder(start, slot.plugin === "pgoutput", { seen, ended });
    let received = start;
    let acknowledged = start;
    let lastBusy = performance.now();
    let ticks = 0;
    let idle = false;
    let streaming = false;
    /** Runs that were active when we connected, and the position by which their start marks must have come. */
    let awaited: { runs: Set<string>; until: Lsn } | undefined;
    const timer = setInterval(() => void tick().catch(fail), STATUS_MS);

    function seen(mark: { run: string; instance: string }) {
      awaited?.runs.delete(mark.run);
      wanted = false;
      if (mark.instance === instance) emit({ type: "seen", run: mark.run });
      else results.markSeen(pool, mark.run).catch(fail);
    }

    function ended(outcome: Outcome, waiting: string) {
      store(outcome, waiting).catch(fail);
    }

    async function store(outcome: Outcome, waiting: string) {
      for (;;) {
        try {
          const stored = await results.store(pool, epoch, outcome, waiting !== instance);
          if (!stored) log.info("result was not needed", { run_id: outcome.run });
          break;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          await Bun.sleep(STORE_RETRY_MS);
        }
      }
      recorder.release(outcome.run);
      if (waiting === instance) emit({ type: "stored", run: outcome.run });
      sendStatus();
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
        results.lose(pool, run, "slot dropped").catch(fail);
      }
    }

    async function tick() {
      ticks++;
      sendStatus();
      if (recorder.held.length > 0 || wanted) lastBusy = performance.now();
      if (ticks % BUDGET_EVERY === 0 && recorder.held.length > 0) await enforceBudget();
      if (wanted && performance.now() - wantedAt > deps.idleSeconds * 1000) wanted = false;
      if (performance.now() - lastBusy > deps.idleSeconds * 1000 && !idle) await stopIdle();
    }

    async function enforceBudget() {
      const [oldest] = recorder.held;
      const retained = await results.retainedBytes(pool, formatLsn(recorder.safe));
      if (!oldest || retained <= deps.walBudgetBytes) return;
      log.error("run lost", { run_id: oldest, reason: "wal budget", retained_bytes: retained });
      await results.lose(pool, oldest, "wal budget");
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
      if (!wanted && recorder.held.length === 0 && !(await results.hasActive(pool))) {
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
        const message = decode(data, recorder.lookup);
        if (message) recorder.read(message, lsn);
        if (message?.kind === "commit") reached(lsn);
        else if (lsn > received) received = lsn;
      },
      heartbeat(lsn: Lsn, reply: boolean) {
        recorder.caughtUp(lsn);
        reached(lsn);
        if (reply) sendStatus();
      },
      close() {
        clearInterval(timer);
      },
    };
  }

  /** After the same transaction failed to decode several times, its runs are given up with the slot. */
  async function notePoison(error: unknown, recorder: Recorder) {
    if (isUnavailable(error) || !(error instanceof Error)) return;
    if (errorCode(error) === undefined && !(error instanceof DecodeError)) return;
    const position = formatLsn(recorder.committed);
    poison.attempts = poison.position === position ? poison.attempts + 1 : 1;
    poison.position = position;
    if (poison.attempts < POISON_ATTEMPTS) return;
    log.error("undecodable transaction", { lsn: position, ...errorFields(error) });
    await results.loseAll(pool, "undecodable transaction");
    poison.attempts = 0;
    // The slot goes once the walsender has let go of it.
    for (let attempt = 0; attempt < 20; attempt++) {
      if (await dropSlot(pool, await slotName(pool))) return;
      await Bun.sleep(RETRY_MS_MIN * 2);
    }
  }

  const running = supervise();
  return {
    /** A run is about to start on this server: stream, or find out who does. */
    want() {
      wanted = true;
      wantedAt = performance.now();
      wake();
    },
    /** Ends the stream. The slot stays for runs that go on elsewhere; without any it is dropped. */
    async stop() {
      stopping = true;
      wanted = false;
      closeStream?.();
      wake();
      await running;
      await dropUnused().catch(() => undefined);
    },
  };
}

function guard(reject: (error: unknown) => void, listener: () => void) {
  try {
    listener();
  } catch (error) {
    reject(new DecodeError("a change could not be read", { cause: error }));
  }
}

const POSTGRES_EPOCH_MS = 946_684_800_000;

/**
 * Standby status update: https://www.postgresql.org/docs/15/protocol-replication.html.
 * Positions are exactly as received: one more would skip a transaction that commits right behind.
 */
export function standbyStatus(written: Lsn, flushed: Lsn): Buffer {
  const message = Buffer.alloc(34);
  message.write("r", 0);
  message.writeBigUInt64BE(written, 1);
  message.writeBigUInt64BE(flushed, 9);
  message.writeBigUInt64BE(flushed, 17);
  message.writeBigInt64BE(BigInt(Date.now() - POSTGRES_EPOCH_MS) * 1000n, 25);
  message.writeInt8(0, 33);
  return message;
}
