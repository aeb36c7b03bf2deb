/** IP addresses, and ranges of them in CIDR notation. */
import { isIPv4, isIPv6 } from "node:net";

export type IpAddress = { readonly bits: 32 | 128; readonly value: bigint };

type IpRange = IpAddress & {
  /** Bits of the prefix. */
  readonly prefix: number;
};

const GROUPS = 8;

const joined = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((value, part) => (value << BigInt(bits)) | BigInt(part), 0n);

const v4Value = (text: string): bigint => joined(text.split(".").map(Number), 8);

/** The groups of a part of an IPv6 address; one in dotted form is two groups. */
const groupsOf = (text: string): number[] =>
  text === ""
    ? []
    : text.split(":").flatMap((part) => {
        if (!part.includes(".")) return [Number.parseInt(part, 16)];
        const value = Number(v4Value(part));
        return [value >>> 16, value & 0xffff];
      });

const IPV4_MAPPED = 0xffffn << 32n;

/**
 * Parses an address in its usual notation, an IPv6 one also in brackets or with a zone. Of `::ffff:0:0/96`, the IPv4
 * address in it. Undefined for anything else, such as the decimal or octal forms, which a URL normalizes.
 */
export function parseIp(given: string): IpAddress | undefined {
  const text = given.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (isIPv4(text)) return { bits: 32, value: v4Value(text) };
  if (!isIPv6(text)) return undefined;
  const [head = "", tail] = text.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => 0);
  const value = joined([...before, ...zeros, ...after], 16);
  return value >> 32n === IPV4_MAPPED >> 32n
    ? { bits: 32, value: value & 0xffff_ffffn }
    : { bits: 128, value };
}

/** Parses `10.0.0.0/8` or `fd00::/8`. Undefined for anything else. */
export function parseRange(text: string): IpRange | undefined {
  const [, given = "", digits] = /^([\d.]+|[\da-f:.]*:[\da-f:.]*)\/(\d{1,3})$/i.exec(text) ?? [];
  const address = parseIp(given);
  const prefix = Number(digits);
  return address && prefix <= address.bits ? { ...address, prefix } : undefined;
}

/** Parses a range that is known to be one. */
function range(text: string): IpRange {
  const parsed = parseRange(text);
  if (!parsed) throw new Error(`${text} is no range`);
  return parsed;
}

export function isWithin({ bits, value }: IpAddress, range: IpRange): boolean {
  const rest = BigInt(bits - range.prefix);
  return bits === range.bits && value >> rest === range.value >> rest;
}

const LOOPBACK = ["127.0.0.0/8", "::1/128"].map(range);

/** Unspecified, multicast, those of the same link, the metadata services of clouds, and IPv6 ranges that embed IPv4 addresses. */
const NEVER = [
  ...["0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/3"],
  ...["100.100.100.200/32", "168.63.129.16/32"],
  ...[
    "::/96",
    "::ffff:0:0:0/96",
    "64:ff9b:1::/48",
    "2001::/32",
    "2002::/16",
    "fe80::/10",
    "ff00::/8",
  ],
  ...["fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128"],
  ...["fd00:a9fe:a9fe::1/128", "fd00:100::100:200/128"],
].map(range);

/** Of private networks, documentation and benchmarks. https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE = [
  ...["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"],
  ...["192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["fc00::/7", "fec0::/10", "100::/64", "2001:db8::/32"],
].map(range);

/** Addresses of IPv4 as a network without IPv4 has them (RFC 6052). */
const TRANSLATED = range("64:ff9b::/96");

/** The IPv4 address that a translated one leads to; any other one as it is. */
export const untranslated = (address: IpAddress): IpAddress =>
  isWithin(address, TRANSLATED) ? { bits: 32, value: address.value & 0xffff_ffffn } : address;

/** Whether an address is one of this machine, of a private network or of the internet, or never one to send to. */
export function kindOf(address: IpAddress): "loopback" | "never" | "private" | "public" {
  const own = untranslated(address);
  const isIn = (ranges: readonly IpRange[]) => ranges.some((each) => isWithin(own, each));
  if (isIn(LOOPBACK)) return "loopback";
  if (isIn(NEVER)) return "never";
  return isIn(PRIVATE) ? "private" : "public";
}
