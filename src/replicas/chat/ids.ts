/** Ids and message timestamps in the service's formats. */
import type { Sourced } from "~/source";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH = 10;

type IdPrefix = "C" | "D" | "F" | "S" | "Bk" | "Rm" | "V" | "R" | "Rec" | "Col" | "I" | "Dr";

/** A new id: the prefix and ten random characters of 0-9A-Z, unique within an environment. */
export const newId = ({ source }: Sourced, prefix: IdPrefix) =>
  prefix + Array.from(source.bytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");

export const isChannelId = (text: string) => /^[CDG][A-Z0-9]{2,}$/.test(text);
export const isUserId = (text: string) => /^[UW][A-Z0-9]{2,}$/.test(text);

export const isAppId = (text: string) => /^A[A-Z0-9]{1,15}$/.test(text);

const TS = /^(\d{10})\.(\d{6})$/;
/** A message's id in its channel: ten digits of seconds, a dot, six digits. */
export const isTs = (text: string) => TS.test(text);

/** A bound as clients write it (`1700000000`, `1700000000.0001`), at full width; undefined for anything else. */
export function padTs(text: string): string | undefined {
  const [, seconds, fraction = ""] = /^(\d{1,10})(?:\.(\d{0,6}))?$/.exec(text) ?? [];
  return seconds && `${seconds.padStart(10, "0")}.${fraction.padEnd(6, "0")}`;
}

/** The name of a message in the event of its links, by which a preview can be set. */
export const newUnfurlId = (channel: string, ts: string): string =>
  `${channel}.${ts}.${new Bun.CryptoHasher("sha256").update(`${channel}.${ts}`).digest("hex")}`;

/** The message that such an id names; undefined for any other text. */
export function readUnfurlId(id: string): { channel: string; ts: string } | undefined {
  const [, channel = "", ts = ""] = /^([CDG][A-Z0-9]{2,})\.(\d{10}\.\d{6})\./.exec(id) ?? [];
  return id === newUnfurlId(channel, ts) ? { channel, ts } : undefined;
}

/** The user that a token of the form `xoxp-<userId>` or `xoxb-<userId>` names. */
export const userOfToken = (token: string): string | undefined =>
  /^xox[bp]-([UW][A-Z0-9]{2,})$/.exec(token)?.[1];
