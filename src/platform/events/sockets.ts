/** The WebSockets that apps have opened on this server for their events. */
import { isUnavailable } from "~/db/connect";
import { errorFields } from "~/log";
import { type Held, lease, release } from "~/platform/events/deliveries-store";
import type { Derivation } from "~/platform/events/derivation";
import {
  createLine,
  type Destination,
  LEASE_MS,
  type Line,
  type LineParts,
} from "~/platform/events/line";
import { CODES } from "~/wire/frames";
import type { Listener, Peer } from "~/wire/websocket";

/** Between two looks, which keep leases, and find what no notification announces. */
const LOOK_MS = 500;
/** Lines of one statement. */
const LINES_MAX = 500;

export function createSockets(deps: LineParts & { readonly derivation: Derivation }) {
  const { pool, log, derivation } = deps;
  const server = crypto.randomUUID();
  const lines = new Map<string, Line>();
  const keyOf = ({ environmentId, app }: Pick<Line, "environmentId" | "app">) =>
    `${environmentId} ${app}`;
  let looking: NodeJS.Timeout | undefined;
  let isStopping = false;

  async function found(line: Line, held: Held | undefined, since: number): Promise<void> {
    if (!held) return line.end("disabled");
    await line.hold(held, since);
    if (held.isBehind) derivation.soon(line.environmentId);
    if (held.isDue || held.isWaiting) void line.work();
  }

  /** Keeps the leases of these lines, and begins to deliver what is due. */
  async function look(among: readonly Line[]): Promise<void> {
    for (let from = 0; from < among.length; from += LINES_MAX) {
      const part = among.slice(from, from + LINES_MAX);
      const since = performance.now();
      const lateMs = Math.max(...part.map(({ mode }) => mode.acknowledgeMs));
      const held = await lease(pool, part, { server, ms: LEASE_MS, lateMs });
      const byKey = new Map(held.map((each) => [keyOf(each), each]));
      await Promise.all(part.map((line) => found(line, byKey.get(keyOf(line)), since)));
    }
  }

  async function lookAtAll(): Promise<void> {
    try {
      for (const [key, line] of lines) if (line.isIdle()) lines.delete(key);
      await look([...lines.values()]);
    } catch (error) {
      if (!isUnavailable(error)) log.error("events not looked for", errorFields(error));
    }
    looking = lines.size > 0 && !isStopping ? setTimeout(lookAtAll, LOOK_MS) : undefined;
  }

  async function greet(line: Line, peer: Peer): Promise<void> {
    await peer.send(line.mode.hello(line.app, line.peers.size));
    derivation.soon(line.environmentId);
    await look([line]);
  }

  return {
    /** The server's side of a socket that an app has opened. `left`: it has gone. */
    join(
      peer: Peer,
      { baseUrl, ...destination }: Destination & { readonly baseUrl: string },
      left: () => void,
    ): Listener {
      const key = keyOf(destination);
      const line = lines.get(key) ?? createLine(deps, destination);
      if (line.peers.size >= destination.mode.connectionsMax) {
        void peer.send(destination.mode.goodbye("too_many")).then(() => peer.close(CODES.normal));
        return { message: async () => {}, end: left };
      }
      lines.set(key, line);
      line.peers.set(peer, baseUrl);
      looking ??= setTimeout(lookAtAll, LOOK_MS);
      greet(line, peer).catch(() => peer.close(CODES.tryAgainLater));
      return {
        message: async (text) => line.read(text),
        end() {
          line.peers.delete(peer);
          left();
        },
      };
    },

    /** Something is due in an environment. */
    wake(environmentId: string): void {
      for (const line of lines.values()) if (line.environmentId === environmentId) void line.work();
    },

    /** Asks apps to connect to another server. */
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(looking);
      for (const line of lines.values()) line.end("refresh");
      await release(pool, server).catch(() => undefined);
    },
  };
}
