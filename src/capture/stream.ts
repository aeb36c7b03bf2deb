/**
 * Reads the slot while it is needed and no other server reads it.
 *
 * One server leads: it holds an advisory lock in the session that streams, so lock and stream end together. It never
 * acknowledges a position after the start mark of a run whose result is not stored: after a crash the next leader reads
 * from there again. Without runs the slot is dropped, because an unread slot retains log and catalog rows forever.
 */
import { parseLsn } from "~/capture/change";
import { createPoison, DecodeError, withDetour } from "~/capture/poison";
import { continuesLog, identify } from "~/capture/promotion";
import { type ReplicationClient, rawPlugin } from "~/capture/protocol";
import type { Records } from "~/capture/records";
import { createReplication } from "~/capture/replication";
import { createReplicationSession, type ReplicationSession } from "~/capture/replication-session";
import {
  LOCK_CLASS,
  type Plugin,
  RELEASE_ATTEMPTS,
  SlotBusy,
  skippingOptions,
  startReplication,
} from "~/capture/slot";
import { createSlotUpkeep } from "~/capture/slot-upkeep";
import type { Evaluate, StreamEvent, StreamState } from "~/capture/stream-events";
import type { Demand } from "~/capture/wear";
import { errorCode, isUnavailable, type Pool } from "~/db/connect";
import { openSocket } from "~/db/socket";
import { errorFields, type Log } from "~/log";

export type StreamOptions = {
  readonly url: string;
  readonly plugin: Plugin;
  readonly walBudgetBytes: number;
  readonly idleSeconds: number;
  /** Schemas whose changes one connection reads, see `wear.ts`. */
  readonly schemasMax?: number;
};

type Deps = StreamOptions & {
  readonly records: Records;
  readonly pool: Pool;
  readonly log: Log;
  /** The server process that this thread belongs to. */
  readonly instance: string;
  readonly emit: (event: StreamEvent) => void;
  readonly evaluate: Evaluate;
};

const LEADER_LOCK = 1;

const POLL_MS = 1_000;
/** While idle, how often to look for a leftover slot, in units of POLL_MS. */
const DROP_EVERY = 30;
const FOLLOW_MS = 300;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 5_000;
/** An option that the plugin does not know. */
const INVALID_PARAMETER_VALUE = "22023";

class NotLeader extends Error {}

export type Stream = ReturnType<typeof createStream>;

export function createStream(deps: Deps) {
  const { pool, log, emit, instance } = deps;
  const { runs, leadership } = deps.records;
  let stopping = false;
  const demand: Demand = { wanted: false, since: 0 };
  let wake: () => void = () => {};
  let closeStream: (() => void) | undefined;
  let state: StreamState = "idle";
  let knowsSkipping = true;
  /** The last commit that this server has read. */
  let read = 0n;
  const upkeep = createSlotUpkeep({ ...deps, runs });
  const poison = createPoison({
    ...deps,
    runs,
    lost(by) {
      if (by > 0) emit({ type: "lost", by, loss: "undecodable_transaction" });
      emit({ type: "count", what: "poison", by: 1 });
    },
  });

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
        if (!demand.wanted && !(await runs.hasActive(pool))) {
          enter("idle");
          if (idlePolls++ % DROP_EVERY === 0) await upkeep.dropUnused();
          if (!demand.wanted) await pause(POLL_MS);
          continue;
        }
        if (state === "idle") enter("starting");
        idlePolls = 0;
        await lead(() => {
          retryMs = RETRY_MS_MIN;
        });
      } catch (error) {
        if (stopping) break;
        if (error instanceof NotLeader) {
          const other = await leadership.leader(pool).catch(() => undefined);
          if (other?.state === "streaming" && other.plugin)
            enter("following", { plugin: other.plugin });
          else enter("starting");
          await pause(FOLLOW_MS);
        } else if (error instanceof SlotBusy) enter("busy", { reason: error.message });
        else {
          const reason = isUnavailable(error) ? "database unreachable" : "capture failed";
          emit({ type: "count", what: "reconnects", by: 1, label: reason });
          log.warn("capture interrupted", { ...errorFields(error), retry_ms: retryMs });
          enter("failing", { reason });
          await pause(retryMs * (0.5 + Math.random() / 2));
          retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
        }
      }
    }
  }

  /**
   * Becomes leader and streams (calling `onStreaming`) until there is nothing to do, the connection ends, or a listener
   * throws.
   */
  async function lead(onStreaming: () => void): Promise<void> {
    const socket = await openSocket(deps.url);
    if (stopping) return void socket.destroy();
    const service = createReplication(deps.url, socket, "capture");
    let session: ReplicationSession | undefined;
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
        service.on("start", () => {
          onStreaming();
          guard(reject, () => session?.started());
        });
        const begin = async (client: ReplicationClient) => {
          const taken = await takeOver(client);
          const { slot } = taken;
          const detour = poison.detour(parseLsn(slot.confirmed));
          session = createReplicationSession({
            ...deps,
            ...taken,
            client,
            demand,
            enter,
            finish: resolve,
            fail: reject,
            detour,
          });
          client.on("notice", ({ message }) => session?.notice(message ?? ""));
          const skipping = knowsSkipping ? await skippingOptions(pool, slot.plugin) : {};
          return startReplication(slot, withDetour(skipping, detour), detour?.from);
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
    if (session && session.recorder.lastCommit > read) read = session.recorder.lastCommit;
    await service.destroy().catch(() => undefined);
    if (session) await leadership.endEpoch(pool, session.epoch).catch(() => undefined);
    if (!session?.streaming && errorCode(failure) === INVALID_PARAMETER_VALUE) {
      log.warn("the output plugin is old and cannot skip unneeded changes", errorFields(failure));
      knowsSkipping = false;
    }
    if (session?.streaming && failure !== undefined) {
      const { slot, recorder } = session;
      if (!(await poison.note(failure, slot, recorder))) await upkeep.giveUp();
    }
    if (failure !== undefined) throw failure;
    if (session?.idle) await upkeep.dropUnused(RELEASE_ATTEMPTS);
  }

  /** Takes leadership: everything between connecting and streaming. */
  async function takeOver(client: ReplicationClient) {
    const lock = await client.query(
      `select pg_try_advisory_lock(${LOCK_CLASS}, ${LEADER_LOCK}) as held`,
    );
    if (lock.rows[0]?.["held"] !== true) throw new NotLeader("another server leads");
    const slot = await upkeep.ensure();
    const system = await identify(client);
    const previous = await leadership.leader(pool);
    const isSame =
      previous.slotName === slot.name && // it is named after the database
      (await continuesLog(client, previous, system, slot, read));
    if (previous.systemId && !isSame) await upkeep.loseAll(pool, "database_changed");
    const epoch = await leadership.beginEpoch(pool, { instance, slot, system });
    return { slot, epoch };
  }

  const running = supervise();
  return {
    /** A run is about to start on this server: streams, or finds the server that does. */
    want() {
      demand.wanted = true;
      demand.since = performance.now();
      wake();
    },
    /** Ends the stream. The slot stays for runs that continue elsewhere; without any it is dropped. */
    async stop() {
      stopping = true;
      demand.wanted = false;
      const led = closeStream !== undefined;
      closeStream?.();
      wake();
      await running;
      await upkeep.dropUnused(led ? RELEASE_ATTEMPTS : 1).catch(() => undefined);
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
