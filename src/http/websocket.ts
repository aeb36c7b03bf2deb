/**
 * WebSockets (RFC 6455), without extensions: a request that upgrades its connection, and the frames after it.
 *
 * Messages of a client are handled one at a time, in order. A client that sends more has to wait.
 */
import { createHash } from "node:crypto";
import { ApiError } from "~/errors";
import { PLATFORM_BODY_MAX } from "~/http/body";
import { createBytes } from "~/http/bytes";
import type { Limits } from "~/http/limits";
import type { RequestHead } from "~/message";

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

/** The use of a connection after the answer. */
export type Upgrade = { readonly head: string; readonly open: (peer: Peer) => Listener };

const upgrades = new WeakMap<Response, Upgrade>();

/** The upgrade that a response stands for; undefined for any other. */
export const upgradeOf = (response: Response): Upgrade | undefined => upgrades.get(response);

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** The answer that makes a WebSocket of a request's connection. Throws `invalid_request`. */
export function upgraded({ method, headers }: RequestHead, open: Upgrade["open"]): Response {
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
  upgrades.set(response, { head, open });
  return response;
}

/** The connection below a socket. */
export type Line = {
  readonly send: (bytes: Buffer) => void;
  readonly isDrained: () => boolean;
  readonly drained: () => Promise<void>;
  /** Whether to stop reading. */
  readonly hold: (wanted: boolean) => void;
  /** Closes it after everything that was sent. */
  readonly close: () => void;
  readonly terminate: () => void;
  /** Claims room for so many bytes in all of what has arrived. */
  readonly hasRoom: (bytes: number) => boolean;
  /** The same of what the client has not taken. */
  readonly hasRoomToSend: (bytes: number) => boolean;
};

export type Socket = ReturnType<typeof openSocket>;

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
export const CODES = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  unsupported: 1003,
  invalid: 1007,
  policy: 1008,
  tooLarge: 1009,
  tryAgainLater: 1013,
} as const;
/** Bytes of a message. */
const MESSAGE_MAX = PLATFORM_BODY_MAX;
/** Frames of a message. */
const FRAMES_MAX = 1_000;
/** Messages that wait for the one before them. */
const WAITING_MAX = 4;
const CONTROL_MAX = 125;
const EMPTY = Buffer.alloc(0);
const NO_ROOM = "the server has no room for more bytes";
/** Bytes of a longer length, by the short one that announces it. */
const EXTENDED: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

function lengthOf(frame: Buffer, bytes: number): number | undefined {
  if (bytes === 0) return undefined;
  return bytes === 2 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
}

/** A client breaks the protocol. */
class Broken extends Error {
  override readonly name = "Broken";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Frame = { readonly fin: boolean; readonly opcode: number; readonly payload: Buffer };

/** Starts the listener. A client that sends nothing for `idleMs`, not even a pong, is gone. */
export function openSocket(
  { open }: Pick<Upgrade, "open">,
  line: Line,
  { idleMs, requestMs }: Pick<Limits, "idleMs" | "requestMs">,
) {
  const unread = createBytes();
  /** Of a message whose last frame has not arrived. */
  let parts: Buffer[] = [];
  const waiting: string[] = [];
  /** Bytes of all parts, and of the messages that wait or are being handled. */
  let read = { parts: 0, messages: 0 };
  /** Bytes that the client has not taken. */
  let unsent = 0;
  /** When the message that is incomplete began; 0 if there is none. */
  let began = 0;
  let isBusy = false;
  let isOpen = true;
  let heardAt = performance.now();
  let isAsked = false;

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
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(code);
    line.send(frameOf(OPCODES.close, Buffer.concat([bytes, Buffer.from(reason)])));
    end();
    line.close();
  }

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    waiting.length = 0;
    unread.clear();
    parts = [];
    line.hasRoom(0);
    listener.end();
  }

  /** One frame of the received bytes; undefined until it is complete. */
  function readFrame(): Frame | undefined {
    const bytes = unread.view();
    const [first = 0, second = 0] = bytes;
    if (bytes.byteLength < 2) return undefined;
    const opcode = first & 0x0f;
    const isControl = opcode >= OPCODES.close;
    const short = second & 0x7f;
    if (first & 0x70) throw new Broken(CODES.protocolError, "reserved bits are set");
    if (!(second & 0x80)) throw new Broken(CODES.protocolError, "a frame is not masked");
    if (isControl && (short > CONTROL_MAX || !(first & 0x80)))
      throw new Broken(CODES.protocolError, "a control frame is too long, or a fragment");
    const extended = EXTENDED[short] ?? 0;
    const start = 2 + extended + 4;
    if (bytes.byteLength < start) return undefined;
    const length = lengthOf(bytes, extended) ?? short;
    if (length + (isControl ? 0 : read.parts) > MESSAGE_MAX || parts.length > FRAMES_MAX)
      throw new Broken(CODES.tooLarge, `a message is larger than ${MESSAGE_MAX} bytes`);
    if (bytes.byteLength < start + length) return undefined;
    const mask = bytes.subarray(start - 4, start);
    const payload = Buffer.from(bytes.subarray(start, start + length));
    for (let at = 0; at < length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
    unread.drop(start + length);
    return { fin: (first & 0x80) !== 0, opcode, payload };
  }

  function take({ fin, opcode, payload }: Frame): void {
    if (parts.length === 0) began = 0; // what follows is another frame
    if (opcode === OPCODES.ping) {
      // A client that does not take its pongs gets no more of them.
      if (line.isDrained()) line.send(frameOf(OPCODES.pong, payload));
      return;
    }
    if (opcode === OPCODES.pong) return;
    if (opcode === OPCODES.close) {
      close(payload.byteLength >= 2 ? payload.readUInt16BE(0) : CODES.normal);
      return;
    }
    if (opcode > OPCODES.binary) throw new Broken(CODES.protocolError, "an unknown kind of frame");
    if (opcode === OPCODES.binary) throw new Broken(CODES.unsupported, "messages are text");
    if (opcode !== (parts.length > 0 ? OPCODES.continuation : OPCODES.text))
      throw new Broken(CODES.protocolError, "a frame does not continue its message");
    parts.push(payload);
    read.parts += payload.byteLength;
    if (!fin) return;
    waiting.push(textOf(Buffer.concat(parts)));
    parts = [];
    read = { parts: 0, messages: read.messages + read.parts };
    began = 0;
  }

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      await listener.message(text);
      if (waiting.length === 0) read.messages = 0;
      receive(EMPTY);
    }
    isBusy = false;
  }

  /** Counts what has arrived, and begins to wait for the rest of a message unless it waits for us. */
  function account(): void {
    const isWaiting = waiting.length >= WAITING_MAX;
    line.hold(isWaiting);
    const isPartial = unread.length() > 0 || parts.length > 0;
    began = isPartial && !isWaiting ? began || performance.now() : 0;
    if (!line.hasRoom(unread.capacity() + read.parts + read.messages))
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
      while (isOpen && waiting.length < WAITING_MAX) {
        const frame = readFrame();
        if (!frame) break;
        take(frame);
      }
      if (isOpen) account();
      void work();
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
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Broken(CODES.invalid, "a message is not UTF-8");
  }
}

/** A frame of the server: whole, and not masked. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode]), lengthBytes(payload.byteLength), payload]);
}

function lengthBytes(length: number): Buffer {
  if (length <= CONTROL_MAX) return Buffer.from([length]);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = bytes.byteLength === 3 ? 126 : 127;
  if (bytes.byteLength === 3) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}
