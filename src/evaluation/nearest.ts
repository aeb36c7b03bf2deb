/** `; the nearest is "issues"` for `isues`. */
export function nearest(wrong: string, known: Iterable<string>): string {
  let best: string | undefined;
  let least = Infinity;
  if (wrong.length > LENGTH_MAX) return "";
  for (const name of known) {
    const distance = edits(wrong.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best === undefined ? "" : `; the nearest is "${best}"`;
}

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
