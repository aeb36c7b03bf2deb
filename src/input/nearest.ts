import { distance } from "fastest-levenshtein";

/** `; the nearest is "issues"` for `isues`, and nothing for a name that resembles none. */
export function nearest(wrong: string, known: Iterable<string>): string {
  const best = nearestOf(wrong, known);
  return best === undefined ? "" : `; the nearest is "${best}"`;
}

/**
 * The known name that one resembles most, if it resembles any. Case and separators count less
 * than letters: the nearest to `icontains` and `iContains` is `i_contains`, not `contains`.
 */
export function nearestOf(wrong: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  if (wrong.length > LENGTH_MAX) return undefined;
  const meant = letters(wrong);
  const most = meant.length <= SHORT_MAX ? 1 : Math.max(2, Math.floor(meant.length / 3));
  for (const name of known) {
    const whole = letters(name);
    const apart = distance(meant, whole);
    const difference =
      (isPart(meant, whole) ? Math.min(apart, PART_DISTANCE) : apart) +
      distance(wrong, name) / WHOLE_MAX;
    if (difference < Math.min(least, most + 1)) [best, least] = [name, difference];
  }
  return best;
}

const QUOTED_MAX = 64;
const EXISTING_MAX = 10;

/** A name from a caller, as messages repeat it. */
export const quoted = (name: string) =>
  JSON.stringify(name.length > QUOTED_MAX ? `${name.slice(0, QUOTED_MAX)}…` : name);

/** The nearest of the known names, and some of those that there are: `; there are a, b and 3 more`. */
export function known(wrong: string, names: readonly string[]): string {
  const shown = names.slice(0, EXISTING_MAX).join(", ");
  const more = names.length - EXISTING_MAX;
  const rest = more > 0 ? ` and ${more} more` : "";
  return nearest(wrong, names) + (names.length === 0 ? "" : `; there are ${shown}${rest}`);
}

const letters = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
/** Greater than the distance between any two names. */
const WHOLE_MAX = 1_000;

const LENGTH_MAX = 100;
/** A shorter or equally long name differs by one letter at most, a longer one by two or a third of it. */
const SHORT_MAX = 3;
/** `ttl` means `ttlSeconds`, although `testId` has fewer other letters; `userId` means `impersonateUserId`. */
const BEGINNING_MIN = 3;
const ENDING_MIN = 4;
const PART_DISTANCE = 1;

const isPart = (part: string, whole: string) =>
  (part.length >= BEGINNING_MIN && whole.startsWith(part)) ||
  (part.length >= ENDING_MIN && whole.endsWith(part));
