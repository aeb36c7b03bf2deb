/** The common format of seed files, and how one extends another. */
import { isObject } from "~/input/json";
import { known, quoted } from "~/input/nearest";
import { SeedError } from "~/replicas/kit/seed-mistakes";
import { readPeople, withPeople } from "~/replicas/kit/seed-people";
import { WORLD } from "~/replicas/members";
import { inside, type Model, modelOf, servicesOfSeed } from "~/replicas/world";
import { parseTime, TIMES } from "~/source";

export type Seed = {
  readonly template: string;
  readonly service: string;
  readonly description: string;
  /** Another seed of the same service, which this one extends. */
  readonly extends?: string;
  /** The people of its users, or the name of such a list in `seeds/people/`. Of a world: for all its services. */
  readonly people?: unknown;
  /** The day on which its story plays: environments begin then. Without it, they show real time. */
  readonly now?: unknown;
  /** Earlier ids of its rows, to the present ones. */
  readonly aliases?: { readonly [earlier: string]: string };
  /** Of a world: the seed of each service, or the name of one in `seeds/`. */
  readonly members?: unknown;
};

/** Returns a seed that stands alone: with those that it extends, or that a world is made of. Throws SeedError. */
export function resolveSeed(seed: Seed, seeds: readonly Seed[]): Seed {
  if (seed.service !== WORLD) return withPeople(extended(seed, seeds));
  const { people, ...world } = seed;
  if (world.members === undefined) return world;
  if (people !== undefined) readPeople(people); // a mistake is one of the world
  const given = world.members as { readonly [service: string]: unknown };
  const members = servicesOfSeed(seed).map((service) => {
    try {
      const member = memberSeed(service, given[service], seeds);
      return [service, withPeople({ ...(people !== undefined && { people }), ...member })];
    } catch (error) {
      throw error instanceof SeedError ? inside(`members.${service}`, error) : error;
    }
  });
  return { ...world, members: Object.fromEntries(members) };
}

/** The seed of a service in a world: the built-in one of that name, or the given one. */
function memberSeed(service: string, given: unknown, seeds: readonly Seed[]): Seed {
  if (typeof given === "string") {
    const own = seeds.filter((each) => each.service === service);
    const named = own.find(({ template }) => template === given);
    if (named) return extended(named, seeds);
    const names = own.map(({ template }) => template);
    throw new SeedError(
      "",
      `there is no seed ${quoted(given)} of ${service}${known(given, names)}`,
    );
  }
  if (!isObject(given)) throw new SeedError("", "a seed, or the name of one, is needed");
  return extended({ ...given, service } as Seed, seeds);
}

/** Returns a seed with the lists of the extended seed before its own. */
function extended(seed: Seed, seeds: readonly Seed[]): Seed {
  if (seed.extends === undefined) return seed;
  const bases = seeds.filter((each) => each.extends === undefined && each.service === seed.service);
  const base = bases.find(({ template }) => template === seed.extends);
  if (!base) {
    const name = String(seed.extends);
    const names = bases.map(({ template }) => template);
    throw new SeedError(
      "extends",
      `there is no seed ${quoted(name)} of ${seed.service} to build on${known(name, names)}`,
    );
  }
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(seed)) {
    const below = merged[name];
    merged[name] = Array.isArray(value) && Array.isArray(below) ? [...below, ...value] : value;
  }
  return merged as Seed;
}

/** The time that environments of a seed begin with; null: real time. Throws SeedError. */
export function opensAt({ now }: Pick<Seed, "now">): Date | null {
  if (now === undefined) return null;
  const time = typeof now === "string" ? parseTime(now) : undefined;
  if (time === undefined) throw new SeedError("now", `a time in ${TIMES} is needed`);
  return new Date(time);
}

/** The model of what a seed makes. Throws SeedError. */
export const seedModel = (
  seed: Pick<Seed, "service" | "members"> & { readonly services?: unknown },
): Model => modelOf(seed.service, seed.service === WORLD ? servicesOfSeed(seed) : [seed.service]);
