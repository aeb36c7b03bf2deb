/**
 * Writes src/replicas/chat/emoji.json: the standard emoji names by category, and those with skin tones.
 * From the data of emoji-datasource (MIT), which is not a dependency because of its 28 MB of pictures:
 *
 *   bun add --dev emoji-datasource@16.0.0 && bun scripts/emoji.ts && bun remove emoji-datasource
 */
type Entry = {
  short_names: string[];
  unified: string;
  category: string;
  sort_order: number;
  skin_variations?: object;
};

const data = "../node_modules/emoji-datasource/emoji.json";
const { default: entries } = (await import(data)) as { default: Entry[] };
entries.sort((a, b) => a.sort_order - b.sort_order);

const categories: Record<string, string> = {};
/** The code points of each name, in the same order. */
const codes: Record<string, string> = {};
const append = (to: Record<string, string>, category: string, words: readonly string[]) => {
  to[category] = [to[category], ...words].filter(Boolean).join(" ");
};
for (const { category, short_names, unified } of entries) {
  append(categories, category, short_names);
  append(codes, category, Array<string>(short_names.length).fill(unified.toLowerCase()));
}
const toned = entries
  .filter(({ skin_variations }) => skin_variations)
  .flatMap(({ short_names }) => short_names);

const file = new URL("../src/replicas/chat/emoji.json", import.meta.url).pathname;
await Bun.write(
  file,
  `${JSON.stringify({ categories, codes, toned: toned.join(" ") }, null, 2)}\n`,
);
