/** The tools of chat are those of the captured listings: names, order, schemas, annotations. The descriptions are ours. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { chat } from "~/replicas/chat/index";
import type { ToolProfile } from "~/replicas/tools";

const { vendor, archived } = chat.toolProfiles as { vendor: ToolProfile; archived: ToolProfile };

/** A listing without descriptions. */
const withoutWords = (tools: unknown) =>
  JSON.parse(
    JSON.stringify(tools, (key, value) =>
      key === "description" && typeof value === "string" ? undefined : value,
    ),
  );

/** Every description of a listing, with the place where it stands. */
function described(value: unknown, place = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "description" && typeof inner === "string"
      ? [`${place}: ${inner}`]
      : described(inner, `${place}/${key}`),
  );
}

test.each([
  ["vendor", vendor],
  ["archived", archived],
])("the listing equals the capture %s", async (name, { tools }) => {
  const captured = await Bun.file(join(import.meta.dir, `${name}.jsonl`)).text();

  expect(withoutWords(tools)).toEqual(Bun.JSONL.parse(captured));
});

test("every tool and every argument of it has a description", () => {
  for (const { tools } of [vendor, archived])
    for (const tool of tools) {
      const names = Object.keys(tool.inputSchema.properties ?? {});
      const texts = described(tool.inputSchema);
      expect(tool.description.length).toBeGreaterThan(20);
      for (const name of names)
        expect(texts.some((text) => text.startsWith(`/properties/${name}:`))).toBe(true);
    }
});
