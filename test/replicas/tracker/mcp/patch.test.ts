/** Edits by anchors: their effects in order, and their rejections. */
import { describe, expect, test } from "bun:test";
import { applyEdits, type Edit } from "~/replicas/tracker/mcp/patch";

const TEXT = "one two three two";

describe("an edit", () => {
  const effects: readonly (readonly [Edit, string])[] = [
    [{ op: "replace", old_string: "one", new_string: "" }, " two three two"],
    [{ op: "replace", old_string: "one", new_string: "$& $1" }, "$& $1 two three two"],
    [
      { op: "replace", old_string: "two", new_string: "$&2", replace_all: true },
      "one $&2 three $&2",
    ],
    [{ op: "insert_before", anchor: "three", text: "<" }, "one two <three two"],
    [{ op: "insert_after", anchor: "three", text: ">" }, "one two three> two"],
    [{ op: "prepend", text: "zero " }, "zero one two three two"],
    [{ op: "append", text: " end" }, "one two three two end"],
    [{ op: "replace_range", from: "one", to: "three", new_string: "1 2 " }, "1 2 three two"],
    // The end is searched after the beginning only.
    [{ op: "replace_range", from: "three", to: "two", new_string: "3 " }, "one two 3 two"],
  ];

  test.each(effects)("%j", (edit, after) => {
    expect(applyEdits(TEXT, [edit])).toBe(after);
  });

  const rejections: readonly (readonly [Edit, string])[] = [
    [{ op: "replace", old_string: "four", new_string: "" }, "old_string not found"],
    [{ op: "replace", old_string: "two", new_string: "" }, "old_string matches 2 times"],
    [
      { op: "replace", old_string: "four", new_string: "", replace_all: true },
      "old_string not found",
    ],
    [{ op: "insert_before", anchor: "two", text: "x" }, "anchor matches 2 times"],
    [{ op: "insert_after", anchor: "four", text: "x" }, "anchor not found"],
    [{ op: "replace_range", from: "two", to: "three", new_string: "" }, "from matches 2 times"],
    [{ op: "replace_range", from: "three", to: "one", new_string: "" }, "to not found"],
    [{ op: "replace_range", from: "one", to: "two", new_string: "" }, "to matches 2 times"],
  ];

  test.each(rejections)("%j is rejected", (edit, problem) => {
    expect(() => applyEdits(TEXT, [{ op: "append", text: "" }, edit])).toThrow(
      `patch[1]: ${problem}`,
    );
  });

  test("applies to the text that the one before it left", () => {
    const edits: readonly Edit[] = [
      { op: "replace", old_string: "one two", new_string: "1" },
      { op: "insert_after", anchor: "two", text: "!" },
    ];

    expect(applyEdits(TEXT, edits)).toBe("1 three two!");
  });
});
