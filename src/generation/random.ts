/** Numbers that follow from a seed: the same ones on every machine. */

export type Random = {
  /** From 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** Different items, in random order; all of them if there are fewer. */
  readonly some: <Item>(items: readonly Item[], count: number) => Item[];
};

/** Mulberry32, by Tommy Ettinger: 32 bits of state, which is enough to choose words. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (end: number) => Math.floor(next() * end);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
  return {
    below,
    pick,
    some<Item>(items: readonly Item[], count: number) {
      const left = [...items];
      const chosen: Item[] = [];
      while (left.length > 0 && chosen.length < count)
        chosen.push(...left.splice(below(left.length), 1));
      return chosen;
    },
  };
}
