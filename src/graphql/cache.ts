import { LRUCache } from "lru-cache";

/** Keeps the values that were used last, as long as they and their keys have at most `charactersMax` characters. */
export const createTextCache = <V extends object>(
  charactersMax: number,
  /** Characters of a value, beside those of its key. */
  lengthOf: (value: V) => number = () => 0,
) =>
  new LRUCache<string, V>({
    maxSize: charactersMax,
    sizeCalculation: (value, key) => key.length + lengthOf(value),
  });
