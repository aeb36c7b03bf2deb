/**
 * `; the nearest is "issues"` for `isues`. Case and separators count less than any letter: `icontains` and `iContains`
 * are `i_contains` rather than `contains`.
 */
export function nearest(wrong: string, known: Iterable<string>): string {
  let best: string | undefined;
  let least = Infinity;
  if (wrong.length > LENGTH_MAX) return "";
  for (const name of known) {
    const distance = edits(letters(wrong), letters(name)) + edits(wrong, name) / WHOLE_MAX;
    if (distance < least) [best, least] = [name, distance];
  }
  return best === undefined ? "" : `; the nearest is "${best}"`;
}

const letters = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
/** More than two names can differ by. */
const WHOLE_MAX = 1_000;

const LENGTH_MAX = 100;

/** How many letters to put in, take out or replace. */
function edits(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const here = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      here.push(Math.min(replaced, (above[column] ?? 0) + 1, (here[column - 1] ?? 0) + 1));
    }
    above = here;
  }
  return above[b.length] ?? 0;
}
