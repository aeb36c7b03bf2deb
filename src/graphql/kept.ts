/** Keeps the values that were used last, as many as `charactersMax` holds. */
export function createKept<V>(charactersMax: number) {
  const kept = new Map<string, { readonly value: V; readonly characters: number }>();
  let characters = 0;

  function drop(key: string): void {
    characters -= kept.get(key)?.characters ?? 0;
    kept.delete(key);
  }

  return {
    get(key: string): V | undefined {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found); // as the one used last
      return found.value;
    },
    /** `length`: of the value, beside that of the key. */
    set(key: string, value: V, length = 0): void {
      drop(key);
      kept.set(key, { value, characters: key.length + length });
      characters += key.length + length;
      for (const oldest of kept.keys()) {
        if (characters <= charactersMax) break;
        drop(oldest);
      }
    },
  };
}
