/**
 * The HTTP server: handles the requests of a connection one at a time, in order, so that pipelined ones wait. Malformed
 * or incomplete requests are answered with the envelope.
 *
 * Not Bun.serve (1.4.5), which closes the connection at a second request while the first is in progress, so that its
 * effect stays and its answer is lost, and answers malformed requests without a body. Not node:http, which answers in
 * order, but takes 45 µs of processor time more for each call and reads pipelined requests without a bound.
 */
import { unavailable } from "~/errors";
import { createBudget } from "~/wire/budget";
import { type Connection, createConnection } from "~/wire/connection";
import type { Limits } from "~/wire/limits";
import type { Handler } from "~/wire/requests";
import { createTurns } from "~/wire/turns";

/** How often connections are checked against their time limits. */
const CHECK_MS = 1_000;
/** Connections whose unwanted bodies are read at the same time. */
const DISCARDING_MAX = 8;
/** Connections over the limit that are answered 503 at the same time. The next one is closed without an answer. */
const REJECTED_MAX = 1_000;

/** Throws the system's error, such as EADDRINUSE. */
export function serve(
  { hostname, port, limits }: { hostname: string; port: number; limits: Limits },
  handler: Handler & {
    /** Counts a connection over the limit. */
    readonly onRejected?: () => void;
  },
) {
  const connections = new Set<Connection>();
  const { connections: max } = limits;
  let isStopping = false;
  const stopped = Promise.withResolvers<void>();
  const received = createBudget(limits.heldBytes);
  const sent = createBudget(limits.heldBytes);
  const discarding = createTurns(DISCARDING_MAX);
  const context = {
    ...{ handler, limits, received, sent, discarding },
    isStopping: () => isStopping,
  };

  const listener = Bun.listen<Connection>({
    hostname,
    port,
    allowHalfOpen: true,
    socket: {
      open(socket) {
        const open = connections.size;
        socket.data = createConnection(socket, context);
        connections.add(socket.data);
        if (open < max) return;
        handler.onRejected?.();
        if (open < max + REJECTED_MAX) socket.data.reject(tooManyConnections(max));
        else socket.terminate();
      },
      data: ({ data }, chunk) => data.receive(chunk),
      drain: ({ data }) => data.flush(),
      end: ({ data }) => data.finish(),
      close({ data }) {
        data.lose();
        connections.delete(data);
        if (isStopping && connections.size === 0) stopped.resolve();
      },
    },
  });
  const checks = setInterval(
    () => {
      const now = performance.now();
      for (const connection of connections) connection.check(now);
    },
    Math.min(CHECK_MS, limits.headMs),
  );

  /** Stops accepting connections, closes idle ones and ends streamed answers immediately. Resolves when all are closed. */
  async function stop(): Promise<void> {
    if (!isStopping) {
      isStopping = true;
      listener.stop();
      for (const connection of connections) connection.closeIdle();
      if (connections.size === 0) stopped.resolve();
    }
    await stopped.promise;
    clearInterval(checks);
  }

  return {
    port: listener.port,
    stop,
    /** Also closes every connection. */
    async cut(): Promise<void> {
      const all = stop();
      for (const connection of connections) connection.cut();
      await all;
    },
  };
}

const tooManyConnections = (max: number) =>
  unavailable(`The server has ${max} connections open, its maximum`);
