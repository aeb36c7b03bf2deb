/** Two sequences side by side. */

export type Pair<Item> = { readonly left: Item | undefined; readonly right: Item | undefined };

/**
 * Pairs items in order so that the total similarity is highest. Items with a similarity of 0 are never paired. Time and
 * memory grow with the product of both lengths.
 */
export function aligned<Item>(
  left: readonly Item[],
  right: readonly Item[],
  similarity: (left: Item, right: Item) => number,
): Pair<Item>[] {
  const width = right.length + 1;
  // The best sum of what is left from here on.
  const best = new Float64Array((left.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] ?? 0;
  const paired = (row: number, column: number) => {
    const like = similarity(left[row] as Item, right[column] as Item);
    return like > 0 ? like + at(row + 1, column + 1) : 0;
  };
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      best[row * width + column] = Math.max(
        at(row + 1, column),
        at(row, column + 1),
        paired(row, column),
      );
  const pairs: Pair<Item>[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const isInBoth = row < left.length && column < right.length;
    if (isInBoth && paired(row, column) > 0 && paired(row, column) === at(row, column))
      pairs.push({ left: left[row++], right: right[column++] });
    else if (column === right.length || (isInBoth && at(row + 1, column) === at(row, column)))
      pairs.push({ left: left[row++], right: undefined });
    else pairs.push({ left: undefined, right: right[column++] });
  }
  return pairs;
}
