/** The standard emoji. Names as the service knows them, without colons. */
import data from "~/replicas/chat/emoji.json";

/** Names by category, in their usual order. */
export const CATEGORIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(data.categories).map(([category, names]) => [category, names.split(" ")]),
);

const STANDARD = new Set([...CATEGORIES.values()].flat());
const TONED = new Set(data.toned.split(" "));

/** True for `thumbsup` and `thumbsup::skin-tone-3`; custom emoji are not known here. */
export function isStandardEmoji(name: string): boolean {
  const [, base, tone] = /^(.+?)(::skin-tone-[2-6])?$/.exec(name) ?? [];
  if (base === undefined) return false;
  return tone === undefined ? STANDARD.has(base) : TONED.has(base);
}
