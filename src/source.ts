/** Where the time and the random bytes of a call come from. */
import { randomBytes } from "node:crypto";

/** A session, or whatever else has a source. */
export type Sourced = { readonly source: Source };

export type Source = {
  /** The time in microseconds since 1970. */
  readonly micros: number;
  readonly bytes: (count: number) => Uint8Array;
};

const MICROS = 1_000;
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
