/**
 * Writes src/replicas/chat/emoji.json: the standard emoji names by category, and those with skin tones.
 * From the data of emoji-datasource (MIT), which is not a dependency because of its 28 MB of pictures:
 *
 *   bun add --dev emoji-datasource@16.0.0 && bun scripts/emoji.ts && bun remove emoji-datasource
 */
type Entry = {
  short_names: string[];
  category: string;
  sort_order: number;
  skin_variations?: object;
};

const data = "../node_modules/emoji-datasource/emoji.json";
const { default: entries } = (await import(data)) as { default: Entry[] };
entries.sort((a, b) => a.sort_order - b.sort_order);

const categories: Record<string, string> = {};
for (const { category, short_names } of entries)
  categories[category] = [categories[category], ...short_names].filter(Boolean).join(" ");
const toned = entries
  .filter(({ skin_variations }) => skin_variations)
  .flatMap(({ short_names }) => short_names);

const file = new URL("../src/replicas/chat/emoji.json", import.meta.url).pathname;
await Bun.write(file, `${JSON.stringify({ categories, toned: toned.join(" ") }, null, 2)}\n`);
