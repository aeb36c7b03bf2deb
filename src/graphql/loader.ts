/** Batches keys that are requested together into one query. */

export type Loader<K, V> = {
  /** Loads the value of a key: immediately when it is known, otherwise in a batch with the other pending keys. */
  load(key: K): V | Promise<V>;
  /** Stores a known value. */
  prime(key: K, value: V): void;
};

/** `fetch` loads a batch; a key that it leaves out has the value `none`. */
export function createLoader<K, V>(
  fetch: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  none: V,
): Loader<K, V> {
  const known = new Map<K, { readonly value: V } | Promise<V>>();
  let waiting: { keys: K[]; answer: Promise<ReadonlyMap<K, V>> } | undefined;

  /** Starts a batch that accepts keys until all running work has requested its own. */
  function open() {
    const keys: K[] = [];
    const answer = new Promise<void>((start) => setImmediate(start)).then(() => {
      waiting = undefined;
      return fetch(keys);
    });
    waiting = { keys, answer };
    return waiting;
  }

  return {
    load(key) {
      const found = known.get(key);
      if (found !== undefined) return found instanceof Promise ? found : found.value;
      const { keys, answer } = waiting ?? open();
      keys.push(key);
      const value = answer.then((values) => {
        const loaded = values.has(key) ? (values.get(key) as V) : none;
        known.set(key, { value: loaded });
        return loaded;
      });
      known.set(key, value);
      return value;
    },
    prime(key, value) {
      known.set(key, { value });
    },
  };
}
