/** The tree of a text: created in time linear in the text, from any input of a client. */
import { expect, test } from "bun:test";
import { markdownOf, richText, treeOf } from "~/replicas/tracker/rich-text";
import { expectLinear } from "../../support/growth";

test("a fenced block stays in one part, an empty line separates others", () => {
  const { content } = JSON.parse(
    richText("# One\n\n\ntwo\nlines\n \n```ts\na\n\nb\n```\n- x\n- y\n\n```\nopen"),
  );

  expect(content.map(({ type }: { type: string }) => type)).toEqual([
    "heading",
    "paragraph",
    "code_block",
    "bullet_list",
    "paragraph",
  ]);
  expect(content[2].content[0].text).toBe("a\n\nb");
});

test.each(["\n", "\n ", "```", "`", "# ", "\n\nx", "- ", "```\n", "["])(
  "a long text of %j takes time in proportion to its length",
  (part) => expectLinear(richText, part, 500_000),
);

test("a mark and many blanks before two lines take time in proportion to their length", () =>
  expectLinear((blanks) => richText(`# ${blanks}a\nb`), " ", 128_000));

test.each([
  ["#   Title", "heading", "Title"],
  ["# \tTitle", "heading", "\tTitle"],
  ["## a b ", "heading", "a b"],
  ["#  a\nb", "paragraph", "#  a\nb"],
  ["#  \nb", "paragraph", "#  \nb"],
  ["#Title", "paragraph", "#Title"],
])("the block of %j is a %s", (markdown, type, inner) => {
  const [block] = JSON.parse(richText(markdown)).content;

  expect([block.type, block.content[0].text]).toEqual([type, inner]);
});

test.each([
  [{ type: "doc", content: 5 }, ""],
  [{ type: "doc", content: [null, "x", { type: "text", text: 5 }] }, ""],
  [{ type: "doc", content: [{ type: "heading", attrs: { level: 1e9 } }] }, "###### "],
  [{ type: "doc", content: [{ type: "heading", attrs: { level: -1 } }] }, "# "],
  ["[".repeat(100_000), undefined],
])("the tree of case %# is read", (tree, text) => {
  expect(markdownOf(tree)).toBe(text);
});

test("the tree of a row is created once", () => {
  const row = { id: "a", content: "text", other: null };

  expect(treeOf(row, "content")).toBe(treeOf(row, "content"));
  expect(treeOf(row, "content")).toContain("paragraph");
  expect(treeOf(row, "other")).toBeNull();
});
