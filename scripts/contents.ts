/**
 * Lists the facts in a world's seed, by service: people, customers, days, amounts, and numbers of issues and tickets.
 * Facts that only one service has, or that services write differently, stand out.
 *
 *   bun scripts/contents.ts harborline
 */

import { PEOPLE, SEEDS } from "../seeds/index";
import { resolveSeed, type Seed } from "../src/platform/templates/seeds";

export type Texts = ReadonlyMap<string, readonly string[]>;
type Members = { readonly [service: string]: { readonly [section: string]: unknown } };

/** The members of a built-in world. Throws for an unknown name. */
export function membersOf(name: string): Members {
  const seeds = SEEDS as readonly Seed[];
  const world = seeds.find(({ template, service }) => template === name && service === "world");
  if (!world) throw new Error(`there is no world ${name}`);
  return (resolveSeed(world, seeds) as unknown as { members: Members }).members;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const each of Object.values(value)) yield* textsIn(each);
}

/** Every text of a world, by service. */
export const textsOf = (members: Members): Texts =>
  new Map(Object.entries(members).map(([service, seed]) => [service, [...textsIn(seed)]]));

const MONTHS =
  "January|February|March|April|May|June|July|August|September|October|November|December";
const KINDS: Readonly<Record<string, RegExp>> = {
  days: new RegExp(`\\b\\d{1,2} (?:${MONTHS})\\b`, "g"),
  amounts: /\b\d{1,3}(?:,\d{3})+(?:\.\d\d)?(?: EUR)?|\b\d+\.\d\d EUR|\b\d+ %/g,
  issues: /\b(?:TIDE|PLAT|MOB|DATA|SEC|EU)-\d+\b/g,
  tickets: /#\d{4}\b/g,
};

type Found = Map<string, Map<string, number>>;

function count(texts: Texts, factsIn: (text: string) => Iterable<string>): Found {
  const found: Found = new Map();
  for (const [service, all] of texts)
    for (const text of all)
      for (const fact of factsIn(text)) {
        const places = found.get(fact) ?? new Map<string, number>();
        found.set(fact, places.set(service, (places.get(service) ?? 0) + 1));
      }
  return found;
}

const named = (names: readonly string[]) => (text: string) =>
  names.filter((name) => text.includes(name));

/** Facts by kind, and how often each service has them. */
export function factsOf(name: string): ReadonlyMap<string, Found> {
  const members = membersOf(name);
  const texts = textsOf(members);
  const people = (Object.values(PEOPLE).flat() as { name: string; email: string }[]).filter(
    ({ email }) => [...texts.values()].some((all) => all.includes(email)),
  );
  const customers = (members["tracker"]?.["customers"] ?? []) as { name: string }[];
  return new Map([
    ["people", count(texts, named(people.map((each) => each.name)))],
    ["customers", count(texts, named(customers.map((each) => each.name)))],
    ...Object.entries(KINDS).map(
      ([kind, form]) =>
        [kind, count(texts, (text) => new Set(text.match(form) ?? []))] as [string, Found],
    ),
  ]);
}

if (import.meta.main) {
  const [name] = Bun.argv.slice(2);
  if (name === undefined) throw new Error("usage: bun scripts/contents.ts WORLD");
  for (const [kind, found] of factsOf(name)) {
    console.log(`\n${kind}`);
    for (const [fact, places] of [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const counts = [...places].map(([service, times]) => `${service} ${times}`).join(", ");
      console.log(`  ${fact.padEnd(24)} ${counts}`);
    }
  }
}
