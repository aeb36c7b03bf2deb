/**
 * Finds text that Postgres does not store unchanged: it rejects NUL, and half of a surrogate pair would silently become
 * another character. Returns a path such as `/blocks/0/text`; undefined if there is none.
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

/** The problem of such a text, in words. */
export const UNSTORABLE = "a string contains NUL or half a surrogate pair";

/** JSON without such text: each of these characters is replaced. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) =>
    found === "\\\\" ? found : "\\ufffd",
  );

const isStorable = (text: string) => !text.includes("\u0000") && text.isWellFormed();
