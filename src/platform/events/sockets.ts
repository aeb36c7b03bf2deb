/** The WebSockets that apps have opened on this server for their events. */

import { release } from "~/platform/events/deliveries-store";
import { createLine, type Destination, type Line, type LineParts } from "~/platform/events/line";
import { CODES } from "~/wire/frames";
import type { Listener, Peer } from "~/wire/websocket";

/** Between two looks for what no notification announces: what is due again, and the leases of servers that died. */
const LOOK_MS = 500;

export function createSockets(deps: Omit<LineParts, "server">) {
  const server = crypto.randomUUID();
  const lines = new Map<string, Line>();
  let looking: NodeJS.Timeout | undefined;

  function look(): void {
    for (const line of lines.values()) void line.work();
  }

  function leave(key: string, line: Line, peer: Peer): void {
    line.peers.delete(peer);
    if (line.peers.size > 0 || lines.get(key) !== line) return;
    lines.delete(key);
    if (lines.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  return {
    /** The server's side of a socket that an app has opened. `left`: it has gone. */
    join(peer: Peer, destination: Destination, left: () => void): Listener {
      const { environmentId, app, mode } = destination;
      const key = `${environmentId} ${app.id}`;
      const line = lines.get(key) ?? createLine({ ...deps, server }, destination);
      if (line.peers.size >= mode.connectionsMax) {
        void peer.send(mode.goodbye("too_many")).then(() => peer.close(CODES.normal));
        return { message: async () => {}, end: left };
      }
      lines.set(key, line);
      line.peers.add(peer);
      looking ??= setInterval(look, LOOK_MS);
      line.greet(peer).catch(() => peer.close(CODES.tryAgainLater));
      return {
        message: async (text) => line.read(text),
        end() {
          leave(key, line, peer);
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
      clearInterval(looking);
      for (const line of lines.values()) line.end("refresh");
      await release(deps.pool, server).catch(() => undefined);
    },
  };
}
