/** Picks mutants at random, the same ones for the same seed. */

/** A hash spreads the order evenly, and does not depend on how many there are. */
export function choose<Item extends { readonly file: string; readonly line: number }>(
  items: readonly Item[],
  count: number,
  seed: number,
): Item[] {
  const order = items
    .map((item, place) => ({ item, key: Bun.hash(`${item.file} ${item.line} ${place}`, seed) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const lines = new Set<string>();
  const chosen: Item[] = [];
  for (const { item } of order) {
    if (chosen.length === count) break;
    const line = `${item.file}:${item.line}`;
    if (lines.has(line)) continue;
    lines.add(line);
    chosen.push(item);
  }
  return chosen;
}
