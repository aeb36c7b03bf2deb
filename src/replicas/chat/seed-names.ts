/** The names in a seed. */
import { nearest } from "~/input/nearest";
import { SeedError } from "~/replicas/kit/seed-mistakes";

/** Finds an entry by its name. Throws SeedError, at this path of the seed, when there is none. */
export type Find<T> = (name: string, path: string) => T;

/** Finds an entry of a list by its unique names. */
export function index<T>(
  what: string,
  list: string,
  entries: readonly T[],
  namesOf: (entry: T) => readonly string[],
): Find<T> {
  const known = new Map<string, T>();
  for (const [place, entry] of entries.entries())
    for (const name of namesOf(entry)) {
      if (known.has(name)) throw new SeedError(`${list}[${place}]`, `there are two of "${name}"`);
      known.set(name, entry);
    }
  return (name, path) => {
    const found = known.get(name);
    if (found === undefined)
      throw new SeedError(path, `there is no ${what} "${name}"${nearest(name, known.keys())}`);
    return found;
  };
}
