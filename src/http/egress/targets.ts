/**
 * Decides where this server may post to. An address that an agent chooses must not lead to the services beside it: the
 * name is resolved once, all of its addresses are checked, and the connection goes to one of those that were checked.
 */
import { networkInterfaces } from "node:os";
import { placesOf, socketOf } from "~/address";
import {
  type IpAddress,
  isWithin,
  kindOf,
  parseIp,
  parseRange,
  untranslated,
} from "~/input/ip-address";

/** The addresses of a name. Throws if it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * Resolves with the system's settings and table of hosts, but not by its function: that one blocks a thread of the few that
 * also read files and resolve the name of the database, for as long as a name server does not answer.
 */
const systemLookup: Lookup = async (name) =>
  (await Bun.dns.lookup(name, { backend: "c-ares" })).map(({ address }) => address);

const DEFAULT_PORTS: { readonly [protocol: string]: number } = { "http:": 80, "https:": 443 };
const POSTGRES_PORT = 5432;
/** Of a name. All are checked. */
const ADDRESSES_MAX = 64;

/** A place that is never posted to. */
type Forbidden = { readonly host: string; readonly port: number; readonly isHere: boolean };

/** The places of Postgres. A socket in the file system is one of this machine. */
const postgresOf = (databaseUrl: string): Forbidden[] =>
  placesOf(databaseUrl).map((place) => {
    const { hostname, port } = new URL(place);
    const isHere = socketOf(place) !== undefined;
    return { host: hostname, port: Number(port || POSTGRES_PORT), isHere };
  });

/** Where a request may go, or why nowhere. */
export type Verdict =
  | { readonly addresses: readonly string[]; readonly port: number }
  | { readonly blocked: string };

export type Targets = ReturnType<typeof createTargets>;

export function createTargets({
  allowed,
  databaseUrl,
  ownPorts,
  lookup = systemLookup,
}: {
  /** Origins, and ranges of addresses. */
  readonly allowed: ReadonlySet<string>;
  readonly databaseUrl: string;
  /** The ports that this server listens on. */
  readonly ownPorts: () => Iterable<number>;
  readonly lookup?: Lookup;
}) {
  const ranges = [...allowed].flatMap((item) => parseRange(item) ?? []);
  const postgres = postgresOf(databaseUrl);

  async function resolve(host: string): Promise<readonly string[]> {
    const literal = host.replace(/^\[(.*)\]$/, "$1");
    if (parseIp(literal)) return [literal];
    const found = await lookup(host);
    if (found.length === 0 || found.length > ADDRESSES_MAX)
      throw new Error(`${host} has ${found.length} addresses`);
    return found;
  }

  /** Whether an address is that of Postgres, or of this server. If that cannot be found out, it is. */
  async function isForbidden(address: IpAddress, port: number): Promise<boolean> {
    const isHere = isOfThisMachine(address);
    if (isHere && new Set(ownPorts()).has(port)) return true;
    for (const place of postgres.filter((each) => each.port === port)) {
      if (place.isHere) {
        if (isHere) return true;
        continue;
      }
      const found = await resolve(place.host).catch(() => undefined);
      const addresses = found?.map(parseIp);
      if (!addresses) return true;
      const isSame = (other: IpAddress | undefined) =>
        other !== undefined && (isEqual(other, address) || (isHere && isOfThisMachine(other)));
      if (addresses.some(isSame)) return true;
    }
    return false;
  }

  /** Why an address of a URL is not posted to. */
  async function problemOf(text: string, url: URL, port: number): Promise<string | undefined> {
    const address = parseIp(text);
    const kind = address ? kindOf(address) : "never";
    if (!address || kind === "never") return "its address is never posted to";
    if (await isForbidden(address, port))
      return "its address is one of this server or its database";
    if (ranges.some((range) => isWithin(address, range))) return undefined;
    // Nobody outside chooses the address of a name without a dot, such as that of a container.
    const isFixed = parseIp(url.hostname) !== undefined || !url.hostname.includes(".");
    if (allowed.has(url.origin) && (kind === "public" || isFixed)) return undefined;
    return allowed.has(url.origin)
      ? "its address is in a private range, which EVENT_TARGETS does not list"
      : "EVENT_TARGETS does not list it";
  }

  return {
    /** Checks a URL. Throws if its name has no address. */
    async check(text: string): Promise<Verdict> {
      const url = URL.parse(text);
      const usual = DEFAULT_PORTS[url?.protocol ?? ""];
      if (!url || usual === undefined) return { blocked: "it is no address of http or https" };
      const port = Number(url.port || usual);
      if (url.username || url.password) return { blocked: "it has a user name or a password" };
      if (ranges.length === 0 && !allowed.has(url.origin))
        return { blocked: "EVENT_TARGETS does not list it" };
      const addresses = await resolve(url.hostname);
      for (const address of addresses) {
        const blocked = await problemOf(address, url, port);
        if (blocked !== undefined) return { blocked };
      }
      return { addresses, port };
    },
  };
}

/** Whether two addresses are those of one machine, which a network may translate. */
function isEqual(one: IpAddress, other: IpAddress): boolean {
  const [a, b] = [untranslated(one), untranslated(other)];
  return a.bits === b.bits && a.value === b.value;
}

function isOfThisMachine(address: IpAddress): boolean {
  if (kindOf(address) === "loopback") return true;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some((each) => {
    const parsed = parseIp(each.address);
    return parsed !== undefined && isEqual(parsed, address);
  });
}
