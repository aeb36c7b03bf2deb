import { distance } from "fastest-levenshtein";

/**
 * `; the nearest is "issues"` for `isues`. Case and separators count less than letters: the nearest to `icontains` and
 * `iContains` is `i_contains`, not `contains`.
 */
export function nearest(wrong: string, known: Iterable<string>): string {
  let best: string | undefined;
  let least = Infinity;
  if (wrong.length > LENGTH_MAX) return "";
  for (const name of known) {
    const isBeginning =
      letters(wrong).length >= BEGINNING_MIN && letters(name).startsWith(letters(wrong));
    const apart = distance(letters(wrong), letters(name));
    const difference =
      (isBeginning ? Math.min(apart, BEGINNING_DISTANCE) : apart) +
      distance(wrong, name) / WHOLE_MAX;
    if (difference < least) [best, least] = [name, difference];
  }
  return best === undefined ? "" : `; the nearest is "${best}"`;
}

const letters = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
/** Greater than the distance between any two names. */
const WHOLE_MAX = 1_000;

const LENGTH_MAX = 100;
/** `ttl` means `ttlSeconds`, although `testId` has fewer other letters. */
const BEGINNING_MIN = 3;
const BEGINNING_DISTANCE = 1;
