/**
 * Where a value holds text that Postgres does not store as it is: NUL it refuses, half a surrogate pair would silently
 * become another character. A path such as `/blocks/0/text`; undefined when all is well.
 */
export function findUnstorable(value: unknown, path = ""): string | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : path || "/";
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const inside = isStorable(key)
      ? findUnstorable(item, `${path}/${key.slice(0, 64)}`)
      : path || "/";
    if (inside !== undefined) return inside;
  }
  return undefined;
}

const isStorable = (text: string) => !text.includes("\u0000") && text.isWellFormed();
