/** One connection: its requests one at a time, in order, and their answers. */
import type { Socket } from "bun";
import { ApiError } from "~/errors";
import { createAnswering } from "~/http/answering";
import { type Budget, noRoom, type Owner } from "~/http/budget";
import { createExchange, type Exchange, isComplete } from "~/http/exchange";
import { ClientGone, createBody, type IncomingRequest } from "~/http/incoming";
import type { Limits } from "~/http/limits";
import { createOutgoing, type OutgoingAnswer } from "~/http/outgoing";
import { dropStream } from "~/http/stream";
import type { Turns } from "~/http/turns";
import { CODES, type Socket as Frames, openSocket, type Upgrade } from "~/http/websocket";
import { CR, type Head, headLength, LF, readHead } from "~/http/wire";

export type Handler = {
  readonly fetch: (request: IncomingRequest) => Promise<OutgoingAnswer>;
  /** Answers a malformed, too long or incomplete request. */
  readonly refuse: (error: ApiError) => OutgoingAnswer;
};

/** Shared by the connections of a server. */
type Context = {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly received: Budget;
  readonly sent: Budget;
  /** For connections whose request was answered before the end of its body: what is left is read and discarded. */
  readonly discarding: Turns;
  readonly isStopping: () => boolean;
};

/** Bytes to buffer before they are needed. Beyond that the client has to wait. */
const UNREAD_MAX = 64 * 1024;
/** How long a rejected client may continue to send: if closed too early, its system would drop our answer. */
const LINGER_MS = 2_000;
const EMPTY = Buffer.alloc(0);

export type Connection = ReturnType<typeof createConnection>;
type Client = Pick<
  Socket<unknown>,
  "write" | "shutdown" | "end" | "terminate" | "pause" | "resume" | "remoteAddress"
>;

export function createConnection(
  socket: Client,
  { handler, limits, received, sent, discarding, isStopping }: Context,
) {
  /** Received and not yet used. */
  let unread: Buffer = EMPTY;
  const peer = socket.remoteAddress;
  const claimUnread = received.claim();
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
  /** Waits for its turn to discard. */
  let isQueued = false;
  let endTurn = () => {};
  let clientIsDone = false;
  /** The deadline of the client; Infinity while the client waits for us. */
  let deadline = performance.now() + limits.headMs;
  let began = 0;
  const { send, isDrained, drained, ...outgoing } = createOutgoing(socket, (isProgress) => {
    if (isProgress || deadline === Number.POSITIVE_INFINITY)
      deadline = performance.now() + limits.idleMs;
  });

  const { write, endStream } = createAnswering(
    {
      ...{ send, drained },
      onPart() {
        deadline = Number.POSITIVE_INFINITY;
      },
      terminate: () => socket.terminate(),
      isGone: () => isGone,
      isEnding: () => clientIsDone || isStopping(),
    },
    sent,
    handler.refuse,
  );

  /** Continues as far as the received bytes allow. */
  function advance(): void {
    try {
      while (isOpen && step());
      if (clientIsDone) giveUpIncomplete();
      account();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(error);
    }
    hold(isOpen && (isQueued || unread.byteLength > UNREAD_MAX));
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

  /** Counts what waits: of the request in progress, or of nobody yet. Throws when there is no room. */
  function account(): void {
    // A part of a packet keeps the whole one in memory.
    if (unread.byteLength < unread.buffer.byteLength / 2) unread = Buffer.from(unread);
    if (!claimUnread(unread.byteLength, exchange?.head.request.owner)) throw noRoom();
  }

  function forget(): void {
    unread = EMPTY;
    claimUnread(0, undefined);
  }

  function start(head: Head): void {
    isBusy = true;
    head.request.peer = peer;
    if (head.length === 0) deadline = Number.POSITIVE_INFINITY;
    else {
      deadline = began + limits.requestMs;
      let isAsked = head.expectsContinue;
      const pull = () => {
        if (isAsked && unread.byteLength === 0) send(Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));
        isAsked = false;
        advance();
      };
      const announced = head.length === "chunked" ? 0 : head.length;
      const claim = received.claim();
      head.request.body = createBody(pull, announced, (bytes) => claim(bytes, head.request.owner));
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
    current.body?.drop();
    // A client that gave up its request gets no answer: 499 is for the metrics.
    if (clientIsDone && !isComplete(current, unread)) {
      dropStream(made);
      return close();
    }
    const { upgrade } = made;
    const { head } = current;
    const { owner } = head.request;
    if (upgrade)
      return !isOpen || clientIsDone || isStopping() ? close() : takeOver(upgrade, owner);
    // A client that waits for 100 Continue may or may not send its body: its next bytes are ambiguous.
    const isUnsure = head.expectsContinue && !current.isRead();
    const isLast = head.isLast || isUnsure || !isOpen || clientIsDone || isStopping();
    const isClosing = made.headers.get("connection") === "close";
    const { isChunkable } = head;
    await write(made, { isLast, isHead: head.request.method === "HEAD", isChunkable, owner });
    current.isAnswered = true;
    if (isLast || isClosing || !isOpen || isStopping()) close();
    else if (current.isRead()) rest();
    else {
      deadline = began + limits.requestMs;
      advance();
      if (exchange === current) discard(); // more has to arrive
    }
  }

  /**
   * Reads the rest of a body that nobody wants, in turn: the answers to many large requests may be given at the same
   * moment, and other connections would have to wait until all of them are read.
   */
  function discard(): void {
    isQueued = true;
    hold(true);
    endTurn = discarding(() => {
      isQueued = false;
      advance();
    });
  }

  /** From here on the connection carries frames. */
  function takeOver(upgrade: Upgrade, owner: Owner | undefined): void {
    exchange = undefined;
    began = 0;
    deadline = Number.POSITIVE_INFINITY;
    send(Buffer.from(upgrade.head));
    const terminate = () => socket.terminate();
    const [claimReceived, claimSent] = [received.claim(), sent.claim()];
    const line = {
      ...{ send, isDrained, drained, hold, close: closeDrained, terminate },
      hasRoom: (bytes: number) => claimReceived(bytes, owner),
      hasRoomToSend: (bytes: number) => claimSent(bytes, owner),
    };
    frames = openSocket(upgrade, line, limits);
    const first = unread;
    forget();
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
    endTurn();
    began = 0;
    deadline = performance.now() + limits.idleMs;
    advance();
  }

  /** Answers an invalid request, after the requests before it. */
  function refuse(error: ApiError): void {
    isOpen = false;
    forget();
    if (exchange?.isAnswered) close();
    else if (exchange) {
      exchange.isRejected = true;
      exchange.body?.fail(error);
    } else {
      isBusy = true;
      const how = { isLast: true, isHead: false, isChunkable: false, owner: undefined };
      void write(handler.refuse(error), how).then(close);
    }
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
    isQueued = false;
    endTurn();
    forget();
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
        forget();
        if (!isBusy) close();
      }
    },
    /** The connection is closed. */
    lose(): void {
      isGone = true;
      isOpen = false;
      endTurn();
      forget();
      outgoing.lose();
      endStream();
      frames?.lose();
      if (exchange && !exchange.isRead())
        exchange.body?.fail(new ClientGone("the client closed the connection"));
    },
    check(now: number): void {
      frames?.check(now);
      if (isOpen && unread.byteLength > 0) advance(); // by now it may be known whose bytes these are
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
