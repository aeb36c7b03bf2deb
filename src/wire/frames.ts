/** Frames of WebSockets, and the messages that they are parts of. */
import { PLATFORM_BODY_MAX } from "~/wire/limits";

export const OPCODES = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;
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
const CONTROL_MAX = 125;
/** Bytes of a longer length, by the short one that announces it. */
const EXTENDED: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

function lengthOf(frame: Buffer, bytes: number): number | undefined {
  if (bytes === 0) return undefined;
  return bytes === 2 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
}

/** A client breaks the protocol. */
export class Broken extends Error {
  override readonly name = "Broken";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export type Frame = {
  readonly fin: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  /** Bytes of the whole frame. */
  readonly size: number;
};

const tooLarge = () => new Broken(CODES.tooLarge, `a message is larger than ${MESSAGE_MAX} bytes`);

/** The frame at the beginning of `bytes`; undefined until it is complete. `held`: bytes of its message so far. */
export function readFrame(bytes: Buffer, held: number): Frame | undefined {
  const [first = 0, second = 0] = bytes;
  if (bytes.byteLength < 2) return undefined;
  const opcode = first & 0x0f;
  const fin = (first & 0x80) !== 0;
  const isControl = opcode >= OPCODES.close;
  const short = second & 0x7f;
  if (first & 0x70) throw new Broken(CODES.protocolError, "reserved bits are set");
  if (!(second & 0x80)) throw new Broken(CODES.protocolError, "a frame is not masked");
  if (isControl && (short > CONTROL_MAX || !fin))
    throw new Broken(CODES.protocolError, "a control frame is too long, or a fragment");
  const extended = EXTENDED[short] ?? 0;
  const start = 2 + extended + 4;
  if (bytes.byteLength < start) return undefined;
  const length = lengthOf(bytes, extended) ?? short;
  if (length + (isControl ? 0 : held) > MESSAGE_MAX) throw tooLarge();
  const size = start + length;
  if (bytes.byteLength < size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, size));
  for (let at = 0; at < length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return { fin, opcode, payload, size };
}

/** Joins the frames of messages, which are texts. */
export function createMessages() {
  /** Of a message whose last frame has not arrived. */
  let parts: Buffer[] = [];
  let held = 0;

  function clear(): void {
    parts = [];
    held = 0;
  }

  return {
    /** Bytes of the message that is incomplete. */
    held: () => held,
    isPartial: () => parts.length > 0,
    /** Takes a frame that is not a control frame. Returns a message with its last one. */
    add({ fin, opcode, payload }: Frame): Buffer | undefined {
      if (opcode > OPCODES.binary)
        throw new Broken(CODES.protocolError, "an unknown kind of frame");
      if (opcode === OPCODES.binary) throw new Broken(CODES.unsupported, "messages are text");
      if (opcode !== (parts.length > 0 ? OPCODES.continuation : OPCODES.text))
        throw new Broken(CODES.protocolError, "a frame does not continue its message");
      if (parts.length > FRAMES_MAX) throw tooLarge();
      parts.push(payload);
      held += payload.byteLength;
      if (!fin) return undefined;
      const whole = Buffer.concat(parts);
      clear();
      return whole;
    },
    clear,
  };
}

/** A frame of the server: whole, and not masked. */
export function frameOf(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode]), lengthBytes(payload.byteLength), payload]);
}

/** The frame that ends a socket. */
export function closeFrame(code: number, reason: string): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return frameOf(OPCODES.close, Buffer.concat([bytes, Buffer.from(reason)]));
}

function lengthBytes(length: number): Buffer {
  if (length <= CONTROL_MAX) return Buffer.from([length]);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = bytes.byteLength === 3 ? 126 : 127;
  if (bytes.byteLength === 3) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}
