/**
 * The deliveries to one app, over the WebSockets that it has opened on this server.
 *
 * Of the servers that an app is connected to, the one with its lease delivers: in order, and at least once. An attempt is
 * noted before it is sent, so that whichever server is next repeats it if this one dies; what is noted decides, not what
 * this server remembers. A failed delivery is due again later, and does not hold up those after it.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import { errorFields, type Log } from "~/log";
import * as store from "~/platform/events/deliveries-store";
import type { Places } from "~/platform/events/place";
import type { SocketMode } from "~/replicas/events";
import { CODES } from "~/wire/frames";
import type { Peer } from "~/wire/websocket";

export const LEASE_MS = 5_000;
/** Before a lease ends, nothing is sent under it: the clocks of two servers are not compared. */
const MARGIN_MS = 2_000;
/** Deliveries that are not acknowledged. */
const UNDER_WAY_MAX = 100;
/** Deliveries that are noted before they are sent. */
const BATCH = 20;
/** More acknowledgements, of an app that makes them up, are not noted. */
const ACKNOWLEDGED_MAX = 1_000;
/** Acknowledgements within this time are noted together. */
const TOGETHER_MS = 100;

export type LineParts = {
  readonly pool: Pool;
  readonly places: Places;
  readonly log: Log;
};

/** The end of a line. */
export type Destination = {
  readonly environmentId: string;
  readonly app: string;
  readonly mode: SocketMode;
  readonly secret: Uint8Array;
};

export type Line = ReturnType<typeof createLine>;

export function createLine({ pool, places, log }: LineParts, destination: Destination) {
  const { environmentId, app, mode, secret } = destination;
  /** The sockets, with the address of the service as the app reached it through each. */
  const peers = new Map<Peer, string>();
  /** To be noted. */
  const acknowledged: store.Acknowledged[] = [];
  /** The user that the app acts as, and until when this server delivers, by performance.now(). */
  let user = "";
  let heldUntil = Number.NEGATIVE_INFINITY;
  let takenOver: Promise<unknown> = Promise.resolve();
  /** More may be due than was sent. */
  let hasMore = false;
  let isBusy = false;
  /** Something has happened since the work in progress began. */
  let isStale = false;

  function end(reason: "refresh" | "disabled"): void {
    for (const peer of peers.keys()) {
      void peer.send(mode.goodbye(reason));
      peer.close(CODES.normal);
    }
  }

  const isHeld = () => performance.now() < heldUntil;

  /** Sends over the next socket in turn. One that takes nothing is closed: its app opens another. */
  async function send(delivery: store.Sending): Promise<void> {
    for (const [peer, baseUrl] of peers) {
      peers.delete(peer);
      peers.set(peer, baseUrl);
      const text = mode.message(secret, { app: { id: app, user }, baseUrl, ...delivery });
      const sent = peer.send(text).then(() => true);
      if (await Promise.race([sent, Bun.sleep(MARGIN_MS)])) return;
      peer.close(CODES.policy, "the client takes no messages");
    }
  }

  /** Sends what is due. */
  async function deliver(): Promise<void> {
    const place = await places.open(environmentId);
    if (!place) return end("disabled");
    const now = await place.now();
    await store.endLate(pool, destination, now, mode);
    for (;;) {
      if (!isHeld() || peers.size === 0) return;
      const limits = { now, limit: BATCH, max: UNDER_WAY_MAX };
      const due = await store.takeDue(pool, destination, limits);
      for (const delivery of due) await send(delivery);
      hasMore = due.length > 0;
      if (due.length < BATCH) return;
    }
  }

  /** Delivers what is due, and what becomes due meanwhile. */
  async function work(): Promise<void> {
    isStale = true;
    if (isBusy) return;
    isBusy = true;
    try {
      while (isStale && isHeld() && peers.size > 0) {
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

  /** Notes what has been acknowledged lately. If that fails, it is late, and sent again. */
  async function noteAcknowledged(): Promise<void> {
    const noted = acknowledged.splice(0);
    await store.acknowledge(pool, destination, noted).catch(() => undefined);
    if (hasMore) void work();
  }

  return {
    ...{ environmentId, app, mode, peers, end, work },
    isIdle: () => peers.size === 0 && !isBusy,

    /** Takes the lease that began at `since`, by performance.now(), or its loss. */
    async hold({ user: current, isHeld: isOurs, isNew }: store.Held, since: number): Promise<void> {
      user = current;
      // What the server before has sent comes first: the order is kept.
      if (isOurs && isNew) takenOver = store.takeOver(pool, destination);
      await takenOver;
      heldUntil = isOurs ? since + LEASE_MS - MARGIN_MS : Number.NEGATIVE_INFINITY;
    },

    /** Takes a message of the app. */
    read(text: string): void {
      const read = mode.acknowledged(text);
      if (!read) return;
      if (acknowledged.length === 0) setTimeout(() => void noteAcknowledged(), TOGETHER_MS);
      if (acknowledged.length < ACKNOWLEDGED_MAX) acknowledged.push(read);
    },
  };
}
