/** The standard emoji by the service's names, without colons. */
import data from "~/replicas/chat/emoji.json";

/** Names by category, in their usual order. */
export const CATEGORIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(data.categories).map(([category, names]) => [category, names.split(" ")]),
);

const CODES = new Map(
  Object.entries(data.codes).flatMap(([category, codes]) => {
    const names = CATEGORIES.get(category) ?? [];
    return codes.split(" ").map((code, index) => [names[index] ?? "", code] as const);
  }),
);
const TONED = new Set(data.toned.split(" "));

/** The code points of a standard emoji in hex, joined with `-`. Undefined for a custom one. */
export const codeOf = (name: string): string | undefined => CODES.get(name);

/** True for `thumbsup` and `thumbsup::skin-tone-3`; custom emoji are not known here. */
export function isStandardEmoji(name: string): boolean {
  const [, base, tone] = /^(.+?)(::skin-tone-[2-6])?$/.exec(name) ?? [];
  if (base === undefined) return false;
  return tone === undefined ? CODES.has(base) : TONED.has(base);
}
