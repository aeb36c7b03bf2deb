/**
 * The HTTP server: handles the requests of a connection one at a time, in order, so that pipelined ones wait. Malformed
 * or incomplete requests are answered with the envelope.
 *
 * Not Bun.serve (1.4.5), which closes the connection at a second request while the first is in progress, so that its
 * effect stays and its answer is lost, and answers malformed requests without a body. Not node:http, which answers in
 * order, but takes 45 µs of processor time more for each call and reads pipelined requests without a bound.
 */
import type { Socket } from "bun";
import { ApiError, unavailable } from "~/errors";
import { createExchange, type Exchange, isComplete } from "~/http/exchange";
import { ClientGone, createBody, type IncomingRequest } from "~/http/incoming";
import type { Limits } from "~/http/limits";
import { createOutgoing, type OutgoingAnswer } from "~/http/outgoing";
import { dropStream, type Stream, sendStream } from "~/http/stream";
import { CODES, type Socket as Frames, openSocket, type Upgrade } from "~/http/websocket";
import { CR, type Head, headLength, LF, readHead, writeHead } from "~/http/wire";

export type Handler = {
  readonly fetch: (request: IncomingRequest) => Promise<OutgoingAnswer>;
  /** Answers a malformed, too long or incomplete request. */
  readonly refuse: (error: ApiError) => OutgoingAnswer;
  /** Counts a connection over the limit. */
  readonly onRejected?: () => void;
};

/** Bytes to buffer before they are needed. Beyond that the client has to wait. */
const UNREAD_MAX = 64 * 1024;
/** How often connections are checked against their time limits. */
const CHECK_MS = 1_000;
/** Connections over the limit that are answered 503 at the same time. The next one is closed without an answer. */
const REJECTED_MAX = 1_000;
/** How long a rejected client may continue to send: if closed too early, its system would drop our answer. */
const LINGER_MS = 2_000;
const EMPTY = Buffer.alloc(0);

type Connection = ReturnType<typeof createConnection>;
type Client = Pick<
  Socket<unknown>,
  "write" | "shutdown" | "end" | "terminate" | "pause" | "resume"
>;

/** Throws the system's error, such as EADDRINUSE. */
export function serve(
  { hostname, port, limits }: { hostname: string; port: number; limits: Limits },
  handler: Handler,
) {
  const connections = new Set<Connection>();
  const { connections: max } = limits;
  let isStopping = false;
  const stopped = Promise.withResolvers<void>();
  const context = { handler, limits, isStopping: () => isStopping };

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

function createConnection(
  socket: Client,
  { handler, limits, isStopping }: { handler: Handler; limits: Limits; isStopping: () => boolean },
) {
  /** Received and not yet used. */
  let unread: Buffer = EMPTY;
  /** Ends the answer that is being streamed, if one is. */
  let endStream = () => {};
  let exchange: Exchange | undefined;
  /** Of the last head. */
  let lines: Head["lines"] = [];
  /** Takes over after an upgrade. */
  let frames: Frames | undefined;
  /** Requests are read: none so far has ended the connection. */
  let isOpen = true;
  let isGone = false;
  /** A request, valid or not, is being answered. */
  let isBusy = false;
  let isPaused = false;
  let clientIsDone = false;
  /** The deadline of the client; Infinity while the client waits for us. */
  let deadline = performance.now() + limits.headMs;
  let began = 0;
  const { send, isDrained, drained, ...outgoing } = createOutgoing(socket, (isProgress) => {
    if (isProgress || deadline === Number.POSITIVE_INFINITY)
      deadline = performance.now() + limits.idleMs;
  });

  /** Continues as far as the received bytes allow. */
  function advance(): void {
    try {
      while (isOpen && step());
      if (clientIsDone) giveUpIncomplete();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(error);
    }
    hold(isOpen && unread.byteLength > UNREAD_MAX);
  }

  /** One step: reads a head, or the received part of a body. False if it has to wait. */
  function step(): boolean {
    if (unread.byteLength === 0) return false;
    if (!exchange) {
      began ||= performance.now();
      deadline = began + limits.headMs;
      if (unread[0] === CR && unread[1] === LF) {
        use(2); // some clients send it after a body
        return true;
      }
      const length = headLength(unread);
      if (length === undefined) return false;
      const head = readHead(unread.toString("latin1", 0, length - 4), lines);
      lines = head.lines;
      use(length);
      start(head);
      return true;
    }
    if (exchange.isRead() || !(exchange.isAnswered || exchange.body?.wants())) return false;
    const used = exchange.read(unread);
    use(used);
    if (exchange.isRead()) complete(exchange);
    return used > 0;
  }

  /** The rest of an awaited body will not arrive. */
  function giveUpIncomplete(): void {
    if (!exchange || exchange.isRead()) return;
    if (exchange.isAnswered) close();
    else if (exchange.body?.wants()) {
      isOpen = false;
      exchange.body.fail(new ClientGone("the client closed the connection"));
    }
  }

  const use = (length: number) => {
    unread = length === unread.byteLength ? EMPTY : unread.subarray(length);
  };

  function start(head: Head): void {
    isBusy = true;
    if (head.length === 0) deadline = Number.POSITIVE_INFINITY;
    else {
      deadline = began + limits.requestMs;
      let isAsked = head.expectsContinue;
      head.request.body = createBody(() => {
        if (isAsked && unread.byteLength === 0) send(Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));
        isAsked = false;
        advance();
      });
    }
    exchange = createExchange(head);
    void answer(exchange, () => handler.fetch(head.request));
  }

  /** The request has arrived completely. */
  function complete({ body, isAnswered }: Exchange): void {
    deadline = Number.POSITIVE_INFINITY;
    body?.end();
    if (isAnswered) rest();
  }

  async function answer(current: Exchange, work: () => Promise<OutgoingAnswer>): Promise<void> {
    const made = await work();
    // A client that gave up its request gets no answer: 499 is for the metrics.
    if (clientIsDone && !isComplete(current, unread)) {
      dropStream(made);
      return close();
    }
    const { upgrade } = made;
    if (upgrade) return isGone || clientIsDone || isStopping() ? close() : takeOver(upgrade);
    const { head } = current;
    // A client that waits for 100 Continue may or may not send its body: its next bytes are ambiguous.
    const isUnsure = head.expectsContinue && !current.isRead();
    const isLast = head.isLast || isUnsure || !isOpen || clientIsDone || isStopping();
    await write(made, { isLast, isHead: head.request.method === "HEAD" });
    current.isAnswered = true;
    current.body?.drop();
    const isOver = isLast || !isOpen || isStopping();
    if (isOver || made.headers.get("connection") === "close") close();
    else if (current.isRead()) rest();
    else {
      deadline = began + limits.requestMs;
      advance();
    }
  }

  /** From here on the connection carries frames. */
  function takeOver(upgrade: Upgrade): void {
    exchange = undefined;
    began = 0;
    deadline = Number.POSITIVE_INFINITY;
    send(Buffer.from(upgrade.head));
    const terminate = () => socket.terminate();
    const line = { send, isDrained, drained, hold, close: closeDrained, terminate };
    frames = openSocket(upgrade, line, limits.idleMs);
    const first = unread;
    unread = EMPTY;
    frames.receive(first);
  }

  /** Between two requests. */
  function rest(): void {
    if (clientIsDone) {
      close();
      return;
    }
    exchange = undefined;
    isBusy = false;
    began = 0;
    deadline = performance.now() + limits.idleMs;
    advance();
  }

  /** Answers an invalid request, after the requests before it. */
  function refuse(error: ApiError): void {
    isOpen = false;
    if (exchange?.isAnswered) close();
    else if (exchange) {
      exchange.isRejected = true;
      exchange.body?.fail(error);
    } else {
      isBusy = true;
      void write(handler.refuse(error), { isLast: true, isHead: false }).then(close);
    }
  }

  async function write(
    made: OutgoingAnswer,
    { isLast, isHead }: { isLast: boolean; isHead: boolean },
  ): Promise<void> {
    const { stream, body } = made;
    if (stream && !isHead) return await writeStream(made, stream, isLast);
    dropStream(made);
    if (isGone) return;
    const length = Buffer.byteLength(body);
    const head = writeHead(made, { isLast, length: stream ? undefined : length });
    const whole = Buffer.allocUnsafe(head.length + (isHead ? 0 : length));
    whole.write(head, "latin1");
    if (isHead) {
      // The headers are those of a GET.
    } else if (typeof body === "string") whole.write(body, head.length);
    else whole.set(body, head.length);
    send(whole);
    await drained();
  }

  /** Until the stream ends, the client closes its side, or the server stops. A failed one breaks the connection. */
  async function writeStream(made: OutgoingAnswer, stream: Stream, isLast: boolean): Promise<void> {
    const isChunked = exchange?.head.isChunkable ?? false;
    const take = async (bytes: Buffer) => {
      send(bytes);
      await drained();
      deadline = Number.POSITIVE_INFINITY;
    };
    const head = writeHead(made, { isLast, length: isChunked ? "chunked" : undefined });
    const sending = sendStream(stream, head, isChunked, take);
    endStream = sending.end;
    if (isGone || clientIsDone || isStopping()) sending.end();
    await sending.done.catch(() => socket.terminate());
    endStream = () => {};
  }

  function hold(wanted: boolean): void {
    if (wanted === isPaused || isGone) return;
    isPaused = wanted;
    if (wanted) socket.pause();
    else socket.resume();
  }

  /** Announces the end of the answers, and waits until the client has received the last one. */
  function close(): void {
    isOpen = false;
    isBusy = false;
    exchange = undefined;
    unread = EMPTY;
    if (isGone) return;
    deadline = performance.now() + LINGER_MS;
    hold(false);
    socket.shutdown();
    if (clientIsDone) socket.end();
  }

  const closeDrained = () => void drained().then(close);

  return {
    flush: outgoing.flush,
    /** Answers without reading a request, and closes. */
    reject: refuse,
    receive(chunk: Buffer): void {
      if (frames) frames.receive(chunk);
      if (frames || !isOpen) return; // not HTTP any more, malformed, or after the last request
      unread = unread.byteLength === 0 ? chunk : Buffer.concat([unread, chunk]);
      advance();
    },
    /**
     * The client has closed its side. The current request is answered if it has arrived completely. Those after it are
     * not performed: the client may be gone, and an effect without an answer is worse than a request to repeat.
     */
    finish(): void {
      clientIsDone = true;
      endStream();
      if (frames) {
        frames.lose();
        closeDrained();
      } else if (exchange && !exchange.isRead()) advance();
      else {
        isOpen = false;
        unread = EMPTY;
        if (!isBusy) close();
      }
    },
    /** The connection is closed. */
    lose(): void {
      isGone = true;
      isOpen = false;
      unread = EMPTY;
      outgoing.lose();
      endStream();
      frames?.lose();
      if (exchange && !exchange.isRead())
        exchange.body?.fail(new ClientGone("the client closed the connection"));
    },
    check(now: number): void {
      frames?.check(now);
      if (frames && isOpen && isDrained()) deadline = Number.POSITIVE_INFINITY;
      if (now < deadline) return;
      deadline = Number.POSITIVE_INFINITY;
      const isLate = exchange ? !exchange.isAnswered : began > 0;
      if (isLate && isOpen && isDrained())
        refuse(new ApiError("request_timeout", "The request did not arrive in time"));
      else socket.terminate();
    },
    /** Closes it between two requests, and ends an answer that is being streamed. */
    closeIdle(): void {
      endStream();
      if (frames) frames.close(CODES.goingAway);
      else if (!exchange && unread.byteLength === 0) close();
    },
    cut: () => socket.terminate(),
  };
}
