import { LRUCache } from "lru-cache";

/** Keeps the most recently used values, as long as they and their keys have at most `charactersMax` characters. */
export const createTextCache = <V extends object>(
  charactersMax: number,
  /** Characters of a value, without its key. */
  lengthOf: (value: V) => number = () => 0,
) =>
  new LRUCache<string, V>({
    maxSize: charactersMax,
    sizeCalculation: (value, key) => key.length + lengthOf(value),
  });
