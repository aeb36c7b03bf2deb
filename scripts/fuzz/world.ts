/**
 * The ids that a sequence of calls can use: learned from answers, by kind (`environment`, `channel`, `issue`) and by
 * owner. A generated call has placeholders, `‹channel.own.3›`, which are filled when it is sent, so that a stored
 * sequence keeps its meaning.
 */

export const HOLDERS = ["own", "foreign", "deleted", "expired"] as const;
/** In addition to the ids that calls pick from: those of another user of the same environment. */
export type Holder = (typeof HOLDERS)[number] | "other";

export const place = (kind: string, holder: Holder, index: number) =>
  `‹${kind}.${holder}.${index}›`;

export const PLACE = /‹([a-zA-Z]+)\.(\w+)\.(\d+)›/g;

const listOf = (size: number, item: (index: number) => string) =>
  Array.from({ length: size }, (_, index) => item(index)).join();

/** Text that does not compress, and is the same each time. */
function noise(size: number): string {
  const bytes = Buffer.alloc(Math.ceil((size * 3) / 4));
  let state = size | 1;
  for (let at = 0; at < bytes.length; at++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    bytes[at] = state >>> 24;
  }
  return bytes.toString("base64").slice(0, size);
}

/** Large values are placeholders too, so that a stored sequence stays readable. Texts go inside quotes, others are JSON. */
const LARGE = {
  long: (size: number) => "x".repeat(size),
  words: (size: number) => "word ".repeat(size / 5),
  emoji: (size: number) => "🙂".repeat(size / 2),
  lines: (size: number) => "- a\\n".repeat(size / 4),
  pattern: (size: number) => "<*_`~:a:".repeat(size / 8),
  noise,
  deep: (size: number) => "[".repeat(size) + "]".repeat(size),
  wide: (size: number) => `[${listOf(size, String)}]`,
  ids: (size: number) =>
    `[${listOf(size, (n) => `"00000000-0000-4000-8000-${String(n).padStart(12, "0")}"`)}]`,
  blocks: (size: number) =>
    `[${listOf(size, () => '{"type":"section","text":{"type":"mrkdwn","text":"x"}}')}]`,
  attachments: (size: number) => `[${listOf(size, () => '{"text":"x","fallback":"x"}')}]`,
  fields: (size: number) => `{${listOf(size, (n) => `"k${n}":${n}`)}}`,
};
export type Shape = keyof typeof LARGE;
export const large = (shape: Shape, size: number) => `‹${shape}.of.${size}›`;
const PER_KIND_MAX = 50;
const NOBODY = "0123456789abcdef0123456789abcdef";

const ALIASES: Record<string, string> = {
  env: "environment",
  testSuite: "suite",
  templateName: "template",
  impersonateUser: "user",
  member: "user",
  timestamp: "ts",
  threadTs: "ts",
  messageTs: "ts",
  oldest: "ts",
  latest: "ts",
};
/** Names of generic lists, which do not determine the kind of their items. */
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

  /** The first id that was registered. */
  first(kind: string): string {
    return this.pools.get(`${kind}.own`)?.[0] ?? NOBODY;
  }

  copy(): World {
    return new World(this.pools);
  }

  /** Fills the placeholders of a text. If there is no such id, uses one that never existed. */
  fill(text: string, encode: (id: string) => string = (id) => id): string {
    return text.replace(PLACE, (_, kind: string, holder: string, index: string) => {
      if (Object.hasOwn(LARGE, kind)) return LARGE[kind as Shape](Number(index));
      const pool = this.pools.get(`${kind}.${holder}`) ?? this.pools.get(`${kind}.own`) ?? [];
      return encode(pool[Number(index) % Math.max(1, pool.length)] ?? NOBODY);
    });
  }

  /** Registers every id of an answer. */
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
