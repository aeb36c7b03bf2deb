/** Ids of messages and blocks that follow from the place of a message: what the service draws at random. */
import { LRUCache } from "lru-cache";

type Place = { readonly channel_id: string; readonly ts: string };

const CHANNELS_MAX = 10_000;
const seeds = new LRUCache<string, number>({ max: CHANNELS_MAX });
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BLOCK_ID_LENGTH = 5;

function seedOf(channel: string): number {
  const known = seeds.get(channel);
  if (known !== undefined) return known;
  const seed = Bun.hash.xxHash32(channel);
  seeds.set(channel, seed);
  return seed;
}

/** The finalizer of MurmurHash3: a permutation of 32 bits. A hash of each message would take a third of a page's time. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Four words of 32 bits. */
function wordsOf({ channel_id: channel, ts }: Place) {
  const [seconds, fraction] = [Number(ts.slice(0, 10)), Number(ts.slice(11))];
  const a = mix(mix(seedOf(channel) ^ seconds) ^ fraction);
  const b = mix(a ^ seconds);
  const c = mix(b + 0x9e3779b9);
  return [a, b, c, mix(c ^ a)] as const;
}

const hex = (word: number) => word.toString(16).padStart(8, "0");

/** A UUID of version 4. */
export function clientMessageId(place: Place): string {
  const [a, b, c, d] = wordsOf(place).map(hex) as [string, string, string, string];
  const variant = "89ab"[Number.parseInt(c.charAt(0), 16) & 3];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

export function blockId(place: Place): string {
  let rest = wordsOf(place)[3];
  let id = "";
  for (let n = 0; n < BLOCK_ID_LENGTH; n++) {
    id += ALPHABET.charAt(rest % ALPHABET.length);
    rest = Math.floor(rest / ALPHABET.length);
  }
  return id;
}
