/** Where the time and the random bytes of a call come from. */
import { createHash, randomBytes } from "node:crypto";

/** A session, or whatever else has a source. */
export type Sourced = { readonly source: Source };

export type Source = {
  /** The time in microseconds since 1970. */
  readonly micros: number;
  readonly bytes: (count: number) => Uint8Array;
  /** Of no call, but between two of them, or in an earlier state: nothing falls due. */
  readonly isBetween?: true;
};

/** In a millisecond. */
export const MICROS = 1_000;
let latest = 0;

/** The current time, later than at any earlier call of this process. */
function microsNow(): number {
  latest = Math.max(Date.now() * MICROS, latest + 1);
  return latest;
}

/** The real time, whenever it is read, and bytes that nobody can predict. */
export const REAL: Source = {
  get micros() {
    return microsNow();
  },
  bytes: randomBytes,
};

/** Bytes of one call that derive from a seed and the number of the call: the same ones each time. */
export function seededBytes(seed: string, call: number): Source["bytes"] {
  let block = 0;
  let rest = Buffer.alloc(0);
  return (count) => {
    while (rest.length < count) {
      const next = createHash("sha256").update(`${seed} ${call} ${block++}`).digest();
      rest = Buffer.concat([rest, next]);
    }
    const bytes = rest.subarray(0, count);
    rest = rest.subarray(count);
    return bytes;
  };
}

/** Times that a clock can show: some services' timestamps have ten digits of seconds, in columns of four bytes. */
const SHOWN_MIN = Date.UTC(2002, 0);
const SHOWN_MAX = Date.UTC(2038, 0);

export const isShown = (time: number) => time >= SHOWN_MIN && time < SHOWN_MAX;

/** The last time that a clock can show. */
export const LAST_SHOWN = SHOWN_MAX - 1;

/** Reads a time that a clock can show, in milliseconds since 1970. Undefined for any other text. */
export function parseTime(text: string): number | undefined {
  const time = Date.parse(text);
  return isShown(time) ? time : undefined;
}

export const TIMES = "the years 2002 to 2037";

export const millisOf = ({ micros }: Source): number => Math.floor(micros / MICROS);
export const secondsOf = (source: Source): number => Math.floor(millisOf(source) / 1_000);
export const dateOf = (source: Source): Date => new Date(millisOf(source));

/** A random UUID (version 4, RFC 9562). */
export function uuid({ bytes }: Source): string {
  const raw = Buffer.from(bytes(16));
  raw[6] = ((raw[6] ?? 0) & 0x0f) | 0x40;
  raw[8] = ((raw[8] ?? 0) & 0x3f) | 0x80;
  const hex = raw.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const hexOf = ({ bytes }: Source, count: number): string =>
  Buffer.from(bytes(count)).toString("hex");

/** A new id of the platform: 32 random hex digits. The ids of a service come from its sessions. */
export const randomId = (): string => crypto.randomUUID().replaceAll("-", "");

/** A new id whose first digits are the cell of this server. */
export type NewId = () => string;
export const idsIn =
  (cell = ""): NewId =>
  () =>
    cell + randomId().slice(cell.length);
