/**
 * Dispatches the deliveries of one app to the WebSockets that it has opened on this server.
 *
 * Of the servers that an app is connected to, the one with its lease delivers: in order, and at least once. An attempt is
 * noted before it is sent, so that whichever server is next repeats it if this one dies; what is noted decides, not what
 * this server remembers. A failed delivery is due again later, and does not hold up those after it.
 */
import { isUnavailable, type Pool } from "~/db/connect";
import { EnvironmentEnded } from "~/db/opening";
import { errorFields, type Log } from "~/log";
import type { Activity } from "~/platform/activity";
import type { Answered, Answering } from "~/platform/events/answering";
import * as store from "~/platform/events/deliveries-store";
import { endLate, type Failed, fail } from "~/platform/events/failures-store";
import type { Places } from "~/platform/events/place";
import type { EventDelivery, Schedule, SocketMode } from "~/replicas/events";
import { CODES } from "~/wire/frames";
import type { Peer } from "~/wire/websocket";

/** Nothing is sent in the last part of a lease: the clocks of two servers are not compared. */
const LEASE_MARGIN_MS = 2_000;
/** A client that does not take a message in this time is disconnected. */
const TAKE_MS = 2_000;
const LIMITS = { count: 20, underWay: 100, bytes: 256 * 1024 };
/** More outcomes, of an app that makes them up, are not noted. */
const OUTCOMES_MAX = 1_000;
/** Outcomes within this time are noted together. */
const TOGETHER_MS = 100;

export type DispatcherParts = {
  readonly pool: Pool;
  readonly places: Places;
  readonly log: Log;
  readonly answering: Answering;
  readonly activity: Pick<Activity, "noteDelivery">;
};

/** An app, and when its service repeats deliveries. */
export type Destination = store.AppRef & {
  readonly schedule: Schedule;
};

/** How messages are written and read on a connection of an app. */
export type Format = Pick<SocketMode, "goodbye"> & {
  readonly hello: (connections: number) => string;
  /** The app takes a message only after the one before. */
  readonly isSequential?: boolean;
  readonly message: (delivery: Omit<EventDelivery, "baseUrl">) => string;
  /** The outcome of an attempt, if a message of the app reports one. */
  readonly read: (text: string) => Outcome | undefined;
};

/** An attempt that an app has not acknowledged, or has. */
type Outcome = Failed | Answered;

export type Dispatcher = ReturnType<typeof createDispatcher>;

export function createDispatcher(
  {
    pool,
    places,
    log,
    answering,
    activity,
    inTurn,
  }: DispatcherParts & {
    /** Bounds the deliveries that are read from the database and not sent yet. */
    readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  },
  destination: Destination,
) {
  const { environmentId, app, schedule } = destination;
  const peers = new Map<Peer, Format>();
  /** To be noted. */
  const acknowledged: store.Attempted[] = [];
  const failures: Failed[] = [];
  /** Numbers of the acts of people that were sent, and not acknowledged yet: what their apps answer takes effect. */
  const acts = new Set<number>();
  let isNoting = false;
  let noting: Promise<void> = Promise.resolve();
  /** Until when this server delivers, by performance.now(). */
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** Undefined: it failed. */
  let takenOver: Promise<unknown> | undefined = Promise.resolve();
  /** More may be due than was sent. */
  let hasMore = false;
  let isBusy = false;
  /** Something has happened since the work in progress began. */
  let isStale = false;

  function end(reason: "refresh" | "disabled"): void {
    for (const [peer, format] of peers) {
      void peer.send(format.goodbye(reason));
      peer.close(CODES.normal);
    }
  }

  /** Whether the next message waits for the outcome of the last one. */
  const isSequential = () => peers.values().some((format) => format.isSequential);
  const isHeld = () => performance.now() < heldUntil;

  /** Sends over the sockets in turn. Returns those that were used, each with the end of its last message. */
  function send(due: readonly store.Sending[]): Map<Peer, Promise<void>> {
    const used = new Map<Peer, Promise<void>>();
    for (const delivery of due) {
      const [next] = peers;
      if (!next) break; // it is late soon, and due again
      if (delivery.disconnects) {
        for (const peer of peers.keys()) peer.close(CODES.goingAway);
        break;
      }
      const [peer, format] = next;
      peers.delete(peer);
      peers.set(peer, format);
      if (acts.size >= OUTCOMES_MAX) acts.clear(); // their time is over
      if (delivery.isSingle) acts.add(delivery.number);
      const { user, webhook } = delivery;
      used.set(peer, peer.send(format.message({ app: { id: app, user, webhook }, ...delivery })));
    }
    return used;
  }

  /** Waits until a client has taken its messages. */
  async function drain(peer: Peer, sent: Promise<void>): Promise<void> {
    const isTaken = await Promise.race([sent.then(() => true), Bun.sleep(TAKE_MS)]);
    if (!isTaken) peer.close(CODES.policy, "the client takes no messages");
  }

  /** Sends what is due. */
  async function deliver(): Promise<void> {
    const place = await places.open(environmentId);
    if (!place) return end("disabled");
    const now = await place.now();
    await endLate(pool, destination, now, schedule);
    for (let isLast = false; !isLast && isHeld() && peers.size > 0; ) {
      const used = await inTurn(async () => {
        const underWay = isSequential() ? 1 : LIMITS.underWay;
        const due = await store.takeDue(pool, destination, now, { ...LIMITS, underWay });
        hasMore = due.length > 0;
        if (hasMore) activity.noteDelivery(environmentId);
        isLast = due[0]?.hasMore !== true;
        return send(due);
      });
      await Promise.all(Array.from(used, ([peer, sent]) => drain(peer, sent)));
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

  /** Resolves when all outcomes so far are noted, also those that are being noted already. */
  function noteOutcomes(): Promise<void> {
    noting = noting.then(noteNext);
    return noting;
  }

  /** Notes the outcomes of the last attempts. If that fails, they are late, and sent again. */
  async function noteNext(): Promise<void> {
    isNoting = false;
    const noted = acknowledged.splice(0);
    const failed = failures.splice(0);
    try {
      if (noted.length > 0) await store.acknowledge(pool, destination, noted);
      const place = failed.length > 0 ? await places.open(environmentId) : undefined;
      if (place) await fail(pool, destination, await place.now(), schedule, failed);
    } catch (error) {
      log.debug("outcomes not noted", { environmentId, ...errorFields(error) });
    }
    if (hasMore || failed.length > 0) void work();
  }

  /** Keeps the outcome of an attempt until it is noted, with others. */
  function keep(outcome: store.Attempted | Failed): void {
    if (!isNoting) setTimeout(() => void noteOutcomes(), isSequential() ? 0 : TOGETHER_MS);
    isNoting = true;
    if (acknowledged.length + failures.length >= OUTCOMES_MAX) return;
    if ("reason" in outcome) failures.push(outcome);
    else acknowledged.push({ number: outcome.number, attempt: outcome.attempt });
  }

  return {
    ...{ environmentId, app, schedule, peers, end, work, noteOutcomes },
    isIdle: () => peers.size === 0 && !isBusy,

    /** Takes what is known of the app since `since`, by performance.now(). */
    async hold({ leftMs, isNew }: store.Leased, since: number): Promise<void> {
      // What the server before has sent comes first: the order is kept.
      if (isNew || !takenOver) takenOver = store.takeOver(pool, destination);
      try {
        await takenOver;
      } catch (error) {
        takenOver = undefined;
        throw error;
      }
      heldUntil = leftMs === null ? Number.NEGATIVE_INFINITY : since + leftMs - LEASE_MARGIN_MS;
    },

    /** Takes the outcome of an attempt. */
    async take(given: Outcome): Promise<void> {
      const isAct = acts.delete(given.number) && !("reason" in given);
      keep(isAct ? await answering.outcomeOf(destination, given) : given);
    },
  };
}
