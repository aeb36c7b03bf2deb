/**
 * What a sequence of calls can name: ids learned from answers, by kind (`environment`, `channel`, `issue`) and by whose
 * they are. A generated call holds places, `‹channel.own.3›`, which are filled when it is sent, so that the same
 * sequence means the same thing on another day.
 */

export const HOLDERS = ["own", "foreign", "deleted", "expired"] as const;
export type Holder = (typeof HOLDERS)[number];

export const place = (kind: string, holder: Holder, index: number) =>
  `‹${kind}.${holder}.${index}›`;

export const PLACE = /‹([a-zA-Z]+)\.(\w+)\.(\d+)›/g;

/** What would make a kept sequence unreadable is a place, too. */
const LARGE: Readonly<Record<string, (size: number) => string>> = {
  long: (size) => "x".repeat(size),
  deep: (size) => "[".repeat(size) + "]".repeat(size),
  wide: (size) => `[${Array.from({ length: size }, (_, n) => n).join()}]`,
};
export const large = (shape: "long" | "deep" | "wide", size: number) => `‹${shape}.of.${size}›`;
const PER_KIND_MAX = 50;
const NOBODY = "0123456789abcdef0123456789abcdef";

const ALIASES: Record<string, string> = {
  env: "environment",
  testSuite: "suite",
  impersonateUser: "user",
  member: "user",
  timestamp: "ts",
  threadTs: "ts",
  messageTs: "ts",
  oldest: "ts",
  latest: "ts",
};
/** Lists within which things stand under no name of their own. */
const UNNAMED = new Set(["nodes", "edges", "node", "items", "data", "matches"]);

const singular = (name: string) =>
  name
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/([^s])s$/, "$1");
const camel = (name: string) => name.replace(/_+(\w)/g, (_, letter) => letter.toUpperCase());

/** `channel_id`, `channels`, or `id` inside `channels` → `channel`. */
export function kindOf(field: string, parent: string): string {
  const own = camel(field)
    .replace(/Ids?$/, "")
    .replace(/^ids?$/, "");
  const kind = singular(own === "" ? camel(parent) : own);
  return ALIASES[kind] ?? kind;
}

export class World {
  private readonly pools = new Map<string, string[]>();

  constructor(given: ReadonlyMap<string, readonly string[]> = new Map()) {
    for (const [name, ids] of given) this.pools.set(name, [...ids]);
  }

  add(kind: string, holder: Holder, id: string): void {
    const name = `${kind}.${holder}`;
    const pool = this.pools.get(name) ?? [];
    if (!pool.includes(id) && pool.length < PER_KIND_MAX) pool.push(id);
    this.pools.set(name, pool);
  }

  all(kind: string, holder: Holder): readonly string[] {
    return this.pools.get(`${kind}.${holder}`) ?? [];
  }

  copy(): World {
    return new World(this.pools);
  }

  /** Fills the places of a text. What nobody has is an id that never was. */
  fill(text: string, encode: (id: string) => string = (id) => id): string {
    return text.replace(PLACE, (_, kind: string, holder: string, index: string) => {
      const shape = LARGE[kind];
      if (shape) return shape(Number(index));
      const pool = this.pools.get(`${kind}.${holder}`) ?? this.pools.get(`${kind}.own`) ?? [];
      return encode(pool[Number(index) % Math.max(1, pool.length)] ?? NOBODY);
    });
  }

  /** Takes every id out of an answer. */
  learn(value: unknown, parent = "", depth = 0): void {
    if (typeof value !== "object" || value === null || depth > 8) return;
    for (const [key, item] of Object.entries(value)) {
      const name = Array.isArray(value) || UNNAMED.has(key) ? parent : key;
      if (typeof item === "string" && item.length <= 100) {
        const kind = kindOf(name, parent);
        if (/(id|ids|ts|cursor|name|token|key|url)$/i.test(name)) this.add(kind, "own", item);
        else if (/^[A-Z][A-Z0-9]{6,}$/.test(item)) this.add(kind, "own", item);
      } else this.learn(item, name, depth + 1);
    }
  }
}
