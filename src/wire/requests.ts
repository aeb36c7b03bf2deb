/** The requests of a connection, one at a time, in order, and their answers. */
import { ApiError } from "~/errors";
import type { Sending } from "~/wire/answering";
import type { Budget, Owner } from "~/wire/budget";
import type { createDeadline } from "~/wire/deadline";
import { createExchange, type Exchange, isComplete } from "~/wire/exchange";
import type { Head } from "~/wire/head";
import { ClientGone, type IncomingRequest } from "~/wire/incoming";
import type { OutgoingAnswer } from "~/wire/outgoing";
import type { createPhase } from "~/wire/phase";
import { dropStream } from "~/wire/stream";
import type { Turn, Turns } from "~/wire/turns";
import type { createUnread } from "~/wire/unread";
import type { Upgrade } from "~/wire/websocket";

export type Handler = {
  readonly fetch: (request: IncomingRequest) => Promise<OutgoingAnswer>;
  /** Answers a malformed, too long or incomplete request. */
  readonly refuse: (error: ApiError) => OutgoingAnswer;
};

/** Shared by the connections of a server. */
type Context = {
  readonly handler: Handler;
  readonly received: Budget;
  /** For connections whose request was answered before the end of its body: what is left is read and discarded. */
  readonly discarding: Turns;
  readonly isStopping: () => boolean;
};

/** The connection below the requests. */
type Line = {
  readonly peer: string;
  readonly phase: ReturnType<typeof createPhase>;
  readonly unread: ReturnType<typeof createUnread>;
  readonly deadline: ReturnType<typeof createDeadline>;
  readonly send: (bytes: Buffer) => void;
  /** Resolves when the client has taken the answer, or is gone. */
  readonly write: (made: OutgoingAnswer, sending: Sending) => Promise<void>;
  /** Whether to stop receiving. */
  readonly hold: (isWanted: boolean) => void;
  readonly takeOver: (upgrade: Upgrade, owner: Owner | undefined) => void;
  readonly close: () => void;
  /** The client has closed its side. */
  readonly clientIsDone: () => boolean;
};

/** Bytes to buffer before they are needed. Beyond that the client has to wait. */
const UNREAD_MAX = 64 * 1024;
/** For the answer to a request whose head is invalid. */
const WITHOUT_HEAD = { isLast: true, isHead: false, isChunkable: false, owner: undefined };

export function createRequests(
  { peer, phase, unread, deadline, send, write, hold, takeOver, close, clientIsDone }: Line,
  { handler, received, discarding, isStopping }: Context,
) {
  /** While `answering` or `discarding`, and of a `last` request whose head is valid. */
  let exchange: Exchange | undefined;
  /** While `discarding`. */
  let turn: Turn | undefined;

  /** Continues as far as the received bytes allow. */
  function advance(): void {
    try {
      while (phase.isReading() && step());
      if (clientIsDone()) giveUpIncomplete();
      unread.account(exchange?.head.request.owner);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(error);
    }
    hold(phase.isReading() && (turn?.isWaiting() || unread.length() > UNREAD_MAX));
  }

  /** One step: reads a head, or the received part of a body. False if it has to wait. */
  function step(): boolean {
    if (unread.length() === 0) return false;
    if (!exchange) {
      deadline.head();
      const head = unread.takeHead();
      if (head) begin(head);
      return head !== undefined;
    }
    const isWanted = phase.is("discarding") || exchange.body?.wants();
    if (exchange.isRead() || !isWanted) return false;
    const used = exchange.read(unread.view());
    unread.use(used);
    if (exchange.isRead()) {
      deadline.none();
      exchange.body?.end();
      if (phase.is("discarding")) rest();
    }
    return used > 0;
  }

  function begin(head: Head): void {
    phase.enter("answering");
    head.request.peer = peer;
    if (head.length === 0) deadline.none();
    else deadline.body();
    exchange = createExchange(head, { unread, send, advance }, received.claim());
    void answer(exchange);
  }

  async function answer(current: Exchange): Promise<void> {
    const { head, body } = current;
    const made = await handler.fetch(head.request);
    body?.drop();
    // A client that gave up its request gets no answer: 499 is for the metrics.
    if (clientIsDone() && !isComplete(current, unread.view())) {
      dropStream(made);
      return close();
    }
    const isEnding = () => !phase.is("answering") || isStopping();
    const { owner, method } = head.request;
    if (made.upgrade) return isEnding() || clientIsDone() ? close() : takeOver(made.upgrade, owner);
    // A client that waits for 100 Continue may or may not send its body: its next bytes are ambiguous.
    const isUnsure = head.expectsContinue && !current.isRead();
    const isLast = head.isLast || isUnsure || clientIsDone() || isEnding();
    const isClosing = made.headers.get("connection") === "close";
    const { isChunkable } = head;
    await write(made, { isLast, isHead: method === "HEAD", isChunkable, owner });
    if (isLast || isClosing || isEnding()) close();
    else if (current.isRead()) rest();
    else discard();
  }

  /**
   * Reads the rest of a body that nobody wants: what has arrived now, and more in turn. The answers to many large
   * requests may be given at the same moment, and other connections would have to wait until all of them are read.
   */
  function discard(): void {
    phase.enter("discarding");
    deadline.body();
    advance();
    if (!phase.is("discarding")) return;
    turn = discarding(advance);
    hold(true);
  }

  /** Ends the exchange, and its turn. */
  function end(): void {
    exchange = undefined;
    turn?.end();
    turn = undefined;
  }

  function rest(): void {
    end();
    if (clientIsDone()) {
      close();
      return;
    }
    phase.enter("resting");
    deadline.rest();
    advance();
  }

  /** The rest of an awaited body will not arrive. */
  function giveUpIncomplete(): void {
    if (!exchange || exchange.isRead()) return;
    if (phase.is("discarding")) close();
    else if (exchange.body?.wants()) {
      phase.enter("last");
      exchange.body.fail(new ClientGone("the client closed the connection"));
    }
  }

  /** Answers an invalid request, after the requests before it. */
  function refuse(error: ApiError): void {
    unread.clear();
    if (phase.is("discarding")) close();
    else if (phase.enter("last") && !exchange)
      void write(handler.refuse(error), WITHOUT_HEAD).then(close);
    else if (exchange) {
      exchange.isRejected = true;
      exchange.body?.fail(error);
    }
  }

  return {
    advance,
    refuse,
    end,
    /** No request has begun, or a part of one. */
    isIdle: () => phase.is("resting") && unread.length() === 0,
    /**
     * The client has closed its side. The current request is answered if it has arrived completely. Those after it are
     * not performed: the client may be gone, and an effect without an answer is worse than a request to repeat.
     */
    finish(): void {
      if (exchange && !exchange.isRead()) advance();
      else {
        unread.clear();
        if (phase.is("resting")) close();
        else phase.enter("last");
      }
    },
    /** The client is gone. */
    lose(): void {
      if (exchange && !exchange.isRead())
        exchange.body?.fail(new ClientGone("the client closed the connection"));
      end();
    },
  };
}
