/**
 * The deliveries to one app, over the WebSockets that it has opened on this server.
 *
 * Of the servers that an app is connected to, the one with its lease delivers: in order, and at least once. An attempt is
 * noted before it is sent, so that whichever server is next repeats it if this one dies. A failed delivery is due again
 * later, and does not hold up those after it.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import { errorFields, type Log } from "~/log";
import * as store from "~/platform/events/deliveries-store";
import type { Places } from "~/platform/events/place";
import type { EventApp, SocketMode } from "~/replicas/events";
import { CODES } from "~/wire/frames";
import type { Peer } from "~/wire/websocket";

const LEASE_MS = 3_000;
const RENEWAL_MS = 1_000;
/** Deliveries that are not acknowledged. */
const UNDER_WAY_MAX = 100;
/** More acknowledgements, of an app that makes them up, are not noted. */
const ACKNOWLEDGED_MAX = 1_000;
/** Acknowledgements within this time are noted together. */
const TOGETHER_MS = 100;

export type LineParts = {
  readonly pool: Pool;
  readonly places: Places;
  readonly log: Log;
  /** The id of this server, new with each start. */
  readonly server: string;
};

/** The end of a line. */
export type Destination = {
  readonly environmentId: string;
  readonly app: Pick<EventApp, "id" | "user">;
  readonly mode: SocketMode;
  readonly secret: Uint8Array;
  /** Of the service, as the app reached it. */
  readonly baseUrl: string;
};

export type Line = ReturnType<typeof createLine>;

export function createLine({ pool, places, log, server }: LineParts, destination: Destination) {
  const { environmentId, app, mode, secret, baseUrl } = destination;
  const peers = new Set<Peer>();
  /** The deliveries that wait for an acknowledgement, and since when, by performance.now(). */
  const underWay = new Map<number, number>();
  /** Acknowledgements to be noted: numbers of deliveries, with the attempt of each. */
  const acknowledged = new Map<number, number>();
  /** performance.now() of the last time that the lease was taken. */
  let leasedAt = Number.NEGATIVE_INFINITY;
  /** More may be due than was sent. */
  let hasMore = false;
  let isBusy = false;
  /** Something has happened since the work in progress began. */
  let isStale = false;

  function end(reason: "refresh" | "disabled"): void {
    for (const peer of peers) {
      void peer.send(mode.goodbye(reason));
      peer.close(CODES.normal);
    }
  }

  /** Whether this server delivers. What the server before it has sent comes first: the order is kept. */
  async function holds(now: number): Promise<boolean> {
    if (performance.now() - leasedAt < RENEWAL_MS) return true;
    const state = await store.lease(pool, environmentId, app.id, { server, ms: LEASE_MS });
    if (state === "gone") end("disabled");
    if (state === "gone" || state === "taken") return false;
    if (state === "new") await store.takeOver(pool, environmentId, app.id, now);
    leasedAt = performance.now();
    return true;
  }

  /** Forgets what was not acknowledged in time. Returns whether there was any. */
  function forgetLate(): boolean {
    const before = underWay.size;
    const latest = performance.now() - mode.acknowledgeMs;
    for (const [number, since] of underWay) if (since < latest) underWay.delete(number);
    return underWay.size < before;
  }

  /** Sends what is due. Sockets take turns. */
  async function deliver(): Promise<void> {
    const place = await places.open(environmentId);
    if (!place) return end("disabled");
    const now = await place.now();
    if (!(await holds(now))) return;
    if (forgetLate()) await store.endLate(pool, environmentId, app.id, now, mode);
    const limit = UNDER_WAY_MAX - underWay.size;
    const due = limit > 0 ? await store.takeDue(pool, environmentId, app.id, { now, limit }) : [];
    hasMore = due.length === limit;
    for (const { number } of due) underWay.set(number, performance.now());
    for (const delivery of due) {
      const [peer] = peers;
      if (!peer) return; // what is noted is late, and due again
      peers.delete(peer);
      peers.add(peer);
      const sent = peer.send(mode.message(secret, { app, baseUrl, ...delivery }));
      await Promise.race([sent, Bun.sleep(mode.acknowledgeMs)]);
    }
  }

  /** Delivers what is due, and what becomes due meanwhile. */
  async function work(): Promise<void> {
    isStale = true;
    if (isBusy) return;
    isBusy = true;
    try {
      while (isStale && peers.size > 0) {
        isStale = false;
        await deliver();
      }
    } catch (error) {
      if (error instanceof EnvironmentEnded) return end("disabled");
      const level = isUnavailable(error) ? "debug" : "error";
      log[level]("events not delivered", { environmentId, ...errorFields(error) });
    } finally {
      isBusy = false;
    }
  }

  /** Notes what has been acknowledged lately. If that fails, it is sent again. */
  async function noteAcknowledged(): Promise<void> {
    const noted = Array.from(acknowledged, ([number, attempt]) => ({ number, attempt }));
    acknowledged.clear();
    await store.acknowledge(pool, environmentId, app.id, noted).catch(() => undefined);
    for (const { number } of noted) underWay.delete(number);
    if (hasMore) void work();
  }

  return {
    environmentId,
    peers,
    end,
    work,

    /** Begins to use a socket of the app. */
    async greet(peer: Peer): Promise<void> {
      await peer.send(mode.hello(app.id, peers.size));
      const place = await places.open(environmentId);
      if (place) await store.noteConnection(pool, environmentId, app.id, await place.now());
      await work();
    },

    /** Takes a message of the app. */
    read(text: string): void {
      const read = mode.acknowledged(text);
      if (!read) return;
      if (acknowledged.size === 0) setTimeout(() => void noteAcknowledged(), TOGETHER_MS);
      if (acknowledged.size < ACKNOWLEDGED_MAX) acknowledged.set(read.number, read.attempt);
    },
  };
}
