/** The common format of seed files, and how one extends another. */
import { known, quoted } from "~/input/nearest";
import { SeedError } from "~/replicas/kit/seed-mistakes";
import { parseTime, TIMES } from "~/source";

export type Seed = {
  readonly template: string;
  readonly service: string;
  readonly description: string;
  /** Another seed of the same service, which this one extends. */
  readonly extends?: string;
  /** The day on which its story plays: environments begin then. Without it, they show real time. */
  readonly now?: unknown;
  /** Earlier ids of its rows, to the present ones. */
  readonly aliases?: { readonly [earlier: string]: string };
};

/** Returns a seed with the lists of the extended seed before its own. */
export function resolveSeed(seed: Seed, seeds: readonly Seed[]): Seed {
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
