/** One connection: its socket, its time, and what it carries, which are requests, and frames after an upgrade. */
import type { Socket } from "bun";
import { ApiError } from "~/errors";
import { createAnswering } from "~/wire/answering";
import type { Budget, Owner } from "~/wire/budget";
import { createDeadline } from "~/wire/deadline";
import { CODES } from "~/wire/frames";
import type { Limits } from "~/wire/limits";
import { createOutgoing } from "~/wire/outgoing";
import { createPhase } from "~/wire/phase";
import { createRequests, type Handler } from "~/wire/requests";
import type { Turns } from "~/wire/turns";
import { createUnread } from "~/wire/unread";
import { type Socket as Frames, openSocket, type Upgrade } from "~/wire/websocket";

/** Shared by the connections of a server. */
type Context = {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly received: Budget;
  readonly sent: Budget;
  readonly discarding: Turns;
  readonly isStopping: () => boolean;
};

export type Connection = ReturnType<typeof createConnection>;
type Client = Pick<
  Socket<unknown>,
  "write" | "shutdown" | "end" | "terminate" | "pause" | "resume" | "remoteAddress"
>;

export function createConnection(socket: Client, context: Context) {
  const { handler, limits, received, sent, isStopping } = context;
  const phase = createPhase();
  const unread = createUnread(received);
  const deadline = createDeadline(limits);
  /** After an upgrade. */
  let frames: Frames | undefined;
  let clientIsDone = false;
  let isPaused = false;
  const { send, isDrained, drained, ...outgoing } = createOutgoing(socket, deadline.taking);
  const terminate = () => socket.terminate();
  const { write, endStream } = createAnswering(
    {
      ...{ send, drained, terminate },
      onPart: deadline.none,
      isGone: () => phase.is("gone"),
      isEnding: () => clientIsDone || isStopping(),
    },
    sent,
    handler.refuse,
  );
  const requests = createRequests(
    {
      ...{ phase, unread, deadline, send, write, hold, takeOver, close },
      peer: socket.remoteAddress,
      clientIsDone: () => clientIsDone,
    },
    context,
  );

  function hold(wanted: boolean): void {
    if (wanted === isPaused || phase.is("gone")) return;
    isPaused = wanted;
    if (wanted) socket.pause();
    else socket.resume();
  }

  /** From here on the connection carries frames. */
  function takeOver(upgrade: Upgrade, owner: Owner | undefined): void {
    phase.enter("framing");
    requests.end();
    deadline.none();
    send(Buffer.from(upgrade.head));
    const [claimReceived, claimSent] = [received.claim(), sent.claim()];
    const line = {
      ...{ send, isDrained, drained, hold, close: closeDrained, terminate },
      hasRoom: (bytes: number) => claimReceived(bytes, owner),
      hasRoomToSend: (bytes: number) => claimSent(bytes, owner),
    };
    frames = openSocket(upgrade, line, limits);
    const first = unread.view();
    unread.clear();
    frames.receive(first);
  }

  /** Announces the end of the answers, and waits until the client has received the last one. */
  function close(): void {
    if (!phase.enter("closed")) return;
    requests.end();
    unread.clear();
    deadline.linger();
    hold(false);
    socket.shutdown();
    if (clientIsDone) socket.end();
  }

  const closeDrained = () => void drained().then(close);

  return {
    flush: outgoing.flush,
    /** Answers without reading a request, and closes. */
    reject: requests.refuse,
    receive(chunk: Buffer): void {
      frames?.receive(chunk);
      if (!phase.isReading()) return; // not HTTP any more, malformed, or after the last request
      unread.add(chunk);
      requests.advance();
    },
    /** The client has closed its side. */
    finish(): void {
      clientIsDone = true;
      endStream();
      if (phase.is("closed")) socket.end();
      else if (frames) {
        frames.lose();
        closeDrained();
      } else requests.finish();
    },
    /** The connection is closed. */
    lose(): void {
      phase.enter("gone");
      outgoing.lose();
      endStream();
      frames?.lose();
      requests.lose();
      unread.clear();
    },
    check(now: number): void {
      frames?.check(now);
      if (phase.isReading() && unread.length() > 0) requests.advance(); // by now it may be known whose bytes these are
      if (phase.is("framing") && isDrained()) deadline.none();
      if (!deadline.isOver(now)) return;
      const isLate = phase.is("answering") || (phase.is("resting") && deadline.hasBegun());
      deadline.none();
      if (isLate && isDrained())
        requests.refuse(new ApiError("request_timeout", "The request did not arrive in time"));
      else terminate();
    },
    /** Closes it between two requests, and ends an answer that is being streamed. */
    closeIdle(): void {
      endStream();
      if (frames) frames.close(CODES.goingAway);
      else if (requests.isIdle()) close();
    },
    cut: terminate,
  };
}
