/**
 * WebSockets (RFC 6455), without extensions: a request that upgrades its connection, and the frames after it.
 *
 * Messages of a client are handled one at a time, in order. A client that sends more has to wait.
 */
import { createHash } from "node:crypto";
import { ApiError } from "~/errors";
import { createBytes } from "~/wire/bytes";
import {
  Broken,
  CODES,
  closeFrame,
  createMessages,
  type Frame,
  frameOf,
  OPCODES,
  readFrame,
} from "~/wire/frames";
import type { Limits } from "~/wire/limits";
import { type RequestHead, utf8 } from "~/wire/message";

/** The client's side of a socket. */
export type Peer = {
  /** Resolves when the client has taken the message, or is gone. */
  readonly send: (text: string) => Promise<void>;
  /** Ends the socket after everything that was sent. */
  readonly close: (code: number, reason?: string) => void;
};

export type Listener = {
  /** The next message is passed when this has resolved. Must not throw. */
  readonly message: (text: string) => Promise<void>;
  /** The client is gone, or the server stops. */
  readonly end: () => void;
};

/** The listener of a socket that was turned away. */
export const DEAF: Listener = { message: async () => {}, end: () => {} };

/** The use of a connection after the answer. */
export type Upgrade = {
  readonly head: string;
  readonly open: (peer: Peer) => Listener;
  /** Between two pings, for clients that count on them. Otherwise only a silent client gets one. */
  readonly pingMs?: number | undefined;
};

const upgrades = new WeakMap<Response, Upgrade>();

/** The upgrade that a response stands for; undefined for any other. */
export const upgradeOf = (response: Response): Upgrade | undefined => upgrades.get(response);

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** The answer that makes a WebSocket of a request's connection. Throws `invalid_request`. */
export function upgraded(
  { method, headers }: RequestHead,
  open: Upgrade["open"],
  { pingMs }: Pick<Upgrade, "pingMs"> = {},
): Response {
  const key = headers.get("sec-websocket-key") ?? "";
  const isWanted =
    method === "GET" &&
    headers.get("upgrade")?.toLowerCase() === "websocket" &&
    headers.get("sec-websocket-version") === "13" &&
    KEY.test(key);
  if (!isWanted)
    throw new ApiError("invalid_request", "This address takes WebSocket connections, version 13");
  const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
  const response = new Response(null, { status: 101 });
  upgrades.set(response, { head, open, pingMs });
  return response;
}

/** The connection below a socket. */
export type Line = {
  readonly send: (bytes: Buffer) => void;
  readonly isDrained: () => boolean;
  readonly drained: () => Promise<void>;
  /** Whether to stop reading. */
  readonly hold: (isWanted: boolean) => void;
  /** Closes it after everything that was sent. */
  readonly close: () => void;
  readonly terminate: () => void;
  /** Claims room for so many bytes in all of what has arrived. */
  readonly hasRoom: (bytes: number) => boolean;
  /** The same of what the client has not taken. */
  readonly hasRoomToSend: (bytes: number) => boolean;
};

export type Socket = ReturnType<typeof openSocket>;

/** Messages that wait for the one before them. */
const WAITING_MAX = 4;
const EMPTY = Buffer.alloc(0);
const NO_ROOM = "the server has no room for more bytes";

/** Starts the listener. A client that sends nothing for `idleMs`, not even a pong, is gone. */
export function openSocket(
  { open, pingMs = Number.POSITIVE_INFINITY }: Pick<Upgrade, "open" | "pingMs">,
  line: Line,
  { idleMs, requestMs }: Pick<Limits, "idleMs" | "requestMs">,
) {
  const unread = createBytes();
  const messages = createMessages();
  const waiting: string[] = [];
  /** Bytes of the messages that wait or are being handled. */
  let held = 0;
  /** Bytes that the client has not taken. */
  let unsent = 0;
  /** When the message that is incomplete began; 0 if there is none. */
  let began = 0;
  let isBusy = false;
  let isOpen = true;
  let heardAt = performance.now();
  let isAsked = false;
  /** The code with which the client closes: after the messages before it have begun to be handled. */
  let closing: number | undefined;
  let pingedAt = performance.now();

  const peer: Peer = {
    async send(text) {
      if (!isOpen) return;
      const frame = frameOf(OPCODES.text, Buffer.from(text));
      unsent += frame.byteLength;
      if (!line.hasRoomToSend(unsent)) return close(CODES.tryAgainLater, NO_ROOM);
      line.send(frame);
      await line.drained();
      unsent = 0;
      line.hasRoomToSend(0);
    },
    close,
  };

  function close(code: number, reason = ""): void {
    if (!isOpen) return;
    line.send(closeFrame(code, reason));
    end();
    line.close();
  }

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    waiting.length = 0;
    unread.clear();
    messages.clear();
    line.hasRoom(0);
    listener.end();
  }

  function take(frame: Frame): void {
    const { opcode, payload } = frame;
    if (!messages.isPartial()) began = 0; // what follows is another frame
    if (opcode === OPCODES.ping) {
      // A client that does not take its pongs gets no more of them.
      if (line.isDrained()) line.send(frameOf(OPCODES.pong, payload));
    } else if (opcode === OPCODES.close)
      closing = payload.byteLength >= 2 ? payload.readUInt16BE(0) : CODES.normal;
    else if (opcode !== OPCODES.pong) {
      const message = messages.add(frame);
      if (!message) return;
      waiting.push(textOf(message));
      held += message.byteLength;
      began = 0;
    }
  }

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      await listener.message(text);
      if (waiting.length === 0) held = 0;
      receive(EMPTY);
    }
    isBusy = false;
  }

  /** Counts what has arrived, and begins to wait for the rest of a message unless it waits for us. */
  function account(): void {
    const isWaiting = waiting.length >= WAITING_MAX;
    line.hold(isWaiting);
    const isPartial = unread.length() > 0 || messages.isPartial();
    began = isPartial && !isWaiting ? began || performance.now() : 0;
    if (!line.hasRoom(unread.capacity() + messages.held() + held))
      throw new Broken(CODES.tryAgainLater, NO_ROOM);
  }

  function receive(chunk: Buffer): void {
    if (!isOpen) return;
    if (chunk.byteLength > 0) {
      heardAt = performance.now();
      isAsked = false;
      unread.add(chunk);
    }
    try {
      while (isOpen && closing === undefined && waiting.length < WAITING_MAX) {
        const frame = readFrame(unread.view(), messages.held());
        if (!frame) break;
        unread.drop(frame.size);
        take(frame);
      }
      if (isOpen) account();
      void work();
      if (closing !== undefined && waiting.length === 0) close(closing);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      close(error.code, error.message);
    }
  }

  const listener = open(peer);
  return {
    receive,
    close,
    /** The connection is closed. */
    lose: end,
    /** Asks a silent client for a sign of life, and gives up one that sends none. */
    check(now: number): void {
      if (isOpen && now - pingedAt >= pingMs) {
        pingedAt = now;
        if (line.isDrained()) line.send(frameOf(OPCODES.ping, EMPTY));
      }
      if (now - heardAt > idleMs) line.terminate();
      else if (began > 0 && now - began > requestMs)
        close(CODES.policy, "a message did not arrive in time");
      else if (now - heardAt > idleMs / 2 && !isAsked && isOpen) {
        isAsked = true;
        if (line.isDrained()) line.send(frameOf(OPCODES.ping, EMPTY));
      }
    },
  };
}

function textOf(bytes: Buffer): string {
  try {
    return utf8(bytes);
  } catch {
    throw new Broken(CODES.invalid, "a message is not UTF-8");
  }
}
