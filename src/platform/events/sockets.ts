/** The WebSockets that apps have opened on this server for their events. */
import { isUnavailable } from "~/db/connect";
import { errorFields } from "~/log";
import { type AppRef, type Leased, lease, release } from "~/platform/events/deliveries-store";
import type { Derivation } from "~/platform/events/derivation";
import {
  createDispatcher,
  type Destination,
  type Dispatcher,
  type DispatcherParts,
  type Format,
} from "~/platform/events/dispatcher";
import { createSemaphore } from "~/semaphore";
import { CODES } from "~/wire/frames";
import type { Listener, Peer } from "~/wire/websocket";

/** Between two looks, which keep leases, and find what no notification announces. */
const LOOK_MS = 500;
const LEASE = { ms: 5_000, renewMs: 3_500 };
/** Apps of one statement. */
const APPS_MAX = 500;
/** Apps whose deliveries are read at the same time. */
const READING_MAX = 4;

export type EventSockets = ReturnType<typeof createSockets>;

export function createSockets(deps: DispatcherParts & { readonly derivation: Derivation }) {
  const { pool, log, derivation } = deps;
  const server = crypto.randomUUID();
  const inTurn = createSemaphore(READING_MAX);
  const dispatchers = new Map<string, Dispatcher>();
  const keyOf = ({ environmentId, app }: AppRef) => `${environmentId} ${app}`;
  let looking: NodeJS.Timeout | undefined;
  let isStopping = false;

  async function found(
    dispatcher: Dispatcher,
    leased: Leased | undefined,
    since: number,
  ): Promise<void> {
    if (!leased) return dispatcher.end("disabled");
    await dispatcher.hold(leased, since);
    if (leased.isBehind) derivation.soon(dispatcher.environmentId);
    if (leased.isDue || leased.isWaiting) void dispatcher.work();
  }

  /** Keeps the leases of these apps, and begins to deliver what is due. */
  async function look(among: readonly Dispatcher[]): Promise<void> {
    for (let from = 0; from < among.length; from += APPS_MAX) {
      const part = among.slice(from, from + APPS_MAX);
      const since = performance.now();
      const apps = part.map(({ environmentId, app, schedule }) => ({
        ...{ environmentId, app, lateMs: schedule.acknowledgeMs },
      }));
      const leased = await lease(pool, apps, server, LEASE);
      const byKey = new Map(leased.map((each) => [keyOf(each), each]));
      await Promise.all(part.map((each) => found(each, byKey.get(keyOf(each)), since)));
    }
  }

  async function lookAtAll(): Promise<void> {
    try {
      for (const [key, each] of dispatchers) if (each.isIdle()) dispatchers.delete(key);
      await look([...dispatchers.values()]);
    } catch (error) {
      if (!isUnavailable(error)) log.error("events not looked for", errorFields(error));
    }
    looking = dispatchers.size > 0 && !isStopping ? setTimeout(lookAtAll, LOOK_MS) : undefined;
  }

  async function greet(dispatcher: Dispatcher, peer: Peer): Promise<void> {
    const { peers } = dispatcher;
    await peer.send(peers.get(peer)?.hello(peers.size) ?? "");
    await look([dispatcher]);
  }

  return {
    /** The server's side of a socket that an app has opened. `left`: it has gone. */
    join(peer: Peer, destination: Destination, format: Format, left: () => void): Listener {
      const key = keyOf(destination);
      const dispatcher = dispatchers.get(key) ?? createDispatcher({ ...deps, inTurn }, destination);
      if (dispatcher.peers.size >= destination.schedule.connectionsMax) {
        void peer.send(format.goodbye("too_many")).then(() => peer.close(CODES.normal));
        return { message: async () => {}, end: left };
      }
      dispatchers.set(key, dispatcher);
      dispatcher.peers.set(peer, format);
      looking ??= setTimeout(lookAtAll, LOOK_MS);
      greet(dispatcher, peer).catch(() => peer.close(CODES.tryAgainLater));
      return {
        async message(text) {
          const outcome = format.read(text);
          if (outcome) await dispatcher.take(outcome);
        },
        end() {
          dispatcher.peers.delete(peer);
          left();
        },
      };
    },

    /** Something is due in an environment. */
    wake(environmentId: string): void {
      for (const each of dispatchers.values())
        if (each.environmentId === environmentId) void each.work();
    },

    /** Notes the acknowledgements that this server has received from the apps of an environment. */
    async settle(environmentId: string): Promise<void> {
      const own = dispatchers.values().filter((each) => each.environmentId === environmentId);
      await Promise.all([...own].map((each) => each.noteOutcomes()));
    },

    /** Asks apps to connect to another server. */
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(looking);
      for (const each of dispatchers.values()) each.end("refresh");
      await release(pool, server).catch(() => undefined);
    },
  };
}
